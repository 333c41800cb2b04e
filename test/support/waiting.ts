/** Statements by which a test says what waits for a vector, past the triggers. */

/** Nothing waits any more, whatever has no vector. */
export const NOTHING_WAITS = `DELETE FROM embedding_backlog;
  INSERT INTO job (name, cursor) VALUES ('embedding', ${Number.MAX_SAFE_INTEGER})
    ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor`;

/** Whatever has no vector waits for one. */
export const ALL_WAIT =
  'INSERT OR IGNORE INTO embedding_backlog (node_id) SELECT node_id FROM searchable';
