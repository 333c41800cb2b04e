/** How many threads a deployment may have, asked of the directory when one is first written to. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Env } from '#env.ts';
import { bearer, makeToken, ORIGIN, TOKEN_MODE } from '#test/auth.ts';
import { fetchWorker } from '#test/mcp.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

/** A subject of its own, whose directory has these limits. */
async function newSubject(vars: Record<string, string>): Promise<string> {
  const subject = `new-threads-${crypto.randomUUID()}`;
  await limitDirectory(subject, vars);
  return subject;
}

async function limitDirectory(subject: string, vars: Record<string, string>): Promise<void> {
  await runInDurableObject(env.DIRECTORY.getByName(subject), (object) => {
    (object as unknown as { env: object }).env = { ...env, ...vars };
  });
}

const MILK = { text: 'Milk is in the fridge' };
const newId = () => `t-${crypto.randomUUID()}`;

/** Has `work` use a memory, and checks it. */
async function inMemory<Value>(
  options: { subject: string; threadId?: string; owner?: string },
  work: (memory: TestMemory) => Promise<Value>,
): Promise<Value> {
  await using memory = await openTestMemory({ threadId: newId(), ...options });
  return work(memory);
}

const write = (options: { subject: string; threadId?: string; owner?: string }) =>
  inMemory(options, (memory) => memory.outcome('create_node', MILK));

test('a deployment with as many threads as it may have begins no other, reads all, and writes to those it has', async () => {
  const subject = await newSubject({ MAX_THREADS: '2' });
  const [first, second, third] = [newId(), newId(), newId()];
  for (const threadId of [first, second]) {
    expect((await write({ subject, threadId })).ok).toBe(true);
  }

  const refused = await write({ subject, threadId: third });

  expect(refused).toMatchObject({
    ok: false,
    error: {
      code: 'limit_exceeded',
      message: 'There are 2 threads, which is the most (MAX_THREADS).',
      hint: expect.stringContaining('list_threads'),
    },
  });
  expect((await write({ subject, threadId: first })).ok).toBe(true);
  await inMemory({ subject, threadId: third }, async (memory) => {
    expect((await memory.outcome('read_graph')).ok).toBe(true);
    expect((await memory.outcome('delete_thread', { confirm: third })).ok).toBe(true);
  });
});

test('a thread that was deleted makes room once the hour of its beginning is over, and one that is listed counts once', async () => {
  const subject = await newSubject({ MAX_THREADS: '2' });
  const [first, second] = [newId(), newId()];
  for (const threadId of [first, second]) {
    await inMemory({ subject, threadId }, async (memory) => {
      await memory.call('create_node', MILK);
      await memory.register();
    });
  }
  await inMemory({ subject, threadId: first }, (memory) =>
    memory.call('delete_thread', { confirm: first }),
  );
  const soon = await write({ subject });
  await runInDurableObject(env.DIRECTORY.getByName(subject), (_, { storage }) => {
    storage.sql.exec('UPDATE opening SET at = at - 3600001');
  });

  const later = await write({ subject });

  expect(soon.ok).toBe(false);
  expect(later.ok).toBe(true);
});

test('a credential begins so many threads an hour, another one is not held up by it, and an hour later it goes on', async () => {
  const subject = await newSubject({ MAX_NEW_THREADS_PER_HOUR: '2' });
  await write({ subject });
  await write({ subject });

  const refused = await write({ subject });
  await runInDurableObject(env.DIRECTORY.getByName(subject), (_, { storage }) => {
    storage.sql.exec("UPDATE opening SET actor = 'another'");
  });
  const byAnother = await write({ subject });
  await write({ subject });
  const again = await write({ subject });
  await runInDurableObject(env.DIRECTORY.getByName(subject), (_, { storage }) => {
    storage.sql.exec('UPDATE opening SET at = at - 3600001');
  });
  const later = await write({ subject });

  expect(refused).toMatchObject({
    error: {
      code: 'limit_exceeded',
      message:
        'You have begun 2 threads within an hour, which is the most (MAX_NEW_THREADS_PER_HOUR).',
      hint: expect.stringContaining('a thread is for a project or a person'),
    },
  });
  expect([byAnother.ok, again.ok, later.ok]).toEqual([true, false, true]);
});

test('the owner on the machine itself begins as many threads in an hour as there may be, and a token does not', async () => {
  await limitDirectory('local', { MAX_NEW_THREADS_PER_HOUR: '1' });
  await limitDirectory('owner', { MAX_NEW_THREADS_PER_HOUR: '1' });
  const headers = bearer(await makeToken());
  const begin = async (bindings: Partial<Env>, init: RequestInit = {}) => {
    const path = `/api/threads/${newId()}/tools/create_node`;
    const url = `${bindings === TOKEN_MODE ? ORIGIN : 'http://localhost'}${path}`;
    const body = JSON.stringify(MILK);
    const type = { 'content-type': 'application/json' };
    const request = { method: 'POST', body, headers: { ...type, ...init.headers } };
    return (await fetchWorker(url, request, bindings)).status;
  };
  const imported = async (threadId: string) => {
    const body = '{"type":"entity","name":"Ada","entityType":"person","observations":[]}\n';
    const path = `/api/threads/${threadId}/import`;
    return (await fetchWorker(path, { method: 'POST', body }, {})).status;
  };

  const atHome = [await begin({}), await begin({}), await imported(newId())];
  const byToken = [await begin(TOKEN_MODE, { headers }), await begin(TOKEN_MODE, { headers })];

  expect(atHome).toEqual([200, 200, 200]);
  expect(byToken).toEqual([200, 413]);
});

test('a thread has the memories of so many owners, and its own beside them', async () => {
  const subject = await newSubject({ MAX_OWNERS: '1' });
  const threadId = newId();
  expect((await write({ subject, threadId, owner: 'ada' })).ok).toBe(true);

  const refused = await write({ subject, threadId, owner: 'bob' });

  expect(refused).toMatchObject({
    error: { code: 'limit_exceeded', hint: expect.stringContaining('owner_id') },
  });
  expect((await write({ subject, threadId })).ok).toBe(true);
  expect((await write({ subject, threadId, owner: 'ada' })).ok).toBe(true);
  expect((await write({ subject, owner: 'bob' })).ok).toBe(true);
});
