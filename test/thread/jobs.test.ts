import { env } from 'cloudflare:workers';
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { insertFacts } from '#test/nodes.ts';
import { until } from '#test/until.ts';
import { ALL_WAIT, NOTHING_WAITS } from '#test/waiting.ts';

const NOT_ARCHIVED = "SELECT id FROM node WHERE status <> 'archived'";
const HOUR_MS = 60 * 60 * 1000;

// The directory is told by an alarm too: test/thread/directory.test.ts.
let directory: unknown;
beforeAll(async () => {
  directory = await bindDirectory(undefined);
});
afterAll(() => bindDirectory(directory));

test('what has expired is archived by the alarm, in a revision of its own', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge', 'Tea is in the cupboard');
  await expire(memory, 'Milk is in the fridge');

  await runAlarm(memory);

  expect(await statuses(memory)).toEqual({
    'Milk is in the fridge': 'archived',
    'Tea is in the cupboard': 'active',
  });
  expect(await jobRevisions(memory)).toEqual([{ actor: 'skein', tool: 'job:expiry', changes: 1 }]);
  expect(await memory.query('SELECT name, failures FROM job')).toEqual([
    { name: 'expiry', failures: 0 },
  ]);
});

test('what has expired is in no search before any job has run', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge');
  expect(await find(memory, 'milk')).toEqual(['Milk is in the fridge']);
  await memory.query('UPDATE node SET expires_at = ?', Date.now() + 1_000);
  await remember(memory, 'Nothing to do with it');
  expect((await find(memory, 'milk'))[0]).toBe('Milk is in the fridge');

  await until(async () => !(await find(memory, 'milk')).includes('Milk is in the fridge'));
});

test('an object with nothing to do has no alarm, and a write that waits for no vector no row of a job', async () => {
  await using memory = await openTestMemory();

  await remember(memory, 'Tea is in the cupboard');
  await memory.call('search_nodes', { query: 'Ada' });
  await memory.evict();
  await memory.call('read_graph');

  expect(await alarmOf(memory)).toBeNull();
  expect(await memory.query('SELECT * FROM job')).toEqual([]);
});

test('the alarm is set for what expires first, and for nothing beyond the clock', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One', 'Two', 'Three');
  const inAnHour = Date.now() + HOUR_MS;
  await memory.query('UPDATE node SET expires_at = 9e15 WHERE id = 1');
  await memory.evict();
  await remember(memory, 'Four');
  expect(await alarmOf(memory)).toBeNull();

  await memory.query('UPDATE node SET expires_at = ? WHERE id = 2', inAnHour + HOUR_MS);
  await remember(memory, 'Five');
  expect(await alarmOf(memory)).toBe(inAnHour + HOUR_MS);
  await memory.query('UPDATE node SET expires_at = ? WHERE id = 3', inAnHour);
  await remember(memory, 'Six');

  expect(await alarmOf(memory)).toBe(inAnHour);
});

test('an alarm that comes too early does nothing, and is set anew', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One');
  const inAnHour = Date.now() + HOUR_MS;
  await memory.query('UPDATE node SET expires_at = ?', inAnHour);
  await remember(memory, 'Two');

  await runAlarm(memory);

  expect(await statuses(memory)).toEqual({ One: 'active', Two: 'active' });
  expect(await memory.query('SELECT * FROM job')).toEqual([]);
  expect(await alarmOf(memory)).toBe(inAnHour);
});

test('a job goes on after an eviction, a bounded piece at a time, until nothing is due', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'The first');
  await insertFacts(memory, 1_100);
  await memory.query('UPDATE node SET expires_at = 1');

  while ((await alarmOf(memory)) !== null || (await memory.query(NOT_ARCHIVED)).length > 0) {
    await memory.evict();
    await runDurableObjectAlarm(stubOf(memory));
  }

  expect((await jobRevisions(memory)).map(({ changes }) => changes)).toEqual([500, 500, 101]);
  expect(await memory.query('SELECT * FROM awaiting_vector')).toEqual([]);
});

test('an object whose vectors are all made has no alarm any more', async () => {
  await using memory = await openTestMemory();

  await memory.call('save_memory', { entities: cluster('Ada') });

  await memory.embedAll();
  await until(async () => (await alarmOf(memory)) === null);
});

test('an object that wakes with work left over sees to it', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One');
  await memory.query('DELETE FROM vector');
  await memory.query(ALL_WAIT);
  await memory.evict();

  await memory.call('list_entities');

  await until(async () => (await memory.query('SELECT * FROM awaiting_vector')).length === 0);
  const [job] = await memory.query('SELECT name, last_run_at FROM job');
  expect(job).toEqual({ name: 'embedding', last_run_at: expect.any(Number) });
});

test('what waits for a vector and is not there any more does not wait for ever', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One');
  await memory.query(NOTHING_WAITS);
  await memory.query(
    'INSERT INTO embedding_backlog (node_id) SELECT value FROM json_each(?)',
    JSON.stringify(Array.from({ length: 64 }, (_, index) => 100 + index)),
  );

  await runAlarm(memory);

  expect(await memory.query('SELECT * FROM awaiting_vector')).toEqual([]);
  expect(await alarmOf(memory)).toBeNull();
});

test('a job that fails waits longer each time, stops no other, and is forgiven', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge');
  await memory.query(
    "CREATE TRIGGER poison BEFORE UPDATE OF status ON node BEGIN SELECT raise(ABORT, 'secret milk'); END",
  );
  await expire(memory, 'Milk is in the fridge');
  await memory.query('DELETE FROM vector');
  await memory.query(ALL_WAIT);

  const errors = await listenTo('error', () => runAlarm(memory));
  const [first] = await memory.query("SELECT * FROM job WHERE name = 'expiry'");
  await memory.evict();
  await runAlarm(memory);
  const [early] = await memory.query("SELECT * FROM job WHERE name = 'expiry'");
  await retryNow(memory);
  await runAlarm(memory);
  const [second] = await memory.query("SELECT * FROM job WHERE name = 'expiry'");

  expect(first).toMatchObject({ failures: 1, last_error: 'Error', last_run_at: null });
  expect(early).toEqual(first);
  expect(second).toMatchObject({ failures: 2 });
  expect(second?.['retry_at'] - Date.now()).toBeGreaterThan(30_000);
  expect(await alarmOf(memory)).toBe(second?.['retry_at']);
  expect(JSON.stringify([first, errors])).not.toContain('milk');
  expect(await memory.query('SELECT * FROM awaiting_vector')).toEqual([]);

  await memory.query('DROP TRIGGER poison');
  await retryNow(memory);
  await runAlarm(memory);
  expect(await memory.query("SELECT * FROM job WHERE name = 'expiry'")).toEqual([
    expect.objectContaining({ failures: 0, last_error: null, retry_at: null }),
  ]);
  expect(await statuses(memory)).toEqual({ 'Milk is in the fridge': 'archived' });
  expect(await alarmOf(memory)).toBeNull();
});

test('nothing is de-duplicated unless a deployer wants it', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Tea is in the cupboard', 'Tea is in the cupboard');

  await runAlarm(memory);

  expect(await alarmOf(memory)).toBeNull();
  expect(await outdated(memory)).toEqual([]);
});

test('of facts that say the same the oldest stays, takes the edges over and lives as long as any', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Tea is in the cupboard', 'Something else', 'The TEA is in the cupboard');
  await remember(memory, 'Tea is in the cupboard');
  await memory.query('UPDATE node SET expires_at = 9e14 WHERE id = 1');
  await memory.query(`UPDATE node SET metadata = '{"room":"kitchen"}' WHERE id = 4`);
  await memory.query(
    "INSERT INTO edge (from_id, to_id, type, created_at) VALUES (4, 2, 'RELATED_TO', 1), (2, 4, 'RELATED_TO', 1), (1, 4, 'SIMILAR_TO', 1)",
  );
  expect(await find(memory, 'tea')).toHaveLength(4);

  await deduplicate(memory, { DEDUP_THRESHOLD: '0.5' });

  const reason = { outdated_reason: 'Duplicate of mem_1.' };
  expect(await outdated(memory)).toEqual([
    { id: 3, metadata: reason },
    { id: 4, metadata: { room: 'kitchen', ...reason } },
  ]);
  expect(await memory.query('SELECT from_id, to_id FROM edge ORDER BY from_id')).toEqual([
    { from_id: 1, to_id: 2 },
    { from_id: 2, to_id: 1 },
  ]);
  expect(await memory.query('SELECT expires_at FROM node WHERE id = 1')).toEqual([
    { expires_at: null },
  ]);
  expect(await find(memory, 'tea')).toEqual(['Tea is in the cupboard', 'Something else']);
  expect((await jobRevisions(memory)).map(({ tool }) => tool)).toEqual(['job:deduplication']);
});

test('what a job has changed is undone to the letter', async () => {
  await using memory = await openTestMemory();
  await remember(
    memory,
    'Tea is in the cupboard',
    'The bank is open',
    'The TEA is in the cupboard',
  );
  await memory.query(
    `UPDATE node SET metadata = '{"room":"kitchen"}', expires_at = 9e14 WHERE id = 3`,
  );
  await memory.query(
    "INSERT INTO edge (from_id, to_id, type, importance, created_at) VALUES (3, 2, 'RELATED_TO', 0.3, 1)",
  );
  const kept = async () => [
    await memory.query('SELECT * FROM node ORDER BY id'),
    await memory.query('SELECT * FROM fact ORDER BY node_id'),
    await memory.query('SELECT * FROM edge ORDER BY from_id, to_id, type'),
  ];
  const before = await kept();

  await deduplicate(memory, { DEDUP_THRESHOLD: '0.5' });
  expect(await kept()).not.toEqual(before);
  const [made] = await memory.query("SELECT id FROM revision WHERE tool = 'job:deduplication'");
  await memory.call('undo_revision', { revision: made?.['id'] });

  expect(await kept()).toEqual(before);
});

test.each([
  ['another day', 'Deploys happen on Tuesday', 'Deploys happen on Thursday'],
  ['another number', 'The budget is 300 EUR', 'The budget is 400 EUR'],
  ['a denial', 'User is a strict vegetarian at home', 'User is not a strict vegetarian at home'],
  ['others in these roles', 'Anna likes Bob', 'Bob likes Anna'],
])('facts that are near but tell of %s are both kept', async (_, older, newer) => {
  await using memory = await openTestMemory();
  await remember(memory, older, newer);

  await deduplicate(memory, { DEDUP_THRESHOLD: '0.5' });

  expect(await outdated(memory)).toEqual([]);
});

test('the same said of two entities is said twice', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: cluster('Ada', 'Bob').map((given) => ({
      ...given,
      observations: ['Drinks green tea'],
    })),
  });

  await deduplicate(memory, { DEDUP_THRESHOLD: '0.5' });

  expect(await outdated(memory)).toEqual([]);
});

test('texts that are less alike than the threshold are both kept', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User lives in Austin', 'User lives in Austin.');

  await deduplicate(memory, { DEDUP_THRESHOLD: '0.95' });
  expect(await outdated(memory)).toEqual([]);
});

test('de-duplication goes on where it was, and begins with the last day', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'An old fact', 'An old fact', 'An old fact');
  await memory.query('UPDATE node SET created_at = 1');
  for (let index = 0; index < 60; index += 1) await remember(memory, `Fact number ${index}`);
  await remember(memory, 'Fact number 7', 'An old fact');

  const cursors: unknown[] = [];
  for (let piece = 0; piece < 2; piece += 1) {
    await memory.evict();
    await deduplicate(memory, {});
    const [job] = await memory.query("SELECT cursor FROM job WHERE name = 'deduplication'");
    cursors.push(job?.['cursor']);
    await memory.query('UPDATE node SET created_at = created_at - ? WHERE created_at > 1', HOUR_MS);
  }

  expect(cursors).toEqual([53, 65]);
  expect(
    (await outdated(memory)).map(({ id, metadata }) => [id, metadata.outdated_reason]),
  ).toEqual([
    [64, 'Duplicate of mem_11.'],
    [65, 'Duplicate of mem_1.'],
  ]);
});

test('new facts are left to gather for an hour', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One');
  await deduplicate(memory, {});
  await remember(memory, 'Two');
  const [node] = await memory.query('SELECT created_at FROM node WHERE id = 2');

  await deduplicate(memory, {});

  expect(await alarmOf(memory)).toBe(node?.['created_at'] + HOUR_MS);
  expect(await memory.query('SELECT cursor FROM job')).toEqual([{ cursor: 1 }]);
});

test('what is outdated stays in the indexes and out of the answers; what is archived leaves both', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Tea is in the cupboard');

  await memory.query("UPDATE node SET status = 'outdated'");
  expect(await find(memory, 'tea')).toEqual([]);
  expect(await memory.query('SELECT node_id FROM vector')).toEqual([{ node_id: 1 }]);
  await memory.query("UPDATE node SET status = 'archived'");

  expect(await memory.query('SELECT node_id FROM vector')).toEqual([]);
  expect(await memory.query('SELECT node_id FROM searchable')).toEqual([]);
  await memory.query("UPDATE node SET status = 'active'");
  expect(await memory.query('SELECT node_id FROM awaiting_vector')).toEqual([{ node_id: 1 }]);
});

/** Of every object of this runtime: they share their environment. Returns what was bound. */
async function bindDirectory(binding: unknown): Promise<unknown> {
  return runInDurableObject(env.THREAD.getByName('bindings'), (thread) => {
    const { env: own } = thread as unknown as { env: Record<string, unknown> };
    const before = own['DIRECTORY'];
    own['DIRECTORY'] = binding;
    return before;
  });
}

/** Stores each as a memory of its own. */
async function remember(memory: TestMemory, ...contents: string[]): Promise<void> {
  for (const content of contents) await memory.call('store_memory', { content });
}

async function expire(memory: TestMemory, content: string): Promise<void> {
  await memory.query(
    'UPDATE node SET expires_at = 1 WHERE id IN (SELECT node_id FROM fact WHERE content = ?)',
    content,
  );
}

async function retryNow(memory: TestMemory): Promise<void> {
  await memory.query('UPDATE job SET retry_at = 1 WHERE retry_at IS NOT NULL');
}

/** An alarm of an object whose deployer has switched de-duplication on. */
async function deduplicate(memory: TestMemory, vars: Record<string, string>): Promise<void> {
  await runInDurableObject(stubOf(memory), async (thread) => {
    const { env: own } = thread as unknown as { env: Record<string, string> };
    const before = { ...own };
    Object.assign(own, { DEDUP_ENABLED: 'true', ...vars });
    try {
      await (thread as any).alarm();
    } finally {
      Object.assign(own, {
        DEDUP_ENABLED: before['DEDUP_ENABLED'],
        DEDUP_THRESHOLD: before['DEDUP_THRESHOLD'],
      });
    }
  });
}

async function outdated(memory: TestMemory): Promise<{ id: number; metadata: any }[]> {
  const rows = await memory.query(
    "SELECT id, metadata FROM node WHERE status = 'outdated' ORDER BY id",
  );
  return rows.map(({ id, metadata }) => ({ id, metadata: JSON.parse(metadata) }));
}

async function find(memory: TestMemory, query: string): Promise<string[]> {
  const { memories } = await memory.call('search_memories', { query });
  return memories.map(({ content }: any) => content);
}

async function statuses(memory: TestMemory): Promise<Record<string, string>> {
  const rows = await memory.query<{ content: string; status: string }>(
    'SELECT content, status FROM fact JOIN node ON node.id = fact.node_id',
  );
  return Object.fromEntries(rows.map(({ content, status }) => [content, status]));
}

async function jobRevisions(memory: TestMemory): Promise<Record<string, any>[]> {
  return memory.query(
    `SELECT actor, tool, count(*) AS changes FROM revision JOIN change ON revision_id = revision.id
     WHERE tool LIKE 'job:%' GROUP BY revision.id`,
  );
}

function stubOf({ threadId }: TestMemory) {
  return env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
}

/** Whether or not it is due, as the platform may wake an object a little early. */
async function runAlarm(memory: TestMemory): Promise<void> {
  await runInDurableObject(stubOf(memory), (thread) => (thread as any).alarm());
}

function alarmOf(memory: TestMemory): Promise<number | null> {
  return runInDurableObject(stubOf(memory), (_, state) => state.storage.getAlarm());
}

async function listenTo(method: 'error' | 'log', work: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const own = console[method];
  console[method] = (line: string) => void lines.push(line);
  try {
    await work();
  } finally {
    console[method] = own;
  }
  return lines;
}
