/** Changes of a node that keep its id: another text, type, status, end or metadata. */
import { quote } from '#errors.ts';
import { normaliseType } from '#graph/rules/create-request.ts';
import { normaliseContent } from '#graph/fact.ts';
import { formatNodeId, type MemoryNode } from '#graph/memory-node.ts';
import { normaliseName } from '#graph/names.ts';
import {
  findEntityNameProblem,
  findEntityTypeProblem,
  findFactTextProblem,
  refuseProblems,
  type Problem,
} from '#graph/rules/node-rules.ts';
import { findObservationProblem, isAtomic } from '#graph/rules/observation-rules.ts';
import type { NodeFields } from '#store/graph/nodes.ts';
import { findDetailProblems, readExpiry, type NodeDetails } from './node-details.ts';
import { getNode } from './find-node.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

/** What stays undefined stays as it is. */
export interface NodeUpdate extends NodeDetails {
  readonly text?: string | undefined;
  /** Entities only. */
  readonly entityType?: string | undefined;
  /** Whether to keep the state before also where text, status and end stay. */
  readonly isVersioned: boolean;
}

/** What the node will say. */
interface Wording {
  readonly text: string;
  readonly entityType: string | null;
}

/** Throws `not_found` and `invalid_input`. */
export function changeNode(
  world: World,
  { write }: Writer,
  id: string,
  update: NodeUpdate,
): MemoryNode {
  const { store, now } = world;
  const node = getNode(store, id);
  const change = planChange(world, node, update);
  return write(() => {
    if (update.isVersioned || losesState(node, change)) store.nodeVersions.keep(node, now);
    store.nodes.update(node.nodeId, change.fields, now);
    reword(world, node, change.wording);
    if (node.entityId !== null) store.nodes.touch([node.entityId], now);
    return getNode(store, id);
  });
}

interface Change {
  readonly fields: NodeFields;
  readonly wording: Wording;
}

/** Text, status and end are kept whatever the caller asks for: nobody else could tell what they were. */
function losesState(node: MemoryNode, { fields, wording }: Change): boolean {
  const { status = node.status, expiresAt = node.expiresAt } = fields;
  return wording.text !== node.text || status !== node.status || expiresAt !== node.expiresAt;
}

function planChange(world: World, node: MemoryNode, update: NodeUpdate): Change {
  refuseProblems([
    findNothingToDo(update),
    ...findWordingProblems(world, node, update),
    ...findDetailProblems(world, update),
    findStatusProblem(world, node, update),
  ]);
  return { fields: readFields(world, node, update), wording: readWording(node, update) };
}

function findNothingToDo({ isVersioned: _, ...fields }: NodeUpdate): Problem {
  const isEmpty = Object.values(fields).every((value) => value === undefined);
  return isEmpty ? 'Nothing to update: give text, metadata, status or another field' : undefined;
}

function findWordingProblems(
  world: World,
  node: MemoryNode,
  { text, entityType }: NodeUpdate,
): Problem[] {
  const ofType =
    entityType !== undefined &&
    (node.kind === 'entity'
      ? findEntityTypeProblem(entityType)
      : 'entity_type is for entities only');
  const ofText = text === undefined ? undefined : findTextProblem(world, node, text);
  return [ofText, ofType || undefined];
}

function findTextProblem({ store, limits }: World, node: MemoryNode, text: string): Problem {
  if (node.kind === 'entity') {
    const name = normaliseName(text);
    const takenBy = name === node.text ? undefined : store.entities.idOf(name);
    const other = takenBy && formatNodeId({ nodeId: takenBy, kind: 'entity', entityId: null });
    return (
      findEntityNameProblem(text) ??
      (other ? `The name ${quote(name)} belongs to ${other}` : undefined)
    );
  }
  if (node.supersededBy !== null) return describeSuperseded(node, node.supersededBy);
  if (node.entityId === null) return findFactTextProblem(text, limits);
  return findObservationProblem(text, limits)?.rule;
}

function describeSuperseded(node: MemoryNode, newerId: number): string {
  const newer = formatNodeId({ ...node, nodeId: newerId });
  return `${formatNodeId(node)} has been superseded; change ${newer} instead`;
}

/** A status that the end of the node's life, or its next version, would undo at once is a mistake. */
function findStatusProblem({ now }: World, node: MemoryNode, update: NodeUpdate): Problem {
  if (update.status !== 'active') return undefined;
  if (node.supersededBy !== null) return describeSuperseded(node, node.supersededBy);
  const expiresAt = readExpiry(update, now) ?? node.expiresAt;
  if (expiresAt === null || expiresAt > now) return undefined;
  return `It expired at ${expiresAt}; give a later expires_at, or ttl_days`;
}

function readWording(node: MemoryNode, { text, entityType }: NodeUpdate): Wording {
  const normalise = node.kind === 'entity' ? normaliseName : normaliseContent;
  return {
    text: text === undefined ? node.text : normalise(text),
    entityType: entityType === undefined ? node.entityType : normaliseType(entityType),
  };
}

/** Who gives what has expired a longer life brings it back, whether or not the job has archived it. */
function readFields({ now }: World, node: MemoryNode, update: NodeUpdate): NodeFields {
  const { source, metadata, ttlDays } = update;
  const expiresAt = readExpiry(update, now);
  const hasExpired = node.expiresAt !== null && node.expiresAt <= now;
  const isExtended = hasExpired && expiresAt !== undefined && expiresAt > now;
  const status = update.status ?? (isExtended ? 'active' : undefined);
  // An end that was given without days has none.
  return {
    source,
    metadata,
    status,
    expiresAt,
    ttlDays: expiresAt === undefined ? undefined : (ttlDays ?? null),
  };
}

function reword({ store, limits }: World, node: MemoryNode, { text, entityType }: Wording): void {
  if (node.kind === 'fact') {
    if (text !== node.text) store.facts.rewrite(node.nodeId, text, isAtomic(text, limits));
    return;
  }
  if (text !== node.text) store.entities.rename(node.nodeId, text);
  if (entityType !== null && entityType !== node.entityType) {
    store.entities.setType(node.nodeId, entityType);
  }
}
