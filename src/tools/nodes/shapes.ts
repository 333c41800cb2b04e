/** Nodes and edges as seed 002 shows them, and what names them. */
import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import { formatNodeId, NODE_STATUSES, type MemoryNode, type NodeEdge } from '#graph/memory-node.ts';
import { DEFAULT_OWNER } from '../define.ts';

export const NODE_TYPES = ['Fact', 'Entity'] as const;
export const DEFAULT_SOURCE = 'mcp';

const NODE_ID_CHARS_MAX = 32;

export const nodeId = () =>
  z.string().max(NODE_ID_CHARS_MAX).describe('Such as mem_1, obs_2 or ent_3.');

export const anyNodeId = () =>
  z.string().max(NODE_ID_CHARS_MAX).describe('Such as mem_1, obs_2, ent_3, turn_4 or sum_5.');

export const factId = () => z.string().max(NODE_ID_CHARS_MAX).describe('Such as mem_1 or obs_2.');

export const success = () =>
  z.boolean().describe('True; a failure has error, code and error_code.');

/** As it was given: a record of zod's would lose a key `__proto__`. */
export const metadataShape = () =>
  z.unknown().meta({ type: 'object', description: "The caller's own JSON object; {} for none." });

const id = () => z.string().describe('Such as mem_1, obs_2 or ent_3.');
const nodeType = () => z.enum(NODE_TYPES).describe('Fact or Entity.');
const text = () => z.string().describe('What a fact says, or the name of an entity.');

export const nodeShape = () =>
  z.object({
    id: id(),
    owner_id: z.string().describe('Whose memory it is in.'),
    node_type: nodeType(),
    text: text(),
    name: z.string().optional().describe('Entities only.'),
    type: z.string().optional().describe('Entities only: the entity type.'),
    entity_id: z.string().optional().describe('Observations only: the entity they are about.'),
    metadata: metadataShape(),
    source: z.string().describe('Who or what it came from.'),
    status: z.enum(NODE_STATUSES).describe('What is not active is in no search by itself.'),
    created_at: z.number().describe('Epoch milliseconds, as every time here.'),
    updated_at: z.number().describe('Last change.'),
    ttl_days: z.number().nullable().describe('Days to live, as they were given; null for none.'),
    expires_at: z.number().nullable().describe('From then on it is archived; null for never.'),
  });

export const edgeShape = () =>
  z.object({
    from_id: z.string().describe('Node it starts at.'),
    to_id: z.string().describe('Node it points to.'),
    relation_type: z.string().describe('Such as MENTIONS_ENTITY.'),
    metadata: metadataShape(),
  });

/** A node on a path. */
export const briefNodeShape = () => z.object({ id: id(), node_type: nodeType(), text: text() });

export type NodeOutput = z.infer<ReturnType<typeof nodeShape>>;

export function toNode(node: MemoryNode, owner: string): NodeOutput {
  const { kind, text: said, entityType, entityId } = node;
  return {
    id: formatNodeId(node),
    owner_id: owner,
    node_type: toNodeType(node),
    text: said,
    ...(kind === 'entity' && { name: said }),
    ...(entityType !== null && { type: entityType }),
    ...(entityId !== null && { entity_id: formatId('entity', entityId) }),
    metadata: { ...node.metadata },
    source: node.source ?? DEFAULT_SOURCE,
    status: node.status,
    created_at: node.createdAt,
    updated_at: node.updatedAt,
    ttl_days: node.ttlDays,
    expires_at: node.expiresAt,
  };
}

function toNodeType({ kind }: MemoryNode): NodeOutput['node_type'] {
  return kind === 'entity' ? 'Entity' : 'Fact';
}

const BRIEF_CHARS_MAX = 200;

export function toBriefNode(node: MemoryNode): z.infer<ReturnType<typeof briefNodeShape>> {
  const chars = Array.from(node.text);
  const isCut = chars.length > BRIEF_CHARS_MAX;
  return {
    id: formatNodeId(node),
    node_type: toNodeType(node),
    text: isCut ? `${chars.slice(0, BRIEF_CHARS_MAX).join('')}…` : node.text,
  };
}

/** Edges whose ends are among the nodes. */
export function toEdges(
  edges: readonly NodeEdge[],
  nodes: readonly MemoryNode[],
): z.infer<ReturnType<typeof edgeShape>>[] {
  const ids = new Map(nodes.map((node) => [node.nodeId, formatNodeId(node)]));
  return edges.map(({ fromId, toId, type, metadata }) => ({
    from_id: ids.get(fromId) ?? '',
    to_id: ids.get(toId) ?? '',
    relation_type: type,
    metadata: { ...metadata },
  }));
}

/** A node as the examples show it: only what is not as usual is to be told. */
export function exampleNode(
  node: Pick<NodeOutput, 'id' | 'text'> & Partial<NodeOutput>,
): NodeOutput {
  return {
    owner_id: DEFAULT_OWNER,
    node_type: 'Fact',
    metadata: {},
    source: DEFAULT_SOURCE,
    status: 'active',
    created_at: EXAMPLE_TIME,
    updated_at: EXAMPLE_TIME,
    ttl_days: null,
    expires_at: null,
    ...node,
  };
}

/** The moment of all examples, 2026-01-20T10:00:00Z. */
export const EXAMPLE_TIME = 1_768_903_200_000;
