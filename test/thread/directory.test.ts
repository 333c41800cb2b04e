import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { parseObjectName, threadObjectName } from '#thread/thread-address.ts';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { until } from '#test/until.ts';

test('a thread is listed soon after its first write, with its counts, and not before', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await memory.call('read_graph');
  const before = await memory.call('list_threads');
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.register();

  const { threads, total, nextCursor } = await memory.call('list_threads');

  expect(before).toEqual({ threads: [], total: 0, nextCursor: null });
  expect(threads).toEqual([
    {
      threadId: memory.threadId,
      entities: 2,
      observations: 2,
      relations: 2,
      firstChange: expect.stringMatching(/^\d{4}-.+Z$/),
      lastChange: threads[0].firstChange,
    },
  ]);
  expect({ total, nextCursor }).toEqual({ total: 1, nextCursor: null });
});

test('what a thread cannot be is cut when it reports, and a row that is there breaks no list', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  const directory = env.DIRECTORY!.getByName(encodeURIComponent(subject));
  const huge = Number.MAX_SAFE_INTEGER;
  const counts = { entities: huge, observations: -1, relations: Number.NaN };
  const key = { threadId: 'cut', owner: '' };
  const startedAt = Date.now();
  await (directory as any).report({ ...key, ...counts, firstChangeAt: -huge, lastChangeAt: huge });
  await runInDurableObject(directory, (_, { storage }) => {
    for (const [thread, at] of [
      ['was there', huge],
      ['before all', -huge],
    ] as const) {
      storage.sql.exec(
        `INSERT INTO thread (thread_id, owner, entities, observations, relations, first_change_at, last_change_at)
         VALUES (?, '', 1, 1, 1, ?, ?)`,
        thread,
        at,
        at,
      );
    }
  });

  const pages = [];
  for (let cursor: string | undefined, rest = 3; rest > 0; rest -= 1) {
    const { threads, nextCursor } = await memory.call('list_threads', {
      limit: 1,
      ...(cursor && { cursor }),
    });
    pages.push(...threads);
    cursor = nextCursor ?? undefined;
  }

  expect(pages.map(({ threadId }) => threadId)).toEqual(['was there', 'cut', 'before all']);
  expect(pages[1]).toMatchObject({
    entities: 1e12,
    observations: 0,
    relations: 0,
    firstChange: '1970-01-01T00:00:00.000Z',
  });
  expect(Date.parse(pages[1].lastChange)).toBeGreaterThanOrEqual(startedAt);
  expect(Date.parse(pages[1].lastChange)).toBeLessThanOrEqual(Date.now());
});

test('later writes are told of once a minute, by the alarm, also after an eviction', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.register();
  await memory.call('save_memory', {
    entities: [entity('Bob', { relations: [relatesTo('Ada')] })],
  });
  await memory.register();
  const [early] = (await memory.call('list_threads'))['threads'];
  // The alarm that makes the vectors is due at once, and sets the next one at its end.
  await until(async () => ((await alarmOf(memory, subject)) ?? 0) > Date.now());
  const due = await alarmOf(memory, subject);
  const [job] = await memory.query("SELECT last_run_at FROM job WHERE name = 'directory'");
  await memory.query("UPDATE job SET last_run_at = 1 WHERE name = 'directory'");
  await memory.evict();
  await memory.call('read_graph');
  const read = async () => (await memory.call('list_threads'))['threads'][0];
  await until(async () => (await read()).entities === 3);

  const late = await read();

  expect(early.entities).toBe(2);
  expect(due).toBe(job?.['last_run_at'] + 60_000);
  expect(late).toMatchObject({ entities: 3, firstChange: early.firstChange });
});

test('a directory that fails stops no write, and is told later', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  const directory = env.DIRECTORY.getByName(encodeURIComponent(subject));
  await runInDurableObject(directory, (_, state) => {
    state.storage.sql.exec(
      "CREATE TRIGGER poison BEFORE INSERT ON thread BEGIN SELECT raise(ABORT, 'poisoned'); END",
    );
  });

  await memory.call('save_memory', { entities: cluster('Ada') });
  const failures = () => memory.query("SELECT failures FROM job WHERE name = 'directory'");
  await until(async () => (await failures()).length > 0);
  const [failed] = await failures();
  await runInDurableObject(directory, (_, state) => {
    state.storage.sql.exec('DROP TRIGGER poison');
  });
  await memory.query("UPDATE job SET retry_at = 1 WHERE name = 'directory'");
  await memory.register();

  expect(failed).toEqual({ failures: 1 });
  expect((await memory.call('list_threads'))['total']).toBe(1);
});

test('threads are paged, changed last first, and each subject sees its own', async () => {
  const subject = newSubject();
  await using other = await openTestMemory({ subject: newSubject() });
  await other.call('save_memory', { entities: cluster('Ada') });
  await other.register();
  const memories: TestMemory[] = [];
  for (const threadId of ['проєкт.α', 'a:b', 'c'].map((id) => `${id}-${crypto.randomUUID()}`)) {
    const memory = await openTestMemory({ subject, threadId });
    await memory.call('save_memory', { entities: cluster('Ada') });
    await memory.register();
    memories.push(memory);
  }
  const [first] = memories;
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await first?.call('list_threads', { limit: 1, cursor });
    seen.push(...page?.['threads'].map((one: any) => one.threadId));
    cursor = page?.['nextCursor'] ?? undefined;
  } while (cursor !== undefined);

  expect(seen).toEqual(memories.map(({ threadId }) => threadId).toReversed());
  expect((await first?.fail('list_threads', { cursor: 'YWZ0ZXI6MQ' }))?.code).toBe('invalid_input');
  for (const memory of memories) await memory[Symbol.asyncDispose]();
});

test('a deleted thread is gone with its history, its alarm and its entry, and begins empty again', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });
  await memory.call('create_node', { text: 'Milk', ttl_days: 5 });
  await memory.call('search_nodes', { query: 'Ada is worth remembering' });
  await memory.register();

  const answer = await memory.call('delete_thread', { confirm: memory.threadId });

  expect(answer).toEqual({ deleted: true, owners: 0 });
  expect(await alarmOf(memory, subject)).toBeNull();
  expect((await memory.call('list_threads'))['total']).toBe(0);
  expect(await memory.call('get_recent_changes')).toMatchObject({ changes: [] });
  expect(await memory.call('read_graph')).toMatchObject({ entities: [], total: { entities: 0 } });
  expect(await memory.call('search_nodes', { query: 'Ada is worth remembering' })).toMatchObject({
    entities: [],
  });
  expect(await memory.call('health_check')).toMatchObject({ vector_index: true });
  await memory.call('save_memory', { entities: cluster('Eve') });
  await memory.evict();
  const { entities } = await memory.call('search_nodes', { query: 'Eve' });
  expect(entities[0].name).toBe('Eve');
  expect(await memory.query('SELECT id FROM revision')).toEqual([{ id: 1 }]);
  await memory.register();
  expect((await memory.call('list_threads'))['threads']).toMatchObject([{ entities: 2 }]);
});

test('a thread goes with the memories of its owners, and an owner’s goes alone', async () => {
  const subject = newSubject();
  await using thread = await openTestMemory({ subject });
  const { threadId } = thread;
  await using ada = await openTestMemory({ subject, threadId, owner: 'ada' });
  await using bob = await openTestMemory({ subject, threadId, owner: 'bob' });
  for (const memory of [thread, ada, bob]) {
    await memory.call('create_node', { text: 'Milk', node_type: 'Entity' });
    await memory.register();
  }
  const listed = (await thread.call('list_threads'))['threads'].map((one: any) => one.owner_id);

  await thread.call('delete_thread', { confirm: threadId, owner_id: 'ada' });
  const left = (await thread.call('list_threads'))['threads'].map((one: any) => one.owner_id);
  const answer = await thread.call('delete_thread', { confirm: threadId });

  expect(new Set(listed)).toEqual(new Set([undefined, 'ada', 'bob']));
  expect(new Set(left)).toEqual(new Set([undefined, 'bob']));
  expect(answer).toEqual({ deleted: true, owners: 1 });
  for (const memory of [thread, ada, bob]) {
    expect(await memory.query('SELECT * FROM node')).toEqual([]);
  }
  expect((await thread.call('list_threads'))['total']).toBe(0);
});

test('a thread is deleted only by who names it', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  for (const confirm of ['', 'yes', `${memory.threadId}x`]) {
    expect(await memory.fail('delete_thread', { confirm })).toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining(`Pass confirm: '${memory.threadId}'`),
    });
  }
  expect((await memory.fail('delete_thread')).code).toBe('invalid_input');
  expect((await memory.call('read_graph'))['entities']).toHaveLength(2);
});

test('an object name tells its address', () => {
  for (const address of [
    { subject: 'a/b', threadId: 'c%', owner: undefined },
    { subject: 'x', threadId: 'проєкт', owner: 'o@p' },
  ]) {
    expect(parseObjectName(threadObjectName(address))).toEqual(address);
  }
  expect(parseObjectName('methods')).toBeUndefined();
  expect(parseObjectName('a/b/c/d')).toBeUndefined();
});

test('a directory answers no tool of a thread, and a thread none of a directory', async () => {
  const directory = env.DIRECTORY.getByName('nobody') as any;
  const thread = env.THREAD.getByName('nobody/nothing') as any;

  for (const outcome of [
    await directory.call('read_graph', {}),
    await thread.call('list_threads', {}, { threadId: 'nothing', actor: 'x' }),
  ]) {
    expect(outcome).toMatchObject({ ok: false, error: { code: 'not_found' } });
  }
});

function newSubject(): string {
  return `subject/${crypto.randomUUID()}`;
}

function alarmOf({ threadId }: TestMemory, subject: string): Promise<number | null> {
  const stub = env.THREAD.getByName(threadObjectName({ subject, threadId }));
  return runInDurableObject(stub, (_, state) => state.storage.getAlarm());
}

test('a directory from before the first release says so, and what to do', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  const directory = env.DIRECTORY.getByName(encodeURIComponent(subject));
  await runInDurableObject(directory, async (_, { storage }) => {
    await storage.deleteAll();
    storage.sql.exec(
      'CREATE TABLE migration (position INTEGER PRIMARY KEY, id TEXT, checksum INTEGER)',
    );
    storage.sql.exec("INSERT INTO migration VALUES (0, '0001_thread', 1)");
  });
  await evictDurableObject(directory);

  const error = await memory.fail('list_threads');

  expect(error.code).toBe('unavailable');
  expect(error.message).toContain('The directory of threads cannot be opened');
  expect(error.hint).toContain('before the first release');
});
