/** Reads and writes the `compaction` row: how far compact has come. */
import type { Sql } from '#store/sql.ts';

export interface Compaction {
  /** The last revision forgotten; 0 for none. */
  readonly horizon: number;
  /** Epoch milliseconds; 0 for none. */
  readonly horizonAt: number;
  /** Node id up to which the derived tables are rebuilt; 0 to begin anew. */
  readonly rebuiltTo: number;
}

export function compactionStore(sql: Sql) {
  return {
    read(): Compaction {
      const row = sql.first<{ horizon: number; horizon_at: number; rebuilt_to: number }>(
        'SELECT horizon, horizon_at, rebuilt_to FROM compaction',
      );
      if (row === undefined) return { horizon: 0, horizonAt: 0, rebuiltTo: 0 };
      return { horizon: row.horizon, horizonAt: row.horizon_at, rebuiltTo: row.rebuilt_to };
    },

    write({ horizon, horizonAt, rebuiltTo }: Compaction): void {
      sql.run(
        /* sql */ `
        INSERT INTO compaction (id, horizon, horizon_at, rebuilt_to) VALUES (1, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET horizon = excluded.horizon, horizon_at = excluded.horizon_at,
          rebuilt_to = excluded.rebuilt_to`,
        horizon,
        horizonAt,
        rebuiltTo,
      );
    },
  };
}
