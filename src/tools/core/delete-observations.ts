import * as z from 'zod';
import { adviseOnId } from '#graph/id-advice.ts';
import { ITEMS_PER_CALL_MAX, OBSERVATIONS_PER_ENTITY_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName } from '../params.ts';
import { note, noteOnCuts, revision, revisionOf } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

/** Longer than any observation, since what other toolsets stored may be deleted too. */
const OBSERVATION_REFERENCE_CHARS_MAX = 10_000;

export const deleteObservations = defineTool({
  name: 'delete_observations',
  title: 'Delete observations',
  description:
    'Delete facts, with all their versions, by exact text or id. To correct one use update_observation, which keeps its history.',
  effect: 'remove',
  input: () => ({
    deletions: z
      .array(
        z.object({
          entityName: entityName().describe('Exact name.'),
          observations: z
            .array(z.string().min(1).max(OBSERVATION_REFERENCE_CHARS_MAX))
            .min(1)
            .max(OBSERVATIONS_PER_ENTITY_MAX)
            .describe('Exact texts or ids of the facts.'),
        }),
      )
      .min(1)
      .max(ITEMS_PER_CALL_MAX)
      .describe('Facts by entity.'),
  }),
  output: () => ({
    results: z
      .array(
        z.object({
          entityName: z.string().describe('Entity name.'),
          deleted: z.array(z.string()).describe('Ids of every version deleted.'),
          notFound: z.array(z.string()).describe('What the entity does not have.'),
        }),
      )
      .describe('One result for each item, in order.'),
    revision: revision(),
    note: note(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: {
      deletions: [{ entityName: 'Andrii', observations: ['Uses Windows', 'Uses Plan 9'] }],
    },
    output: {
      results: [{ entityName: 'Andrii', deleted: ['obs_6'], notFound: ['Uses Plan 9'] }],
      revision: 2,
    },
  },
  run({ deletions }, memory) {
    const removed = memory.removal.observations(deletions);
    return {
      results: removed.map(({ entity, deleted, notFound }) => ({
        entityName: entity.name,
        deleted: [...deleted],
        notFound: [...notFound],
      })),
      ...revisionOf(memory),
      ...noteOnCuts(
        removed
          .flatMap(({ notFound }) => notFound)
          .map((text) => adviseOnId(text, ['observation'])),
      ),
    };
  },
});
