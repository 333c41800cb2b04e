/** A thread that nothing was ever written to: every read answers, and stores nothing. */
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { cluster } from '#test/builders.ts';
import { inputOf } from '#test/examples.ts';
import { openTestMemory } from '#test/memory.ts';
import { threadObjectName, type ThreadAddress } from '#thread/thread-address.ts';
import { threadStub } from '#thread/thread-stub.ts';
import { TOOLSETS } from '#tools/catalog.ts';

const tools = [...new Set(TOOLSETS.flatMap((toolset) => toolset.tools))].filter(
  ({ host }) => host === 'thread',
);
const readers = tools.filter(({ effect }) => effect === 'read');

function newAddress() {
  return { subject: 'test', threadId: `blank-${crypto.randomUUID()}` };
}

async function look(address: ThreadAddress) {
  const stub = env.THREAD.getByName(threadObjectName(address));
  return runInDurableObject(stub, async (_, { storage }) => ({
    tables: storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .toArray(),
    pages: storage.sql.databaseSize / 4096,
    alarm: await storage.getAlarm(),
  }));
}

/** What an object has that was woken and did nothing. */
const NOTHING = { tables: [], pages: 1, alarm: null };

test.each(readers.map((tool) => [tool.name, tool] as const))(
  '%s leaves no table in a thread that it was the first to read',
  async (name, tool) => {
    const address = newAddress();
    await using memory = await openTestMemory(address);

    const outcome = await memory.outcome(name, inputOf(tool, address.threadId));

    if (!outcome.ok) expect(outcome.error.code).not.toMatch(/internal|unavailable/);
    expect(await look(address)).toEqual(NOTHING);
  },
);

test('a look at its health, a check, a page of an export, a backup and names leave no table either', async () => {
  const address = { ...newAddress(), owner: 'ada' };
  const caller = { threadId: address.threadId, actor: 'tester' };
  const stub = threadStub(env, address);

  const health = await stub.health(caller);
  const verified = await stub.verify(caller);
  const page = await stub.exportPage({ cursor: undefined, hasObservations: true }, caller);
  const backup = await stub.backUp(Date.now(), caller);
  const names = await stub.completeEntities('A', caller);
  const dropped = await stub.dropImport('none', caller);
  const applied = await stub.applyImport('none', { mode: 'merge', skip: false }, caller);

  expect(health).toMatchObject({ ok: true, embeddingBacklog: 0 });
  expect(verified).toEqual({ ok: true, faults: [] });
  expect(page.ok).toBe(true);
  expect(backup).toEqual({ ok: true, bytes: null, isReadable: null });
  expect(names).toEqual({ ok: true, names: [] });
  expect(dropped.ok).toBe(true);
  expect(applied).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
  expect(await look(address)).toEqual(NOTHING);
});

test('a write that is refused or changes nothing leaves no table', async () => {
  const address = newAddress();
  await using memory = await openTestMemory(address);

  await memory.fail('create_node', { text: '' });
  await memory.fail('update_observation', {
    entityName: 'A',
    observationId: 'obs_1',
    newContent: 'x',
  });
  await memory.call('delete_entities', { entityNames: ['Ghost'] });
  await memory.call('compact');
  await memory.call('start_database');

  expect(await look(address)).toEqual(NOTHING);
});

test('many first calls at once are answered, and what one of them writes stays', async () => {
  const address = newAddress();
  await using memory = await openTestMemory(address);

  const answers = await Promise.all([
    memory.outcome('read_graph'),
    memory.outcome('delete_entities', { entityNames: ['Ghost'] }),
    memory.outcome('store_memory', { content: 'The kettle is in the cellar' }),
    memory.outcome('search_nodes', { query: 'kettle' }),
    memory.outcome('save_memory', { entities: cluster('Ada') }),
    memory.outcome('recall', { query: 'Ada' }),
  ]);

  expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true, true, true]);
  await memory.evict();
  expect((await memory.call('read_graph'))['total']).toMatchObject({ entities: 2 });
  expect((await memory.call('list_recent_memories', { limit: 3 }))['memories']).toHaveLength(3);
});

test('tables that only reads had made before go with the next call', async () => {
  const address = newAddress();
  await using memory = await openTestMemory(address);
  // Makes them, as waking once did.
  await memory.query('SELECT 1');
  await evictDurableObject(env.THREAD.getByName(threadObjectName(address)));

  await memory.call('read_graph');

  expect(await look(address)).toEqual(NOTHING);
});

test('a thread that was deleted holds no table, and one that is stopped before its first write stays stopped', async () => {
  const address = newAddress();
  await using memory = await openTestMemory(address);
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('delete_thread', { confirm: address.threadId });

  const deleted = await look(address);
  await memory.call('stop_database');
  await memory.evict();

  expect(deleted).toEqual(NOTHING);
  expect((await memory.fail('read_graph')).message).toContain('was stopped');
  await memory.call('start_database');
  await memory.evict();
  await memory.call('read_graph');
  expect(await look(address)).toEqual(NOTHING);
});
