import { expect, test } from 'vitest';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import { person } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

const HOUR_MS = 60 * 60 * 1000;

test('every read that takes asOf shows the thread as it was, by revision and by time', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      entity('Ada', { observations: ['Lives in London'], relations: [relatesTo('Hub')] }),
      entity('Hub', { relations: [relatesTo('Ada')] }),
    ],
  });
  await memory.query('UPDATE revision SET at = at - ?', 2 * HOUR_MS);
  await memory.call('delete_entities', { entityNames: ['Ada'] });
  const anHourAgo = new Date(Date.now() - HOUR_MS).toISOString();

  for (const asOf of [1, '1', anHourAgo]) {
    const graph = await memory.call('read_graph', { asOf });
    const opened = await memory.call('open_nodes', { names: ['Ada'], asOf });
    const found = await memory.call('search_nodes', { query: 'London', asOf });
    const briefing = await memory.call('recall', { query: 'Where does Ada live? London', asOf });

    expect(graph['entities'].map((one: any) => one.name)).toEqual(['Ada', 'Hub']);
    expect(graph['total']).toMatchObject({ entities: 2, relations: 2 });
    expect(opened).toMatchObject({
      entities: [{ name: 'Ada', observations: ['Lives in London'] }],
    });
    expect(found['entities'][0]).toMatchObject({ name: 'Ada' });
    expect(briefing['text']).toContain('Lives in London');
    expect(graph['note']).toMatch(/As of revision 1, \d{4}-.+Z\.$/);
    expect(found['note']).toMatch(/As of revision 1, .+, found by names and words alone\.$/);
    expect(briefing['note']).toMatch(/^As of revision 1, .+, found by names and words alone\.$/);
  }
  expect(await memory.call('open_nodes', { names: ['Ada'] })).toMatchObject({ entities: [] });
});

test('looking at the past changes nothing: no row, no revision, no alarm, no vector, no cache', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });
  await memory.call('search_nodes', { query: 'worth remembering' });
  await memory.call('delete_entities', { entityNames: ['Ada'] });
  await memory.runAlarm();
  const rows = () =>
    Promise.all(
      [
        'node',
        'entity',
        'fact',
        'edge',
        'revision',
        'change',
        'counter',
        'vector',
        'embedding_backlog',
        'total',
      ].map((table) => memory.query(`SELECT * FROM ${table}`)),
    );
  const before = await rows();
  const present = await memory.call('search_nodes', { query: 'Ada is worth remembering' });
  const { cache } = await memory.call('health_check');

  const past = await memory.call('search_nodes', { query: 'Ada is worth remembering', asOf: 1 });
  await memory.call('read_graph', { asOf: 0 });

  expect(past['entities'][0].name).toBe('Ada');
  expect(await rows()).toEqual(before);
  expect(await memory.call('search_nodes', { query: 'Ada is worth remembering' })).toEqual(present);
  expect(await memory.call('health_check')).toMatchObject({ cache, vector_index: true });
});

test('a write straight after a look at the past is sound, foreign keys included', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('delete_entities', { entityNames: ['Ada'] });

  await Promise.all([
    memory.call('read_graph', { asOf: 1 }),
    memory.call('create_entities', { entities: [person('Bob', 'likes tea')] }),
    memory.call('read_graph', { asOf: 1 }),
  ]);

  const [job] = await memory.query('SELECT count(*) AS n FROM revision');
  expect(job).toEqual({ n: 3 });
  await expect(
    memory.query("INSERT INTO edge (from_id, to_id, type, created_at) VALUES (1, 999, 'x', 1)"),
  ).rejects.toThrow(/FOREIGN KEY/);
});

test('what has expired since is there, as of a moment at which it had not', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_node', { text: 'Milk', node_type: 'Entity', ttl_days: 1 });
  await memory.call('create_node', { text: 'Bread', node_type: 'Entity' });
  await memory.query('UPDATE revision SET at = at - ?', 5 * HOUR_MS);
  const now = Date.now();
  await memory.query('UPDATE node SET expires_at = ? WHERE id = 1', now - 2 * HOUR_MS);
  const namesAt = async (hoursAgo: number) => {
    const asOf = new Date(now - hoursAgo * HOUR_MS).toISOString();
    const { entities } = await memory.call('read_graph', { asOf });
    return entities.map((one: any) => one.name);
  };
  const unarchived = [await namesAt(3), await namesAt(1)];

  // Until the job has archived it, and then again.
  await memory.evict();
  await memory.call('read_graph');
  while ((await memory.query("SELECT 1 FROM node WHERE status = 'archived'")).length === 0) {
    await memory.runAlarm();
  }

  expect(unarchived).toEqual([['Milk', 'Bread'], ['Bread']]);
  expect([await namesAt(3), await namesAt(1)]).toEqual(unarchived);
});

test('as of revision 0 the thread is empty, and so it is as of any time before the first', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  for (const asOf of [0, '2020-01-01']) {
    expect(await memory.call('read_graph', { asOf })).toMatchObject({
      entities: [],
      relations: [],
      total: { entities: 0, relations: 0, observations: 0 },
    });
  }
});

/** One revision on 20 January, one on 21 January just before midnight, both in UTC. */
async function openTwoDays(): Promise<TestMemory> {
  const memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('create_entities', { entities: [person('Bob', 'likes tea')] });
  const at = ['2026-01-20T09:00:00Z', '2026-01-21T23:30:00Z'].map((time) => Date.parse(time));
  await memory.query('UPDATE revision SET at = iif(id = 1, ?, ?)', ...at);
  return memory;
}

test.each([
  ['2026-01-20', ['Ada'], 'As of revision 1, 2026-01-20T23:59:59.999Z.'],
  ['2026-01-21', ['Ada', 'Bob'], 'As of revision 2, 2026-01-21T23:59:59.999Z.'],
  ['2026-01-21+01:00', ['Ada'], 'As of revision 1, 2026-01-21T22:59:59.999Z.'],
  ['2026-01-22+01:00', ['Ada', 'Bob'], 'As of revision 2, 2026-01-22T22:59:59.999Z.'],
  ['2026-01-20 10:00', ['Ada'], 'As of revision 1, 2026-01-20T10:00:00.000Z.'],
  ['2026-01-20T10:00-14:00', ['Ada'], 'As of revision 1, 2026-01-21T00:00:00.000Z.'],
])('asOf %j shows the state at its end, UTC unless a zone is given', async (asOf, shown, note) => {
  await using memory = await openTwoDays();

  const graph = await memory.call('read_graph', { asOf });

  expect(graph['entities'].map((one: any) => one.name)).toEqual(shown);
  expect(graph['note']).toBe(note);
});

test('asOf of a day that is not over is the state of now', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });
  const today = new Date().toISOString().slice(0, 10);

  const { note } = await memory.call('read_graph', { asOf: today });

  expect(Date.parse(note.slice('As of revision 1, '.length, -1))).toBeLessThanOrEqual(Date.now());
});

test('asOf before the first revision says so, and names no moment of 1970', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.query('UPDATE revision SET at = ?', Date.parse('2026-01-20T09:00:00Z'));
  const first = 'the thread was empty until revision 1, 2026-01-20T09:00:00.000Z.';

  expect(await memory.call('read_graph', { asOf: '0' })).toMatchObject({
    entities: [],
    note: `As of revision 0: ${first}`,
  });
  expect(await memory.call('search_nodes', { query: 'tea', asOf: '2025-06-01' })).toMatchObject({
    note: expect.stringContaining(` As of 2025-06-01T23:59:59.999Z: ${first}`),
  });
  expect(await memory.call('read_graph', { asOf: '0000-01-01' })).toMatchObject({
    note: expect.stringContaining(first),
  });
});

test('asOf of a thread that was never written to says so', async () => {
  await using memory = await openTestMemory();

  expect(await memory.call('read_graph', { asOf: 0 })).toMatchObject({
    note: 'As of revision 0: nothing has been stored in this thread yet.',
  });
  expect(await memory.fail('read_graph', { asOf: '1' })).toMatchObject({
    message: 'There is no revision 1.',
    hint: 'Nothing has been stored in this thread yet.',
  });
});

test.each([
  [7, 'not_found', 'There is no revision 7.'],
  ['2999-01-01', 'invalid_input', '2999-01-01T00:00:00.000Z lies in the future.'],
  ['2026-02-30', 'invalid_input', expect.stringContaining('is neither a revision such as 12')],
  ['yesterday', 'invalid_input', expect.stringContaining('is neither a revision such as 12')],
  [-1, 'invalid_input', expect.stringContaining('is neither a revision such as 12')],
])('asOf %j is refused as %s', async (asOf, code, message) => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  expect(await memory.fail('read_graph', { asOf })).toMatchObject({ code, message });
});

test('what compact has forgotten cannot be read, and the error names the oldest state that can', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('create_entities', { entities: [person('Bob', 'likes tea')] });
  await memory.query('UPDATE revision SET at = id * 86400000');
  await memory.call('create_entities', { entities: [person('Cyd', 'likes tea')] });
  await memory.call('compact');

  for (const asOf of [1, '1970-01-02T12:00:00Z']) {
    const error = await memory.fail('read_graph', { asOf });
    expect(error.code).toBe('not_found');
    expect(error.message).toMatch(/is forgotten: compact has removed its history\.$/);
    expect(error.hint).toBe(
      'The oldest state that can be read is that of revision 2, of 1970-01-03T00:00:00.000Z.',
    );
  }
  for (const asOf of [2, '1970-01-03T12:00:00Z']) {
    expect(await names(memory, asOf)).toEqual(['Ada', 'Bob']);
  }
});

test('a read that may meet more changed rows than it may take back is refused; one of single entities is served', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await pad(memory, { revisions: 2, each: 30_000, key: "'1' || revision.id || n", before: 'NULL' });

  for (const [tool, input] of [
    ['read_graph', {}],
    ['search_nodes', { query: 'tea' }],
    ['recall', { query: 'tea' }],
  ] as const) {
    expect(await memory.fail(tool, { ...input, asOf: 1 })).toMatchObject({
      code: 'limit_exceeded',
      message: 'Revision 1 lies more than 50000 changed rows back.',
      hint: expect.stringContaining(
        'Read single entities by open_nodes, or the state of revision 2, of 1970-01-01T00:00:00.000Z, or a later one.',
      ),
    });
  }
  expect(await names(memory, 2)).toEqual(['Ada']);
  expect(await memory.call('open_nodes', { names: ['Ada'], asOf: 1 })).toMatchObject({
    entities: [{ name: 'Ada', observations: ['likes tea'] }],
  });
  await unpad(memory);
});

test('rows that have changed often, or that came and went, put no state out of reach', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('rename_entity', { entityName: 'Ada', newName: 'Eve' });
  await pad(memory, { revisions: 2, each: 30_000, key: "'1'", before: "'{}'" });

  expect(await names(memory, 1)).toEqual(['Ada']);
  await unpad(memory);
});

test('as of a time before a flood an entity is what it was: its name, facts, relations and their ends', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      entity('Ada', { observations: ['Lives in London'], relations: [relatesTo('Hub')] }),
      entity('Bob', { observations: ['Lives in Porto'] }),
      entity('Hub', { relations: [relatesTo('Ada')] }),
    ],
  });
  const before = await memory.call('open_nodes', { names: ['Ada', 'hub'], detail: 'full' });

  // Everything that an answer about them may meet, and names that go round.
  await memory.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Lives in Paris'] }],
  });
  await memory.call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: ['Lives in London'] }],
  });
  await memory.call('rename_entity', { entityName: 'Hub', newName: 'Spoke' });
  await memory.call('rename_entity', { entityName: 'Ada', newName: 'Eve' });
  await memory.call('create_entities', {
    entities: [person('Ada', 'is an impostor'), person('Hub', 'is one too')],
  });
  await memory.call('create_relations', {
    relations: [{ from: 'Eve', to: 'Bob', relationType: 'knows' }],
  });
  await memory.call('delete_entities', { entityNames: ['Spoke'] });

  const asOf = await memory.call('open_nodes', { names: ['Ada', 'hub'], detail: 'full', asOf: 1 });

  expect(asOf).toEqual({ ...before, note: expect.stringContaining('As of revision 1') });
  expect(await memory.call('open_nodes', { names: ['Eve'], asOf: 1 })).toMatchObject({
    missing: ['Eve'],
  });
});

interface Padding {
  readonly revisions: number;
  /** Changes of each. */
  readonly each: number;
  /** SQL of the key and the row before of a change of `node`, with its number as `n`. */
  readonly key: string;
  readonly before: string;
}

/** Changes in the history alone, as if a credential had flooded the thread. */
async function pad(memory: TestMemory, { revisions, each, key, before }: Padding): Promise<void> {
  for (let index = 0; index < revisions; index += 1) {
    await memory.query("INSERT INTO revision (at, actor, tool) VALUES (0, 'x', 'pad')");
  }
  await memory.query(
    `WITH RECURSIVE pad (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM pad WHERE n < ${each})
     INSERT INTO change SELECT revision.id, n, 'node', ${key}, ${before}, '{}'
     FROM revision, pad WHERE tool = 'pad'`,
  );
}

async function unpad(memory: TestMemory): Promise<void> {
  await memory.query(
    "DELETE FROM change WHERE revision_id IN (SELECT id FROM revision WHERE tool = 'pad')",
  );
  await memory.query("DELETE FROM revision WHERE tool = 'pad'");
}

test('the cost of a look at the past is that of what has changed since, not of the graph', async () => {
  const costs: { rowsRead: number; rowsWritten: number }[] = [];
  for (const size of [30, 300]) {
    await using memory = await openTestMemory();
    for (let page = 0; page < size / 30; page += 1) {
      await memory.call('create_entities', {
        entities: Array.from({ length: 30 }, (_, i) => person(`N${page * 30 + i}`, 'is here')),
      });
    }
    const asOf = size / 30;
    await memory.call('delete_entities', { entityNames: ['N1', 'N2'] });
    await memory.embedAll();
    costs.push(await memory.measure('open_nodes', { names: ['N1'], asOf }));
  }

  const [small, large] = costs as [any, any];
  expect(large.rowsRead).toBeLessThan(small.rowsRead * 1.5);
  expect(large.rowsWritten).toBeLessThan(small.rowsWritten * 1.5);
});

async function names(memory: TestMemory, asOf: number | string): Promise<string[]> {
  const { entities } = await memory.call('read_graph', { asOf });
  return entities.map((one: any) => one.name);
}
