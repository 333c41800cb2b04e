/** Reads the `change` table: what a revision did, and which revisions met the same rows. */
import { keyOf, UNIQUE_NAMES } from './history-tables.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

/** A row by its table and key, as the history names it. */
export interface RowName {
  readonly table: string;
  readonly key: string;
}

/** A change that did more than to move a date on. */
export interface Touch extends RowName {
  readonly revision: number;
  readonly seq: number;
}

/** What a touch did to its row. */
export interface Step extends Touch {
  /** True where the row was not there before. */
  readonly isNew: boolean;
  /** True where the row was not there after. */
  readonly isGone: boolean;
}

export type Image = Readonly<Record<string, string | number | null>>;

/** A row before and after; null where it was not there. */
export interface Change extends Touch {
  readonly before: Image | null;
  readonly after: Image | null;
}

/** How many changes of one kind a revision made. */
export interface ChangeCount {
  readonly what: 'entity' | 'observation' | 'memory' | 'relation' | 'turn' | 'summary';
  readonly action: 'added' | 'updated' | 'changed' | 'renamed' | 'deleted';
  readonly count: number;
}

/** A row that refers to others, or is one with the same unique name. */
export interface Holder extends RowName {
  readonly nodeId: number;
}

/** A row of `change`, but for the key of the row that it is of. */
export interface ChangeRow {
  revision_id: number;
  seq: number;
  table_name: string;
  before: string | null;
  after: string | null;
}

interface KeyedChangeRow extends ChangeRow {
  row_key: string;
}

/** A row without its date, which every call that meets a node moves on. */
const undated = (image: 'before' | 'after') => `json_remove(${image}, '$.updated_at')`;

const IS_TOUCH = `(before IS NULL OR after IS NULL OR ${undated('before')} <> ${undated('after')})`;

/** A node comes and goes with its own row, and a kept version with a change that shows. */
const IS_SHOWN = /* sql */ `${IS_TOUCH} AND table_name <> 'node_version'
  AND NOT (table_name = 'node' AND (before IS NULL OR after IS NULL))`;

const WHAT = /* sql */ `CASE table_name
    WHEN 'edge' THEN 'relation'
    WHEN 'fact' THEN iif(coalesce(after, before) ->> 'entity_id' IS NULL, 'memory', 'observation')
    WHEN 'node' THEN iif(after ->> 'kind' <> 'fact', after ->> 'kind',
      coalesce((SELECT iif(entity_id IS NULL, 'memory', 'observation') FROM fact
                WHERE node_id = change.after ->> 'id'), 'memory'))
    ELSE table_name END`;

const ACTION = /* sql */ `CASE
    WHEN before IS NULL AND table_name = 'fact' AND after ->> 'supersedes' IS NOT NULL THEN 'updated'
    WHEN before IS NULL THEN 'added'
    WHEN after IS NULL THEN 'deleted'
    WHEN table_name = 'entity' AND before ->> 'name' <> after ->> 'name' THEN 'renamed'
    WHEN table_name = 'fact' AND before ->> 'content' = after ->> 'content'
      AND before ->> 'entity_id' IS after ->> 'entity_id' THEN NULL
    ELSE 'changed' END`;

function toTouch(row: Omit<KeyedChangeRow, 'before' | 'after'>): Touch {
  return { revision: row.revision_id, seq: row.seq, table: row.table_name, key: row.row_key };
}

function toChange(row: KeyedChangeRow): Change {
  return { ...toTouch(row), before: toImage(row.before), after: toImage(row.after) };
}

function toImage(json: string | null): Image | null {
  return json === null ? null : (JSON.parse(json) as Image);
}

export function changeStore(sql: Sql) {
  return {
    /** What a revision did, by kind; of one that is very large the first so many changes. */
    count(revision: number, changesMax: number): ChangeCount[] {
      return sql.all<ChangeCount>(
        /* sql */ `
        SELECT ${WHAT} AS what, ${ACTION} AS action, count(*) AS count FROM change
        WHERE revision_id = ?1 AND seq <= ?2 AND ${IS_SHOWN} AND ${ACTION} IS NOT NULL
        GROUP BY 1, 2 ORDER BY min(seq)`,
        revision,
        changesMax,
      );
    },

    /** The changes of a revision that tell something, in order, after one of them. */
    list(revision: number, afterSeq: number, limit: number): Change[] {
      return sql
        .all<KeyedChangeRow>(
          /* sql */ `
          SELECT revision_id, seq, table_name, row_key, before, after FROM change
          WHERE revision_id = ? AND seq > ? AND ${IS_SHOWN} ORDER BY seq LIMIT ?`,
          revision,
          afterSeq,
          limit,
        )
        .map(toChange);
    },

    find(revision: number, seq: number): Change | undefined {
      const row = sql.first<KeyedChangeRow>(
        `SELECT revision_id, seq, table_name, row_key, before, after FROM change
         WHERE revision_id = ? AND seq = ?`,
        revision,
        seq,
      );
      return row && toChange(row);
    },

    /**
     * What has happened to the rows that the revisions changed, since the first of them, oldest first.
     * Reads every later change by its key alone, and the images of those rows.
     */
    *touchesAround(revisions: ReadonlySet<number>): Iterable<Step> {
      const rows = sql.each<KeyedChangeRow & { isNew: number; isGone: number }>(
        /* sql */ `
        WITH mine (table_name, row_key) AS MATERIALIZED (
          SELECT DISTINCT table_name, row_key FROM json_each(?1) AS undone CROSS JOIN change
            ON revision_id = undone.value
          WHERE ${IS_TOUCH})
        SELECT revision_id, seq, table_name, row_key, before IS NULL AS isNew, after IS NULL AS isGone
        FROM change WHERE revision_id >= ?2
          AND CASE WHEN (table_name, row_key) IN mine THEN ${IS_TOUCH} END
        ORDER BY revision_id, seq`,
        JSON.stringify([...revisions]),
        Math.min(...revisions),
      );
      for (const row of rows) {
        yield { ...toTouch(row), isNew: row.isNew === 1, isGone: row.isGone === 1 };
      }
    },

    /** What has happened to rows since a revision, itself included, oldest first. Reads as `touchesAround`. */
    touchesOf(rows: readonly RowName[], revision: number): Touch[] {
      return sql
        .all<KeyedChangeRow>(
          /* sql */ `
          WITH wanted (table_name, row_key) AS MATERIALIZED (
            SELECT value ->> 0, value ->> 1 FROM json_each(?1))
          SELECT revision_id, seq, table_name, row_key FROM change WHERE revision_id >= ?2
            AND CASE WHEN (table_name, row_key) IN wanted THEN ${IS_TOUCH} END
          ORDER BY revision_id, seq`,
          JSON.stringify(rows.map(({ table, key }) => [table, key])),
          revision,
        )
        .map(toTouch);
    },

    /** Rows before and after changes, as text without their dates: to be compared. By place. */
    images(
      touches: readonly { readonly revision: number; readonly seq: number }[],
    ): Map<string, { before: string | null; after: string | null }> {
      const places = touches.map(({ revision, seq }) => [revision, seq]);
      const rows = jsonLists(places).flatMap((list) =>
        sql.all<Pick<ChangeRow, 'revision_id' | 'seq' | 'before' | 'after'>>(
          /* sql */ `
          SELECT revision_id, seq, ${undated('before')} AS before, ${undated('after')} AS after
          FROM json_each(?) AS wanted CROSS JOIN change
            ON revision_id = wanted.value ->> 0 AND seq = wanted.value ->> 1`,
          list,
        ),
      );
      return new Map(
        rows.map(({ revision_id, seq, before, after }) => [
          placeOf({ revision: revision_id, seq }),
          { before, after },
        ]),
      );
    },

    /** Rows that refer to any of the nodes. */
    referrers(nodeIds: readonly number[]): Holder[] {
      const wanted = JSON.stringify(nodeIds);
      return REFERENCES.flatMap(({ table, key, column }) =>
        sql.all<Holder>(
          /* sql */ `
          SELECT '${table}' AS "table", CAST(${key} AS TEXT) AS key, ${column} AS nodeId
          FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`,
          wanted,
        ),
      );
    },

    /** Those of the nodes that are there. */
    existing(nodeIds: readonly number[]): number[] {
      return sql
        .all<{ id: number }>(
          'SELECT id FROM node WHERE id IN (SELECT value FROM json_each(?))',
          JSON.stringify(nodeIds),
        )
        .map(({ id }) => id);
    },

    /** Rows that have one of these unique names: entities by name, summaries by session. */
    namesakes(
      table: 'entity' | 'summary',
      names: readonly string[],
    ): (Holder & { name: string })[] {
      const name = UNIQUE_NAMES[table];
      return jsonLists(names).flatMap((list) =>
        sql.all<Holder & { name: string }>(
          /* sql */ `
          SELECT '${table}' AS "table", CAST(node_id AS TEXT) AS key, node_id AS nodeId, ${name} AS name
          FROM ${table} WHERE ${name} IN (SELECT value FROM json_each(?))`,
          list,
        ),
      );
    },

    /** Names of entities by node id, hidden ones included. */
    entityNames(nodeIds: readonly number[]): Map<number, string> {
      const rows = sql.all<{ node_id: number; name: string }>(
        'SELECT node_id, name FROM entity WHERE node_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(nodeIds),
      );
      return new Map(rows.map(({ node_id, name }) => [node_id, name]));
    },
  };
}

/** Where a change stands, as one text. */
export function placeOf({ revision, seq }: { revision: number; seq: number }): string {
  return `${revision}:${seq}`;
}

const EDGE_KEY = keyOf('edge');

/** What holds a node in its place. A node's own row is changed together with it. */
const REFERENCES = [
  { table: 'edge', key: EDGE_KEY, column: 'from_id' },
  { table: 'edge', key: EDGE_KEY, column: 'to_id' },
  { table: 'fact', key: 'node_id', column: 'entity_id' },
  { table: 'fact', key: 'node_id', column: 'supersedes' },
  { table: 'fact', key: 'node_id', column: 'superseded_by' },
  { table: 'node_version', key: keyOf('node_version'), column: 'node_id' },
] as const;

/** The nodes that a row refers to, its own left out. */
export function referencesOf(table: string, image: Image): number[] {
  return REFERENCES.filter((reference) => reference.table === table)
    .map(({ column }) => image[column])
    .filter((id) => typeof id === 'number');
}

/** The name that no other row of the table may have; undefined where there is none. */
export function uniqueNameOf(table: string, image: Image): string | undefined {
  const column = UNIQUE_NAMES[table];
  const name = column && image[column];
  return typeof name === 'string' ? name : undefined;
}
