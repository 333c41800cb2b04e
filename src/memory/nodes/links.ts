/** Edges between nodes: those that a caller asks for, and those that a new fact gets by itself. */
import { MemoryError, quote } from '#errors.ts';
import { DEFAULT_RELATION_IMPORTANCE, type Edge } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import { kindOfId, titleOfId, toolsForId } from '#graph/id-advice.ts';
import { MENTIONS_ENTITY, type MemoryNode, type Metadata } from '#graph/memory-node.ts';
import { findNameCandidates, isMentioned } from '#graph/text/mentions.ts';
import { foldName } from '#graph/names.ts';
import {
  findMetadataProblem,
  findRelationTypeProblem,
  refuseProblems,
  type Problem,
} from '#graph/rules/node-rules.ts';
import { AUTO_LINKS_MAX } from '#limits.ts';
import type { PreparedVector } from '#search/semantics.ts';
import type { Store } from '#store/store.ts';
import { widen } from '#store/search/widening.ts';
import { describeMissing, nodeNotFound, resolveNodeIds } from './find-node.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface LinkRequest {
  readonly nodeId: string;
  /** What the node must be; undefined for either. */
  readonly nodeType?: 'Fact' | 'Entity' | undefined;
  readonly relationType: string;
}

/** Cosine from which an entity has to do with a text that does not name it (seed 002). */
export const AUTO_LINK_SIMILARITY = 0.75;
/** Nodes near to a new fact that are looked at for entities among them. */
const NEAR_MAX = 100;

export function linkUseCases(world: World, { write }: Writer) {
  const { store, now } = world;
  return {
    /** Both ends must be there. Returns false for an edge that is there, which is left as it is. */
    create(
      fromId: string,
      toId: string,
      relationType: string,
      properties: Metadata | undefined,
    ): boolean {
      const found = resolveNodeIds(store, [fromId, toId]);
      refuseProblems([
        findRelationTypeProblem(relationType),
        findMetadataProblem(properties, world.limits),
        ...[...new Set([fromId, toId])].map((id) => findMissing(store, found, id)),
      ]);
      const [from, to] = [found.get(fromId), found.get(toId)];
      if (from === undefined || to === undefined) return false;
      return write(() => {
        const edge = { fromId: from.nodeId, toId: to.nodeId, type: relationType };
        const isNew = putEdge(world, edge, properties);
        if (isNew) store.nodes.touch([from.nodeId], now);
        return isNew;
      });
    },

    /** Throws `not_found` when there is no such edge. */
    remove(fromId: string, toId: string, relationType: string | undefined): void {
      const found = resolveNodeIds(store, [fromId, toId]);
      const [from, to] = [found.get(fromId), found.get(toId)];
      if (from === undefined) throw nodeNotFound(store, fromId);
      if (to === undefined) throw nodeNotFound(store, toId);
      write(() => {
        const type = relationType?.normalize('NFC').trim() ?? null;
        if (store.edges.removeBetween(from.nodeId, to.nodeId, type) === 0) {
          throw noRelation(fromId, toId, relationType);
        }
        store.nodes.touch([from.nodeId], now);
      });
    },
  };
}

function findMissing(store: Store, found: ReadonlyMap<string, MemoryNode>, id: string): Problem {
  return found.has(id) ? undefined : describeMissing(store, id);
}

function noRelation(fromId: string, toId: string, type: string | undefined): MemoryError {
  const ofType = type === undefined ? '' : ` of type ${quote(type)}`;
  return new MemoryError(
    'not_found',
    `No relation${ofType} from ${quote(fromId)} to ${quote(toId)}.`,
    { hint: 'Relations have a direction; get_context shows those around a node.' },
  );
}

/** The caller holds the transaction. Returns false when the edge was there, which is left as it is. */
export function putEdge({ store, now }: World, edge: Edge, metadata?: Metadata): boolean {
  return store.edges.insert(edge, DEFAULT_RELATION_IMPORTANCE, now, metadata);
}

/**
 * The nodes of the links, in their order. Throws `invalid_input` for all that is wrong with them;
 * `field` is the argument that they stand in.
 */
export function resolveLinks(
  { store }: World,
  links: readonly LinkRequest[],
  field: string,
): { toId: number; type: string }[] {
  const found = resolveNodeIds(
    store,
    links.map(({ nodeId }) => nodeId),
  );
  refuseProblems(
    links.map((link, index) => {
      const problem = findLinkProblem(store, link, found);
      return problem && `${field}[${index}]: ${problem}`;
    }),
  );
  return links.flatMap(({ nodeId, relationType }) => {
    const node = found.get(nodeId);
    return node ? [{ toId: node.nodeId, type: relationType }] : [];
  });
}

function findLinkProblem(
  store: Store,
  { nodeId, nodeType, relationType }: LinkRequest,
  found: ReadonlyMap<string, MemoryNode>,
): Problem {
  const node = found.get(nodeId);
  const isOther = node && nodeType && (nodeType === 'Entity') !== (node.kind === 'entity');
  return (
    findRelationTypeProblem(relationType) ??
    findMissing(store, found, nodeId) ??
    (isOther ? describeOther(nodeId, nodeType) : undefined)
  );
}

function describeOther(id: string, wanted: NonNullable<LinkRequest['nodeType']>): string {
  const kind = kindOfId(id);
  const what = kind && ` but ${titleOfId(kind)} (${toolsForId(kind)})`;
  return `${quote(id)} is no ${wanted}${what ?? ''}`;
}

/** What a new fact speaks of. */
interface NewFact {
  readonly nodeId: number;
  readonly content: string;
  /** Undefined where the embedder had none for it: then only names count. */
  readonly vector: PreparedVector | undefined;
  /** Cosine from which an entity that is not named is linked all the same. */
  readonly similarityMin: number;
}

/** The caller holds the transaction. Links that are there stay as they are. */
export function linkMentions(world: World, fact: NewFact): void {
  const named = findNamed(world, fact.content);
  const near = named.length < AUTO_LINKS_MAX ? findNear(world, fact) : [];
  const entityIds = [...new Set([...named, ...near].map(({ nodeId }) => nodeId))];
  for (const toId of entityIds.slice(0, AUTO_LINKS_MAX)) {
    putEdge(world, { fromId: fact.nodeId, toId, type: MENTIONS_ENTITY }, { auto_linked: true });
  }
}

/** In the order in which the text names them; of two that begin together the longer name first. */
function findNamed({ store }: World, content: string): Entity[] {
  const places = findNameCandidates(content);
  const placeOf = ({ name }: Entity) => places.get(foldName(name)) ?? 0;
  return store.entities
    .findFolded([...places.keys()])
    .filter(({ name }) => isMentioned(name, content))
    .toSorted((a, b) => placeOf(a) - placeOf(b) || b.name.length - a.name.length);
}

/** Most alike first. Facts that say much the same may stand before the entities. */
function findNear({ store, semantics }: World, { vector, similarityMin }: NewFact): Entity[] {
  if (vector === undefined) return [];
  return widen(NEAR_MAX, (looked) => {
    const near = semantics
      .near(vector, looked)
      .filter(({ similarity }) => similarity >= similarityMin);
    const found = store.entities.findByIds(near.map(({ nodeId }) => nodeId));
    return { examined: near.length, kept: found };
  });
}
