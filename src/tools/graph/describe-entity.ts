import * as z from 'zod';
import { defineTool } from '../define.ts';
import { answerTokens, fitGraph, takeWhileFits, weigh } from '../fit-graph.ts';
import { entityName } from '../params.ts';
import { entityShape, note, noteOnCuts, relationShape, toEntity } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const describeEntity = defineTool({
  name: 'describe_entity',
  title: 'Describe entity',
  description:
    'All about one entity in full detail: facts with ids, relations in both directions, neighbours and how many relations it has.',
  effect: 'read',
  input: () => ({ name: entityName(), maxTokens: answerTokens() }),
  output: () => ({
    entity: entityShape().describe('The entity with its current facts.'),
    relations: z.array(relationShape()).describe('Relations that touch it, outgoing ones first.'),
    neighbors: z.array(z.string()).describe('Distinct entities related to it.'),
    degree: z.number().describe('Relations that touch it, all counted.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: { name: 'Bob' },
    output: {
      entity: {
        name: 'Bob',
        entityType: 'person',
        observations: [
          {
            id: 'obs_5',
            content: 'drinks matcha',
            timestamp: '2026-01-20T10:00:00.000Z',
            version: 1,
            agentThreadId: 'example',
            confidence: 1,
            importance: 0.5,
          },
        ],
        id: 'ent_4',
        confidence: 1,
        importance: 0.5,
        createdAt: '2026-01-20T10:00:00.000Z',
        updatedAt: '2026-01-20T10:00:00.000Z',
      },
      relations: [relation('Bob', 'Charlie'), relation('Alice', 'Bob')],
      neighbors: ['Alice', 'Charlie'],
      degree: 2,
    },
  },
  run({ name, maxTokens }, memory) {
    const described = memory.opening.describe(name);
    const { entity, facts, relations, relationsCut } = described;
    const neighbors = fitNames(described.neighbours, maxTokens);
    const degree = entity.relationCount;
    const fitted = fitGraph(
      { entities: [{ entity, facts }], relations, relationsCut },
      {
        tokensMax: maxTokens,
        detail: 'full',
        threadId: memory.threadId,
        besides: { neighbors, degree },
      },
    );
    const [shown = toEntity(described, 'full', memory.threadId)] = fitted.entities;
    const areNeighborsCut =
      described.neighboursCut || neighbors.length < described.neighbours.length;
    return {
      entity: shown,
      relations: fitted.relations,
      neighbors,
      degree,
      ...noteOnCuts([
        fitted.factsLeft > 0 &&
          `Only the first ${shown.observations.length} of ${entity.observationCount} facts are shown; search_nodes finds the others.`,
        fitted.areRelationsCut &&
          `Only the first ${fitted.relations.length} relations are shown; search_relations pages through all of them.`,
        areNeighborsCut && `Only the first ${neighbors.length} neighbors are named.`,
      ]),
    };
  },
});

/** Neighbours are named in the relations too, which have most of the room. */
const NEIGHBORS_SHARE = 0.15;

function fitNames(names: readonly string[], tokensMax: number): string[] {
  let room = 100 * tokensMax * NEIGHBORS_SHARE;
  return takeWhileFits(names, (name) => {
    room -= weigh(name);
    return room >= 0;
  });
}

function relation(from: string, to: string) {
  const createdAt = '2026-01-20T10:00:00.000Z';
  return { from, to, relationType: 'knows', importance: 0.7, createdAt };
}
