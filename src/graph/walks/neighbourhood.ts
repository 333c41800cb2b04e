/** The nodes around some nodes, nearest first. The caller fetches edges, a whole frontier at a time. */
import type { Edge } from '#graph/edge.ts';

/** Which way edges are followed: from their start, from their end, or both. */
export type Direction = 'out' | 'in' | 'both';

export interface NeighbourhoodSearch {
  /** Edges away from the nearest of the seeds. */
  readonly depth: number;
  readonly direction: Direction;
  /** Nodes to collect, seeds included. */
  readonly maxNodes: number;
  /** Edges of a frontier to look at. */
  readonly maxEdges: number;
  /** Edges that leave the nodes in that direction, `limit` at most. */
  leaving(nodeIds: readonly number[], limit: number): readonly Edge[];
}

export interface Neighbourhood {
  /** Seeds first, each node once. */
  readonly nodeIds: number[];
  /** True when there may be more than was collected. */
  readonly isCut: boolean;
}

export function collectNeighbourhood(
  seedIds: readonly number[],
  search: NeighbourhoodSearch,
): Neighbourhood {
  const seeds = [...new Set(seedIds)];
  const collected = new Set(seeds.slice(0, search.maxNodes));
  let isCut = collected.size < seeds.length;
  let frontier = [...collected];
  for (let depth = 0; depth < search.depth && frontier.length > 0; depth += 1) {
    const edges = search.leaving(frontier, search.maxEdges + 1);
    isCut ||= edges.length > search.maxEdges;
    const reached = reach(new Set(frontier), edges, search.direction);
    const fresh = [...reached].filter((id) => !collected.has(id));
    frontier = fresh.slice(0, search.maxNodes - collected.size);
    isCut ||= frontier.length < fresh.length;
    for (const id of frontier) collected.add(id);
  }
  return { nodeIds: [...collected], isCut };
}

function reach(
  frontier: ReadonlySet<number>,
  edges: readonly Edge[],
  direction: Direction,
): Set<number> {
  const reached = new Set<number>();
  for (const { fromId, toId } of edges) {
    if (direction !== 'in' && frontier.has(fromId)) reached.add(toId);
    if (direction !== 'out' && frontier.has(toId)) reached.add(fromId);
  }
  return reached;
}
