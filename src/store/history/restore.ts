/**
 * Makes rows what they were, however many, each in one step: by one statement for a table and a page
 * of rows, since the text indexes write out what they gathered before each statement. Triggers see to
 * everything that follows from a row, and record what is done here as they record any other change.
 */
import { HISTORY_TABLES, HISTORY_KEYS, keyOf, keyValues, UNIQUE_NAMES } from './history-tables.ts';
import { jsonLists } from '#store/json-lists.ts';
import { parkNames } from './name-conflicts.ts';
import type { Sql } from '#store/sql.ts';

export type Image = Readonly<Record<string, string | number | null>>;

/** A change of the row, by its place in the history. */
export interface Step {
  readonly revision: number;
  readonly seq: number;
  /** Of its images together, at least. */
  readonly bytes: number;
}

/** A row that is to be what it was. */
export interface RowToRestore {
  readonly table: string;
  readonly key: string;
  /** What leads back to it, newest first; null for a row that was not there. */
  readonly steps: readonly Step[] | null;
}

/** A row before and after a step; null where it was not there. */
export interface StepImages {
  readonly before: Image | null;
  readonly after: Image | null;
}

/** What a row becomes when a step is taken back; null where it is not there. */
export type StepBack = (now: Image | null, step: StepImages) => Image | null;

/** Images that are in memory at once, in bytes. */
const PAGE_BYTES = 4_000_000;
const PAGE_ROWS = 1_000;

interface Restored {
  readonly key: string;
  readonly now: Image | null;
  readonly past: Image | null;
}

/**
 * The caller holds the transaction and has a revision open, and foreign keys wait for its end. With
 * `isForLooking` a row that is not among them loses a name that one of them gets.
 */
export function restoreRows(
  sql: Sql,
  rows: readonly RowToRestore[],
  stepBack: StepBack,
  isForLooking = false,
): void {
  const byTable = Map.groupBy(rows, ({ table }) => table);
  for (const table of HISTORY_TABLES.toReversed()) {
    const gone = (byTable.get(table) ?? []).filter(({ steps }) => steps === null);
    deleteRows(sql, table, gone);
  }
  for (const table of HISTORY_TABLES) {
    const own = (byTable.get(table) ?? []).filter(({ steps }) => steps !== null);
    if (own.length === 0) continue;
    const column = UNIQUE_NAMES[table];
    if (column !== undefined) {
      const keys = new Set(own.map(({ key }) => key));
      const mayPark = (key: string) => isForLooking || keys.has(key);
      parkNames(sql, table, namesTaken(sql, own, stepBack, column), mayPark);
    }
    for (const page of restore(sql, own, stepBack)) writePage(sql, table, page);
  }
}

/** The keys of rows by the names that they do not have now and will have. */
function namesTaken(
  sql: Sql,
  rows: readonly RowToRestore[],
  stepBack: StepBack,
  column: string,
): Map<string, string> {
  const names = new Map<string, string>();
  for (const page of restore(sql, rows, stepBack)) {
    for (const { key, now, past } of page) {
      const name = past?.[column];
      if (typeof name === 'string' && name !== now?.[column]) names.set(name, key);
    }
  }
  return names;
}

/** Rows of one table, with what they are and what they were, in pages. */
function* restore(
  sql: Sql,
  rows: readonly RowToRestore[],
  stepBack: StepBack,
): Generator<readonly Restored[]> {
  let page: { row: RowToRestore; step: Step; isFirst: boolean; isLast: boolean }[] = [];
  let bytes = 0;
  let now: Image | null = null;
  let past: Image | null = null;
  function* finish(): Generator<readonly Restored[]> {
    const steps = readSteps(sql, page);
    const begun = page.filter(({ isFirst }) => isFirst).map(({ row }) => row);
    const present = readRows(sql, begun, steps);
    const restored: Restored[] = [];
    for (const { row, step, isFirst, isLast } of page) {
      if (isFirst) past = now = present.get(row.key) ?? null;
      const images = steps.get(placeOf(step));
      if (images !== undefined) past = stepBack(past, images);
      if (isLast) restored.push({ key: row.key, now, past });
    }
    yield restored;
    page = [];
    bytes = 0;
  }
  for (const row of rows) {
    const steps = row.steps ?? [];
    for (const [index, step] of steps.entries()) {
      page.push({ row, step, isFirst: index === 0, isLast: index === steps.length - 1 });
      // What is there now has about the size of what was.
      bytes += 2 * step.bytes;
      if (bytes > PAGE_BYTES || page.length >= PAGE_ROWS) yield* finish();
    }
  }
  if (page.length > 0) yield* finish();
}

function readSteps(sql: Sql, page: readonly { readonly step: Step }[]): Map<string, StepImages> {
  const places = page.map(({ step }) => [step.revision, step.seq]);
  const rows = jsonLists(places).flatMap((list) =>
    sql.all<{ revision: number; seq: number; before: string | null; after: string | null }>(
      /* sql */ `
      SELECT revision_id AS revision, seq, before, after
      FROM json_each(?) AS wanted CROSS JOIN change
        ON revision_id = wanted.value ->> 0 AND seq = wanted.value ->> 1`,
      list,
    ),
  );
  return new Map(
    rows.map(({ revision, seq, before, after }) => [
      placeOf({ revision, seq }),
      { before: toImage(before), after: toImage(after) },
    ]),
  );
}

/** Those of the rows that are there, by key, with the columns that the history has. */
function readRows(
  sql: Sql,
  rows: readonly RowToRestore[],
  steps: ReadonlyMap<string, StepImages>,
): Map<string, Image> {
  const [first] = rows;
  const [known] = steps.values();
  const columns = known?.before ?? known?.after;
  if (first === undefined || !columns) return new Map();
  const { table } = first;
  const image = Object.keys(columns).map((column) => `'${column}', ${table}.${column}`);
  const found = jsonLists(rows.map(({ key }) => keyValues(table, key))).flatMap((list) =>
    sql.all<{ key: string; image: string }>(
      /* sql */ `
      SELECT ${keyOf(table)} AS key, json_object(${image.join(', ')}) AS image
      FROM json_each(?) AS wanted CROSS JOIN ${table} ON ${isWanted(table)}`,
      list,
    ),
  );
  return new Map(found.map(({ key, image: json }) => [key, JSON.parse(json) as Image]));
}

function isWanted(table: string): string {
  const keys = HISTORY_KEYS[table] ?? [];
  return keys
    .map((column, index) => `${table}.${column} = wanted.value ->> ${index}`)
    .join(' AND ');
}

function deleteRows(sql: Sql, table: string, rows: readonly RowToRestore[]): void {
  const keys = (HISTORY_KEYS[table] ?? []).join(', ');
  const values = (HISTORY_KEYS[table] ?? []).map((_, index) => `value ->> ${index}`).join(', ');
  for (const list of jsonLists(rows.map(({ key }) => keyValues(table, key)))) {
    sql.all(`DELETE FROM ${table} WHERE (${keys}) IN (SELECT ${values} FROM json_each(?))`, list);
  }
}

/** Rows that are what they were stay untouched. */
function writePage(sql: Sql, table: string, page: readonly Restored[]): void {
  const missing = page.flatMap(({ now, past }) => (now === null && past !== null ? [past] : []));
  insertRows(sql, table, missing);
  const changed = page.flatMap(({ now, past }) => {
    if (now === null || past === null) return [];
    const columns = Object.keys(past).filter((column) => past[column] !== now[column]);
    return columns.length > 0 ? [{ columns: columns.join(' '), past }] : [];
  });
  for (const [columns, rows] of Map.groupBy(changed, (row) => row.columns)) {
    const images = rows.map(({ past }) => past);
    updateRows(sql, table, columns.split(' '), images);
  }
}

function insertRows(sql: Sql, table: string, images: readonly Image[]): void {
  const [first] = images;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const values = columns.map((column) => `value ->> '${column}'`).join(', ');
  for (const list of jsonLists(images)) {
    sql.all(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM json_each(?)`,
      list,
    );
  }
}

function updateRows(
  sql: Sql,
  table: string,
  columns: readonly string[],
  images: readonly Image[],
): void {
  const keys = HISTORY_KEYS[table] ?? [];
  const named = images.map((image) =>
    Object.fromEntries([...keys, ...columns].map((column) => [column, image[column]])),
  );
  const updates = columns.map((column) => `${column} = past.value ->> '${column}'`).join(', ');
  const isTheRow = keys.map((key) => `${table}.${key} = past.value ->> '${key}'`).join(' AND ');
  for (const list of jsonLists(named)) {
    sql.all(`UPDATE ${table} SET ${updates} FROM json_each(?) AS past WHERE ${isTheRow}`, list);
  }
}

function placeOf({ revision, seq }: { revision: number; seq: number }): string {
  return `${revision}:${seq}`;
}

function toImage(json: string | null): Image | null {
  return json === null ? null : (JSON.parse(json) as Image);
}
