/** Reads and writes the `job` table: how the background work of a thread stands. */
import type { Sql } from '#store/sql.ts';

export interface JobState {
  readonly name: string;
  /** Epoch milliseconds; null before it has ever done anything. */
  readonly lastRunAt: number | null;
  readonly cursor: number | null;
  /** In a row. */
  readonly failures: number;
  /** The kind of the last failure; null when it did not fail last. */
  readonly lastError: string | null;
  /** Not before then; null when it did not fail last. */
  readonly retryAt: number | null;
}

interface JobRow {
  name: string;
  last_run_at: number | null;
  cursor: number | null;
  failures: number;
  last_error: string | null;
  retry_at: number | null;
}

function toState(row: JobRow): JobState {
  return {
    name: row.name,
    lastRunAt: row.last_run_at,
    cursor: row.cursor,
    failures: row.failures,
    lastError: row.last_error,
    retryAt: row.retry_at,
  };
}

export function jobStore(sql: Sql) {
  return {
    /** Undefined for a job that has never run. */
    find(name: string): JobState | undefined {
      const row = sql.first<JobRow>(
        'SELECT name, last_run_at, cursor, failures, last_error, retry_at FROM job WHERE name = ?',
        name,
      );
      return row && toState(row);
    },

    /** A failure before is forgiven. */
    succeed(name: string, at: number): void {
      sql.run(
        /* sql */ `
        INSERT INTO job (name, last_run_at) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET
          last_run_at = excluded.last_run_at, failures = 0, last_error = NULL, retry_at = NULL`,
        name,
        at,
      );
    },

    fail(name: string, kind: string, retryAt: number): void {
      sql.run(
        /* sql */ `
        INSERT INTO job (name, failures, last_error, retry_at) VALUES (?1, 1, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET
          failures = failures + 1, last_error = excluded.last_error, retry_at = excluded.retry_at`,
        name,
        kind,
        retryAt,
      );
    },

    /** Belongs into the transaction of the work that it tells of. */
    moveCursor(name: string, cursor: number): void {
      sql.run(
        /* sql */ `
        INSERT INTO job (name, cursor) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor`,
        name,
        cursor,
      );
    },
  };
}
