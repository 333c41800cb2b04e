import * as z from 'zod';
import { REASON_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { nodeFailure } from './failure.ts';
import { exampleNode, factId, nodeShape, success, toNode } from './shapes.ts';

export const markOutdated = defineTool({
  name: 'mark_outdated',
  title: 'Mark fact as outdated',
  description:
    'Takes a fact that is no longer so out of every search and keeps it, with the reason in its metadata. update_node with status active brings it back.',
  effect: 'change',
  input: () => ({
    fact_id: factId(),
    owner_id: ownerId(),
    reason: z.string().max(REASON_CHARS_MAX).optional().describe('Why it is no longer so.'),
  }),
  output: () => ({ success: success(), node: nodeShape().describe('The fact as it is now.') }),
  example: {
    given: [{ tool: 'create_node', input: { text: 'The office is in Porto' } }],
    input: { fact_id: 'mem_1', reason: 'It moved to Lisbon' },
    output: {
      success: true,
      node: exampleNode({
        id: 'mem_1',
        text: 'The office is in Porto',
        metadata: { outdated_reason: 'It moved to Lisbon' },
        status: 'outdated',
      }),
    },
  },
  failure: nodeFailure,
  run({ fact_id, owner_id, reason }, { nodes }) {
    return { success: true, node: toNode(nodes.markOutdated(fact_id, reason), owner_id) };
  },
});
