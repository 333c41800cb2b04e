import * as z from 'zod';
import type { FindableStatus, NodeStatus } from '#graph/status.ts';
import {
  NODE_SEARCH_LIMIT_DEFAULT,
  QUERY_CHARS_MAX,
  READ_CHARS_DEFAULT,
  SEARCH_LIMIT_MAX,
} from '#limits.ts';
import { defineTool } from '../define.ts';
import { unit, ownerId } from '../params.ts';
import { closeness, note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import {
  fitNodes,
  foundNodeShape,
  toFoundNode,
  toFoundPart,
  type FoundNodeOutput,
} from './found-nodes.ts';
import { clamped, status } from './node-input.ts';
import { exampleNode, NODE_TYPES, success } from './shapes.ts';

const KINDS = { Fact: 'fact', Entity: 'entity', Turn: 'turn', Summary: 'summary' } as const;
/** Turns and summaries are found when they are asked for. */
const FOUND_TYPES = [...NODE_TYPES, 'Turn', 'Summary'] as const;

const foundShape = () =>
  foundNodeShape().extend({
    node_type: z.enum(FOUND_TYPES).describe('Turn and Summary when they were asked for.'),
    session_id: z.string().optional().describe('Turns and summaries only.'),
  });

type FoundOutput = z.infer<ReturnType<typeof foundShape>>;

const found: FoundNodeOutput = {
  ...exampleNode({ id: 'mem_1', text: 'User is vegetarian and avoids mushrooms' }),
  similarity: 0.346,
};

export const search = defineTool({
  name: 'search',
  title: 'Search nodes by meaning',
  description:
    'Find nodes with their metadata, by meaning and by words, best first. For users of create_node; to answer a question prefer recall. Only active ones, unless status or include_outdated says otherwise; archived ones never.',
  effect: 'read',
  input: () => ({
    query: z
      .string()
      .min(1)
      .max(QUERY_CHARS_MAX)
      .describe('What to look for, in natural language.'),
    owner_id: ownerId(),
    limit: clamped({ min: 1, max: SEARCH_LIMIT_MAX, fallback: NODE_SEARCH_LIMIT_DEFAULT }).describe(
      'Results at most.',
    ),
    node_types: z
      .array(z.enum(FOUND_TYPES))
      .min(1)
      .max(FOUND_TYPES.length)
      .optional()
      .describe('Fact and Entity when left out.'),
    status: status().optional().describe('Only nodes of this status.'),
    similarity_threshold: unit().optional().describe('Least similarity of a result; 0 to 1.'),
    include_outdated: z.boolean().default(false).describe('Outdated ones too.'),
  }),
  output: () => ({
    success: success(),
    results: z.array(foundShape()).describe('What was found, best first.'),
    facts: z.array(foundNodeShape()).describe('The facts among them.'),
    entities: z.array(foundNodeShape()).describe('The entities among them.'),
    closeness: closeness(),
    note: note(),
  }),
  example: {
    given: [
      { tool: 'create_node', input: { text: 'User is vegetarian and avoids mushrooms' } },
      { tool: 'create_node', input: { text: 'The build takes twenty minutes' } },
    ],
    input: { query: 'dietary restrictions', limit: 1 },
    output: { success: true, results: [found], facts: [found], entities: [], closeness: 'close' },
  },
  failure: nodeFailure,
  async run(input, { similarity }) {
    const { nodes, closeness: sureness } = await similarity.search({
      query: input.query,
      kinds: (input.node_types ?? NODE_TYPES).map((type) => KINDS[type]),
      statuses: statusesOf(input.status, input.include_outdated),
      similarityMin: input.similarity_threshold ?? 0,
      limit: input.limit,
    });
    const outputs = nodes.map((one) =>
      'part' in one ? toFoundPart(one, input.owner_id) : toFoundNode(one, input.owner_id),
    );
    // Each stands in the answer twice.
    const { shown: results, cut } = fitNodes<FoundOutput>(outputs, READ_CHARS_DEFAULT / 2);
    return {
      success: true,
      results: [...results],
      facts: results.filter(isNode).filter(({ node_type }) => node_type === 'Fact'),
      entities: results.filter(isNode).filter(({ node_type }) => node_type === 'Entity'),
      closeness: sureness,
      ...noteOnCuts([
        cut,
        sureness === 'weak' && 'Nothing matches closely; these are the nearest.',
        input.status === 'archived' && 'Archived nodes are in no search; get_node reads one.',
      ]),
    };
  },
});

function isNode(result: FoundOutput): result is FoundNodeOutput {
  return result.node_type === 'Fact' || result.node_type === 'Entity';
}

function statusesOf(
  wantedStatus: NodeStatus | undefined,
  includeOutdated: boolean,
): readonly FindableStatus[] {
  const wanted = new Set([
    wantedStatus ?? 'active',
    ...(includeOutdated ? ['outdated' as const] : []),
  ]);
  return (['active', 'outdated'] as const).filter((one) => wanted.has(one));
}
