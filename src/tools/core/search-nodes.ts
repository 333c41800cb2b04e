import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import type { GraphMatch } from '#memory/recall/search-graph.ts';
import { OFFSET_MAX, QUERY_CHARS_MAX, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { answerTokens, fitGraph, fittingNotes, takeWhileFits, weigh } from '../fit-graph.ts';
import { asOf, detail, entityType } from '../params.ts';
import { closeness, closenessNote, graphShape, note, noteOnCuts, pastNote } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const searchNodes = defineTool({
  name: 'search_nodes',
  title: 'Search nodes',
  description:
    'Find entities by meaning or words of names, types and current facts, best first, with relations. To answer a question prefer recall.',
  effect: 'read',
  input: () => ({
    query: z
      .string()
      .min(1)
      .max(QUERY_CHARS_MAX)
      .describe('A question or words; "exact text", -without.'),
    entityType: entityType().optional(),
    limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT).describe('Entities.'),
    offset: z.int().min(0).max(OFFSET_MAX).default(0).describe('See nextOffset.'),
    detail: detail(),
    maxTokens: answerTokens(),
    asOf: asOf(),
  }),
  output: () => ({
    ...graphShape().shape,
    matches: z
      .array(
        z.object({
          entityName: z.string().describe('The entity found.'),
          id: z.string().describe('What matched: obs_4 for a fact, ent_1 for the entity itself.'),
          content: z.string().nullable().describe('The fact; null for the entity itself.'),
          why: z.array(z.enum(['name', 'full text', 'meaning'])).describe('How it matched.'),
          score: z.number().describe('Greater is better, within this answer.'),
        }),
      )
      .optional()
      .describe('Full only: what matched and why, best first.'),
    closeness: closeness(),
    nextOffset: z.number().nullable().describe('Offset of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { query: 'Which library versions are used?', limit: 1 },
    output: {
      entities: [
        {
          name: 'Python Scripts',
          entityType: 'CodeArtifact',
          observations: [
            'update_portfolio.py is main script',
            'Uses python-docx 1.2.0',
            'Uses lxml 6.0.2',
          ],
        },
      ],
      relations: [
        { from: 'Python Scripts', to: 'Andrii', relationType: 'created by' },
        { from: 'Python Scripts', to: 'Portfolio', relationType: 'modifies' },
        { from: 'Andrii', to: 'Python Scripts', relationType: 'created' },
        { from: 'Portfolio', to: 'Python Scripts', relationType: 'modified by' },
      ],
      closeness: 'weak',
      nextOffset: 1,
      note: 'Nothing matches closely; these are the nearest.',
    },
  },
  async run(
    { query, entityType: type, limit, offset, detail: level, maxTokens, asOf: moment },
    memory,
  ) {
    const slice = { limit, offset, detail: level };
    const past = memory.past.at(moment);
    const found =
      past.state === undefined
        ? await memory.finding.search(query, type, slice)
        : past.read(() => memory.finding.searchWords(query, type, slice));
    const matches = fitMatches(found.matches, maxTokens);
    const fitted = fitGraph(found, {
      tokensMax: maxTokens,
      detail: level,
      threadId: memory.threadId,
      besides: {
        matches,
        nextOffset: OFFSET_MAX,
        closeness: found.closeness,
        note: pastNote(past, true),
      },
    });
    const { entities, relations, entitiesLeft } = fitted;
    const isEmpty = entities.length === 0 && offset === 0;
    return {
      entities,
      relations,
      ...(level === 'full' && { matches }),
      closeness: found.closeness,
      nextOffset: entitiesLeft > 0 ? offset + entities.length : found.nextOffset,
      ...noteOnCuts([
        isEmpty && 'No entity passes these filters. list_entities shows what there is.',
        closenessNote(found.closeness, found.closeCount, entities.length),
        ...fittingNotes(fitted, {
          entities: 'go on at nextOffset or raise maxTokens.',
          facts: 'open_nodes shows them.',
        }),
        pastNote(past, true),
      ]),
    };
  },
});

/** Matches repeat what the entities say, so that these have most of the room. */
const MATCHES_SHARE = 0.15;

function fitMatches(matches: readonly GraphMatch[], tokensMax: number) {
  let room = 100 * tokensMax * MATCHES_SHARE;
  return takeWhileFits(matches.map(toMatch), (match) => {
    room -= weigh(match);
    return room >= 0;
  });
}

function toMatch({ nodeId, entityName, fact, reasons, score }: GraphMatch) {
  return {
    entityName,
    id: formatId(fact === null ? 'entity' : 'observation', nodeId),
    content: fact?.content ?? null,
    why: [...reasons],
    score: Math.round(score * 1000) / 1000,
  };
}
