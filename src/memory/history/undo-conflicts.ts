/**
 * Whether revisions can be undone: what the rows that they changed would become, and what stands in
 * the way. It is judged by what is there now: a later change that was itself undone is in no one's way.
 */
import {
  placeOf,
  referencesOf,
  uniqueNameOf,
  type Holder,
  type Image,
  type RowName,
  type Touch,
} from '#store/history/changes.ts';
import type { Store } from '#store/store.ts';

/** Why a revision cannot be undone alone. */
export interface Conflict {
  /** The later change that is in the way; undefined when none is known. */
  readonly by: Touch | undefined;
}

/** What has happened to a row since the first of the revisions that are to be undone has met it. */
interface Story extends RowName {
  /** Where the first of them met it. */
  readonly first: { readonly revision: number; readonly seq: number };
  /** Whether that one made it. */
  readonly isNew: boolean;
  /** Whether it is there now. */
  isThere: boolean;
  /** Whether others have met it too, so that each step has to be looked at. */
  isMixed: boolean;
}

/** What a row is, and what it would be. Of its images only what is compared is held: there may be many. */
interface Target extends RowName {
  readonly isThere: boolean;
  readonly past: Past | null;
}

/** Of a row that will be there. */
interface Past {
  readonly references: readonly number[];
  /** Undefined in a table without such names. */
  readonly name: string | undefined;
}

/** Touches whose images are in memory at once; one may have 200 kB. */
const IMAGES_PER_PAGE = 100;
/** Nodes and names that one statement is asked for. */
const NODES_PER_PAGE = 5_000;
const NAMES_PER_PAGE = 1_000;

/**
 * What is in the way of undoing exactly these; none when they can be. With `areRepeatable` a change that
 * somebody has taken back already is none: else that is told, by the call that did.
 */
export function findConflicts(
  store: Store,
  undone: ReadonlySet<number>,
  areRepeatable: boolean,
): Conflict[] {
  const stories = readStories(store, undone);
  const conflicts: Conflict[] = [];
  const targets = new Map<string, Target>();
  const keep = (target: Target) => void targets.set(rowOf(target), target);
  const pure = [...stories.values()].filter(({ isMixed }) => !isMixed);
  for (const page of pages(pure, IMAGES_PER_PAGE)) readPure(store, page).forEach(keep);
  for (const { target, by } of readMixed(store, stories, { undone, areRepeatable })) {
    if (by !== undefined) conflicts.push({ by });
    if (target !== undefined) keep(target);
  }
  if (conflicts.length > 0) return conflicts;
  const inTheWay = [
    ...findHolders(store, targets),
    ...findLost(store, targets),
    ...findNamesakes(store, targets),
  ];
  const doubles = findDoubles(targets);
  const newest = openNewest(store, [...inTheWay, ...doubles.flat()], undone);
  return [...inTheWay.map(newest), ...doubles.map((rows) => latestOf(rows.map(newest)))];
}

function* pages<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

function readStories(store: Store, undone: ReadonlySet<number>): Map<string, Story> {
  const stories = new Map<string, Story>();
  for (const { table, key, revision, seq, isNew, isGone } of store.changes.touchesAround(undone)) {
    const row = rowOf({ table, key });
    const story = stories.get(row);
    const isUndone = undone.has(revision);
    if (story !== undefined) {
      story.isThere = !isGone;
      if (!isUndone) story.isMixed = true;
    } else if (isUndone) {
      const first = { revision, seq };
      stories.set(row, { table, key, first, isNew, isThere: !isGone, isMixed: false });
    }
  }
  return stories;
}

/** Of rows that nobody else has met: they become what they were. */
function readPure(store: Store, stories: readonly Story[]): Target[] {
  const known = stories.filter(({ isNew }) => !isNew);
  const images = store.changes.images(known.map(({ first }) => first));
  return stories.map(({ table, key, first, isThere }) => {
    const before = images.get(placeOf(first))?.before ?? null;
    return { table, key, isThere, past: toPast(table, before) };
  });
}

/** Of rows that others have met too, each with the whole of its history since. */
function* readMixed(
  store: Store,
  stories: ReadonlyMap<string, Story>,
  options: WalkOptions,
): Generator<{ target?: Target; by?: Touch | undefined }> {
  const mixed = [...stories.values()].filter(({ isMixed }) => isMixed);
  for (const page of pages(mixed, NODES_PER_PAGE)) {
    const touches = store.changes.touchesOf(page, Math.min(...options.undone));
    for (const [row, all] of Map.groupBy(touches, rowOf)) {
      const first = stories.get(row)?.first.revision ?? 0;
      const history = all.filter(({ revision }) => revision >= first);
      yield walkBack(history, store.changes.images(history), options);
    }
  }
}

function toPast(table: string, image: string | null): Past | null {
  if (image === null) return null;
  const row = JSON.parse(image) as Image;
  return { references: referencesOf(table, row), name: uniqueNameOf(table, row) };
}

/** The last touch of a row by what is not undone. */
function openNewest(store: Store, rows: readonly RowName[], undone: ReadonlySet<number>) {
  const touches = rows.length === 0 ? [] : store.changes.touchesOf(rows, Math.min(...undone));
  const byRow = Map.groupBy(touches, rowOf);
  return (name: RowName): Conflict => ({
    by: byRow.get(rowOf(name))?.findLast(({ revision }) => !undone.has(revision)),
  });
}

/** Of several, one of which has to go, the one that was met last by what is not undone yet. */
function latestOf(conflicts: readonly Conflict[]): Conflict {
  const known = conflicts.filter(({ by }) => by !== undefined);
  return (
    known.toSorted((a, b) => (b.by?.revision ?? 0) - (a.by?.revision ?? 0))[0] ?? { by: undefined }
  );
}

function rowOf({ table, key }: RowName): string {
  return `${table} ${key}`;
}

type Images = ReturnType<Store['changes']['images']>;

interface WalkOptions {
  readonly undone: ReadonlySet<number>;
  readonly areRepeatable: boolean;
}

/**
 * From what a row is now, back over the changes that are to be undone. Others in between may stay if
 * together they changed nothing.
 */
function walkBack(
  history: readonly Touch[],
  images: Images,
  { undone, areRepeatable }: WalkOptions,
): { target?: Target; by?: Touch | undefined } {
  const imageOf = (touch: Touch, side: 'before' | 'after') =>
    images.get(placeOf(touch))?.[side] ?? null;
  const last = history.at(-1);
  if (last === undefined) return {};
  const now = imageOf(last, 'after');
  let past = now;
  for (let index = history.length - 1; index >= 0;) {
    const place = history.findLastIndex(({ revision }, i) => i <= index && undone.has(revision));
    const touch = history[place];
    if (touch === undefined) break;
    if (place === index || imageOf(touch, 'after') === past) {
      past = imageOf(touch, 'before');
      index = place - 1;
      continue;
    }
    const restored = history.findLastIndex(
      (one, i) => i <= place && undone.has(one.revision) && imageOf(one, 'before') === past,
    );
    if (!areRepeatable || restored === -1) return { by: history[index] };
    index = restored - 1;
  }
  const { table, key } = last;
  return { target: { table, key, isThere: now !== null, past: toPast(table, past) } };
}

const NODE_TABLES = new Set(['node', 'entity', 'fact', 'turn', 'summary']);

/** Rows that would be left behind, referring to what is gone. */
function findHolders(store: Store, targets: ReadonlyMap<string, Target>): Holder[] {
  const leaving = [...targets.values()].filter(
    ({ table, isThere, past }) => NODE_TABLES.has(table) && isThere && past === null,
  );
  const nodeIds = [...new Set(leaving.map(({ key }) => Number(key)))];
  // A row that is itself restored is looked at by what it will refer to.
  return [...pages(nodeIds, NODES_PER_PAGE)].flatMap((page) =>
    store.changes.referrers(page).filter((holder) => !targets.has(rowOf(holder))),
  );
}

/** What would refer to nothing: nodes that are gone, and rows that hold to what goes. */
function findLost(store: Store, targets: ReadonlyMap<string, Target>): RowName[] {
  const references = remaining(targets).flatMap(({ table, key, past }) =>
    past.references.map((id) => ({ holder: { table, key }, node: nodeRow(id), id })),
  );
  const isKnown = ({ node }: { node: RowName }) => targets.has(rowOf(node));
  const unknown = references.filter((reference) => !isKnown(reference));
  const ids = [...new Set(unknown.map(({ id }) => id))];
  const existing = new Set(
    [...pages(ids, NODES_PER_PAGE)].flatMap((page) => store.changes.existing(page)),
  );
  return [
    ...references
      .filter(({ node }) => targets.get(rowOf(node))?.past === null)
      .map(({ holder }) => holder),
    ...unknown.filter(({ id }) => !existing.has(id)).map(({ node }) => node),
  ];
}

function nodeRow(id: number): RowName {
  return { table: 'node', key: String(id) };
}

/** Rows that have meanwhile taken a name that would come back. */
function findNamesakes(store: Store, targets: ReadonlyMap<string, Target>): RowName[] {
  const rows = remaining(targets);
  return (['entity', 'summary'] as const).flatMap((table) => {
    const names = rows
      .filter((row) => row.table === table)
      .flatMap(({ key, past: { name } }) => (name === undefined ? [] : [[name, key] as const]));
    const owners = new Map(names);
    return [...pages([...owners.keys()], NAMES_PER_PAGE)]
      .flatMap((page) => store.changes.namesakes(table, page))
      .filter(({ key, name }) => owners.get(name) !== key)
      .filter((holder) => {
        const past = targets.get(rowOf(holder))?.past;
        if (past === undefined) return true;
        return past !== null && past.name === holder.name;
      });
  });
}

/** Rows that would come back to one name, each from a time at which the other was not there. */
function findDoubles(targets: ReadonlyMap<string, Target>): RowName[][] {
  const named = remaining(targets).flatMap((row) => {
    const { name } = row.past;
    return name === undefined ? [] : [{ ...row, name: `${row.table} ${name}` }];
  });
  return [...Map.groupBy(named, ({ name }) => name).values()].filter((rows) => rows.length > 1);
}

/** Rows that will be there. */
function remaining(targets: ReadonlyMap<string, Target>): (RowName & { readonly past: Past })[] {
  return [...targets.values()].flatMap(({ table, key, past }) =>
    past === null ? [] : [{ table, key, past }],
  );
}
