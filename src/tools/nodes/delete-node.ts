import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { nodeFailure } from './failure.ts';
import { anyNodeId, success } from './shapes.ts';

export const deleteNode = defineTool({
  name: 'delete_node',
  title: 'Delete node',
  description:
    'Deletes a fact, entity, turn or summary by its id, with its links and versions; an entity goes with all facts about it. mark_outdated keeps a fact that is no longer so. undo_revision brings it back.',
  effect: 'remove',
  input: () => ({ node_id: anyNodeId(), owner_id: ownerId() }),
  output: () => ({ success: success() }),
  example: {
    given: [{ tool: 'create_node', input: { text: 'The office is in Porto' } }],
    input: { node_id: 'mem_1' },
    output: { success: true },
  },
  failure: nodeFailure,
  run({ node_id }, { nodes }) {
    nodes.remove(node_id);
    return { success: true };
  },
});
