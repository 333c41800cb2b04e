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
} from '#store/changes.ts';
import type { Store } from '#store/store.ts';

/** Why a revision cannot be undone alone. */
export interface Conflict {
  /** The later change that is in the way; undefined when none is known. */
  readonly by: Touch | undefined;
}

/** Everything that has happened since the first of the revisions that are to be undone. */
export interface Since {
  readonly touches: readonly Touch[];
  /** The touches of each row, oldest first. */
  readonly byRow: ReadonlyMap<string, readonly Touch[]>;
}

/** What a row is, and what it would be. Null where there is none. */
interface Target extends RowName {
  readonly now: string | null;
  readonly past: string | null;
}

export function readSince(store: Store, revision: number): Since {
  const touches = store.changes.touchesSince(revision);
  return { touches, byRow: Map.groupBy(touches, rowOf) };
}

/** What is in the way of undoing exactly these; none when they can be. */
export function findConflicts(
  store: Store,
  { touches, byRow }: Since,
  undone: ReadonlySet<number>,
): Conflict[] {
  const rows = new Set(touches.filter(({ revision }) => undone.has(revision)).map(rowOf));
  const histories = [...rows].map((row) => byRow.get(row) ?? []);
  const images = store.changes.images(histories.flat());
  const targets = new Map<string, Target>();
  const conflicts: Conflict[] = [];
  for (const history of histories) {
    const { target, by } = walkBack(history, images, undone);
    if (by !== undefined) conflicts.push({ by });
    if (target !== undefined) targets.set(rowOf(target), target);
  }
  if (conflicts.length > 0) return conflicts;
  const newest = (name: RowName): Conflict => ({
    by: byRow.get(rowOf(name))?.findLast(({ revision }) => !undone.has(revision)),
  });
  return [
    ...findHolders(store, targets).map(newest),
    ...findLost(store, targets).map(newest),
    ...findNamesakes(store, targets).map(newest),
    ...findDoubles(targets).map((rows) => latestOf(rows.map(newest))),
  ];
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

/**
 * From what a row is now, back over the changes that are to be undone. Others in between may stay if
 * together they changed nothing.
 */
function walkBack(
  history: readonly Touch[],
  images: Images,
  undone: ReadonlySet<number>,
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
    if (place < index && imageOf(touch, 'after') !== past) return { by: history[index] };
    past = imageOf(touch, 'before');
    index = place - 1;
  }
  return { target: { table: last.table, key: last.key, now, past } };
}

const NODE_TABLES = new Set(['node', 'entity', 'fact', 'turn', 'summary']);

/** Rows that would be left behind, referring to what is gone. */
function findHolders(store: Store, targets: ReadonlyMap<string, Target>): Holder[] {
  const leaving = [...targets.values()].filter(
    ({ table, now, past }) => NODE_TABLES.has(table) && now !== null && past === null,
  );
  const nodeIds = [...new Set(leaving.map(({ key }) => Number(key)))];
  // A row that is itself restored is looked at by what it will refer to.
  return store.changes.referrers(nodeIds).filter((holder) => !targets.has(rowOf(holder)));
}

/** What would refer to nothing: nodes that are gone, and rows that hold to what goes. */
function findLost(store: Store, targets: ReadonlyMap<string, Target>): RowName[] {
  const references = remaining(targets).flatMap(({ table, key, image }) =>
    referencesOf(table, image).map((id) => ({ holder: { table, key }, node: nodeRow(id), id })),
  );
  const isKnown = ({ node }: { node: RowName }) => targets.has(rowOf(node));
  const unknown = references.filter((reference) => !isKnown(reference));
  const existing = new Set(store.changes.existing([...new Set(unknown.map(({ id }) => id))]));
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
      .flatMap(({ key, image }) => {
        const name = uniqueNameOf(table, image);
        return name === undefined ? [] : [[name, key] as const];
      });
    const owners = new Map(names);
    return store.changes
      .namesakes(table, [...owners.keys()])
      .filter(({ key, name }) => owners.get(name) !== key)
      .filter((holder) => {
        const past = targets.get(rowOf(holder))?.past;
        if (past === undefined) return true;
        return past !== null && uniqueNameOf(table, JSON.parse(past) as Image) === holder.name;
      });
  });
}

/** Rows that would come back to one name, each from a time at which the other was not there. */
function findDoubles(targets: ReadonlyMap<string, Target>): RowName[][] {
  const named = remaining(targets).flatMap((row) => {
    const name = uniqueNameOf(row.table, row.image);
    return name === undefined ? [] : [{ ...row, name: `${row.table} ${name}` }];
  });
  return [...Map.groupBy(named, ({ name }) => name).values()].filter((rows) => rows.length > 1);
}

/** Rows that will be there. */
function remaining(targets: ReadonlyMap<string, Target>) {
  return [...targets.values()].flatMap(({ table, key, past }) =>
    past === null ? [] : [{ table, key, image: JSON.parse(past) as Image }],
  );
}
