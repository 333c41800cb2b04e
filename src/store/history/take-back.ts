/** Takes changes of the history back: rows become what they were, whatever has happened to them in between. */
import { changedRows, changedRowsOf, type ChangedRow } from './changed-rows.ts';
import {
  restoreRows,
  type Image,
  type RowToRestore,
  type Step,
  type StepImages,
} from './restore.ts';
import type { Sql } from '#store/sql.ts';

/** A state of the thread that has been. */
export interface PastState {
  /** The last revision that it has. */
  readonly revision: number;
  /** Epoch milliseconds: what expired later had not expired. */
  readonly at: number;
}

/** What a read has seen is kept, and what was done for it is not. */
const ROLL_BACK = new Error('The past is only looked at.');

export function rewindingStore(sql: Sql) {
  /**
   * Rows may refer to each other in any order, so that foreign keys wait for the end. The caller holds
   * the transaction and has a revision open.
   */
  function withoutForeignKeys(work: () => void): void {
    sql.run('PRAGMA defer_foreign_keys = ON');
    try {
      work();
    } finally {
      sql.run('PRAGMA defer_foreign_keys = OFF');
    }
  }

  /** The rows that revisions have changed, which come newest first, with each step of them. */
  function readUndone(revisions: readonly number[]): RowToRestore[] {
    const rows = new Map<string, { table: string; key: string; isMade: boolean; steps: Step[] }>();
    const changes = sql.each<UndoneChange>(
      /* sql */ `
      SELECT revision_id AS revision, seq, table_name AS "table", row_key AS key, before IS NULL AS isMade,
        coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) AS bytes
      FROM json_each(?) AS undone CROSS JOIN change ON revision_id = undone.value
      ORDER BY revision DESC, seq DESC`,
      JSON.stringify(revisions),
    );
    for (const { table, key, isMade, ...step } of changes) {
      const name = `${table} ${key}`;
      const row = rows.get(name) ?? { table, key, isMade: false, steps: [] };
      if (row.steps.length === 0) rows.set(name, row);
      row.steps.push(step);
      row.isMade = isMade === 1;
    }
    // What the oldest step made goes, whatever came later.
    return Array.from(rows.values(), ({ table, key, isMade, steps }) => ({
      table,
      key,
      steps: isMade ? null : steps,
    }));
  }

  return {
    /**
     * Takes revisions back, which come newest first: each row that they changed becomes what it was, in one
     * step, and one that comes out as it is stays untouched. The caller holds the transaction and has a
     * revision open.
     */
    takeBack(revisions: readonly number[]): void {
      withoutForeignKeys(() => restoreRows(sql, readUndone(revisions), stepBack));
    },

    /**
     * Rows that are not what they were after a revision, at most `limit`. With `names` those alone that
     * are, or are about, entities of these names, exact or folded.
     */
    changedSince: (revision: number, limit: number, names?: readonly string[]): ChangedRow[] =>
      names === undefined
        ? changedRows(sql, revision, limit)
        : changedRowsOf(sql, revision, names, limit),

    /**
     * What `read` finds in the thread as it was. Rows become what they were in a transaction that is
     * rolled back, so that `read` is the same code as ever; it must not wait for anything, nor change
     * what is outside of the database. `changed` are the rows that it may meet.
     */
    readAsOf<Result>(at: number, changed: readonly ChangedRow[], read: () => Result): Result {
      const results: Result[] = [];
      try {
        sql.transaction(() => {
          sql.run("INSERT INTO revision (at, actor, tool) VALUES (0, '', '')");
          withoutForeignKeys(() =>
            restoreRows(sql, changed.map(toRestore), (_, { before }) => before, true),
          );
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

interface UndoneChange extends Step {
  readonly table: string;
  readonly key: string;
  /** 1 where the row was not there before. */
  readonly isMade: number;
}

function toRestore({ table, key, first, isNew, bytes }: ChangedRow): RowToRestore {
  return { table, key, steps: isNew ? null : [{ ...first, bytes }] };
}

/** What others have changed of the row since stays. */
function stepBack(now: Image | null, { before, after }: StepImages): Image | null {
  if (before === null) return null;
  // It is there where somebody has brought it back already.
  if (after === null) return now ?? before;
  if (now === null) return null;
  const past = { ...now };
  for (const [column, value] of Object.entries(before)) {
    if (after[column] === value) continue;
    // A date that a later change has moved on stays: it is of that change.
    const isLater = column === 'updated_at' && now[column] !== after[column];
    if (!isLater) past[column] = value;
  }
  return past;
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
