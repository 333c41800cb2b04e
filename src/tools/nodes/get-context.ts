import * as z from 'zod';
import { CONTEXT_DEPTH_MAX, CONTEXT_NODES_DEFAULT, CONTEXT_NODES_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { clamped } from './node-input.ts';
import { edgeShape, exampleNode, nodeId, nodeShape, success, toEdges, toNode } from './shapes.ts';

export const getContext = defineTool({
  name: 'get_context',
  title: 'Get context',
  description:
    'What surrounds a node, nearest first, along links in either direction, and the links among it. The facts about an entity surround it too.',
  effect: 'read',
  input: () => ({
    node_id: nodeId().default(''),
    owner_id: ownerId(),
    depth: clamped({ min: 0, max: CONTEXT_DEPTH_MAX, fallback: 1 }).describe('Links away.'),
    max_nodes: clamped({
      min: 1,
      max: CONTEXT_NODES_MAX,
      fallback: CONTEXT_NODES_DEFAULT,
    }).describe('Nodes at most, itself included.'),
  }),
  output: () => ({
    success: success(),
    nodes: z.array(nodeShape()).describe('The node itself, then the others, nearest first.'),
    edges: z.array(edgeShape()).describe('Links among the nodes.'),
    note: note(),
  }),
  example: {
    given: [
      { tool: 'create_node', input: { text: 'Acme', node_type: 'Entity' } },
      { tool: 'create_node', input: { text: 'The office of Acme moves to Lisbon' } },
    ],
    input: { node_id: 'ent_1' },
    output: {
      success: true,
      nodes: [
        exampleNode({
          id: 'ent_1',
          node_type: 'Entity',
          text: 'Acme',
          name: 'Acme',
          type: 'Entity',
        }),
        exampleNode({ id: 'mem_2', text: 'The office of Acme moves to Lisbon' }),
      ],
      edges: [
        {
          from_id: 'mem_2',
          to_id: 'ent_1',
          relation_type: 'MENTIONS_ENTITY',
          metadata: { auto_linked: true },
        },
      ],
    },
  },
  failure: nodeFailure,
  run({ node_id, owner_id, depth, max_nodes }, { context }) {
    const { nodes, edges, isCut } = context.around(node_id, depth, max_nodes);
    return {
      success: true,
      nodes: nodes.map((node) => toNode(node, owner_id)),
      edges: toEdges(edges, nodes),
      ...noteOnCuts([isCut && 'There is more around it; ask for the context of a node nearby.']),
    };
  },
});
