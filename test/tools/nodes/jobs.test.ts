import { expect, test } from 'vitest';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { until } from '#test/until.ts';

test('a node that expires is archived by the alarm itself, after an eviction too', async () => {
  await using memory = await openTestMemory();
  const expiresAt = Date.now() + 1_500;
  const { node } = await memory.call('create_node', {
    text: 'The meeting is in room 4',
    expires_at: expiresAt,
  });
  await memory.call('create_node', { text: 'The house has seven rooms', ttl_days: 30 });
  const expiry = async () => (await memory.call('health_check'))['jobs'][1];
  expect(await expiry()).toMatchObject({ name: 'expiry', due_at: expiresAt, last_run_at: null });
  expect((await textsOf(memory, 'meeting'))[0]).toBe('The meeting is in room 4');
  await memory.evict();

  await until(async () => (await expiry()).last_run_at !== null);

  expect((await expiry()).due_at).toBeGreaterThan(Date.now() + 29 * 24 * 60 * 60 * 1000);
  expect(await textsOf(memory, 'meeting room')).toEqual(['The house has seven rooms']);
  expect(await memory.call('get_node', { node_id: node.id })).toMatchObject({
    node: { status: 'archived', expires_at: expiresAt },
  });
  expect(await memory.query('SELECT status FROM node ORDER BY id')).toEqual([
    { status: 'archived' },
    { status: 'active' },
  ]);
});

test('what expires is postponed by a later expires_at, and the alarm that comes finds nothing', async () => {
  await using memory = await openTestMemory();
  const { node } = await memory.call('create_node', {
    text: 'The offer is still open',
    expires_at: Date.now() + 700,
  });

  await memory.call('update_node', { node_id: node.id, expires_at: Date.now() + 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 1_200));

  expect(await memory.call('get_node', { node_id: node.id })).toMatchObject({
    node: { status: 'active' },
  });
  expect(await memory.query("SELECT * FROM job WHERE name <> 'directory'")).toEqual([]);
});

test('an expired entity takes its relations out of the answers, and its job keeps the counts', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_triplet', {
    subject: 'Ada',
    predicate: 'leads',
    object_value: 'Alpha',
  });
  const { entities } = await memory.call('search', { query: 'Alpha' });
  await memory.call('update_node', { node_id: entities[0].id, expires_at: Date.now() + 800 });

  await until(async () => {
    const { stats } = await memory.call('get_stats');
    const [row] = await memory.query("SELECT count(*) AS n FROM node WHERE status = 'archived'");
    return stats.entities.archived === 1 && row?.['n'] === 1;
  });

  expect(await memory.call('search_triplets', {})).toMatchObject({ triplets: [] });
  expect(await textsOf(memory, 'Alpha')).toEqual(['Ada']);
});

async function textsOf(memory: TestMemory, query: string): Promise<string[]> {
  const { results } = await memory.call('search', { query });
  return results.map(({ text }: any) => text);
}
