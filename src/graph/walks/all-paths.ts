/**
 * Several simple paths between two nodes, shortest first (Yen, 1971, with Lawler's rule of where to
 * deviate). Searching depth first instead would try most of a dense graph before it turned back.
 */
import type { EdgesAround } from './walk.ts';

export interface AllPathsSearch {
  /** Whether edges are taken in their own direction alone. */
  readonly isDirected?: boolean;
  /** Longest path to look for, in edges. */
  readonly maxDepth: number;
  readonly maxPaths: number;
  /** Neighbours that may be looked at before the search stops. */
  readonly maxSteps: number;
  readonly around: EdgesAround;
}

export interface AllPaths {
  /** Node ids from one end to the other, both included. */
  readonly paths: number[][];
  /** `more` for paths beyond `maxPaths`, `unknown` when edges or steps ran out before the search ended. */
  readonly rest: 'none' | 'more' | 'unknown';
  /** Of `maxSteps`, for a search that goes on with them. */
  readonly stepsLeft: number;
}

type Adjacency = Map<number, number[]>;

/** Steps that may be taken, and the same looked at from where they lead; one map when they go either way. */
interface Links {
  readonly forward: Map<number, Set<number>>;
  readonly backward: Map<number, Set<number>>;
}

/** A path, and the place from which on it differs from the one that it was made of. */
interface Candidate {
  readonly path: number[];
  readonly deviatesAt: number;
}

/** What all searches share: where they may go, and how much they may still look at. */
interface Area {
  readonly neighbours: Adjacency;
  /** Edges from each node to the goal; nodes that are too far are missing. */
  readonly distances: ReadonlyMap<number, number>;
  stepsLeft: number;
}

/** With edges taken either way, unless the search is directed. A node is its own only path. */
export function findAllPaths(fromId: number, toId: number, search: AllPathsSearch): AllPaths {
  if (fromId === toId) return { paths: [[fromId]], rest: 'none', stepsLeft: search.maxSteps };
  const { forward, backward, isWhole } = collectBetween(fromId, toId, search);
  const neighbours = listNeighbours(forward);
  const distances = measureDistances(toId, listNeighbours(backward), search.maxDepth);
  const area: Area = { neighbours, distances, stepsLeft: search.maxSteps };
  const paths: number[][] = [];
  const candidates: Candidate[] = [];
  consider({ path: [fromId], deviatesAt: 0 }, new Set(), candidates, toId, area, search);
  while (candidates.length > 0 && paths.length < search.maxPaths) {
    const next = takeShortest(candidates);
    paths.push(next.path);
    deviate(next, paths, candidates, toId, area, search);
  }
  const isExhaustive = isWhole && area.stepsLeft > 0;
  const { stepsLeft } = area;
  if (candidates.length > 0) return { paths, rest: 'more', stepsLeft };
  return { paths, rest: isExhaustive ? 'none' : 'unknown', stepsLeft };
}

/**
 * The edges that a path of at most `maxDepth` may take: each of its nodes is near one end or the
 * other. The smaller frontier goes next, so that a crowded end is not entered deeper than needed.
 */
function collectBetween(
  fromId: number,
  toId: number,
  { maxDepth, around, isDirected = false }: AllPathsSearch,
): Links & { isWhole: boolean } {
  const forward: Links['forward'] = new Map();
  const backward: Links['backward'] = isDirected ? new Map() : forward;
  const expanded = new Set<number>();
  const sides = [
    { reached: new Set([fromId]), frontier: [fromId], links: forward },
    { reached: new Set([toId]), frontier: [toId], links: backward },
  ];
  let isWhole = true;
  for (let level = 0; level < maxDepth && isWhole; level += 1) {
    const side = sides.reduce((a, b) => (b.frontier.length < a.frontier.length ? b : a));
    const fresh = side.frontier.filter((id) => !expanded.has(id));
    const edges = fresh.length === 0 ? [] : around(fresh);
    if (edges === undefined) isWhole = false;
    for (const { fromId: a, toId: b } of edges ?? []) {
      link(forward, a, b);
      link(backward, b, a);
    }
    for (const id of fresh) expanded.add(id);
    const next = side.frontier.flatMap((id) => [...(side.links.get(id) ?? [])]);
    side.frontier = [...new Set(next)].filter((id) => !side.reached.has(id));
    for (const id of side.frontier) side.reached.add(id);
  }
  return { forward, backward, isWhole };
}

function listNeighbours(links: ReadonlyMap<number, ReadonlySet<number>>): Adjacency {
  return new Map([...links].map(([id, others]) => [id, [...others]]));
}

function link(links: Map<number, Set<number>>, from: number, to: number): void {
  if (from === to) return;
  const others = links.get(from);
  if (others) others.add(to);
  else links.set(from, new Set([to]));
}

/** Plain breadth first, as far as a path may be long. */
function measureDistances(
  toId: number,
  neighbours: Adjacency,
  maxDepth: number,
): Map<number, number> {
  const distances = new Map([[toId, 0]]);
  let frontier = [toId];
  for (let distance = 1; distance <= maxDepth && frontier.length > 0; distance += 1) {
    const next: number[] = [];
    for (const id of frontier.flatMap((near) => neighbours.get(near) ?? [])) {
      if (distances.has(id)) continue;
      distances.set(id, distance);
      next.push(id);
    }
    frontier = next;
  }
  return distances;
}

/** Adds the shortest continuation at each place of a path that no path taken so far has. */
function deviate(
  { path, deviatesAt }: Candidate,
  taken: readonly number[][],
  candidates: Candidate[],
  toId: number,
  area: Area,
  search: AllPathsSearch,
): void {
  for (let place = deviatesAt; place < path.length - 1; place += 1) {
    const root = path.slice(0, place + 1);
    const alike = taken.filter((other) => root.every((id, index) => other[index] === id));
    const barred = new Set(alike.map((other) => other[place + 1] ?? toId));
    consider({ path: root, deviatesAt: place }, barred, candidates, toId, area, search);
  }
}

/** Adds the shortest path that begins with `root` and does not go on to a barred node. */
function consider(
  { path: root, deviatesAt }: Candidate,
  barred: ReadonlySet<number>,
  candidates: Candidate[],
  toId: number,
  area: Area,
  { maxDepth }: AllPathsSearch,
): void {
  const rest = findContinuation(root, barred, toId, area, maxDepth - (root.length - 1));
  if (rest !== undefined) candidates.push({ path: [...root, ...rest], deviatesAt });
}

/** Breadth first from the end of `root`, past none of its nodes and to none that is too far from the goal. */
function findContinuation(
  root: readonly number[],
  barred: ReadonlySet<number>,
  toId: number,
  area: Area,
  maxLength: number,
): number[] | undefined {
  const start = root.at(-1) ?? toId;
  const previous = new Map<number, number>(root.map((id) => [id, id]));
  let frontier = [start];
  for (let length = 1; length <= maxLength && frontier.length > 0; length += 1) {
    const next: number[] = [];
    for (const nodeId of frontier) {
      for (const id of area.neighbours.get(nodeId) ?? []) {
        area.stepsLeft -= 1;
        if (area.stepsLeft <= 0) return undefined;
        const distance = area.distances.get(id);
        const isTooFar = distance === undefined || length + distance > maxLength;
        if (isTooFar || previous.has(id) || (length === 1 && barred.has(id))) continue;
        previous.set(id, nodeId);
        if (id === toId) return traceBack(toId, start, previous);
        next.push(id);
      }
    }
    frontier = next;
  }
  return undefined;
}

function traceBack(toId: number, start: number, previous: ReadonlyMap<number, number>): number[] {
  const path: number[] = [];
  for (let id = toId; id !== start; id = previous.get(id) ?? start) path.push(id);
  return path.toReversed();
}

/** Ties go to the one that was found first. */
function takeShortest(candidates: Candidate[]): Candidate {
  let best = 0;
  for (let index = 1; index < candidates.length; index += 1) {
    if (lengthAt(candidates, index) < lengthAt(candidates, best)) best = index;
  }
  const [taken] = candidates.splice(best, 1);
  return taken ?? { path: [], deviatesAt: 0 };
}

function lengthAt(candidates: readonly Candidate[], index: number): number {
  return candidates[index]?.path.length ?? Infinity;
}
