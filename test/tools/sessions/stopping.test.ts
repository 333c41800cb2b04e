/** A thread that is stopped refuses everything, loses nothing, and stays so until it is started. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { openExport } from '#thread/thread-client.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { runInThread } from '#test/thread.ts';
import { fetchWorker, speakMcp } from '#test/mcp.ts';

const ANSWERING = [
  'health_check',
  'healthcheck',
  'start_database',
  'stop_database',
  'test_connection',
];

const TURN = { prompt: 'Who?', thought: '', response: 'Ada.', sessionId: 's' };

function stubOf({ threadId }: TestMemory) {
  return env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
}

test('every tool of every toolset refuses and names the way back, but for those that tell and start', async () => {
  await using memory = await openTestMemory();
  // The directory is an object of its own.
  const all = new Set(TOOLSETS.flatMap((toolset) => toolset.tools));
  const tools = [...all].filter((tool) => tool.host === 'thread');
  await memory.call('stop_database');

  const refusals = await Promise.all(
    tools.map(async ({ name, example }) => {
      const outcome = await memory.outcome(name, example.input);
      return { name, error: outcome.ok ? undefined : outcome.error };
    }),
  );
  // Those that answer were asked as well, and one of them starts the thread.
  await memory.call('stop_database');

  const refused = refusals.filter(({ name }) => !ANSWERING.includes(name));
  expect(refused.length).toBeGreaterThan(55);
  expect(
    tools
      .filter((tool) => tool.answersWhenStopped)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(ANSWERING);
  for (const { name } of refused) {
    const error = await memory.fail(name, tools.find((tool) => tool.name === name)?.example.input);
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(/^This thread was stopped at 20/);
    expect(error.hint).toMatch(/start_database/);
  }
});

test('what was stored is there again after the start, and nothing was added meanwhile', async () => {
  await using memory = await openTestMemory();
  await memory.call('add_memory', TURN);
  await memory.call('stop_database');
  await memory.fail('add_memory', TURN);

  const started = await memory.call('start_database');

  expect(started['status']).toBe('started');
  expect(await memory.call('get_session_memories', { sessionId: 's' })).toMatchObject({ total: 1 });
});

test('stopping and starting twice changes nothing more', async () => {
  await using memory = await openTestMemory();

  const stops = [await memory.call('stop_database'), await memory.call('stop_database')];
  const starts = [await memory.call('start_database'), await memory.call('start_database')];

  expect(stops.map(({ status }) => status)).toEqual(['stopped', 'already_stopped']);
  expect(stops[1]?.['stoppedAt']).toBe(stops[0]?.['stoppedAt']);
  expect(starts.map(({ status }) => status)).toEqual(['started', 'already_running']);
});

test('a stop outlives the object', async () => {
  await using memory = await openTestMemory();
  await memory.call('stop_database');
  await memory.evict();

  expect((await memory.fail('read_graph')).code).toBe('unavailable');
  expect(await memory.call('healthcheck')).toMatchObject({ status: 'unhealthy' });
});

test('the export and the resources of a stopped thread refuse as well', async () => {
  await using memory = await openTestMemory();
  await memory.call('stop_database');
  const { threadId } = memory;

  const page = await openExport(env, { subject: 'test', threadId })({
    cursor: undefined,
    hasObservations: true,
  });

  expect(page).toMatchObject({ ok: false, error: { code: 'unavailable' } });
});

test('over HTTP a stopped thread answers with its own error', async () => {
  const threadId = `stopped-${crypto.randomUUID()}`;
  const client = speakMcp('legacy', `/mcp/${threadId}?toolsets=sessions,core`);
  await client.callTool('stop_database');

  const exported = await fetchWorker(`/api/threads/${threadId}/export`);
  const refused = await client.callTool('add_memory', TURN);
  const resource = await client.request('resources/read', { uri: `memory://${threadId}/graph` });
  await client.callTool('start_database');
  const accepted = await client.callTool('add_memory', TURN);

  expect(exported.status).toBe(503);
  expect(await exported.text()).toContain('start_database');
  expect(refused).toMatchObject({ isError: true });
  expect(refused['content'][0].text).toMatch(
    /^Tool Error: Database unavailable\. Message: This thread was stopped at .*\nCall start_database/,
  );
  expect(JSON.stringify(resource.error)).toContain('start_database');
  expect(accepted['structuredContent']).toMatchObject({ sessionId: 's' });
});

test('a write that waited for the embedder when the thread was stopped is refused', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Tea is green' });

  const outcome: unknown = await runInThread(memory, async (thread) => {
    const caller = { threadId: memory.threadId, actor: 'tester' };
    const adding = thread.call('store_memory', { content: 'Waited for' }, caller);
    await thread.call('stop_database', {}, caller);
    return adding;
  });

  expect(outcome).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  await memory.call('start_database');
  const { memories } = await memory.call('list_recent_memories');
  expect(memories.map(({ content }: any) => content)).toEqual(['Tea is green']);
});

test('background work pauses while the thread is stopped, and goes on after the start', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_node', { text: 'Expires soon', ttl_days: 1 });
  // Stopped first: an alarm that is due already would archive it before.
  await memory.call('stop_database');
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
  await memory.query('UPDATE node SET expires_at = 1');

  const alarm = () => runInDurableObject(stubOf(memory), (_, state) => state.storage.getAlarm());
  await runInThread(memory, (thread) => thread.alarm());
  const whileStopped = await memory.query('SELECT status FROM node');
  const alarmWhileStopped = await alarm();
  await memory.call('start_database');

  expect(whileStopped).toEqual([{ status: 'active' }]);
  expect(alarmWhileStopped).toBeNull();
  await vi.waitFor(async () => {
    expect(await memory.query('SELECT status FROM node')).toEqual([{ status: 'archived' }]);
  });
});

test('a healthcheck tells what is there and what it works with', async () => {
  await using memory = await openTestMemory();
  await memory.call('add_memory', TURN);
  await memory.call('add_memory', { ...TURN, sessionId: 't' });
  await memory.call('summarize_sessions', { sessionId: 's' });
  await memory.embedAll();

  const health = await memory.call('healthcheck');

  expect(health).toEqual({
    status: 'healthy',
    problems: [],
    database: { connected: true, running: true, stoppedAt: null },
    counts: { memories: 2, sessions: 2, summaries: 1, unsummarizedSessions: 1 },
    embedder: { model: 'use-lite-int8-head256@1', backlog: 0 },
    summarizer: 'extractive',
    backup: { enabled: true, lastAt: null, file: null, readable: null },
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    uptimeSeconds: expect.any(Number),
  });
});

test('a healthcheck is degraded while a job fails, and says which', async () => {
  await using memory = await openTestMemory();
  await memory.call('healthcheck');
  await memory.query(
    "INSERT INTO job (name, failures, last_error, retry_at) VALUES ('embedding', 3, 'Error', 9e12)",
  );

  const health = await memory.call('healthcheck');

  expect(health).toMatchObject({
    status: 'degraded',
    problems: ['The job embedding has failed 3 times in a row.'],
  });
  await memory.query('DELETE FROM job');
});
