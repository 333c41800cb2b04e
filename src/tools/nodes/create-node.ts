import * as z from 'zod';
import { LINKS_PER_NODE_MAX, RELATION_TYPE_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { nodeFailure } from './failure.ts';
import { expiresAt, metadataInput, nodeText, source, status, ttlDays } from './node-input.ts';
import {
  DEFAULT_SOURCE,
  exampleNode,
  NODE_TYPES,
  nodeId,
  nodeShape,
  success,
  toNode,
  type NodeOutput,
} from './shapes.ts';

const nodeType = () => z.enum(NODE_TYPES);

export const createNode = defineTool({
  name: 'create_node',
  title: 'Create node',
  description:
    'Stores a fact that stands alone, or an entity by its name, with metadata, status or a life time; without these prefer save_memory. A fact is linked to the entities it speaks of; an entity that exists is returned as it is.',
  effect: 'add',
  input: () => ({
    text: nodeText().describe('What the fact says, or the name of the entity.'),
    node_type: nodeType().default('Fact').describe('Fact or Entity.'),
    owner_id: ownerId(),
    source: source().default(DEFAULT_SOURCE).describe('Who or what it comes from.'),
    metadata: metadataInput().optional(),
    status: status().optional().describe('Active by default.'),
    ttl_days: ttlDays().optional(),
    expires_at: expiresAt().optional(),
    auto_link: z.boolean().default(true).describe('Facts only.'),
    semantic_threshold: z
      .number()
      .optional()
      .describe('Likeness, 0 to 1, that links an entity not named; 0.75.'),
    links: z
      .array(
        z.object({
          node_id: nodeId(),
          node_type: nodeType().optional().describe('What it must be.'),
          relation_type: z.string().max(RELATION_TYPE_CHARS_MAX).describe('As RELATED_TO.'),
        }),
      )
      .max(LINKS_PER_NODE_MAX)
      .optional()
      .describe('Nodes to point to; all must exist.'),
  }),
  output: () => ({ success: success(), node: nodeShape().describe('The node.'), note: note() }),
  example: {
    input: { text: 'The office moves to Lisbon in May', metadata: { channel: 'mail' } },
    output: {
      success: true,
      node: exampleNode({
        id: 'mem_1',
        text: 'The office moves to Lisbon in May',
        metadata: { channel: 'mail' },
      }),
    },
  },
  failure: nodeFailure,
  async run(input, { nodes }) {
    const { text, node_type, owner_id, auto_link, semantic_threshold } = input;
    const common = {
      source: input.source,
      metadata: input.metadata,
      status: input.status,
      ttlDays: input.ttl_days,
      expiresAt: input.expires_at,
      links: (input.links ?? []).map((link) => ({
        nodeId: link.node_id,
        nodeType: link.node_type,
        relationType: link.relation_type,
      })),
    };
    if (node_type === 'Entity') {
      const { node, isNew } = nodes.createEntity({ ...common, name: text });
      return toAnswer(toNode(node, owner_id), !isNew && EXISTED);
    }
    const fact = { ...common, text, isAutoLinked: auto_link, similarityMin: semantic_threshold };
    return toAnswer(toNode(await nodes.createFact(fact), owner_id), false);
  },
});

/** Who gives seconds for milliseconds would otherwise not see that the node is in no answer. */
function toAnswer(node: NodeOutput, existed: string | false) {
  const { expires_at, updated_at } = node;
  const hasExpired = expires_at !== null && expires_at <= updated_at;
  return { success: true, node, ...noteOnCuts([existed, hasExpired && EXPIRED]) };
}

const EXPIRED = 'It has expired already: expires_at is in epoch milliseconds.';

const EXISTED =
  'An entity of this name exists and was left as it is, but for the links; update_node changes it.';
