/** Finds the entities that a caller means, and says which ones it may have meant. */
import { MemoryError, quote, type Fault } from '#errors.ts';
import type { Entity } from '#graph/entity.ts';
import { closestNames, foldName, normaliseName } from '#graph/names.ts';
import { anyTitleOf, trigramsOf } from '#search/query.ts';
import type { Store } from '#store/store.ts';

/** Found entities by the name that was asked for. The exact name wins; else the folded one. */
export function resolveNames(store: Store, names: readonly string[]): Map<string, Entity> {
  const exact = resolveExactNames(store, names);
  const missed = names.filter((name) => !exact.has(name)).map(foldGiven);
  const folded = new Map<string, Entity>();
  if (missed.length > 0) {
    // Oldest first, so that of several that fold alike the first one saved is meant.
    for (const entity of store.entities.findFolded([...new Set(missed)])) {
      const key = foldName(entity.name);
      if (!folded.has(key)) folded.set(key, entity);
    }
  }
  return collectFound(names, (name) => exact.get(name) ?? folded.get(foldGiven(name)));
}

/** The same by exact names alone, for writes that a near match must not reach. */
export function resolveExactNames(store: Store, names: readonly string[]): Map<string, Entity> {
  const wanted = [...new Set(names.map(normaliseName))];
  const exact = indexBy(store.entities.findMany(wanted), (entity) => entity.name);
  return collectFound(names, (name) => exact.get(normaliseName(name)));
}

/** In the order of `names`. */
function collectFound(
  names: readonly string[],
  find: (name: string) => Entity | undefined,
): Map<string, Entity> {
  return new Map(
    names.flatMap((name) => {
      const entity = find(name);
      return entity ? [[name, entity] as const] : [];
    }),
  );
}

function foldGiven(name: string): string {
  return foldName(normaliseName(name));
}

/** Throws `not_found` with the closest names. */
export function getEntity(store: Store, name: string): Entity {
  const entity = resolveNames(store, [name]).get(name);
  if (entity) return entity;
  throw new MemoryError('not_found', describeMissing(name), {
    hint: suggestNames(store, [name]),
  });
}

const MISSING = 'No entity named';

function describeMissing(name: string): string {
  return `${MISSING} ${quote(name)} in this thread.`;
}

/** True for one of `missingEntityFaults`. */
export function isMissingEntity({ problem }: Fault): boolean {
  return problem.startsWith(MISSING);
}

/** A fault for each item whose entity is missing; `pathOf` says where the item's name stands. */
export function missingEntityFaults(
  store: Store,
  names: readonly string[],
  found: ReadonlyMap<string, Entity>,
  pathOf: (index: number) => string,
): Fault[] {
  const missing = names.flatMap((name, index) => (found.has(name) ? [] : [{ name, index }]));
  return missing.map(({ name, index }, place) => ({
    path: pathOf(index),
    problem: describeMissing(name),
    suggestion: place < SUGGESTED_FOR_MAX ? suggestNames(store, [name]) : LOOK_UP_NAMES,
  }));
}

/** Each suggestion is a search; who has so many names wrong wants the list of them. */
const SUGGESTED_FOR_MAX = 3;
const LOOK_UP_NAMES = 'Use search_nodes or list_entities to see which names there are.';

/** Names that the thread has and that resemble those given, for messages only. */
export function nearbyNames(store: Store, names: readonly string[]): string[] {
  const expression = anyTitleOf([...new Set(names.flatMap((name) => trigramsOf(foldName(name))))]);
  if (expression === undefined) return [];
  const nodeIds = store.fulltext.matchTitles(expression, NEARBY_MAX);
  return store.entities.findByIds(nodeIds).map(({ name }) => name);
}

const NEARBY_MAX = 50;

function suggestNames(store: Store, names: readonly string[]): string {
  const [name = ''] = names;
  const close = closestNames(name, nearbyNames(store, names));
  return close.length > 0
    ? `Closest names: ${close.map(quote).join(', ')}. Use search_nodes to look further.`
    : LOOK_UP_NAMES;
}

function indexBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  return new Map(items.map((item) => [keyOf(item), item]));
}
