/** Summaries of sessions: made when they are due, found, listed, deleted. */
import { expect, test } from 'vitest';
import { HEADER, toLines, turnRecord } from '#test/files.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { runInThread } from '#test/thread.ts';

function turn(sessionId: string, prompt = 'Fix the login bug', response = 'Fixed and tested.') {
  return { prompt, thought: 'Look at the token.', response, sessionId };
}

async function addSessions(memory: TestMemory, ...sessionIds: string[]): Promise<void> {
  for (const sessionId of sessionIds) await memory.call('add_memory', turn(sessionId));
}

test('sessions without a summary get one, and a second call finds nothing to do', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a', 'b');

  const first = await memory.call('summarize_sessions');
  const second = await memory.call('summarize_sessions');

  expect(first).toMatchObject({ processed: 2, remaining: 0, message: 'Summarised 2 sessions.' });
  expect(first['summaries'][0]).toEqual({
    id: 'sum_3',
    sessionId: 'a',
    timestamp: expect.any(String),
    title: 'Fix the login bug',
    summary: 'Fix the login bug. Fixed and tested.',
    category: 'bugfix',
    memoryCount: 1,
    quality: 75,
    productivity: 100,
    impact: 45,
    complexity: expect.any(Number),
    technologies: [],
    summarizer: 'extractive',
  });
  expect(second).toEqual({
    processed: 0,
    summaries: [],
    remaining: 0,
    message: 'Nothing to do: every session has an up-to-date summary.',
  });
});

test('a session with new turns is summarised anew and keeps the id of its summary', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a', 'b');
  await memory.call('summarize_sessions');
  await memory.call('add_memory', turn('a', 'Document the login flow in the README'));

  const again = await memory.call('summarize_sessions');

  expect(again).toMatchObject({ processed: 1, remaining: 0 });
  expect(again['summaries'][0]).toMatchObject({ id: 'sum_3', sessionId: 'a', memoryCount: 2 });
  const { summaries } = await memory.call('get_all_summaries');
  expect(summaries).toHaveLength(2);
});

test('one session alone is summarised when it is named, however many others wait', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a', 'b', 'c');

  const one = await memory.call('summarize_sessions', { sessionId: 'b' });
  const again = await memory.call('summarize_sessions', { sessionId: 'b' });
  const unknown = await memory.call('summarize_sessions', { sessionId: 'nowhere' });

  expect(one).toMatchObject({ processed: 1, remaining: 2, message: 'Summarised 1 session.' });
  for (const idle of [again, unknown]) {
    expect(idle).toMatchObject({ processed: 0, summaries: [], remaining: 2 });
    expect(idle['message']).toMatch(/^Nothing to do/);
  }
});

test('many sessions are summarised batch by batch, and each answer says how many remain', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, ...Array.from({ length: 12 }, (_, at) => `s${at}`));

  const answers = [];
  for (let call = 0; call < 4; call += 1) answers.push(await memory.call('summarize_sessions'));

  expect(answers.map(({ processed, remaining }) => [processed, remaining])).toEqual([
    [5, 7],
    [5, 2],
    [2, 0],
    [0, 0],
  ]);
  expect(answers[0]?.['message']).toBe(
    'Summarised 5 sessions. 7 remain: call summarize_sessions again.',
  );
});

test('long sessions are summarised as many at a time as a call has time for, and one at least', async () => {
  await using memory = await openTestMemory();
  const text = 'The gate was opened with care. '.repeat(60);
  const turns = Array.from({ length: 360 }, (_, at) =>
    turnRecord(at + 1, `s${at % 2}`, { prompt: text, thought: text, response: text }),
  );
  await memory.call('import_database', { content: toLines([HEADER, ...turns]) });

  const first = await memory.call('summarize_sessions');
  const second = await memory.call('summarize_sessions');

  expect(first).toMatchObject({ processed: 1, remaining: 1 });
  expect(second).toMatchObject({ processed: 1, remaining: 0 });
});

test('finding what to summarise reads no session that is up to date', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a');
  await memory.call('summarize_sessions');
  // What a revision made is read by the next one.
  await memory.call('store_memory', { content: 'The first is done' });
  const early = await memory.measure('summarize_sessions');
  await addSessions(memory, ...Array.from({ length: 10 }, (_, at) => `s${at}`));
  for (let call = 0; call < 2; call += 1) await memory.call('summarize_sessions');
  await memory.call('store_memory', { content: 'All others are done' });

  const late = await memory.measure('summarize_sessions');

  // A counter for each category.
  expect(late.rowsRead).toBeLessThanOrEqual(early.rowsRead + 3);
  expect(late.rowsWritten).toBeLessThanOrEqual(early.rowsWritten);
});

test('a turn that comes while a summary is being made is not lost to it', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a');
  const caller = { threadId: memory.threadId, actor: 'tester' };
  const ai = {
    run: (_: string, input: any) =>
      'messages' in input ? runs.shift()?.() : Promise.reject(new Error('no embedding')),
  };
  const runs = [
    async () => {
      await runInThread(memory, (thread) => thread.call('add_memory', turn('a', 'More'), caller));
      return answerOf({ title: 'Too early' });
    },
    async () => answerOf({ title: 'In time' }),
  ];

  const { value: overtaken } = await callWith(memory, ai, 'summarize_sessions');
  const { value: again } = await callWith(memory, ai, 'summarize_sessions');

  expect(overtaken).toMatchObject({ processed: 0, remaining: 1 });
  expect(overtaken.message).toMatch(/^1 got new turns meanwhile and still wait\./);
  expect(again).toMatchObject({ processed: 1, remaining: 0 });
  expect(again.summaries[0]).toMatchObject({ title: 'In time', memoryCount: 2 });
});

test('a model makes the summary when it is bound, and is named', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a');
  const ai = { run: async () => answerOf({ title: 'Login repaired', technologies: ['OAuth'] }) };

  const { value } = await callWith(memory, ai, 'summarize_sessions');

  expect(value.summaries[0]).toMatchObject({
    title: 'Login repaired',
    technologies: ['oauth'],
    summarizer: 'workers-ai @cf/meta/llama-3.3-70b-instruct-fp8-fast',
  });
});

test('with a model that fails the sentences themselves make the summary', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a');

  const { value } = await callWith(
    memory,
    { run: () => Promise.reject(new Error('busy')) },
    'summarize_sessions',
  );

  expect(value.summaries[0]).toMatchObject({
    title: 'Fix the login bug',
    summarizer: 'extractive',
  });
});

test('summaries are listed newest first, by page and by category', async () => {
  await using memory = await openTestMemory();
  for (const [id, prompt] of [
    ['a', 'Fix the crash'],
    ['b', 'Document the API in a guide'],
    ['c', 'Fix the other crash'],
  ] as const) {
    await memory.call('add_memory', turn(id, prompt, 'Good.'));
    await memory.call('summarize_sessions');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }

  const all = await memory.call('get_all_summaries');
  const page = await memory.call('get_all_summaries', { limit: 2 });
  const rest = await memory.call('get_all_summaries', { limit: 2, offset: page['nextOffset'] });
  const fixes = await memory.call('get_all_summaries', { category: 'bugfix' });
  const none = await memory.call('get_all_summaries', { category: 'new-app' });

  expect(sessionsOf(all)).toEqual(['c', 'b', 'a']);
  expect(sessionsOf(page)).toEqual(['c', 'b']);
  expect(page).toMatchObject({ count: 2, total: 3, nextOffset: 2 });
  expect(sessionsOf(rest)).toEqual(['a']);
  expect(rest['nextOffset']).toBeNull();
  expect(sessionsOf(fixes)).toEqual(['c', 'a']);
  expect(fixes['total']).toBe(2);
  expect(none).toEqual({ summaries: [], count: 0, total: 0, nextOffset: null });
});

test('deleting all summaries keeps every turn, and they can be made again', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a', 'b');
  await memory.call('summarize_sessions');

  const deleted = await memory.call('delete_all_summaries');
  const found = await memory.call('query_summaries', { query: 'login' });
  const health = await memory.call('healthcheck');
  const again = await memory.call('summarize_sessions');

  expect(deleted).toEqual({
    deleted: 2,
    message: 'Deleted 2 summaries. All turns are still there.',
  });
  expect(found['results']).toEqual([]);
  expect(health['counts']).toEqual({
    memories: 2,
    sessions: 2,
    summaries: 0,
    unsummarizedSessions: 2,
  });
  expect(again).toMatchObject({ processed: 2 });
  expect(await memory.call('delete_all_summaries')).toMatchObject({ deleted: 2 });
  expect(await memory.call('delete_all_summaries')).toMatchObject({ deleted: 0 });
});

test('compact mends what should follow from turns and summaries', async () => {
  await using memory = await openTestMemory();
  await addSessions(memory, 'a', 'b');
  await memory.call('summarize_sessions', { sessionId: 'a' });
  await memory.query("UPDATE session SET turn_count = 7 WHERE session_id = 'a'");
  await memory.query("DELETE FROM session WHERE session_id = 'b'");
  await memory.query('UPDATE total SET turns = 9');

  await memory.call('compact');

  expect((await memory.call('healthcheck'))['counts']).toEqual({
    memories: 2,
    sessions: 2,
    summaries: 1,
    unsummarizedSessions: 1,
  });
});

test('recall and search find turns and summaries', async () => {
  await using memory = await openTestMemory();
  await memory.call('add_memory', turn('a', 'Why is the zeppelin late?', 'Headwind over Kyiv.'));
  await memory.call('summarize_sessions');

  const { ids } = await memory.call('recall', { query: 'zeppelin headwind' });
  const both = await memory.call('search', {
    query: 'zeppelin headwind',
    node_types: ['Turn', 'Summary'],
  });
  const neither = await memory.call('search', { query: 'zeppelin headwind' });

  expect(ids.toSorted()).toEqual(['sum_2', 'turn_1']);
  expect(both['results'].map(({ id }: { id: string }) => id).toSorted()).toEqual([
    'sum_2',
    'turn_1',
  ]);
  expect(both['results'].find(({ id }: { id: string }) => id === 'turn_1')).toMatchObject({
    node_type: 'Turn',
    text: 'Why is the zeppelin late?\nHeadwind over Kyiv.',
    session_id: 'a',
  });
  expect(both).toMatchObject({ facts: [], entities: [] });
  expect(neither['results']).toEqual([]);
});

function sessionsOf(page: Record<string, any>): string[] {
  return page['summaries'].map(({ sessionId }: { sessionId: string }) => sessionId);
}

/** An answer as Workers AI gives it in JSON mode. */
function answerOf(fields: object) {
  return {
    response: {
      title: 'A title',
      summary: 'What was done.',
      category: 'bugfix',
      quality: 70,
      productivity: 60,
      impact: 50,
      complexity: 40,
      technologies: [],
      ...fields,
    },
  };
}

/** A call to a thread that has the `AI` binding. */
function callWith(memory: TestMemory, ai: object, tool: string): Promise<{ value: any }> {
  return runInThread(memory, async (thread) => {
    const bound = thread.env;
    thread.env = { ...bound, AI: ai };
    try {
      const outcome = await thread.call(tool, {}, { threadId: memory.threadId, actor: 'tester' });
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
      return outcome;
    } finally {
      thread.env = bound;
    }
  });
}
