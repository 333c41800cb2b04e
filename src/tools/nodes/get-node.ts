import * as z from 'zod';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import type { NodePart } from '#memory/nodes/find-node.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { toPart } from './found-nodes.ts';
import { exampleNode, anyNodeId, NODE_TYPES, nodeShape, success, toNode } from './shapes.ts';

/** A turn has three texts. */
const TURN_TEXT_CHARS = READ_CHARS_DEFAULT / 3;

const readNodeShape = () =>
  nodeShape().extend({
    node_type: z.enum([...NODE_TYPES, 'Turn', 'Summary']).describe('What it is.'),
    session_id: z.string().optional().describe('Turns and summaries only.'),
  });

export const getNode = defineTool({
  name: 'get_node',
  title: 'Get node',
  description:
    'One node by its id, whatever its kind and status: fact, entity, turn or summary. For the ids that other tools show.',
  effect: 'read',
  input: () => ({ node_id: anyNodeId(), owner_id: ownerId() }),
  output: () => ({
    success: success(),
    node: readNodeShape().describe('The node.'),
    note: note(),
  }),
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
    const node = nodes.get(node_id, TURN_TEXT_CHARS);
    if (!('part' in node)) return { success: true, node: toNode(node, owner_id) };
    const texts = textsOf(node);
    const isCut = texts.some((text) => text.length >= TURN_TEXT_CHARS);
    return {
      success: true,
      node: toPart(node, owner_id, texts),
      ...noteOnCuts([
        isCut &&
          `Long texts are cut; get_session_memories with sessionId '${node.part.sessionId}' has them whole.`,
      ]),
    };
  },
});

/** Those of a turn that say nothing are left out. */
function textsOf({ part }: NodePart): string[] {
  if (!('prompt' in part)) return [part.title, part.summary];
  return [part.prompt, part.thought, part.response].filter((text) => text !== '');
}
