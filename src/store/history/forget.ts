/**
 * Takes out of the history, the files on their way and the text indexes what was deleted to be
 * forgotten. What is left of the history still leads back from what the tables hold.
 */
import { hashText } from '#graph/text/hash.ts';
import { readNodes } from '#store/derived/growth.ts';
import { jsonLists } from '#store/json-lists.ts';
import { NODE_OF_CHANGE, TEXT_COLUMNS } from '#store/search/mentions.ts';
import type { Sql } from '#store/sql.ts';

/** A fact that goes out of a chain, and the versions that stay beside it; null for none. */
export interface Relink {
  readonly nodeId: number;
  readonly older: number | null;
  readonly newer: number | null;
}

/** Rows that went, by their tables. */
export type RemovedRows = Readonly<Record<string, number>>;

/** In the place of a text of an earlier state. */
const FORGOTTEN = '[forgotten]';

/** Ids of the pages that say which texts of a segment are deleted: FTS5 keeps them above all others. */
const TOMBSTONES_FROM = '9007199254740992';

const TEXT_INDEXES = ['fulltext', 'trigram'] as const;

type TextTable = keyof typeof TEXT_COLUMNS;

/** Parameter 1 is the list of texts, in lower case. */
const has = (value: string) =>
  `EXISTS (SELECT 1 FROM json_each(?1) WHERE instr(lower(${value}), value) > 0)`;

/** The image of a row without the texts; what is derived from a text goes with it. */
function redacted(table: TextTable, side: 'before' | 'after'): string {
  const valueOf = (column: string) => `${side} ->> '${column}'`;
  const set = (column: string, cause: string, text: string) =>
    `'$.${column}', iif(${has(valueOf(cause))}, ${text}, ${valueOf(column)})`;
  const sets = TEXT_COLUMNS[table].map((column) => {
    if (column === 'metadata') return set(column, column, "'{}'");
    if (column === 'technologies') return set(column, column, "'[]'");
    if (column === 'name') return set(column, column, `'[forgotten ent_' || row_key || ']'`);
    return set(column, column, `'${FORGOTTEN}'`);
  });
  if (table === 'entity')
    sets.push(set('folded_name', 'name', `'[forgotten ent_' || row_key || ']'`));
  if (table === 'fact') sets.push(set('content_hash', 'content', String(hashText(FORGOTTEN))));
  return `json_set(${side}, ${sets.join(', ')})`;
}

/** Whether the row has one of the texts now: then its earlier states cannot lose them without it. */
function hasNow(table: TextTable): string {
  const key = table === 'node' ? 'now.id' : 'now.node_id';
  const isTheRow =
    table === 'edge'
      ? 'now.from_id = row_key ->> 0 AND now.to_id = row_key ->> 1 AND now.type = row_key ->> 2'
      : `${key} = CAST(row_key AS INTEGER)`;
  const texts = TEXT_COLUMNS[table].map((column) => has(`now.${column}`));
  return `EXISTS (SELECT 1 FROM ${table} AS now WHERE ${isTheRow} AND (${texts.join(' OR ')}))`;
}

const TABLES = Object.keys(TEXT_COLUMNS) as TextTable[];

export function forgettingStore(sql: Sql) {
  /** Where images of facts refer to nodes that are forgotten, they refer to what is left. */
  function relink(column: string, pairs: readonly (readonly [number, number | null])[]): void {
    for (const list of jsonLists(pairs)) {
      const isMeant = (side: string) =>
        `${side} ->> '${column}' IN (SELECT value ->> 0 FROM json_each(?1))`;
      const replaced = (side: string) => /* sql */ `CASE WHEN ${isMeant(side)}
        THEN json_set(${side}, '$.${column}', (
          SELECT value ->> 1 FROM json_each(?1) WHERE value ->> 0 = ${side} ->> '${column}'))
        ELSE ${side} END`;
      sql.run(
        /* sql */ `
        UPDATE change SET before = ${replaced('before')}, after = ${replaced('after')}
        WHERE table_name = 'fact' AND (${isMeant('before')} OR ${isMeant('after')})`,
        list,
      );
    }
  }

  return {
    /** Rows that a revision deleted. */
    removedBy(revision: number): RemovedRows {
      const rows = sql.all<{ name: string; n: number }>(
        /* sql */ `
        SELECT table_name AS name, count(*) AS n FROM change
        WHERE revision_id = ? AND after IS NULL GROUP BY 1`,
        revision,
      );
      return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
    },

    /** The history will not tell which nodes a revision deleted: it notes the nodes that are left as those before it. */
    settleNodes(revision: number): void {
      const { counts, lastId } = readNodes(sql);
      sql.run(
        'UPDATE revision SET nodes_before = ?, last_node_id = ? WHERE id = ?',
        JSON.stringify(counts),
        lastId,
        revision,
      );
    },

    /** Drops every change of the nodes and of their edges. Returns how many there were. */
    purgeNodes(nodeIds: readonly number[]): number {
      return jsonLists(nodeIds)
        .map((list) =>
          sql.run(
            /* sql */ `
            DELETE FROM change WHERE ${NODE_OF_CHANGE} IN (SELECT value FROM json_each(?1))
              OR table_name = 'edge' AND (row_key ->> 0 IN (SELECT value FROM json_each(?1))
                OR row_key ->> 1 IN (SELECT value FROM json_each(?1)))`,
            list,
          ),
        )
        .reduce((sum, rows) => sum + rows, 0);
    },

    /** Drops every change of rows. Returns how many there were. */
    purgeRows(rows: readonly { readonly table: string; readonly key: string }[]): number {
      return jsonLists(rows.map(({ table, key }) => [table, key]))
        .map((list) =>
          sql.run(
            /* sql */ `
            DELETE FROM change WHERE (table_name, row_key) IN (
              SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
            list,
          ),
        )
        .reduce((sum, count) => sum + count, 0);
    },

    /** Kept states, by their keys such as `[12,1]`. */
    dropVersions(keys: readonly string[]): void {
      for (const list of jsonLists(keys)) {
        sql.run(
          /* sql */ `
          DELETE FROM node_version WHERE (node_id, version) IN (
            SELECT value ->> '$[0]', value ->> '$[1]' FROM json_each(?))`,
          list,
        );
      }
    },

    relinkFacts(nodeIds: readonly number[], relinks: readonly Relink[]): void {
      const kept = new Map(relinks.map((one) => [one.nodeId, one]));
      relink(
        'entity_id',
        nodeIds.map((id) => [id, null]),
      );
      relink(
        'supersedes',
        nodeIds.map((id) => [id, kept.get(id)?.older ?? null]),
      );
      relink(
        'superseded_by',
        nodeIds.map((id) => [id, kept.get(id)?.newer ?? null]),
      );
    },

    /** Puts a mark in the place of the texts, in all earlier states of rows. Returns the changes that it looked at. */
    redact(
      rows: readonly { readonly table: string; readonly key: string }[],
      needles: readonly string[],
    ): number {
      let count = 0;
      for (const table of TABLES) {
        const keys = rows.filter((row) => row.table === table).map(({ key }) => key);
        for (const list of jsonLists(keys)) {
          count += sql.run(
            /* sql */ `
            UPDATE change SET before = ${redacted(table, 'before')}, after = ${redacted(table, 'after')}
            WHERE table_name = '${table}' AND row_key IN (SELECT value FROM json_each(?2))
              AND NOT ${hasNow(table)}`,
            JSON.stringify(needles),
            list,
          );
        }
      }
      return count;
    },

    /** Drops changes that change nothing any more, and older revisions that are left without one. */
    dropEmpty(revision: number): void {
      sql.run('DELETE FROM change WHERE before = after');
      sql.run(
        /* sql */ `
        DELETE FROM revision WHERE id < ?
          AND NOT EXISTS (SELECT 1 FROM change WHERE revision_id = revision.id)`,
        revision,
      );
    },

    /** Files on their way in or out, whatever they hold. Returns how many there were. */
    dropTransfers(): number {
      sql.run('DELETE FROM transfer_piece');
      return sql.run('DELETE FROM transfer');
    },

    /**
     * Has the words of deleted texts leave the pages of both text indexes, where they stay until segments
     * are merged. Merges about so many pages of each. Returns whether all of them are gone; `isFirst` is
     * for the first of several calls.
     */
    purgeText(pages: number, isFirst: boolean): boolean {
      const changes = () => sql.first<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
      const left = TEXT_INDEXES.filter((table) => {
        const isMarked = sql.first(
          `SELECT 1 FROM ${table}_data WHERE id >= ${TOMBSTONES_FROM} LIMIT 1`,
        );
        if (isMarked === undefined) return false;
        const before = changes();
        const query = `INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`;
        sql.run(query, isFirst ? -pages : pages);
        // SQLite: fewer than two changes tell that there was nothing left to merge.
        return changes() - before >= 2;
      });
      return left.length === 0;
    },
  };
}
