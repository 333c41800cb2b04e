/** Finds and archives the nodes whose time has passed, by the index on `node.expires_at`. */
import type { Sql } from '#store/sql.ts';

/** As the index `node_expiry` has it, word for word, so that SQLite takes it. */
const EXPIRES = "expires_at IS NOT NULL AND status <> 'archived'";

export function expiryStore(sql: Sql) {
  function firstAfter(at: number): number | undefined {
    return sql.first<{ expires_at: number }>(
      `SELECT expires_at FROM node WHERE ${EXPIRES} AND expires_at > ? ORDER BY expires_at LIMIT 1`,
      at,
    )?.expires_at;
  }

  return {
    /** When the next node expires, in epoch milliseconds; undefined for none. */
    firstAfter,

    /** When the first node expires that is not archived yet: it may be in the past. */
    first: () => firstAfter(0),

    /** Archives those that expired up to a time, earliest first. Returns how many. */
    archive(at: number, limit: number): number {
      return sql.run(
        /* sql */ `
        UPDATE node SET status = 'archived', updated_at = ?1 WHERE id IN (
          SELECT id FROM node WHERE ${EXPIRES} AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2)`,
        at,
        limit,
      );
    },
  };
}
