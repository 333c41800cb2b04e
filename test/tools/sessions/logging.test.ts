/** Turns as agents log them and read them again. */
import { expect, test } from 'vitest';
import { openTestMemory } from '#test/memory.ts';

const TURN = { prompt: 'Who wrote Dune?', thought: 'A novel.', response: 'Frank Herbert.' };

test('a turn without a session begins one, and the next turns go on in it', async () => {
  await using memory = await openTestMemory();

  const first = await memory.call('add_memory', TURN);
  await memory.call('add_memory', { ...TURN, prompt: 'When?', sessionId: first['sessionId'] });
  const page = await memory.call('get_session_memories', { sessionId: first['sessionId'] });

  expect(first).toEqual({
    id: 'turn_1',
    sessionId: expect.stringMatching(/^session_\d{13}$/),
    timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
    message: `Stored turn_1 in ${first['sessionId']}.`,
  });
  expect(page).toMatchObject({ count: 2, total: 2, nextOffset: null });
  expect(page['memories'].map(({ prompt }: { prompt: string }) => prompt)).toEqual([
    'Who wrote Dune?',
    'When?',
  ]);
});

test('turns without a session are sessions of their own, however fast they come', async () => {
  await using memory = await openTestMemory();

  const added = await Promise.all([1, 2, 3, 4].map(() => memory.call('add_memory', TURN)));

  expect(new Set(added.map(({ sessionId }) => sessionId)).size).toBe(4);
});

test('a memory has the shape of its contract, and who answered when that was told', async () => {
  await using memory = await openTestMemory();
  await memory.call('add_memory', { ...TURN, sessionId: 's', agent: 'claude', model: 'opus' });
  await memory.call('add_memory', { ...TURN, sessionId: 's' });

  const { memories } = await memory.call('get_session_memories', { sessionId: 's' });

  expect(memories).toEqual([
    {
      id: 'turn_1',
      sessionId: 's',
      timestamp: expect.any(String),
      ...TURN,
      type: 'agent-interaction',
      agent: 'claude',
      model: 'opus',
    },
    {
      id: 'turn_2',
      sessionId: 's',
      timestamp: expect.any(String),
      ...TURN,
      type: 'agent-interaction',
    },
  ]);
});

test('what was said is kept letter for letter, and U+0000, which no text can have, is replaced', async () => {
  await using memory = await openTestMemory();
  const odd = {
    prompt: '  leading space, "quotes", \\ and \t tab\n',
    thought: '',
    response: '日本語 🎉 e\u0301 \u0000 end',
  };
  await memory.call('add_memory', { ...odd, sessionId: 's' });

  const { memories } = await memory.call('get_session_memories', { sessionId: 's' });

  expect(memories[0]).toMatchObject({ ...odd, response: '日本語 🎉 e\u0301 \ufffd end' });
});

test('pages of a session follow each other', async () => {
  await using memory = await openTestMemory();
  for (let turn = 0; turn < 7; turn += 1) {
    await memory.call('add_memory', { ...TURN, prompt: `question ${turn}`, sessionId: 's' });
  }
  const page = (offset: number) =>
    memory.call('get_session_memories', { sessionId: 's', limit: 3, offset });

  const pages = [await page(0), await page(3), await page(6), await page(9)];

  expect(pages.map(({ count, nextOffset }) => [count, nextOffset])).toEqual([
    [3, 3],
    [3, 6],
    [1, null],
    [0, null],
  ]);
  expect(
    pages.flatMap(({ memories }) => memories.map(({ prompt }: { prompt: string }) => prompt)),
  ).toEqual([0, 1, 2, 3, 4, 5, 6].map((turn) => `question ${turn}`));
});

test('an unknown session has no memories, which is no error', async () => {
  await using memory = await openTestMemory();

  const page = await memory.call('get_session_memories', { sessionId: 'nowhere' });

  expect(page).toEqual({
    sessionId: 'nowhere',
    memories: [],
    count: 0,
    total: 0,
    nextOffset: null,
  });
});

test('session ids are the same in either Unicode form and with space around them', async () => {
  await using memory = await openTestMemory();
  await memory.call('add_memory', { ...TURN, sessionId: ' cafe\u0301 ' });

  const page = await memory.call('get_session_memories', { sessionId: 'café' });

  expect(page['total']).toBe(1);
  expect(page['memories'][0].sessionId).toBe('café');
});

test('a turn of a hundred thousand characters a text is stored whole and found by its words', async () => {
  await using memory = await openTestMemory();
  const long = (word: string) => `${word} ${'lorem ipsum '.repeat(10_000)}`.slice(0, 100_000);
  const turn = {
    prompt: long('aardvark'),
    thought: long('bumblebee'),
    response: `${long('chameleon').slice(0, 99_990)} zebrafish`,
  };
  const added = await memory.call('add_memory', { ...turn, sessionId: 'long' });

  const { memories, note } = await memory.call('get_session_memories', { sessionId: 'long' });
  const found = await memory.call('query_raw_memories', { query: 'zebrafish' });

  expect(memories).toHaveLength(1);
  expect(memories[0]).toMatchObject(turn);
  expect(note).toBeUndefined();
  expect(found['results'][0].id).toBe(added['id']);
  expect(JSON.stringify(found).length).toBeLessThan(30_000);
  expect(found['note']).toMatch(/^Texts are cut to 8000 characters/);
  const [row] = await memory.query(
    'SELECT max(octet_length(after)) AS bytes FROM change WHERE table_name = ?',
    'turn',
  );
  expect(row?.['bytes']).toBeLessThan(1_000_000);
});

test('a page of long turns ends early and says where to go on', async () => {
  await using memory = await openTestMemory();
  for (let turn = 0; turn < 4; turn += 1) {
    await memory.call('add_memory', { ...TURN, response: 'word '.repeat(2_000), sessionId: 's' });
  }

  const first = await memory.call('get_session_memories', { sessionId: 's' });
  const second = await memory.call('get_session_memories', {
    sessionId: 's',
    offset: first['nextOffset'],
  });

  expect(first).toMatchObject({
    count: 2,
    total: 4,
    nextOffset: 2,
    note: 'The texts are long: go on with offset 2.',
  });
  expect(second).toMatchObject({ count: 2, nextOffset: null });
});

test.each([
  ['a text too long', { ...TURN, prompt: 'x'.repeat(100_001) }, /At most 100000 chars/],
  ['nothing at all', { prompt: ' ', thought: '', response: '\n' }, /are all empty/],
  ['no thought', { prompt: 'a', response: 'b' }, /thought: Missing/],
  ['a session without a name', { ...TURN, sessionId: '  ' }, /is no session id/],
  ['a session with a long name', { ...TURN, sessionId: 's'.repeat(129) }, /At most 128 chars/],
])('%s is refused, and nothing is stored', async (_, input, message) => {
  await using memory = await openTestMemory();

  const error = await memory.fail('add_memory', input);

  expect(error.code).toBe('invalid_input');
  expect(error.message).toMatch(message);
  expect(await memory.query('SELECT id FROM node')).toEqual([]);
});

test('texts that would not fit into a row of the history are refused with their size', async () => {
  await using memory = await openTestMemory();
  const heavy = '\u0001'.repeat(60_000);

  const error = await memory.fail('add_memory', { prompt: heavy, thought: heavy, response: heavy });

  expect(error.code).toBe('limit_exceeded');
  expect(error.message).toMatch(/take \d+ bytes as JSON, more than 940000 together/);
  expect(error.hint).toMatch(/two memories/);
});

test('a log outlives the object that wrote it', async () => {
  await using memory = await openTestMemory();
  await memory.call('add_memory', { ...TURN, sessionId: 's' });
  await memory.evict();

  expect(await memory.call('get_session_memories', { sessionId: 's' })).toMatchObject({ total: 1 });
});

test('logging a turn costs the same however many there are', async () => {
  await using memory = await openTestMemory();
  const add = () => memory.measure('add_memory', { ...TURN, sessionId: 's' });
  const addAlone = async () => {
    // What the job reads beside the call would count as the call's.
    await memory.embedAll();
    return add();
  };
  await add();
  const early = await addAlone();
  for (let turn = 0; turn < 100; turn += 1) {
    await memory.call('add_memory', { ...TURN, sessionId: turn % 2 ? 's' : `s${turn}` });
  }
  const late = await addAlone();

  expect(late.rowsRead).toBeLessThanOrEqual(early.rowsRead + 8);
  expect(late.rowsWritten).toBeLessThanOrEqual(early.rowsWritten + 8);
});
