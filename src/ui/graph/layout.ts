/** Where nodes stand. A layout runs once for nodes that have no place yet; others stay where they are. */
import { keep, readKept } from '../data/kept.ts';
import { startingPoints, type PlacedNode, type Places, type Point } from './starting-points.ts';

export interface LayoutRequest {
  readonly nodes: readonly (Point & { readonly size: number; readonly isFixed: boolean })[];
  /** Pairs of indexes of nodes. */
  readonly edges: readonly (readonly [number, number])[];
}

export interface LayoutAnswer {
  readonly points: readonly Point[];
  readonly isDone: boolean;
}

/** Where this share of the nodes is new, all of them are placed again. */
const NEW_SHARE_MAX = 0.3;

export function readPlaces(threadId: string): Places {
  const kept = readKept<Record<string, [number, number]>>(`places:${threadId}`) ?? {};
  return new Map(Object.entries(kept).map(([name, [x, y]]) => [name, { x, y }]));
}

export function keepPlaces(threadId: string, places: Places): void {
  const rounded = [...places].map(([name, { x, y }]) => [name, [Math.round(x), Math.round(y)]]);
  keep(`places:${threadId}`, Object.fromEntries(rounded));
}

/** A layout that runs. */
export interface Layout {
  /** A place for every node, to begin with: on a spiral, the most connected inside. */
  readonly start: Places;
  /** Ends the computation. */
  readonly stop: () => void;
}

/**
 * Begins a layout, which tells better and better places as it goes; nothing more where every node has its
 * place already.
 */
export function beginLayout(
  nodes: readonly PlacedNode[],
  edges: readonly (readonly [string, string])[],
  known: Places,
  onPlaces: (places: Places, isDone: boolean) => void,
): Layout {
  const missing = nodes.filter(({ name }) => !known.has(name));
  if (missing.length === 0) return { start: known, stop: () => {} };
  const isNew = missing.length > nodes.length * NEW_SHARE_MAX;
  const start = startingPoints(nodes, edges, isNew ? new Map() : known);
  const index = new Map(nodes.map(({ name }, i) => [name, i]));
  const request: LayoutRequest = {
    nodes: nodes.map(({ name, degree }) => ({
      ...(start.get(name) ?? { x: 0, y: 0 }),
      size: 1 + Math.sqrt(degree),
      isFixed: !isNew && known.has(name),
    })),
    edges: edges.flatMap(([from, to]) => {
      const [a, b] = [index.get(from), index.get(to)];
      return a === undefined || b === undefined ? [] : [[a, b] as const];
    }),
  };
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => {
    const placed = nodes.flatMap(({ name }, i) => {
      const point = data.points[i];
      return point === undefined ? [] : [[name, point] as const];
    });
    onPlaces(new Map([...known, ...placed]), data.isDone);
    if (data.isDone) worker.terminate();
  });
  worker.postMessage(request);
  return { start, stop: () => worker.terminate() };
}
