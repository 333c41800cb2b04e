/** Whether anything was ever written to the tables of a thread. Each question reads a row of each table. */
import type { Sql } from '#store/sql.ts';

/** True for a thread that has a history, or that was stopped. */
export function isSettled(sql: Sql): boolean {
  return sql.first(SETTLED) !== undefined;
}

/** True while a file is on its way in or out. */
export function isStaging(sql: Sql): boolean {
  return sql.first('SELECT 1 FROM transfer LIMIT 1') !== undefined;
}

/** `compact` leaves a row in a thread that never held anything, too. */
const SETTLED = /* sql */ `
  SELECT 1 WHERE EXISTS (SELECT 1 FROM revision) OR EXISTS (SELECT 1 FROM node)
    OR EXISTS (SELECT 1 FROM stop)
    OR EXISTS (SELECT 1 FROM compaction WHERE horizon > 0 OR last_node_id > 0)`;
