/** Which part of a graph is shown: by filters, by focus, by what was hidden, and by a maximum of nodes. */
import type { RelationWire } from '#http/wire.ts';
import type { GraphEntity } from '../data/graph-data.ts';

export interface GraphFilters {
  /** Types that are switched off. */
  readonly types: ReadonlySet<string>;
  /** Relation types that are switched off. */
  readonly relations: ReadonlySet<string>;
  /** ISO 8601; entities that changed before it are left out. */
  readonly since: string | undefined;
  /** From 0 to 1. */
  readonly importance: number;
  /** These alone; undefined for all. */
  readonly focus: ReadonlySet<string> | undefined;
  readonly hidden: ReadonlySet<string>;
}

export const NO_FILTERS: GraphFilters = {
  types: new Set(),
  relations: new Set(),
  since: undefined,
  importance: 0,
  focus: undefined,
  hidden: new Set(),
};

export interface VisibleGraph {
  readonly entities: readonly GraphEntity[];
  readonly relations: readonly RelationWire[];
  /** How many pass the filters, shown or not. */
  readonly matching: number;
}

interface WholeGraph {
  readonly entities: readonly GraphEntity[];
  readonly relations: readonly RelationWire[];
}

/** Of more than `max`, the most connected are shown. */
export function showGraph(
  { entities, relations }: WholeGraph,
  filters: GraphFilters,
  max: number,
): VisibleGraph {
  const { types, since, importance, focus, hidden } = filters;
  const matching = entities.filter(
    (entity) =>
      !types.has(entity.entityType) &&
      (since === undefined || entity.updatedAt >= since) &&
      entity.importance >= importance &&
      (focus === undefined || focus.has(entity.name)) &&
      !hidden.has(entity.name),
  );
  const degrees = countDegrees(relations);
  const shown =
    matching.length <= max
      ? matching
      : matching
          .toSorted((a, b) => (degrees.get(b.name) ?? 0) - (degrees.get(a.name) ?? 0))
          .slice(0, max);
  const names = new Set(shown.map(({ name }) => name));
  return {
    entities: shown,
    relations: relations.filter(
      ({ from, to, relationType }) =>
        names.has(from) && names.has(to) && !filters.relations.has(relationType),
    ),
    matching: matching.length,
  };
}

/** Relations of each entity in both directions, by name. */
export function countDegrees(relations: readonly RelationWire[]): Map<string, number> {
  const degrees = new Map<string, number>();
  for (const { from, to } of relations) {
    degrees.set(from, (degrees.get(from) ?? 0) + 1);
    degrees.set(to, (degrees.get(to) ?? 0) + 1);
  }
  return degrees;
}

/** An entity and those that are related to it. */
export function neighboursOf(name: string, relations: readonly RelationWire[]): Set<string> {
  const found = new Set([name]);
  for (const { from, to } of relations) {
    if (from === name) found.add(to);
    if (to === name) found.add(from);
  }
  return found;
}

/** Names of a shortest way along relations in either direction; undefined where there is none. */
export function shortestPath(
  from: string,
  to: string,
  relations: readonly RelationWire[],
): string[] | undefined {
  const neighbours = new Map<string, string[]>();
  const link = (a: string, b: string) => {
    const list = neighbours.get(a);
    if (list === undefined) neighbours.set(a, [b]);
    else list.push(b);
  };
  for (const relation of relations) {
    link(relation.from, relation.to);
    link(relation.to, relation.from);
  }
  const cameFrom = new Map<string, string>([[from, from]]);
  const queue = [from];
  for (const name of queue) {
    if (name === to) break;
    for (const next of neighbours.get(name) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      queue.push(next);
    }
  }
  if (!cameFrom.has(to)) return undefined;
  const path = [to];
  while (path[0] !== from) path.unshift(cameFrom.get(path[0] ?? from) ?? from);
  return path;
}

/** How many of a kind there are, most frequent first. */
export function countBy<Item>(
  items: readonly Item[],
  kindOf: (item: Item) => string,
): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
