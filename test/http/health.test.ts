import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { createApp } from '#http/app.ts';
import { openThread } from '#test/open-thread.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster } from '#test/builders.ts';
import { embedAll } from '#test/memory.ts';

const app = createApp();

const ask = async (threadId: string, init?: RequestInit) =>
  app.fetch(new Request(`http://localhost/api/threads/${threadId}/health`, init), env);

test('the health of a thread tells what waits for its vector, until the alarm has caught up', async () => {
  const address = { subject: 'local', threadId: 'health-of-a-large-save' };
  const names = Array.from({ length: 100 }, (_, index) => `Entity ${index}`);
  const call = openThread(env, address);
  await call(
    'save_memory',
    { entities: cluster(...names.slice(1)) },
    { ...address, actor: 'tester' },
  );

  const behind = await (await ask(address.threadId)).json<Record<string, unknown>>();
  await embedAll(env.THREAD.getByName(threadObjectName(address)));
  const caughtUp = await (await ask(address.threadId)).json<Record<string, unknown>>();

  expect(behind).toEqual({
    // The alarm may have begun already, and has not come to the end.
    status: 'catching_up',
    threadId: address.threadId,
    embeddingModel: expect.stringMatching(/use-lite/),
    embeddingBacklog: expect.any(Number),
    indexedVectors: null,
  });
  expect(caughtUp).toMatchObject({ status: 'ok', embeddingBacklog: 0 });
});

test('what is no thread, and what is no question, is refused', async () => {
  expect((await ask('-no')).status).toBe(400);
  expect((await ask('fine', { method: 'POST' })).status).toBe(405);
  const foreign = new Request('http://memory.example/api/threads/fine/health');
  expect((await app.fetch(foreign, env)).status).toBe(403);
});
