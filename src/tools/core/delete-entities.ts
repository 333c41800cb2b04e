import * as z from 'zod';
import { ENTITY_NAME_CHARS_MAX, ITEMS_PER_CALL_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { revision, revisionOf } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const deleteEntities = defineTool({
  name: 'delete_entities',
  title: 'Delete entities',
  description:
    'Delete entities with their facts and relations, by exact name; notFound has unknown names.',
  effect: 'remove',
  input: () => ({
    entityNames: z
      .array(z.string().max(ENTITY_NAME_CHARS_MAX))
      .min(1)
      .max(ITEMS_PER_CALL_MAX)
      .describe('Exact names.'),
  }),
  output: () => ({
    deleted: z.array(z.string()).describe('Entities deleted.'),
    notFound: z.array(z.string()).describe('Names that no entity has.'),
    deletedObservations: z.number().describe('Current facts that went with them.'),
    deletedRelations: z.number().describe('Relations that went with them.'),
    revision: revision(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { entityNames: ['Portfolio', 'Ghost'] },
    output: {
      deleted: ['Portfolio'],
      notFound: ['Ghost'],
      deletedObservations: 3,
      deletedRelations: 4,
      revision: 2,
    },
  },
  run({ entityNames }, memory) {
    const removed = memory.removal.entities(entityNames);
    return {
      deleted: [...removed.deleted],
      notFound: [...removed.notFound],
      deletedObservations: removed.observations,
      deletedRelations: removed.relations,
      ...revisionOf(memory),
    };
  },
});
