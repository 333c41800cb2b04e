/** What surrounds a node and how two nodes hang together, along edges of any kind. */
import { MemoryError } from '#errors.ts';
import { findAllPaths, type AllPaths } from '#graph/walks/all-paths.ts';
import type { MemoryNode, NodeEdge } from '#graph/memory-node.ts';
import { collectNeighbourhood } from '#graph/walks/neighbourhood.ts';
import {
  ALL_PATHS_STEPS_MAX,
  CONTEXT_EDGES_MAX,
  NEIGHBOUR_EDGES_MAX,
  PATH_DEPTH_MAX,
  PATH_EDGES_MAX,
  READ_CHARS_DEFAULT,
} from '#limits.ts';
import type { EdgesAround } from '#graph/walks/walk.ts';
import type { Store } from '#store/store.ts';
import { getNode } from './find-node.ts';
import type { World } from '#memory/world.ts';

export interface NodeContext {
  /** The node itself first, then the others, nearest first. */
  readonly nodes: readonly MemoryNode[];
  /** Those among the nodes. */
  readonly edges: readonly NodeEdge[];
  /** True when there is more within reach than is given. */
  readonly isCut: boolean;
}

export interface NodePath {
  readonly nodes: readonly MemoryNode[];
  /** One from each node to the next. */
  readonly edges: readonly NodeEdge[];
}

export interface Trace {
  /** Shortest first. */
  readonly paths: readonly NodePath[];
  /** True when there may be more. */
  readonly isCut: boolean;
}

export function contextUseCases({ store }: World) {
  return {
    /** Throws `not_found`. */
    around(id: string, depth: number, maxNodes: number): NodeContext {
      const start = getNode(store, id);
      const reach = {
        depth,
        direction: 'both' as const,
        maxNodes,
        maxEdges: NEIGHBOUR_EDGES_MAX,
        leaving: store.nodeEdges.around,
      };
      const { nodeIds, isCut } = collectNeighbourhood([start.nodeId], reach);
      const found = store.memoryNodes.findByIds(nodeIds);
      const nodes = fitNodes(found);
      const edges = store.nodeEdges.among(
        nodes.map(({ nodeId }) => nodeId),
        CONTEXT_EDGES_MAX + 1,
      );
      return {
        nodes,
        edges: fitEdges(edges),
        isCut: isCut || nodes.length < found.length || fitEdges(edges).length < edges.length,
      };
    },

    /** Paths along the direction of edges; none through what is in no answer. Throws `not_found`. */
    trace(fromId: string, toId: string, maxPaths: number): Trace {
      const [from, to] = [getNode(store, fromId), getNode(store, toId)];
      if (from.status !== 'active' || to.status !== 'active') return { paths: [], isCut: false };
      const { paths, rest } = findNearPaths(store, from.nodeId, to.nodeId, maxPaths);
      if (paths.length === 0 && rest === 'unknown') {
        throw new MemoryError(
          'limit_exceeded',
          `Stopped after ${PATH_EDGES_MAX} edges without an answer.`,
          { hint: 'Trace between nearer nodes.' },
        );
      }
      return { paths: readPaths(paths), isCut: rest !== 'none' };
    },
  };

  function readPaths(paths: readonly (readonly number[])[]): NodePath[] {
    const nodeIds = [...new Set(paths.flat())];
    const nodes = new Map(store.memoryNodes.findByIds(nodeIds).map((node) => [node.nodeId, node]));
    const edges = new Map(
      store.nodeEdges
        .among(nodeIds, PATH_EDGES_MAX)
        .toReversed()
        .map((edge) => [`${edge.fromId}>${edge.toId}`, edge]),
    );
    return paths.map((path) => ({
      nodes: path.flatMap((nodeId) => nodes.get(nodeId) ?? []),
      edges: path.slice(1).flatMap((nodeId, index) => edges.get(`${path[index]}>${nodeId}`) ?? []),
    }));
  }
}

/** How far paths are looked for, one after the other, until there are as many as are wanted. */
const TRACE_DEPTHS = [2, 4, 8, PATH_DEPTH_MAX];

/** The shortest paths: who wants the way to a neighbour need not read all that is 16 edges away. */
function findNearPaths(store: Store, fromId: number, toId: number, maxPaths: number): AllPaths {
  const around = rememberEdges(store);
  let maxSteps = ALL_PATHS_STEPS_MAX;
  let found: AllPaths = { paths: [], rest: 'none', stepsLeft: maxSteps };
  for (const maxDepth of TRACE_DEPTHS) {
    found = findAllPaths(fromId, toId, {
      isDirected: true,
      maxDepth,
      maxPaths,
      maxSteps,
      around,
    });
    maxSteps = found.stepsLeft;
    const isFull = found.paths.length === maxPaths && fromId !== toId;
    // Of the longer ones nothing is known.
    if (isFull && maxDepth < PATH_DEPTH_MAX) return { ...found, rest: 'unknown' };
    if (isFull) break;
  }
  return found;
}

/** Reads the edges of each node once, and so many of all that a search gives up in the end. */
function rememberEdges(store: Store): EdgesAround {
  const known = new Map<number, NodeEdge[]>();
  let left = PATH_EDGES_MAX;
  return (nodeIds) => {
    const fresh = nodeIds.filter((nodeId) => !known.has(nodeId));
    if (fresh.length > 0) {
      const edges = left < 0 ? [] : store.nodeEdges.around(fresh, left + 1);
      left -= edges.length;
      if (left < 0) return undefined;
      for (const nodeId of fresh) known.set(nodeId, []);
      const wanted = new Set(fresh);
      for (const edge of edges) {
        for (const end of new Set([edge.fromId, edge.toId])) {
          if (wanted.has(end)) known.get(end)?.push(edge);
        }
      }
    }
    return nodeIds.flatMap((nodeId) => known.get(nodeId) ?? []);
  };
}

/** The nearest ones, as many as an answer holds, and always the node itself. */
function fitNodes(nodes: readonly MemoryNode[]): readonly MemoryNode[] {
  return fit(nodes, 1, READ_CHARS_DEFAULT);
}

function fitEdges(edges: readonly NodeEdge[]): readonly NodeEdge[] {
  return fit(edges.slice(0, CONTEXT_EDGES_MAX), 0, READ_CHARS_DEFAULT);
}

function fit<Item>(items: readonly Item[], least: number, charsMax: number): readonly Item[] {
  let chars = 0;
  const end = items.findIndex((item, index) => {
    chars += JSON.stringify(item).length;
    return index >= least && chars > charsMax;
  });
  return end < 0 ? items : items.slice(0, end);
}
