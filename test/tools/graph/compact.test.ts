import { expect, test } from 'vitest';
import { numbered, person, relate, relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('compacting changes no answer', async () => {
  await using memory = await openTestMemory();
  await fillWithTraces(memory);
  const before = await readEverything(memory);

  await age(memory, 31);
  const answer = await memory.call('compact');

  expect(answer).toMatchObject({ mendedTexts: 0, removedVectors: 0, mendedCounts: 0, done: true });
  expect(answer['prunedRevisions']).toBeGreaterThan(5);
  expect(await readEverything(memory)).toEqual(before);
});

test('of long texts one call rebuilds as many as it has time for, and the next ones go on', async () => {
  await using memory = await openTestMemory();
  const text = 'The gate was opened with care. '.repeat(3_000);
  for (let turn = 0; turn < 5; turn += 1) {
    const texts = { prompt: text, thought: text, response: text };
    await memory.call('add_memory', { ...texts, sessionId: 'long' });
  }
  await memory.call('store_memory', { content: 'Likes tea' });

  const first = await memory.call('compact');
  const second = await memory.call('compact');

  expect(first).toMatchObject({ indexedTexts: 4, mendedTexts: 0, done: false });
  expect(second).toMatchObject({ indexedTexts: 2, mendedTexts: 0, done: true });
  const { memories } = await memory.call('search_memories', { query: 'tea' });
  expect(memories).toHaveLength(1);
});

test('history is forgotten from the day that it is older than the retention', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice', 'likes coffee')] });
  await age(memory, 31);
  await memory.call('upsert_entities', { entities: [person('Alice', 'likes tea')] });
  await age(memory, 29);
  await memory.call('upsert_entities', { entities: [person('Alice', 'likes water')] });

  const answer = await memory.call('compact');
  const again = await memory.call('compact');

  // An entity and a fact have a node and a row each.
  expect(answer).toMatchObject({ prunedRevisions: 1, prunedChanges: 4, done: true });
  expect(again).toMatchObject({ prunedRevisions: 0, prunedChanges: 0, done: true });
  expect(await memory.query('SELECT tool FROM revision')).toHaveLength(2);
  const [stand] = await memory.query('SELECT * FROM compaction');
  expect(stand).toMatchObject({ horizon: 1, rebuilt_to: 0 });
  expect(Date.now() - stand?.['horizon_at']).toBeGreaterThan(59 * DAY_MS);
});

test('versions of a fact are no history: compacting keeps them', async () => {
  await using memory = await openTestMemory();
  await fillWithTraces(memory);
  await age(memory, 365);

  await memory.call('compact');

  const { history } = await memory.call('get_observation_history', { entityName: 'Alice' });
  expect(history.map((o: any) => o.content)).toContain('lives in Rome');
});

test('old versions go when that is asked for, can come back, and their chains stay whole', async () => {
  await using memory = await openTestMemory();
  await fillWithTraces(memory);
  for (const fact of ['lives in Vienna', 'lives in Oslo'])
    await rewriteFirst(memory, 'Alice', fact);
  const before = await readEverything(memory);
  const versionsOf = async () =>
    (await memory.call('get_observation_history', { entityName: 'Alice' }))['history'].map(
      ({ content, version, supersedes }: any) => [content, version, supersedes],
    );
  const history = await versionsOf();

  const kept = await memory.call('compact');
  const dropped = await memory.call('compact', { dropSuperseded: true });
  const again = await memory.call('compact', { dropSuperseded: true });

  expect([kept, dropped, again].map((one) => one['droppedVersions'])).toEqual([0, 3, 0]);
  const left = history.filter(([content]: any) => !/Rome|Berlin|Vienna/.test(content));
  expect(await versionsOf()).toEqual(
    left.map(([content, version]: any) => [content, version, undefined]),
  );
  // No answer of the present is another, but for the history itself.
  expect((await readEverything(memory)).slice(0, -1)).toEqual(
    before.slice(0, -1).map((answer) => withoutLinks(answer)),
  );
  const [{ revision }] = (await memory.call('get_recent_changes', { limit: 1 }))['changes'];
  await memory.call('undo_revision', { revision });
  expect(await versionsOf()).toEqual(history);
});

test('many old versions go in several calls, whole chains at a time', async () => {
  await using memory = await openTestMemory();
  await memory.query(
    "INSERT INTO revision (at, actor, tool) VALUES (unixepoch() * 1000, 'x', 'x')",
  );
  await memory.query(
    `WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 2100)
     INSERT INTO node (kind, created_at, updated_at) SELECT 'fact', 1, 1 FROM seq`,
  );
  // Chains of seven.
  await memory.query(
    `INSERT INTO fact (node_id, content, content_hash, is_atomic, version, supersedes, superseded_by)
     SELECT id, 'fact ' || id, id, 1, (id - 1) % 7 + 1,
       iif((id - 1) % 7 = 0, NULL, id - 1), iif(id % 7 = 0, NULL, id + 1) FROM node`,
  );

  const answers = [];
  for (let call = 0; call < 3; call += 1) {
    answers.push(await memory.call('compact', { dropSuperseded: true }));
  }

  expect(answers.map((one) => [one['droppedVersions'], one['done']])).toEqual([
    [996, false],
    [804, true],
    [0, true],
  ]);
  expect(await memory.query('SELECT version, count(*) AS n FROM fact GROUP BY version')).toEqual([
    { version: 7, n: 300 },
  ]);
});

test('a compact that fails half-way loses nothing, and the next one does it all', async () => {
  await using memory = await openTestMemory();
  await fillWithTraces(memory);
  await age(memory, 31);
  const before = await readEverything(memory);
  const rows = () =>
    Promise.all(
      ['node', 'fact', 'revision', 'change', 'compaction', 'vector'].map((table) =>
        memory.query(`SELECT * FROM ${table}`),
      ),
    );
  const stored = await rows();
  await memory.query(
    "CREATE TRIGGER poison BEFORE INSERT ON compaction BEGIN SELECT raise(ABORT, 'cut off'); END",
  );

  expect((await memory.fail('compact', { dropSuperseded: true })).code).toBe('internal');
  expect(await rows()).toEqual(stored);
  expect(await readEverything(memory)).toEqual(before);
  await memory.query('DROP TRIGGER poison');
  expect(await memory.call('compact', { dropSuperseded: true })).toMatchObject({
    droppedVersions: 1,
    done: true,
  });
});

test('an old revision behind a younger one waits, so that no state in between is lost', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice')] });
  await memory.call('create_entities', { entities: [person('Bob')] });
  await memory.query('UPDATE revision SET at = at - ? WHERE id = 2', 40 * DAY_MS);

  expect(await memory.call('compact')).toMatchObject({ prunedRevisions: 0 });
});

test('much history is forgotten in several calls, each of which says what is left', async () => {
  await using memory = await openTestMemory();
  for (let id = 1; id <= 3; id += 1) {
    await memory.query("INSERT INTO revision (at, actor, tool) VALUES (0, 'x', 'x')");
    await memory.query(
      `WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 15000)
       INSERT INTO change SELECT ?, n, 'node', 'x', 'x', 'x' FROM seq`,
      id,
    );
  }
  await memory.call('create_entities', { entities: [person('Alice')] });

  const answers = [];
  for (let call = 0; call < 4; call += 1) answers.push(await memory.call('compact'));

  expect(answers.map((answer) => [answer['prunedChanges'], answer['done']])).toEqual([
    [15_000, false],
    [15_000, false],
    [15_000, true],
    [0, true],
  ]);
  expect(answers[0]?.['note']).toMatch(/Call compact again/);
});

test('a large graph is rebuilt in several calls, and each text once', async () => {
  await using memory = await openTestMemory();
  await memory.query(
    "INSERT INTO revision (at, actor, tool) VALUES (unixepoch() * 1000, 'x', 'x')",
  );
  await memory.query(
    `WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 3300)
     INSERT INTO node (kind, created_at, updated_at) SELECT 'entity', 1, 1 FROM seq`,
  );
  await memory.query(
    `INSERT INTO entity (node_id, name, folded_name, type)
     SELECT id, 'entity ' || id, 'entity ' || id, 'thing' FROM node`,
  );
  await memory.query('UPDATE entity SET observation_count = 7 WHERE node_id IN (5, 3200)');

  const answers = [];
  for (let call = 0; call < 3; call += 1) answers.push(await memory.call('compact'));

  expect(answers.map((one) => [one['indexedTexts'], one['mendedCounts'], one['done']])).toEqual([
    [1_500, 1, false],
    [1_500, 0, false],
    [300, 1, true],
  ]);
  expect(await memory.call('compact')).toMatchObject({ indexedTexts: 1_500 });
});

test('what a fault left behind in the indexes, vectors and counts is mended', async () => {
  await using memory = await openTestMemory();
  await fillWithTraces(memory);
  const before = await readEverything(memory);
  const breakages = [
    'DELETE FROM fulltext WHERE rowid = 1',
    'DELETE FROM trigram WHERE rowid IN (1, 2)',
    "INSERT INTO fulltext (rowid, title, body) VALUES (9999, 'ghost', 'ghost')",
    "INSERT INTO trigram (rowid, title, body) VALUES (9999, 'ghost', 'ghost')",
    'INSERT INTO vector SELECT 9999, model, scale, vector FROM vector LIMIT 1',
    'DELETE FROM vector WHERE node_id = 1',
    'INSERT INTO embedding_backlog VALUES (9998)',
    'UPDATE entity SET observation_count = 40, relation_count = 50 WHERE node_id = 1',
    'UPDATE entity SET hidden_from = 0 WHERE node_id = 2',
    "UPDATE counter SET value = 77 WHERE name = 'relation'",
    "INSERT INTO counter VALUES ('entity', 'ghost', 1)",
    'UPDATE total SET observations = 9',
  ];
  for (const breakage of breakages) await memory.query(breakage);

  const answer = await memory.call('compact');

  expect(answer).toMatchObject({ mendedTexts: 2, removedVectors: 1, done: true });
  expect(answer['mendedCounts']).toBeGreaterThan(3);
  expect(await readEverything(memory)).toEqual(before);
});

test('the work grows with the graph and no faster', async () => {
  const costs = [];
  for (const count of [200, 800]) {
    await using memory = await openTestMemory();
    const names = numbered('N', count);
    await relate(memory, [
      ...names.map((name, index) => relation(name, 'knows', names[(index + 1) % count] ?? '')),
      ...names.slice(1).map((name) => relation(name, 'reports to', 'N0')),
    ]);
    await age(memory, 31);
    costs.push(await memory.measure('compact'));
  }

  const [small, large] = costs as [any, any];
  expect(large.rowsRead / small.rowsRead).toBeLessThan(6);
  expect(large.rowsWritten / small.rowsWritten).toBeLessThan(6);
});

/** Entities that were written, changed, merged and deleted. */
async function fillWithTraces(memory: TestMemory): Promise<void> {
  await memory.call('create_entities', {
    entities: [
      person('Alice', 'lives in Rome', 'restores antique clocks'),
      person('Alicia', 'lives in Paris'),
      person('Bob', 'drinks matcha'),
      person('Ghost', 'haunts the castle'),
    ],
  });
  await relate(memory, [
    relation('Alice', 'knows', 'Bob'),
    relation('Bob', 'knows', 'Charlie'),
    relation('Ghost', 'scares', 'Bob'),
    relation('Alicia', 'likes', 'Bob'),
  ]);
  const { entities } = await memory.call('open_nodes', { names: ['Alice'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Alice',
    observationId: entities[0].observations[0].id,
    newContent: 'lives in Berlin',
  });
  await memory.call('delete_entities', { entityNames: ['Ghost'] });
  await memory.call('merge_entities', { source: 'Alicia', target: 'Alice' });
  for (let waiting = true; waiting;) {
    const rows = await memory.query('SELECT 1 FROM awaiting_vector');
    waiting = rows.length > 0;
    if (waiting) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Makes the next version of an entity's first fact. */
async function rewriteFirst(memory: TestMemory, entityName: string, newContent: string) {
  const { entities } = await memory.call('open_nodes', { names: [entityName], detail: 'full' });
  const facts = entities[0].observations.toSorted((a: any, b: any) => b.version - a.version);
  await memory.call('update_observation', { entityName, observationId: facts[0].id, newContent });
}

/** What a fact says of the versions before it. */
function withoutLinks(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value) => (key === 'supersedes' ? undefined : value)),
  );
}

async function readEverything(memory: TestMemory): Promise<unknown[]> {
  const reads: [string, Record<string, unknown>][] = [
    ['read_graph', { detail: 'full' }],
    ['graph_stats', {}],
    ['get_analytics', {}],
    ['list_entity_types', {}],
    ['list_relation_types', {}],
    ['search_nodes', { query: 'antique' }],
    ['search_nodes', { query: 'Who lives in Germany?' }],
    ['search_nodes', { query: 'atch' }],
    ['search_nodes', { query: 'ghost' }],
    ['describe_entity', { name: 'Alice' }],
    ['search_relations', {}],
    ['get_observation_history', { entityName: 'Alice' }],
  ];
  const answers = [];
  for (const [tool, input] of reads) answers.push(await memory.call(tool, input));
  return answers;
}

/** Makes everything that happened so far happen some days earlier. */
async function age(memory: TestMemory, days: number): Promise<void> {
  await memory.query('UPDATE revision SET at = at - ?', days * DAY_MS);
}
