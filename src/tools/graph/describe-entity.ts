import * as z from 'zod';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import {
  entityShape,
  factsCutNote,
  note,
  noteOnCuts,
  relationShape,
  toEntity,
  toRelation,
} from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const describeEntity = defineTool({
  name: 'describe_entity',
  title: 'Describe entity',
  description:
    'All about one entity in full detail: facts with ids, relations in both directions, neighbours and how many relations it has.',
  effect: 'read',
  input: () => ({ name: entityName() }),
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
  run({ name }, memory) {
    const described = memory.opening.describe(name);
    const { relations, relationsCut, neighbours, neighboursCut } = described;
    return {
      entity: toEntity(described, 'full', memory.threadId),
      relations: relations.map((one) => toRelation(one, 'full')),
      neighbors: [...neighbours],
      degree: described.entity.relationCount,
      ...noteOnCuts([
        factsCutNote(described),
        relationsCut &&
          `Only the first ${relations.length} relations are shown; search_relations pages through all of them.`,
        neighboursCut && `Only the first ${neighbours.length} neighbors are named.`,
      ]),
    };
  },
});

function relation(from: string, to: string) {
  const createdAt = '2026-01-20T10:00:00.000Z';
  return { from, to, relationType: 'knows', importance: 0.7, createdAt };
}
