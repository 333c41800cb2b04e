import * as z from 'zod';
import { defineTool } from '../define.ts';
import { GIVEN_PEOPLE, newEntities } from './graph-input.ts';

export const upsertEntities = defineTool({
  name: 'upsert_entities',
  title: 'Upsert entities',
  description:
    'Create entities, or add to those that exist the facts that they lack, all or nothing. An existing entity keeps its type and loses nothing. For clients of mcp-memory; else prefer save_memory.',
  effect: 'add',
  input: () => ({ entities: newEntities().describe('Stored together or not at all.') }),
  output: () => ({
    results: z
      .array(
        z.object({
          name: z.string().describe('Name as stored.'),
          created: z.boolean().describe('Whether it is new.'),
          addedObservations: z.array(z.string()).describe('Facts that are new.'),
        }),
      )
      .describe('One result for each item, in order.'),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: {
      entities: [
        { name: 'Alice', entityType: 'robot', observations: ['likes coffee', 'plays chess'] },
        { name: 'Dora', entityType: 'person', observations: ['runs marathons'] },
      ],
    },
    output: {
      results: [
        { name: 'Alice', created: false, addedObservations: ['plays chess'] },
        { name: 'Dora', created: true, addedObservations: ['runs marathons'] },
      ],
    },
  },
  async run({ entities }, memory) {
    const results = memory.entities.upsert(entities);
    return {
      results: results.map((result) => ({
        ...result,
        addedObservations: [...result.addedObservations],
      })),
    };
  },
});
