import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { nodeFailure } from './failure.ts';
import { exampleNode, nodeId, nodeShape, success, toNode } from './shapes.ts';

export const getNode = defineTool({
  name: 'get_node',
  title: 'Get node',
  description: 'One fact or entity by its id, whatever its status.',
  effect: 'read',
  input: () => ({ node_id: nodeId(), owner_id: ownerId() }),
  output: () => ({ success: success(), node: nodeShape().describe('The node.') }),
  example: {
    given: [{ tool: 'create_node', input: { text: 'Ada Lovelace', node_type: 'Entity' } }],
    input: { node_id: 'ent_1' },
    output: {
      success: true,
      node: exampleNode({
        id: 'ent_1',
        node_type: 'Entity',
        text: 'Ada Lovelace',
        name: 'Ada Lovelace',
        type: 'Entity',
      }),
    },
  },
  failure: nodeFailure,
  run({ node_id, owner_id }, { nodes }) {
    return { success: true, node: toNode(nodes.get(node_id), owner_id) };
  },
});
