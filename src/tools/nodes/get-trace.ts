import * as z from 'zod';
import { TRACE_PATHS_DEFAULT, TRACE_PATHS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { fitNodes } from './found-nodes.ts';
import { clamped } from './node-input.ts';
import { briefNodeShape, edgeShape, nodeId, success, toBriefNode, toEdges } from './shapes.ts';

const pathShape = () =>
  z.object({
    nodes: z.array(briefNodeShape()).describe('From one end to the other.'),
    edges: z.array(edgeShape()).describe('From each node to the next.'),
  });

export const getTrace = defineTool({
  name: 'get_trace',
  title: 'Get trace',
  description:
    'The shortest paths from one node to another, along the direction of the links. No path is an empty list, not an error. Between entities by name, in either direction, prefer find_relation_path.',
  effect: 'read',
  input: () => ({
    from_id: nodeId(),
    to_id: nodeId(),
    owner_id: ownerId(),
    max_paths: clamped({ min: 1, max: TRACE_PATHS_MAX, fallback: TRACE_PATHS_DEFAULT }).describe(
      'Paths at most.',
    ),
  }),
  output: () => ({
    success: success(),
    paths: z.array(pathShape()).describe('Shortest first.'),
    note: note(),
  }),
  example: {
    given: [
      {
        tool: 'create_triplet',
        input: { subject: 'Ada', predicate: 'works_at', object_value: 'Acme' },
      },
    ],
    input: { from_id: 'ent_1', to_id: 'ent_2' },
    output: {
      success: true,
      paths: [
        {
          nodes: [
            { id: 'ent_1', node_type: 'Entity', text: 'Ada' },
            { id: 'ent_2', node_type: 'Entity', text: 'Acme' },
          ],
          edges: [{ from_id: 'ent_1', to_id: 'ent_2', relation_type: 'works_at', metadata: {} }],
        },
      ],
    },
  },
  failure: nodeFailure,
  run({ from_id, to_id, max_paths }, { context }) {
    const { paths, isCut } = context.trace(from_id, to_id, max_paths);
    const outputs = paths.map(({ nodes, edges }) => ({
      nodes: nodes.map(toBriefNode),
      edges: toEdges(edges, nodes),
    }));
    const { shown } = fitNodes(outputs);
    return {
      success: true,
      paths: [...shown],
      ...noteOnCuts([
        shown.length < outputs.length && 'Longer paths would make this too long.',
        isCut && 'There may be more paths; ask for more with max_paths.',
      ]),
    };
  },
});
