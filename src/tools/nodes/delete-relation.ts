import * as z from 'zod';
import { RELATION_TYPE_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { KEEPS_EMPTY } from '../read-arguments.ts';
import { nodeFailure } from './failure.ts';
import { nodeId, success } from './shapes.ts';

export const deleteRelation = defineTool({
  name: 'delete_relation',
  title: 'Delete relation',
  description:
    'Removes the links from one node to another, of one type or of all. Those in the other direction stay; that there are none is an error.',
  effect: 'remove',
  input: () => ({
    from_id: nodeId(),
    to_id: nodeId(),
    owner_id: ownerId(),
    relation_type: z
      .string()
      .max(RELATION_TYPE_CHARS_MAX)
      .optional()
      .meta({ [KEEPS_EMPTY]: true })
      .describe('All types by default.'),
  }),
  output: () => ({ success: success() }),
  example: {
    given: [
      {
        tool: 'create_triplet',
        input: { subject: 'Ada', predicate: 'works_at', object_value: 'Acme' },
      },
    ],
    input: { from_id: 'ent_1', to_id: 'ent_2', relation_type: 'works_at' },
    output: { success: true },
  },
  failure: nodeFailure,
  run({ from_id, to_id, relation_type }, { links }) {
    links.remove(from_id, to_id, relation_type);
    return { success: true };
  },
});
