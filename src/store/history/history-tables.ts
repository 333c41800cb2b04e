/** The tables that have a history, and how their rows are named in it. */

/** The columns that name a row, by table. What a row refers to comes before it. */
export const HISTORY_KEYS: Readonly<Record<string, readonly string[]>> = {
  node: ['id'],
  entity: ['node_id'],
  fact: ['node_id'],
  turn: ['node_id'],
  summary: ['node_id'],
  edge: ['from_id', 'to_id', 'type'],
  node_version: ['node_id', 'version'],
};

export const HISTORY_TABLES = Object.keys(HISTORY_KEYS);

/** Columns beside the keys in which no two rows of a table are the same. */
export const UNIQUE_NAMES: Readonly<Record<string, string>> = {
  entity: 'name',
  summary: 'session_id',
};

/** The values of its key columns: `row_key` is the text of the one, or of the list as JSON. */
export function keyValues(table: string, key: string): unknown[] {
  return HISTORY_KEYS[table]?.length === 1 ? [Number(key)] : (JSON.parse(key) as unknown[]);
}

/** `row_key` of a row of the table, in SQL. */
export function keyOf(table: string): string {
  const columns = (HISTORY_KEYS[table] ?? []).map((column) => `${table}.${column}`);
  return columns.length === 1 ? `CAST(${columns[0]} AS TEXT)` : `json_array(${columns.join(', ')})`;
}
