import { expect, test } from 'vitest';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { insertFacts } from '#test/nodes.ts';

const HOUR_MS = 60 * 60 * 1000;

test('a search notes when it returned a memory, once an hour, and makes no revision of it', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User plays the violin', 'The build takes twenty minutes');
  await memory.query('UPDATE node SET created_at = created_at - ?', 3 * HOUR_MS);
  const [before] = await memory.query('SELECT count(*) AS changes FROM change');

  const first = await memory.call('search_memories', { query: 'violin', limit: 1 });
  const accessed = await accessedAt(memory);
  const second = await memory.call('search_memories', { query: 'violin', limit: 1 });

  expect(Date.parse(first['memories'][0].accessed_at)).toBe(accessed[0]);
  expect(accessed[0]).toBeGreaterThan(Date.now() - HOUR_MS);
  expect(accessed[1]).toBeNull();
  expect(second['memories'][0].accessed_at).toBe(first['memories'][0].accessed_at);
  expect(await accessedAt(memory)).toEqual(accessed);
  expect(await memory.query('SELECT count(*) AS changes FROM change')).toEqual([before]);
});

test('a search writes nothing for memories read within the hour, and a row each for others', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User plays the violin', 'User sold the violin', 'User tuned the violin');
  const search = () => memory.measure('search_memories', { query: 'violin' });
  expect(await search()).toMatchObject({ rowsWritten: 0 });
  await memory.query('UPDATE node SET created_at = 1');

  expect(await search()).toMatchObject({ rowsWritten: 3 });
  expect(await search()).toMatchObject({ rowsWritten: 0 });
});

test('relevance stands in search results alone', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User plays the violin');

  const { memories: found } = await memory.call('search_memories', { query: 'violin' });
  const { memories: recent } = await memory.call('list_recent_memories');

  expect(found[0].relevance_score).toBeGreaterThan(0);
  expect(found[0].relevance_score).toBeLessThanOrEqual(1);
  expect(recent[0]).not.toHaveProperty('relevance_score');
});

test('the memories stored last come first, ten of them unless asked for others', async () => {
  await using memory = await openTestMemory();
  const contents = Array.from({ length: 60 }, (_, index) => `Fact number ${index}`);
  await remember(memory, ...contents);
  const list = async (input = {}) =>
    (await memory.call('list_recent_memories', input))['memories'].map((m: any) => m.content);

  expect(await list()).toEqual(contents.toReversed().slice(0, 10));
  expect(await list({ limit: 50 })).toEqual(contents.toReversed().slice(0, 50));
  expect(await list({ limit: 1 })).toEqual(['Fact number 59']);
});

test('what is superseded, outdated, archived or expired is not listed; observations are', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One', 'Two', 'Three', 'Four', 'Five');
  await memory.call('supersede_memory', { old_memory_id: 'mem_5', new_memory_id: 'mem_1' });
  await memory.call('mark_outdated', { fact_id: 'mem_4' });
  await memory.call('update_node', { node_id: 'mem_3', status: 'archived' });
  await memory.query('UPDATE node SET expires_at = 1 WHERE id = 2');
  await memory.call('create_entities', {
    entities: [{ name: 'Anna', entityType: 'Person', observations: ['Lives in Berlin'] }],
  });

  const { memories } = await memory.call('list_recent_memories');

  expect(memories.map(({ id }: any) => id)).toEqual(['obs_7', 'mem_1']);
});

test('listing reads no more rows of a memory that is ten times as large', async () => {
  await using memory = await openTestMemory();
  await insertRevisionOf(memory, 50);
  const small = await memory.measure('list_recent_memories', { limit: 20 });
  await insertRevisionOf(memory, 450);

  const large = await memory.measure('list_recent_memories', { limit: 20 });

  expect(small.rowsRead).toBeGreaterThan(0);
  expect(large).toEqual(small);
  expect(large.rowsWritten).toBe(0);
});

async function remember(memory: TestMemory, ...contents: string[]): Promise<void> {
  for (const content of contents) await memory.call('store_memory', { content });
}

async function accessedAt(memory: TestMemory): Promise<(number | null)[]> {
  const rows = await memory.query('SELECT accessed_at FROM node ORDER BY id');
  return rows.map(({ accessed_at }) => accessed_at);
}

async function insertRevisionOf(memory: TestMemory, facts: number): Promise<void> {
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'seed')");
  await insertFacts(memory, facts);
}
