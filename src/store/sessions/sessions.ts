/** Reads the `session` table, which triggers derive from turns and summaries, and mends it. */
import type { Sql } from '#store/sql.ts';

/** A session as it stands. */
export interface SessionState {
  readonly sessionId: string;
  readonly turnCount: number;
  /** Of the newest turn, in epoch milliseconds; 0 without turns. */
  readonly lastTurnAt: number;
  /** Node id of its summary; null while it has none. */
  readonly summaryId: number | null;
  /** Whether its summary is missing, or older than a turn. */
  readonly isUnsummarised: boolean;
}

interface SessionRow {
  session_id: string;
  turn_count: number;
  last_turn_at: number;
  summary_id: number | null;
  is_unsummarised: number;
}

function toState(row: SessionRow): SessionState {
  return {
    sessionId: row.session_id,
    turnCount: row.turn_count,
    lastTurnAt: row.last_turn_at,
    summaryId: row.summary_id,
    isUnsummarised: row.is_unsummarised === 1,
  };
}

/** Word for word the condition of the index `session_unsummarised`, which else is not used. */
export const UNSUMMARISED = /* sql */ `turn_count > 0 AND (summary_id IS NULL OR summarised_turns <> turn_count
    OR last_turn_at > summarised_at)`;

const STATE = `session_id, turn_count, last_turn_at, summary_id, (${UNSUMMARISED}) AS is_unsummarised`;

/** What the triggers should have made of turns and summaries. */
const EXPECTED = /* sql */ `
  SELECT session_id, sum(turns) AS turn_count, max(last_at) AS last_turn_at, max(summary_id) AS summary_id,
    max(category) AS category, max(summarised_turns) AS summarised_turns, max(summarised_at) AS summarised_at
  FROM (
    SELECT session_id, count(*) AS turns, max(created_at) AS last_at, NULL AS summary_id,
      NULL AS category, NULL AS summarised_turns, NULL AS summarised_at
    FROM turn JOIN node ON id = node_id GROUP BY session_id
    UNION ALL
    SELECT session_id, 0, 0, node_id, category, turn_count, updated_at FROM summary JOIN node ON id = node_id)
  GROUP BY session_id`;

const COLUMNS =
  'session_id, turn_count, last_turn_at, summary_id, category, summarised_turns, summarised_at';

export function sessionStore(sql: Sql) {
  return {
    /** Undefined for a session that has neither turns nor a summary. */
    find(sessionId: string): SessionState | undefined {
      const row = sql.first<SessionRow>(
        `SELECT ${STATE} FROM session WHERE session_id = ?`,
        sessionId,
      );
      return row && toState(row);
    },

    /** Some of those whose summary is missing or older than a turn. Reads no others. */
    listUnsummarised(limit: number): SessionState[] {
      return sql
        .all<SessionRow>(
          `SELECT ${STATE} FROM session WHERE ${UNSUMMARISED} ORDER BY session_id LIMIT ?`,
          limit,
        )
        .map(toState);
    },

    /** Node ids of summaries, the newest first; of one category, or of all for null. */
    listSummaries(category: string | null, limit: number, offset: number): number[] {
      const query =
        category === null
          ? `SELECT summary_id FROM session WHERE summary_id IS NOT NULL
             ORDER BY summarised_at DESC, session_id DESC LIMIT ? OFFSET ?`
          : `SELECT summary_id FROM session WHERE summary_id IS NOT NULL AND category = ?
             ORDER BY summarised_at DESC, session_id DESC LIMIT ? OFFSET ?`;
      const label = category === null ? [] : [category];
      return sql
        .all<{ summary_id: number }>(query, ...label, limit, offset)
        .map(({ summary_id }) => summary_id);
    },

    /** Compares the table with turns and summaries, once through. Returns how many rows were wrong. */
    recount(): number {
      const stale = sql.run(`DELETE FROM session WHERE session_id IN (
        SELECT session_id FROM (SELECT ${COLUMNS} FROM session EXCEPT ${EXPECTED}))`);
      const missing = sql.run(`INSERT INTO session (${COLUMNS})
        SELECT ${COLUMNS} FROM (${EXPECTED}) AS expected
        WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.session_id = expected.session_id)`);
      return Math.max(stale, missing);
    },
  };
}
