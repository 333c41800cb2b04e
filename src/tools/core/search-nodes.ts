import { z } from 'zod';
import { OFFSET_MAX, QUERY_CHARS_MAX, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { detail, entityType } from '../params.ts';
import { graphShape, note, noteOnCuts, relationsCutNote, toGraph } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const searchNodes = defineTool({
  name: 'search_nodes',
  title: 'Search nodes',
  description:
    'Find entities by words of their names, types and current facts, best first, with all relations that touch them. Words are stemmed; parts of words match too.',
  effect: 'read',
  input: z.object({
    query: z.string().min(1).max(QUERY_CHARS_MAX).describe('A question or a few words.'),
    entityType: entityType.optional(),
    limit: z
      .int()
      .min(1)
      .max(SEARCH_LIMIT_MAX)
      .default(SEARCH_LIMIT_DEFAULT)
      .describe('Entities at most.'),
    offset: z.int().min(0).max(OFFSET_MAX).default(0).describe('Entities to skip; see nextOffset.'),
    detail,
  }),
  output: graphShape.extend({
    nextOffset: z.number().nullable().describe('Offset of the next page; null for the last.'),
    note,
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
      nextOffset: 1,
    },
  },
  async run({ query, entityType: type, limit, offset, detail: level }, memory) {
    const found = await memory.finding.search(query, type, { limit, offset, detail: level });
    const isEmpty = found.entities.length === 0 && offset === 0;
    return {
      ...toGraph(found, level, memory.threadId),
      nextOffset: found.nextOffset,
      ...noteOnCuts([
        isEmpty && 'Nothing matches. Try other words, or list_entities to see what there is.',
        relationsCutNote(found),
      ]),
    };
  },
});
