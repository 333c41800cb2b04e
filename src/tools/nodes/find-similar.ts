import * as z from 'zod';
import {
  NODE_SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SIMILAR_FACT_THRESHOLD_DEFAULT,
} from '#limits.ts';
import type { FoundNode, SimilarFacts } from '#memory/nodes/similar-nodes.ts';
import { defineTool } from '../define.ts';
import { unit, ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { fitNodes, foundNodeShape, toFoundNode } from './found-nodes.ts';
import { clamped } from './node-input.ts';
import { edgeShape, exampleNode, factId, success, toEdges } from './shapes.ts';

const similarFactShape = () =>
  foundNodeShape().extend({
    relations: z.array(edgeShape()).optional().describe('Edges of the fact, either way.'),
  });

export const findSimilar = defineTool({
  name: 'find_similar',
  title: 'Find similar facts',
  description:
    'Active facts that mean much the same as one, most similar first: candidates for mark_outdated or a summary.',
  effect: 'read',
  input: () => ({
    fact_id: factId(),
    owner_id: ownerId(),
    threshold: unit().default(SIMILAR_FACT_THRESHOLD_DEFAULT).describe('Least similarity, 0 to 1.'),
    limit: clamped({ min: 1, max: SEARCH_LIMIT_MAX, fallback: NODE_SEARCH_LIMIT_DEFAULT }).describe(
      'Results at most.',
    ),
    include_relations: z.boolean().default(true).describe('Whether to show their edges.'),
  }),
  output: () => ({
    success: success(),
    results: z.array(similarFactShape()).describe('The similar facts.'),
    note: note(),
  }),
  example: {
    given: [
      { tool: 'create_node', input: { text: 'User lives in Seattle' } },
      { tool: 'create_node', input: { text: 'User lives in Austin now' } },
      { tool: 'create_node', input: { text: 'The build takes twenty minutes' } },
    ],
    input: { fact_id: 'mem_1' },
    output: {
      success: true,
      results: [
        {
          ...exampleNode({ id: 'mem_2', text: 'User lives in Austin now' }),
          similarity: 0.768,
          relations: [],
        },
      ],
    },
  },
  failure: nodeFailure,
  run({ fact_id, owner_id, threshold, limit, include_relations }, { similarity }) {
    const similar = similarity.similar(fact_id, threshold, limit, include_relations);
    const facts = similar.found.map((fact) => ({
      ...toFoundNode(fact, owner_id),
      ...(include_relations && { relations: relationsOf(fact, similar) }),
    }));
    const { shown, cut } = fitNodes(facts);
    return {
      success: true,
      results: [...shown],
      ...noteOnCuts([
        cut,
        similar.areEdgesCut &&
          'Not all relations are shown; get_context shows those around a fact.',
        !similar.isComparable &&
          'This fact has no vector to compare: it is archived, or was written a moment ago.',
      ]),
    };
  },
});

/** Those of one fact. */
function relationsOf({ node: { nodeId } }: FoundNode, { edges, ends }: SimilarFacts) {
  const own = edges.filter(({ fromId, toId }) => fromId === nodeId || toId === nodeId);
  return toEdges(own, ends);
}
