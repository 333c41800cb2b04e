/** Nodes as seed 002 shows them, and the fields that its tools share. */
import { z } from 'zod';
import { formatId } from '#graph/ids.ts';
import { formatNodeId, NODE_STATUSES, type MemoryNode } from '#graph/memory-node.ts';
import { OWNER_ID_CHARS_MAX } from '#limits.ts';

export const DEFAULT_OWNER = 'default';
export const DEFAULT_SOURCE = 'mcp';
export const NODE_TYPES = ['Fact', 'Entity'] as const;

/** The Worker checks it and has chosen the thread's object by it before the tool is called. */
export const ownerId = z
  .string()
  .max(OWNER_ID_CHARS_MAX)
  .default(DEFAULT_OWNER)
  .describe('Whose memory.');

const NODE_ID_CHARS_MAX = 32;

export const nodeId = z.string().max(NODE_ID_CHARS_MAX).describe('Such as mem_1, obs_2 or ent_3.');

export const factId = z.string().max(NODE_ID_CHARS_MAX).describe('Such as mem_1 or obs_2.');

export const success = z.boolean().describe('True; a failure has error, code and error_code.');

export const metadata = z
  .record(z.string(), z.unknown())
  .describe("The caller's own JSON object; {} for none.");

export const nodeShape = z.object({
  id: z.string().describe('Such as mem_1, obs_2 or ent_3.'),
  owner_id: z.string().describe('Whose memory it is in.'),
  node_type: z.enum(NODE_TYPES).describe('Fact or Entity.'),
  text: z.string().describe('What a fact says, or the name of an entity.'),
  name: z.string().optional().describe('Entities only.'),
  type: z.string().optional().describe('Entities only: the entity type.'),
  entity_id: z.string().optional().describe('Observations only: the entity they are about.'),
  metadata,
  source: z.string().describe('Who or what it came from.'),
  status: z.enum(NODE_STATUSES).describe('What is not active is in no search.'),
  created_at: z.number().describe('Epoch milliseconds, as every time here.'),
  updated_at: z.number().describe('Last change.'),
  ttl_days: z.number().nullable().describe('Days to live; null for no end.'),
  expires_at: z.number().nullable().describe('From then on it is archived; null for never.'),
});

export type NodeOutput = z.infer<typeof nodeShape>;

export function toNode(node: MemoryNode, owner: string): NodeOutput {
  const { kind, text, entityType, entityId } = node;
  return {
    id: formatNodeId(node),
    owner_id: owner,
    node_type: kind === 'entity' ? 'Entity' : 'Fact',
    text,
    ...(kind === 'entity' && { name: text }),
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
