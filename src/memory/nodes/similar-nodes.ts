/** Nodes by what they say and by what they are like, as seed 002 has them: each with a similarity. */
import type { NodeKind } from '#graph/ids.ts';
import type { MemoryNode, NodeEdge } from '#graph/memory-node.ts';
import type { FindableStatus } from '#graph/status.ts';
import type { Summary } from '#graph/summary.ts';
import type { Turn } from '#graph/turn.ts';
import { READ_CHARS_DEFAULT, RELATIONS_SHOWN_MAX, SEARCH_LIMIT_MAX } from '#limits.ts';
import type { Closeness, Hit } from '#search/hit.ts';
import { hybrid } from '#search/hybrid.ts';
import type { Neighbour } from '#search/vector-index.ts';
import { takeFitting } from '#memory/reading/answer-size.ts';
import { factNotFound, getNode, type NodePart } from './find-node.ts';
import type { World } from '#memory/world.ts';

export interface NodeSearch {
  readonly query: string;
  readonly kinds: readonly NodeKind[];
  /** None for a search that can find nothing. */
  readonly statuses: readonly FindableStatus[];
  /** 0 to 1. */
  readonly similarityMin: number;
  readonly limit: number;
}

export interface FoundNode {
  readonly node: MemoryNode;
  /** 0 to 1, and comparable between answers. */
  readonly similarity: number;
}

export interface FoundPart extends NodePart {
  readonly similarity: number;
}

export interface FoundNodes {
  readonly nodes: readonly (FoundNode | FoundPart)[];
  readonly closeness: Closeness;
}

export interface SimilarFacts {
  /** Most similar first. */
  readonly found: readonly FoundNode[];
  /** Edges of those found, each once. */
  readonly edges: readonly NodeEdge[];
  /** True when they have more than are given. */
  readonly areEdgesCut: boolean;
  /** Every node at an end of an edge. */
  readonly ends: readonly MemoryNode[];
  /** False for a fact that cannot be compared: the embedder has not come to it, or it is archived. */
  readonly isComparable: boolean;
}

/** Matches of one entity are not few here: a fact is a node of its own. */
const WHOLE_THREAD = { entityType: null, isOfGraph: false, perEntity: 1_000 } as const;

/** Neighbours that are looked at: names, turns and facts that are outdated may be among them. */
const NEIGHBOURS_MAX = 300;

/** Edges may have metadata, of which the facts themselves must not be crowded out. */
const EDGES_CHARS_MAX = READ_CHARS_DEFAULT / 2;

export function similarityUseCases(world: World) {
  const { store, semantics } = world;
  return {
    /** Best first by all that speaks for a node, of which its similarity is a part. */
    async search({
      query,
      kinds,
      statuses,
      similarityMin,
      limit,
    }: NodeSearch): Promise<FoundNodes> {
      if (statuses.length === 0) return { nodes: [], closeness: 'none' };
      const filter = { ...WHOLE_THREAD, kinds, statuses };
      const wanted = similarityMin > 0 ? SEARCH_LIMIT_MAX : limit;
      const found = await hybrid(world, query, filter, {
        limit: wanted,
        atLeast: { count: limit, of: 'nodes' },
      });
      const hits = found.hits
        .filter(({ similarity }) => similarity >= similarityMin)
        .slice(0, limit);
      const nodes = inOrder(hits, [...readFound(world, hits), ...readParts(world, hits, kinds)]);
      return { nodes, closeness: found.closeness };
    },

    /** Active facts whose vectors are near that of another. Throws `not_found`. */
    similar(factId: string, similarityMin: number, limit: number, hasEdges: boolean): SimilarFacts {
      const fact = getNode(store, factId);
      if (fact.kind !== 'fact') throw factNotFound(factId);
      const near = semantics.nearNode(fact.nodeId, NEIGHBOURS_MAX);
      const similar = (near ?? []).filter(({ similarity }) => similarity >= similarityMin);
      const found = readFound(world, keepFacts(world, similar).slice(0, limit));
      const nodeIds = found.map(({ node }) => node.nodeId);
      const all = hasEdges ? readEdges(world, nodeIds) : [];
      const edges = takeFitting(
        all.slice(0, RELATIONS_SHOWN_MAX),
        EDGES_CHARS_MAX,
        (edge) => JSON.stringify(edge).length,
      );
      const ends = store.memoryNodes.findByIds([
        ...new Set(edges.flatMap(({ fromId, toId }) => [fromId, toId])),
      ]);
      return {
        found,
        edges,
        ends,
        areEdgesCut: edges.length < all.length,
        isComparable: near !== undefined,
      };
    },
  };
}

/** Current facts among the neighbours that a search would show, in their order. */
function keepFacts({ store }: World, near: readonly Neighbour[]): readonly Neighbour[] {
  const nodeIds = near.map(({ nodeId }) => nodeId);
  const facts = store.fulltext.resolve(nodeIds, { ...WHOLE_THREAD, kinds: ['fact'] });
  const shown = new Set(facts.map(({ nodeId }) => nodeId));
  return near.filter(({ nodeId }) => shown.has(nodeId));
}

/** An edge between two of the nodes is read from both its ends. */
function readEdges({ store }: World, nodeIds: readonly number[]): readonly NodeEdge[] {
  const edges = store.nodeEdges.around(nodeIds, RELATIONS_SHOWN_MAX + 1);
  const keyOf = ({ fromId, toId, type }: NodeEdge) => JSON.stringify([fromId, toId, type]);
  return [...new Map(edges.map((edge) => [keyOf(edge), edge])).values()];
}

/** In the order given; what is no fact and no entity is left out. */
function readFound({ store }: World, hits: readonly Neighbour[]): FoundNode[] {
  const similarities = new Map(hits.map(({ nodeId, similarity }) => [nodeId, similarity]));
  return store.memoryNodes
    .findByIds([...similarities.keys()])
    .map((node) => ({ node, similarity: similarities.get(node.nodeId) ?? 0 }));
}

/** Characters of each text of a turn that an answer has room for. */
const PART_CHARS_MAX = 1_000;

function readParts(
  { store }: World,
  hits: readonly Hit[],
  kinds: readonly NodeKind[],
): FoundPart[] {
  const similarities = new Map(hits.map(({ nodeId, similarity }) => [nodeId, similarity]));
  const nodeIds = [...similarities.keys()];
  const similarityOf = ({ nodeId }: Turn | Summary) => similarities.get(nodeId) ?? 0;
  const turns = kinds.includes('turn') ? store.turns.findByIds(nodeIds, PART_CHARS_MAX) : [];
  const summaries = kinds.includes('summary') ? store.summaries.findByIds(nodeIds) : [];
  return [
    ...turns.map((part) => ({ part, kind: 'turn' as const, similarity: similarityOf(part) })),
    ...summaries.map((part) => ({
      part,
      kind: 'summary' as const,
      similarity: similarityOf(part),
    })),
  ];
}

function inOrder<Found extends FoundNode | FoundPart>(
  hits: readonly Hit[],
  found: readonly Found[],
): Found[] {
  const idOf = (one: Found) => ('part' in one ? one.part : one.node).nodeId;
  const places = new Map(hits.map(({ nodeId }, place) => [nodeId, place]));
  return found.toSorted((a, b) => (places.get(idOf(a)) ?? 0) - (places.get(idOf(b)) ?? 0));
}
