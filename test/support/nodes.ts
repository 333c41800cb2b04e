/** Nouns for tests of the node tools. */
import type { TestMemory } from './memory.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The id of a new fact that stands alone. */
export async function addFact(
  memory: TestMemory,
  text: string,
  fields: Record<string, unknown> = {},
): Promise<string> {
  return (await memory.call('create_node', { text, ...fields }))['node'].id;
}

/** The id of the entity of that name. */
export async function addEntity(
  memory: TestMemory,
  name: string,
  fields: Record<string, unknown> = {},
): Promise<string> {
  return addFact(memory, name, { node_type: 'Entity', ...fields });
}

export async function link(
  memory: TestMemory,
  from: string,
  to: string,
  type = 'RELATED_TO',
): Promise<void> {
  await memory.call('create_relation', { from_id: from, to_id: to, relation_type: type });
}

/** Edges as `from type to`, so that a test can list them. */
export function readable(edges: readonly Record<string, any>[]): string[] {
  return edges.map(({ from_id, relation_type, to_id }) => `${from_id} ${relation_type} ${to_id}`);
}

/** Facts by the hundred in the last revision, without the embedder. */
export async function insertFacts(memory: TestMemory, count: number): Promise<void> {
  await memory.query(
    `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
     INSERT INTO node (kind, created_at, updated_at) SELECT 'fact', 1, 1 FROM number`,
  );
  await memory.query(
    `INSERT INTO fact (node_id, content, content_hash, is_atomic)
     SELECT id, 'Fact ' || id, id, 1 FROM node WHERE id NOT IN (SELECT node_id FROM fact)`,
  );
}
