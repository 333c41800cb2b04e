/** Reads and writes the `stop` table: whether the thread answers at all. */
import type { Sql } from '#store/sql.ts';

export function stopStore(sql: Sql) {
  return {
    /** When the thread was stopped, in epoch milliseconds; undefined while it runs. */
    stoppedAt(): number | undefined {
      return sql.first<{ at: number }>('SELECT at FROM stop')?.at;
    },

    /** Returns whether it ran. */
    stop(at: number): boolean {
      return sql.run('INSERT OR IGNORE INTO stop (id, at) VALUES (1, ?)', at) > 0;
    },

    /** Returns whether it was stopped. */
    start(): boolean {
      return sql.run('DELETE FROM stop') > 0;
    },
  };
}
