import * as z from 'zod';
import { ITEMS_PER_CALL_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityName, relationType } from '../params.ts';
import { relationShape, revision, revisionOf } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const deleteRelations = defineTool({
  name: 'delete_relations',
  title: 'Delete relations',
  description:
    'Delete relations by exact from, to and relationType. The entities stay, even without any relation.',
  effect: 'remove',
  input: () => ({
    relations: z
      .array(
        z.object({
          from: entityName().describe('Exact name.'),
          to: entityName().describe('Exact name.'),
          relationType: relationType(),
        }),
      )
      .min(1)
      .max(ITEMS_PER_CALL_MAX)
      .describe('Relations to delete.'),
  }),
  output: () => ({
    deleted: z.array(relationShape()).describe('Relations deleted.'),
    notFound: z.array(relationShape()).describe('Relations that do not exist.'),
    revision: revision(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { relations: [{ from: 'Andrii', to: 'Portfolio', relationType: 'updates for' }] },
    output: {
      deleted: [{ from: 'Andrii', to: 'Portfolio', relationType: 'updates for' }],
      notFound: [],
      revision: 2,
    },
  },
  run({ relations }, memory) {
    return { ...memory.removal.relations(relations), ...revisionOf(memory) };
  },
});
