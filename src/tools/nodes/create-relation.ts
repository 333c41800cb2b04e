import * as z from 'zod';
import { RELATION_TYPE_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { metadataInput } from './node-input.ts';
import { nodeId, success } from './shapes.ts';

export const createRelation = defineTool({
  name: 'create_relation',
  title: 'Create relation',
  description:
    'Links two nodes by their ids, in one direction. A relation of that type that exists is left as it is. For entities by name prefer create_triplet or create_relations.',
  effect: 'add',
  input: () => ({
    from_id: nodeId(),
    to_id: nodeId(),
    relation_type: z
      .string()
      .max(RELATION_TYPE_CHARS_MAX)
      .describe('Letters, digits and _, as FOLLOWS_FROM.'),
    owner_id: ownerId(),
    properties: metadataInput().optional(),
  }),
  output: () => ({
    success: success(),
    relation_type: z.string().describe('Its type.'),
    note: note(),
  }),
  example: {
    given: [
      { tool: 'create_node', input: { text: 'The lease in Porto ends' } },
      { tool: 'create_node', input: { text: 'The office moves to Lisbon' } },
    ],
    input: { from_id: 'mem_2', to_id: 'mem_1', relation_type: 'FOLLOWS_FROM' },
    output: { success: true, relation_type: 'FOLLOWS_FROM' },
  },
  failure: nodeFailure,
  run({ from_id, to_id, relation_type, properties }, { links }) {
    const isNew = links.create(from_id, to_id, relation_type, properties);
    return {
      success: true,
      relation_type,
      ...noteOnCuts([!isNew && 'The relation exists and was left as it is.']),
    };
  },
});
