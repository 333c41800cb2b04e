/** The shortest walk between two nodes. The caller fetches edges, a whole frontier at a time. */
import type { Edge } from '#graph/edge.ts';

/** Every edge that touches one of the nodes, in either direction; undefined for too many. */
export type EdgesAround = (nodeIds: readonly number[]) => readonly Edge[] | undefined;

export interface PathSearch {
  /** Longest path to look for, in edges. */
  readonly maxDepth: number;
  /** Nodes that may be visited before the search gives up. */
  readonly maxVisits: number;
  readonly around: EdgesAround;
}

export type PathResult =
  | { readonly outcome: 'found'; readonly nodeIds: number[]; readonly edges: Edge[] }
  | { readonly outcome: 'none' }
  /** Visits or edges ran out first, so that there may be a path all the same. */
  | { readonly outcome: 'gave_up' };

/** How a side of the search came to a node: by which edge, from which node. */
type Arrivals = Map<number, { readonly edge: Edge; readonly previous: number } | null>;

interface Side {
  readonly arrivals: Arrivals;
  frontier: number[];
}

/**
 * Shortest path with edges taken either way: breadth first from both ends, the smaller frontier
 * next, until they meet (Pohl, 1971). A node is its own path.
 */
export function findShortestPath(fromId: number, toId: number, search: PathSearch): PathResult {
  if (fromId === toId) return { outcome: 'found', nodeIds: [fromId], edges: [] };
  const start = openSide(fromId);
  const goal = openSide(toId);
  for (let depth = 0; depth < search.maxDepth; depth += 1) {
    const [near, far] =
      start.frontier.length <= goal.frontier.length ? [start, goal] : [goal, start];
    const edges = search.around(near.frontier);
    if (edges === undefined) return { outcome: 'gave_up' };
    const meeting = expand(near, far, edges);
    if (meeting !== undefined) return joinAt(meeting, start.arrivals, goal.arrivals);
    if (near.frontier.length === 0) return { outcome: 'none' };
    if (start.arrivals.size + goal.arrivals.size > search.maxVisits) return { outcome: 'gave_up' };
  }
  return { outcome: 'none' };
}

function openSide(nodeId: number): Side {
  return { arrivals: new Map([[nodeId, null]]), frontier: [nodeId] };
}

/** Moves one side a step on. Both sides know whole levels, so the first meeting is a nearest one. */
function expand(near: Side, far: Side, edges: readonly Edge[]): number | undefined {
  const frontier = new Set(near.frontier);
  const next: number[] = [];
  let meeting: number | undefined;
  for (const edge of edges) {
    for (const [previous, nodeId] of [
      [edge.fromId, edge.toId],
      [edge.toId, edge.fromId],
    ] as const) {
      if (!frontier.has(previous) || near.arrivals.has(nodeId)) continue;
      near.arrivals.set(nodeId, { edge, previous });
      next.push(nodeId);
      if (far.arrivals.has(nodeId)) meeting ??= nodeId;
    }
  }
  near.frontier = next;
  return meeting;
}

function joinAt(meeting: number, start: Arrivals, goal: Arrivals): PathResult {
  const first = traceBack(meeting, start);
  const second = traceBack(meeting, goal);
  return {
    outcome: 'found',
    nodeIds: [...first.nodeIds.toReversed(), meeting, ...second.nodeIds],
    edges: [...first.edges.toReversed(), ...second.edges],
  };
}

/** Nodes and edges from (not including) a node back to where its side began. */
function traceBack(nodeId: number, arrivals: Arrivals): { nodeIds: number[]; edges: Edge[] } {
  const nodeIds: number[] = [];
  const edges: Edge[] = [];
  let arrival = arrivals.get(nodeId);
  while (arrival) {
    nodeIds.push(arrival.previous);
    edges.push(arrival.edge);
    arrival = arrivals.get(arrival.previous);
  }
  return { nodeIds, edges };
}
