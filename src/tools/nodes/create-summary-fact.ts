import * as z from 'zod';
import { LINKS_PER_NODE_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { nodeFailure } from './failure.ts';
import { nodeText } from './node-input.ts';
import { DEFAULT_SOURCE, exampleNode, factId, nodeShape, success, toNode } from './shapes.ts';

export const createSummaryFact = defineTool({
  name: 'create_summary_fact',
  title: 'Create summary fact',
  description:
    'Stores a fact that sums up others, linked to each of them. The others stay as they are; mark_outdated takes them out of searches.',
  effect: 'add',
  input: () => ({
    fact_ids: z
      .array(factId())
      .min(1)
      .max(LINKS_PER_NODE_MAX)
      .describe('Facts summed up; all must exist.'),
    summary_text: nodeText().describe('The summary.'),
    owner_id: ownerId(),
  }),
  output: () => ({ success: success(), node: nodeShape().describe('The summary.') }),
  example: {
    given: [
      { tool: 'create_node', input: { text: 'The lease in Porto ends' } },
      { tool: 'create_node', input: { text: 'The office moves to Lisbon' } },
    ],
    input: { fact_ids: ['mem_1', 'mem_2'], summary_text: 'The office leaves Porto for Lisbon' },
    output: {
      success: true,
      node: exampleNode({ id: 'mem_3', text: 'The office leaves Porto for Lisbon' }),
    },
  },
  failure: nodeFailure,
  async run({ fact_ids, summary_text, owner_id }, { nodes }) {
    const summary = await nodes.summarise(fact_ids, summary_text, DEFAULT_SOURCE);
    return { success: true, node: toNode(summary, owner_id) };
  },
});
