/**
 * Facts and entities under one roof, as seed 002 has them: what may have metadata, a life time and
 * a status. A fact stands alone or is an observation; the text of an entity is its name.
 */
import type { Edge } from './edge.ts';
import { formatFactId, formatId, parseId } from './ids.ts';
import type { NodeStatus } from './status.ts';

export const NODE_STATUSES = ['active', 'outdated', 'archived'] as const satisfies NodeStatus[];

/** A caller's own JSON object. */
export type Metadata = Readonly<Record<string, unknown>>;

export interface MemoryNode {
  readonly nodeId: number;
  readonly kind: 'fact' | 'entity';
  /** What a fact says, or the name of an entity. */
  readonly text: string;
  /** Null for a fact. */
  readonly entityType: string | null;
  /** The entity that an observation is about; null for any other node. */
  readonly entityId: number | null;
  /** As it is now: what has expired is archived, whether or not the job has come to it. */
  readonly status: NodeStatus;
  /** The newer version of a fact; null for a current one. */
  readonly supersededBy: number | null;
  readonly metadata: Metadata;
  /** Who or what it came from; null when not told. */
  readonly source: string | null;
  readonly ttlDays: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** From then on it is in no answer; null for never. */
  readonly expiresAt: number | null;
}

/** An edge between two nodes of any kind. */
export interface NodeEdge extends Edge {
  readonly metadata: Metadata;
}

/** Entities that no toolset gave a type; the other toolsets show every entity with one. */
export const UNTYPED = 'Entity';

/** The type of the edges from a fact to the entities that it speaks of. */
export const MENTIONS_ENTITY = 'MENTIONS_ENTITY';
/** From a summary to the facts that it sums up. */
export const SUMMARIZES = 'SUMMARIZES';
/** From an observation to its entity. No row says so: being an observation does. */
export const DESCRIBES = 'DESCRIBES';

/** Such as ent_12, obs_40 or mem_41. */
export function formatNodeId({
  nodeId,
  kind,
  entityId,
}: Pick<MemoryNode, 'nodeId' | 'kind' | 'entityId'>): string {
  if (kind === 'entity') return formatId('entity', nodeId);
  return formatFactId({ nodeId, entityId });
}

/** The number in an id of a fact or an entity; whether such a node is there is another question. */
export function parseNodeId(text: string): number | undefined {
  return parseId('entity', text) ?? parseId('observation', text) ?? parseId('memory', text);
}
