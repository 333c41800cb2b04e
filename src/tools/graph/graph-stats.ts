import * as z from 'zod';
import { defineTool } from '../define.ts';
import { qualityShape } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const graphStats = defineTool({
  name: 'graph_stats',
  title: 'Graph stats',
  description:
    'How much the thread holds, by kind, and its quality figures. Counts by status are in get_stats, which entities need care in get_analytics.',
  effect: 'read',
  input: () => ({}),
  output: () => ({
    entities: z.number().describe('Entities.'),
    relations: z.number().describe('Relations.'),
    totalObservations: z.number().describe('Current facts about entities.'),
    searchIndexEntries: z
      .number()
      .describe('Entities and facts about them that search looks through.'),
    internedStrings: z
      .number()
      .describe('Distinct entity types and relation types: texts that many rows share.'),
    internedBytes: z.number().describe('Length of those texts in UTF-8.'),
    quality: qualityShape(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: {},
    output: {
      entities: 4,
      relations: 4,
      totalObservations: 3,
      searchIndexEntries: 7,
      internedStrings: 4,
      internedBytes: 26,
      quality: {
        saves_accepted: 0,
        saves_rejected: 0,
        save_error_rate: null,
        relation_coverage: 1,
        observation_atomicity: 1,
        relations_per_entity: 1,
      },
    },
  },
  run(_, memory) {
    const { entities, relations, observations, types, quality } = memory.analytics.statistics();
    return {
      entities,
      relations,
      totalObservations: observations,
      searchIndexEntries: entities + observations,
      internedStrings: types.count,
      internedBytes: types.bytes,
      quality,
    };
  },
});
