import * as z from 'zod';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { fitNodes } from './found-nodes.ts';
import { EXAMPLE_TIME, exampleNode, nodeId, nodeShape, success, toNode } from './shapes.ts';

const versionShape = () =>
  nodeShape().extend({
    replaced_at: z.number().describe('When the next state took its place.'),
  });

export const getNodeChangeHistory = defineTool({
  name: 'get_node_change_history',
  title: 'Get change history of a node',
  description:
    'States of a node before its changes, newest first: before another text, name, status or expiry, those that update_node kept with versioning, and earlier versions of an observation. The present state is not among them. For facts about an entity prefer get_observation_history.',
  effect: 'read',
  input: () => ({ node_id: nodeId(), owner_id: ownerId() }),
  output: () => ({
    success: success(),
    versions: z.array(versionShape()).describe('Earlier states, newest first.'),
    note: note(),
  }),
  example: {
    given: [
      { tool: 'create_node', input: { text: 'The office is in Porto' } },
      {
        tool: 'update_node',
        input: { node_id: 'mem_1', text: 'The office is in Lisbon', versioning: true },
      },
    ],
    input: { node_id: 'mem_1' },
    output: {
      success: true,
      versions: [
        {
          ...exampleNode({ id: 'mem_1', text: 'The office is in Porto' }),
          replaced_at: EXAMPLE_TIME,
        },
      ],
    },
  },
  failure: nodeFailure,
  run({ node_id, owner_id }, { nodes }) {
    const { versions, isCut } = nodes.history(node_id);
    const states = versions.map(({ node, replacedAt }) => ({
      ...toNode(node, owner_id),
      replaced_at: replacedAt,
    }));
    const { shown } = fitNodes(states);
    const isShort = isCut || shown.length < states.length;
    return {
      success: true,
      versions: [...shown],
      ...noteOnCuts([isShort && 'There are older states than these.']),
    };
  },
});
