import { z } from 'zod';
import { defineTool } from '../define.ts';
import { nodeFailure } from './failure.ts';
import { nodeId, nodeShape, ownerId, success, toNode } from './shapes.ts';

export const getNode = defineTool({
  name: 'get_node',
  title: 'Get node',
  description: 'One fact or entity by its id, whatever its status.',
  effect: 'read',
  input: z.object({ node_id: nodeId, owner_id: ownerId }),
  output: z.object({ success, node: nodeShape.describe('The node.') }),
  example: {
    given: [{ tool: 'store_memory', input: { content: 'User moved to Austin' } }],
    input: { node_id: 'mem_1' },
    output: {
      success: true,
      node: {
        id: 'mem_1',
        owner_id: 'default',
        node_type: 'Fact',
        text: 'User moved to Austin',
        metadata: {},
        source: 'extracted',
        status: 'active',
        created_at: 1768903200000,
        updated_at: 1768903200000,
        ttl_days: null,
        expires_at: null,
      },
    },
  },
  failure: nodeFailure,
  run({ node_id, owner_id }, { nodes }) {
    return { success: true, node: toNode(nodes.get(node_id), owner_id) };
  },
});
