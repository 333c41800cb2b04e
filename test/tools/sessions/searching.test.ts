/** Turns and summaries found by what they say, of all sessions or of some. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { addSummary } from '#test/sessions.ts';
import { draws } from '#test/draws.ts';

interface Result {
  id: string;
  sessionId: string;
  distance: number;
  relevanceScore: number;
}

function turn(sessionId: string, prompt: string, response = 'Noted.') {
  return { prompt, thought: 'Let me think.', response, sessionId };
}

async function addTurns(memory: TestMemory, turns: readonly object[]): Promise<void> {
  for (const one of turns) await memory.call('add_memory', { ...one });
}

async function query(memory: TestMemory, tool: string, input: object): Promise<Result[]> {
  return (await memory.call(tool, { ...input }))['results'];
}

test('turns are found by meaning and by words, the nearest first, with distance and relevance', async () => {
  await using memory = await openTestMemory();
  await addTurns(memory, [
    turn('a', 'How do I bake sourdough bread?', 'Feed the starter first.'),
    turn('b', 'Why does the deployment to staging fail?', 'The token had expired.'),
    turn('c', 'Which trousers fit a tall man?', 'Long ones.'),
  ]);

  const results = await query(memory, 'query_raw_memories', { query: 'expired deployment token' });

  expect(results[0]).toMatchObject({ id: 'turn_2', sessionId: 'b', type: 'agent-interaction' });
  expect(results.map(({ distance }) => distance)).toEqual(
    results.map(({ distance }) => distance).toSorted((a, b) => a - b),
  );
  for (const { distance, relevanceScore } of results) {
    expect(distance).toBeGreaterThanOrEqual(0);
    expect(distance).toBeLessThanOrEqual(1);
    expect(Math.abs(relevanceScore - 1 / (1 + distance))).toBeLessThan(0.002);
  }
});

test('a search within a session finds all it asks for, however many others match better', async () => {
  await using memory = await openTestMemory();
  await addTurns(
    memory,
    Array.from({ length: 5 }, (_, at) => turn('small', `The budget of project ${at} is tight`)),
  );
  await fill(memory, 4_000);

  const results = await query(memory, 'query_raw_memories', {
    query: 'budget',
    nResults: 5,
    sessionId: 'small',
  });

  expect(results.map(({ sessionId }) => sessionId)).toEqual(Array(5).fill('small'));
});

test('what a search within a session reads does not grow with the thread', async () => {
  await using memory = await openTestMemory();
  await addTurns(
    memory,
    Array.from({ length: 5 }, (_, at) => turn('small', `The budget of project ${at} is tight`)),
  );
  const measure = async (word: string) => {
    // The first question loads what is kept in memory.
    await memory.call('query_raw_memories', { query: 'warm up', sessionId: 'small' });
    return memory.measure('query_raw_memories', { query: `budget ${word}`, sessionId: 'small' });
  };
  const early = await measure('one');
  await fill(memory, 2_000);
  const late = await measure('two');

  expect(late.rowsRead).toBeLessThanOrEqual(early.rowsRead + 20);
});

test('a session whose name is part of another is another', async () => {
  await using memory = await openTestMemory();
  await addTurns(memory, [
    turn('s', 'budget of one'),
    turn('s1', 'budget of two'),
    turn('ss', 'budget'),
  ]);

  const results = await query(memory, 'query_raw_memories', { query: 'budget', sessionId: 's' });

  expect(results.map(({ id }) => id)).toEqual(['turn_1']);
});

test('any session id can be searched within', async () => {
  await using memory = await openTestMemory();
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((id) => id.trim() !== ''),
      async (sessionId) => {
        const { id } = await memory.call('add_memory', turn(sessionId, 'A budget of its own'));
        const results = await query(memory, 'query_raw_memories', {
          query: 'budget',
          sessionId,
          nResults: 100,
        });

        expect(results.map((result) => result.id)).toContain(id);
        const expected = sessionId.normalize('NFC').trim();
        expect(new Set(results.map((result) => result.sessionId))).toEqual(new Set([expected]));
      },
    ),
    draws(8),
  );
});

test('substrings and scripts without spaces are found within a session too', async () => {
  await using memory = await openTestMemory();
  await addTurns(memory, [
    turn('jp', '東京タワーの高さは？'),
    turn('jp2', '東京タワーはどこ？'),
    turn('jp', 'see update_portfolio.py'),
  ]);

  const unspaced = await query(memory, 'query_raw_memories', { query: '東京', sessionId: 'jp' });
  const part = await query(memory, 'query_raw_memories', { query: 'portfol', sessionId: 'jp' });

  expect(unspaced.map(({ id }) => id)).toEqual(['turn_1', 'turn_3']);
  expect(part.map(({ id }) => id)).toEqual(['turn_3', 'turn_1']);
});

test('an unknown session has no results', async () => {
  await using memory = await openTestMemory();
  await addTurns(memory, [turn('a', 'How do I bake bread?')]);

  const nowhere = await memory.call('query_raw_memories', { query: 'bread', sessionId: 'b' });

  expect(nowhere).toEqual({ query: 'bread', count: 0, results: [] });
});

test('turns are found at once after an eviction, and gone sessions stay out', async () => {
  await using memory = await openTestMemory();
  await addTurns(memory, [turn('a', 'How do I bake bread?')]);
  await memory.evict();
  await query(memory, 'query_raw_memories', { query: 'bread', sessionId: 'a' });
  await addTurns(memory, [turn('a', 'Which flour makes bread rise?')]);

  const results = await query(memory, 'query_raw_memories', { query: 'bread', sessionId: 'a' });

  expect(results.map(({ id }) => id).toSorted()).toEqual(['turn_1', 'turn_2']);
});

test('summaries of one category are found among many others', async () => {
  await using memory = await openTestMemory();
  for (let at = 0; at < 30; at += 1) {
    await addSummary(memory, `s${at}`, `Budget ${at}`, `The budget of team ${at} was planned.`);
  }
  await memory.query("UPDATE summary SET category = 'bugfix' WHERE session_id IN ('s3', 's7')");
  await fill(memory, 1_500);

  const bugfixes = await query(memory, 'query_summaries', { query: 'budget', category: 'bugfix' });
  const all = await query(memory, 'query_summaries', { query: 'budget', nResults: 30 });

  expect(bugfixes.map(({ sessionId }) => sessionId).toSorted()).toEqual(['s3', 's7']);
  expect(all).toHaveLength(30);
});

test('signs of the index are in no text and no answer of other searches', async () => {
  await using memory = await openTestMemory();
  await addTurns(memory, [turn('e100', 'bread')]);

  const found = await memory.call('search_nodes', { query: 'e100 session turn' });

  expect(found['entities']).toEqual([]);
  const shown = await query(memory, 'query_raw_memories', { query: 'e100' });
  expect(JSON.stringify(shown)).not.toMatch(/[\ue000-\uf8ff]/);
  const recalled = await memory.call('recall', { query: 'e100', include: ['turns'] });
  expect(recalled['closeness']).toBe('weak');
});

test.each([
  ['query_raw_memories', { query: '' }, /query/],
  ['query_raw_memories', { query: 'a', nResults: 0 }, /nResults/],
  ['query_raw_memories', { query: 'a', nResults: 101 }, /nResults/],
  ['query_summaries', { query: 'a', category: 'chore' }, /none of: bugfix, feature/],
])('%s refuses %j', async (tool, input, message) => {
  await using memory = await openTestMemory();

  expect((await memory.fail(tool, input)).message).toMatch(message);
});

/** Turns of another session that all speak of budgets, written in one revision. */
async function fill(memory: TestMemory, turns: number): Promise<void> {
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
  await memory.query(
    `WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < ?)
     INSERT INTO node (kind, created_at, updated_at) SELECT 'turn', 1, 1 FROM place`,
    turns,
  );
  await memory.query(
    `INSERT INTO turn (node_id, session_id, prompt, thought, response)
     SELECT id, 'large' || (id % 7), 'budget', 'budget', 'budget budget' FROM node
     WHERE kind = 'turn' AND id NOT IN (SELECT node_id FROM turn)`,
  );
}
