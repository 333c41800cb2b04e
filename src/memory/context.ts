/** What surrounds a node and how two nodes hang together, along edges of any kind. */
import { MemoryError } from '#errors.ts';
import { findAllPaths } from '#graph/all-paths.ts';
import type { MemoryNode, NodeEdge } from '#graph/memory-node.ts';
import { collectNeighbourhood } from '#graph/neighbourhood.ts';
import {
  ALL_PATHS_STEPS_MAX,
  CONTEXT_EDGES_MAX,
  NEIGHBOUR_EDGES_MAX,
  PATH_DEPTH_MAX,
  PATH_EDGES_MAX,
  READ_CHARS_DEFAULT,
} from '#limits.ts';
import { getNode } from './node-ids.ts';
import type { World } from './world.ts';

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
      let left = PATH_EDGES_MAX;
      const { paths, rest } = findAllPaths(from.nodeId, to.nodeId, {
        isDirected: true,
        maxDepth: PATH_DEPTH_MAX,
        maxPaths,
        maxSteps: ALL_PATHS_STEPS_MAX,
        around(nodeIds) {
          const edges = store.nodeEdges.around(nodeIds, left + 1);
          left -= edges.length;
          return left < 0 ? undefined : edges;
        },
      });
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
