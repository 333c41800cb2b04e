/** Filters, focus, path and pins of the graph; filters and pins stay for the next visit. */
import { useCallback, useState } from 'preact/hooks';
import type { GraphData } from '../data/graph-data.ts';
import { keep, readKept } from '../data/kept.ts';
import { neighboursOf, NO_FILTERS, shortestPath, type GraphFilters } from './visible-graph.ts';

/** A path that is being picked, or one that was found. */
export interface PathState {
  readonly from: string;
  readonly to: string | undefined;
  /** Empty while the end is picked, and where there is no path. */
  readonly names: readonly string[];
}

export interface GraphState {
  readonly filters: GraphFilters;
  readonly setFilters: (filters: GraphFilters) => void;
  readonly path: PathState | undefined;
  readonly pinned: ReadonlySet<string>;
  readonly focus: () => void;
  readonly expand: () => void;
  readonly startPath: () => void;
  /** Whether a name was wanted as the end of a path. */
  readonly pickEnd: (name: string) => boolean;
  readonly endPath: () => void;
  readonly pin: (name: string) => void;
  readonly togglePin: (name: string) => void;
  readonly hide: (onHidden: () => void) => void;
}

interface KeptFilters {
  readonly types: readonly string[];
  readonly relations: readonly string[];
  readonly importance: number;
}

export function useGraphState(
  threadId: string,
  data: GraphData,
  selected: string | undefined,
): GraphState {
  const [filters, setState] = useState<GraphFilters>(() => readFilters(threadId));
  const [path, setPath] = useState<PathState>();
  const [pinned, setPinned] = useState<ReadonlySet<string>>(
    () => new Set(readKept<string[]>(`pinned:${threadId}`) ?? []),
  );
  const setFilters = (next: GraphFilters) => {
    setState(next);
    const { types, relations, importance } = next;
    keep(`filters:${threadId}`, { types: [...types], relations: [...relations], importance });
  };
  const setPins = (next: ReadonlySet<string>) => {
    setPinned(next);
    keep(`pinned:${threadId}`, [...next]);
  };
  const near = () =>
    selected === undefined ? new Set<string>() : neighboursOf(selected, data.relations);
  const pin = useCallback((name: string) => setPins(new Set(pinned).add(name)), [pinned]);
  return {
    filters,
    setFilters,
    path,
    pinned,
    pin,
    focus: () =>
      setFilters({ ...filters, focus: filters.focus === undefined ? near() : undefined }),
    expand: () => {
      const hidden = filters.hidden.difference(near());
      const focus = filters.focus?.union(near());
      setFilters({ ...filters, hidden, focus });
    },
    startPath: () =>
      setPath(selected === undefined ? undefined : { from: selected, to: undefined, names: [] }),
    pickEnd: (name) => {
      if (path === undefined || path.to !== undefined || name === path.from) return false;
      const names = shortestPath(path.from, name, data.relations) ?? [];
      setPath({ ...path, to: name, names });
      return true;
    },
    endPath: () => setPath(undefined),
    togglePin: (name) => setPins(pinned.symmetricDifference(new Set([name]))),
    hide: (onHidden) => {
      if (selected === undefined) return;
      setFilters({ ...filters, hidden: new Set(filters.hidden).add(selected) });
      onHidden();
    },
  };
}

function readFilters(threadId: string): GraphFilters {
  const kept = readKept<KeptFilters>(`filters:${threadId}`);
  if (kept === undefined) return NO_FILTERS;
  const { types, relations, importance } = kept;
  return { ...NO_FILTERS, importance, types: new Set(types), relations: new Set(relations) };
}
