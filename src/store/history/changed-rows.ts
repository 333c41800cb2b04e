/** Which rows are not what they were after a revision: each once, however often it has changed since. */
import { foldName, normaliseName } from '#graph/names.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

export interface ChangedRow {
  readonly table: string;
  readonly key: string;
  /** Its first change since, which has what it was. */
  readonly first: { readonly revision: number; readonly seq: number };
  /** Whether it was not there. */
  readonly isNew: boolean;
  /** Of what it was, at least. */
  readonly bytes: number;
}

/**
 * Later revisions are counted, since their numbers may be large: a place is one integer, the number of the
 * revision, the change in it, and whether the row is missing.
 */
const SEQS = 2 ** 25;
const PLACE = `(later.n * ${SEQS} + change.seq) * 2`;

/** At most `limit`. Reads every change since by its key. Rows that came and went in between are none. */
export function changedRows(sql: Sql, revision: number, limit = -1): ChangedRow[] {
  return readChanged(sql, { revision, limit, condition: 'true' });
}

/**
 * Those of entities of these names, now, then or in between, and of what is about them: facts, relations
 * and the entities at their other ends. Reads the changes since some times, each by its key.
 */
export function changedRowsOf(
  sql: Sql,
  revision: number,
  names: readonly string[],
  limit = -1,
): ChangedRow[] {
  const entities = entitiesNamed(sql, revision, names);
  const ofNodes = [...entities, ...nodesAround(sql, revision, entities)].map(String);
  const nodes = jsonLists(ofNodes).flatMap((list) =>
    readChanged(sql, { revision, limit, condition: IS_NODE, list }),
  );
  const edges = jsonLists(entities).flatMap((list) =>
    readChanged(sql, { revision, limit, condition: IS_EDGE, list }),
  );
  const own = new Set(entities.map(String));
  return [...nodes, ...edges].filter(
    ({ table, key, isNew }) => !isNew || isSeen(table, own.has(key)),
  );
}

const NODE_TABLES = "('node', 'entity', 'fact')";
const IS_NODE = `table_name IN ${NODE_TABLES} AND row_key IN (SELECT value FROM json_each(?3))`;
const IS_EDGE = /* sql */ `table_name = 'edge' AND (row_key ->> 0 IN (SELECT value FROM json_each(?3))
  OR row_key ->> 1 IN (SELECT value FROM json_each(?3)))`;

/** Of what was not there an answer would show facts and relations, and what has the name that was asked for. */
function isSeen(table: string, isNamed: boolean): boolean {
  return table === 'fact' || table === 'edge' || (table === 'entity' && isNamed);
}

/** Ids of entities that have or had one of the names since the revision, exact or folded. */
function entitiesNamed(sql: Sql, revision: number, names: readonly string[]): number[] {
  const folded = [...new Set(names.map((name) => foldName(normaliseName(name))))];
  return readIds(
    sql,
    /* sql */ `
    SELECT node_id AS id FROM entity WHERE folded_name IN (SELECT value FROM json_each(?1))
    UNION SELECT CAST(row_key AS INTEGER) FROM change
    WHERE revision_id > ?2 AND table_name = 'entity'
      AND before ->> 'folded_name' IN (SELECT value FROM json_each(?1))`,
    folded,
    revision,
  );
}

/** Ids of the facts of entities, and of what they are or were related to since the revision. */
function nodesAround(sql: Sql, revision: number, entities: readonly number[]): number[] {
  return readIds(
    sql,
    /* sql */ `
    WITH own (id) AS MATERIALIZED (SELECT value FROM json_each(?1))
    SELECT node_id AS id FROM fact WHERE entity_id IN own
    UNION SELECT to_id FROM edge WHERE from_id IN own
    UNION SELECT from_id FROM edge WHERE to_id IN own
    UNION SELECT CASE WHEN table_name = 'fact' THEN CAST(row_key AS INTEGER)
        WHEN row_key ->> 0 IN own THEN row_key ->> 1 ELSE row_key ->> 0 END
      FROM change WHERE revision_id > ?2 AND table_name IN ('fact', 'edge') AND before IS NOT NULL
        AND iif(table_name = 'fact', before ->> 'entity_id' IN own,
          row_key ->> 0 IN own OR row_key ->> 1 IN own)`,
    entities,
    revision,
  );
}

function readIds(sql: Sql, query: string, wanted: readonly unknown[], revision: number): number[] {
  const ids = jsonLists(wanted).flatMap((list) => sql.all<{ id: number }>(query, list, revision));
  return [...new Set(ids.map(({ id }) => id))];
}

interface Reading {
  readonly revision: number;
  readonly limit: number;
  /** On `change`; `?3` is the list. */
  readonly condition: string;
  readonly list?: string;
}

interface Row {
  table_name: string;
  row_key: string;
  place: number;
  bytes: number;
}

function readChanged(sql: Sql, { revision, limit, condition, list = '[]' }: Reading): ChangedRow[] {
  const later = sql.all<{ id: number }>(
    'SELECT id FROM revision WHERE id > ? ORDER BY id',
    revision,
  );
  const rows = sql.all<Row>(
    /* sql */ `
    WITH later (id, n) AS MATERIALIZED (
      SELECT id, row_number() OVER (ORDER BY id) - 1 FROM revision WHERE id > ?1)
    SELECT table_name, row_key, min(${PLACE} + (before IS NULL)) AS place,
      max(coalesce(octet_length(before), 0)) AS bytes
    FROM later CROSS JOIN change ON revision_id = later.id
    WHERE ?3 IS NOT NULL AND ${condition}
    GROUP BY table_name, row_key
    HAVING NOT (min(${PLACE} + (before IS NULL)) % 2 = 1 AND max(${PLACE} + (after IS NULL)) % 2 = 1)
    LIMIT ?2`,
    revision,
    limit,
    list,
  );
  return rows.map(({ table_name: table, row_key: key, place, bytes }) => {
    const change = Math.floor(place / 2);
    return {
      table,
      key,
      first: { revision: later[Math.floor(change / SEQS)]?.id ?? 0, seq: change % SEQS },
      isNew: place % 2 === 1,
      bytes,
    };
  });
}
