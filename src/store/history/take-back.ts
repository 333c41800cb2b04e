/**
 * Takes changes of the history back: the row before in the place of the row after, newest first.
 * Triggers see to everything that follows from a row, and record what is done here as they record
 * any other change.
 */
import { assert } from '#errors.ts';
import type { ChangeRow } from './change-row.ts';
import { openParkedNames } from './name-conflicts.ts';
import type { Sql } from '#store/sql.ts';

/** A state of the thread that has been. */
export interface PastState {
  /** The last revision that it has. */
  readonly revision: number;
  /** Epoch milliseconds: what expired later had not expired. */
  readonly at: number;
}

type Image = Readonly<Record<string, unknown>>;

/** What is to be taken back in the place of a change. */
type Park = (change: ChangeRow) => ChangeRow;

/** The tables that have a history, with the columns that name a row. */
export const HISTORY_KEYS: Readonly<Record<string, readonly string[]>> = {
  node: ['id'],
  entity: ['node_id'],
  fact: ['node_id'],
  edge: ['from_id', 'to_id', 'type'],
  turn: ['node_id'],
  summary: ['node_id'],
  node_version: ['node_id', 'version'],
};

/** Changes that are held in memory at a time; one may have 200 kB. */
const CHANGES_PER_PAGE = 100;

/** What a read has seen is kept, and what was done for it is not. */
const ROLL_BACK = new Error('The past is only looked at.');

export function rewindingStore(sql: Sql) {
  function takeBackRevision(revision: number, park: Park): void {
    for (let beforeSeq = Number.MAX_SAFE_INTEGER; ;) {
      const page = sql.all<ChangeRow>(
        /* sql */ `
        SELECT revision_id, seq, table_name, before, after FROM change
        WHERE revision_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
        revision,
        beforeSeq,
        CHANGES_PER_PAGE,
      );
      for (const change of page) takeBackChange(park(change));
      const last = page.at(-1);
      if (last === undefined || page.length < CHANGES_PER_PAGE) return;
      beforeSeq = last.seq;
    }
  }

  function takeBackChange({ table_name: table, before, after }: ChangeRow): void {
    const keys = HISTORY_KEYS[table];
    assert(keys !== undefined, `${table} has a history`);
    const isTheRow = keys.map((key) => `${key} = ?1 ->> '${key}'`).join(' AND ');
    if (before === null) {
      sql.all(`DELETE FROM ${table} WHERE ${isTheRow}`, after);
    } else if (after === null) {
      const columns = Object.keys(JSON.parse(before) as Image);
      const values = columns.map((column) => `?1 ->> '${column}'`);
      // It is there where somebody has brought it back already.
      const isMissing = `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${isTheRow})`;
      const query = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} WHERE ${isMissing}`;
      sql.all(query, before);
    } else {
      const columns = changedColumns(JSON.parse(before) as Image, JSON.parse(after) as Image);
      const updates = columns.map((column) => `${column} = ${restored(column)}`);
      // Both parameters have to be named, whatever has changed.
      const query = `UPDATE ${table} SET ${updates.join(', ')} WHERE ${isTheRow} AND ?2 IS NOT NULL`;
      sql.all(query, before, after);
    }
  }

  /**
   * All of the revisions, which come newest first. The caller holds the transaction and has a
   * revision open. Rows that refer to each other may come one after the other in any order, so that
   * foreign keys wait for the end.
   */
  function takeBack(revisions: readonly number[]): void {
    sql.run('PRAGMA defer_foreign_keys = ON');
    try {
      const names = openParkedNames(sql);
      for (const revision of revisions) takeBackRevision(revision, names.park);
      names.settle();
    } finally {
      sql.run('PRAGMA defer_foreign_keys = OFF');
    }
  }

  return {
    takeBack,

    /**
     * What `read` finds in the thread as it was. The later revisions are taken back in a transaction
     * that is rolled back, so that `read` is the same code as ever; it must not wait for anything,
     * nor change what is outside of the database.
     */
    readAsOf<Result>({ revision, at }: PastState, read: () => Result): Result {
      const later = sql.all<{ id: number }>(
        'SELECT id FROM revision WHERE id > ? ORDER BY id DESC',
        revision,
      );
      const results: Result[] = [];
      try {
        sql.transaction(() => {
          sql.run("INSERT INTO revision (at, actor, tool) VALUES (0, '', '')");
          takeBack(later.map(({ id }) => id));
          unexpire(sql, at);
          results.push(read());
          throw ROLL_BACK;
        });
      } catch (error) {
        if (error !== ROLL_BACK) throw error;
      }
      const [result] = results;
      if (result instanceof Promise) throw new Error('The past cannot be waited in.');
      return result as Result;
    },

    /** Whether every row that the revisions touched refers to rows that are there. */
    areReferencesWhole(revision: number): boolean {
      return sql.first(DANGLING, revision) === undefined;
    },
  };
}

function changedColumns(before: Image, after: Image): string[] {
  return Object.keys(before).filter((column) => before[column] !== after[column]);
}

/** A date that a later change has moved on stays: it is of that change. */
function restored(column: string): string {
  const value = `?1 ->> '${column}'`;
  if (column !== 'updated_at') return value;
  return `iif(updated_at = ?2 ->> 'updated_at', ${value}, updated_at)`;
}

/** A minute more than now: what expires while the past is read had not expired either. */
function unexpire(sql: Sql, at: number): void {
  sql.run(
    /* sql */ `
    UPDATE node SET expires_at = NULL
    WHERE expires_at IS NOT NULL AND status <> 'archived'
      AND expires_at > ?1 AND expires_at <= unixepoch('subsec') * 1000 + 60000`,
    at,
  );
}

/** Rows that refer to what a revision has deleted, and rows of its own that refer to nothing. */
const DANGLING = /* sql */ `
  WITH touched (id) AS (
    SELECT DISTINCT CAST(iif(table_name = 'edge', NULL, row_key) AS INTEGER) FROM change
      WHERE revision_id = ?1 AND table_name IN ('node', 'entity', 'fact', 'turn', 'summary')
    UNION SELECT after ->> 'from_id' FROM change WHERE revision_id = ?1 AND table_name = 'edge' AND after IS NOT NULL
    UNION SELECT after ->> 'to_id' FROM change WHERE revision_id = ?1 AND table_name = 'edge' AND after IS NOT NULL),
  gone (id) AS (SELECT id FROM touched WHERE id IS NOT NULL AND id NOT IN (SELECT node.id FROM node))
  SELECT 1 FROM gone WHERE EXISTS (SELECT 1 FROM edge WHERE from_id = gone.id)
    OR EXISTS (SELECT 1 FROM edge WHERE to_id = gone.id)
    OR EXISTS (SELECT 1 FROM fact WHERE node_id = gone.id OR entity_id = gone.id
      OR supersedes = gone.id OR superseded_by = gone.id)
    OR EXISTS (SELECT 1 FROM entity WHERE node_id = gone.id)
    OR EXISTS (SELECT 1 FROM node_version WHERE node_id = gone.id)
  UNION ALL
  SELECT 1 FROM touched JOIN fact ON fact.node_id = touched.id
  WHERE entity_id IS NOT NULL AND entity_id NOT IN (SELECT node_id FROM entity)
    OR supersedes IS NOT NULL AND supersedes NOT IN (SELECT node_id FROM fact)
    OR superseded_by IS NOT NULL AND superseded_by NOT IN (SELECT node_id FROM fact)
  LIMIT 1`;
