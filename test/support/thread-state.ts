/** Everything that a thread holds but what follows from the rest, row by row, for comparing two threads. */
import type { TestMemory } from './memory.ts';

const TABLES = {
  node: 'id',
  entity: 'node_id',
  fact: 'node_id',
  turn: 'node_id',
  summary: 'node_id',
  edge: 'from_id, to_id, type',
  node_version: 'node_id, version',
  revision: 'id',
  change: 'revision_id, seq',
  counter: 'name, label',
  total: 'id',
} as const;

export async function readState(memory: TestMemory): Promise<Record<string, unknown[]>> {
  const tables = await Promise.all(
    Object.entries(TABLES).map(async ([table, order]) => [
      table,
      (await memory.query(`SELECT * FROM ${table} ORDER BY ${order}`)).map(withoutDerived),
    ]),
  );
  return Object.fromEntries(tables);
}

/**
 * What a thread says, without ids and history: nodes by what tells them apart, links by what they
 * lead to. Two threads that say the same are equal.
 */
export async function readContent(memory: TestMemory): Promise<Record<string, unknown[]>> {
  const shared =
    'status, confidence, importance, metadata, created_at, updated_at, expires_at, ttl_days';
  const name = (column: string) =>
    `(SELECT coalesce(
        (SELECT 'entity ' || name FROM entity WHERE node_id = ${column}),
        (SELECT 'fact ' || version || ' ' || content FROM fact WHERE node_id = ${column}),
        (SELECT 'turn ' || prompt FROM turn WHERE node_id = ${column}),
        (SELECT 'summary ' || session_id FROM summary WHERE node_id = ${column})))`;
  const queries = {
    entities: `SELECT name, type, ${shared} FROM entity JOIN node ON id = node_id ORDER BY name`,
    facts: `SELECT ${name('entity_id')} AS about, content, version, is_atomic,
      ${name('supersedes')} AS older, ${name('superseded_by')} AS newer, ${shared}
      FROM fact JOIN node ON id = node_id ORDER BY about, content, version, created_at, older, newer`,
    turns: `SELECT session_id, prompt, thought, response, agent, model, ${shared}
      FROM turn JOIN node ON id = node_id ORDER BY session_id, created_at, prompt`,
    summaries: `SELECT session_id, title, summary, category, technologies, turn_count, ${shared}
      FROM summary JOIN node ON id = node_id ORDER BY session_id`,
    edges: `SELECT ${name('from_id')} AS source, ${name('to_id')} AS target, type, importance, metadata, created_at
      FROM edge ORDER BY source, target, type, created_at`,
    versions: `SELECT ${name('node_id')} AS node, version, json_remove(state, '$.nodeId', '$.entityId', '$.supersededBy') AS state, replaced_at
      FROM node_version ORDER BY node, version`,
  };
  const parts = await Promise.all(
    Object.entries(queries).map(async ([part, query]) => [part, await memory.query(query)]),
  );
  return Object.fromEntries(parts);
}

/** A revision need not know what was before it: the nodes are counted then. */
const DERIVED = new Set(['nodes_before', 'last_node_id', 'counts_itself']);

function withoutDerived(row: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !DERIVED.has(column)));
}
