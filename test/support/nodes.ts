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
