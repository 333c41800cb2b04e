import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { openThread } from '#test/open-thread.ts';
import { cluster } from '#test/builders.ts';
import { entityRecord, factRecord, HEADER, toLines } from '#test/files.ts';
import { numbered, person, relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { readState } from '#test/thread-state.ts';
import { runInThread } from '#test/thread.ts';

test('what one actor did is taken back as one revision, and what others did stays', async () => {
  await using memory = await openTestMemory();
  const mallory = actor(memory, 'mallory');
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await mallory('create_entities', { entities: [person('Spam', 'buy this')] });
  await memory.call('create_entities', { entities: [person('Bob', 'likes tea')] });
  await mallory('update_node', { node_id: 'obs_2', text: 'hates tea' });
  const spoilt = await memory.call('read_graph', { detail: 'full' });

  const answer = await memory.call('undo_actor', { actor: 'mallory', since: 1 });

  expect(answer).toMatchObject({
    undone: [
      { revision: 4, actor: 'mallory', tool: 'update_node' },
      { revision: 2, actor: 'mallory', tool: 'create_entities' },
    ],
    total: 2,
    revision: 5,
    note: 'Undo revision 5 to take this undo back.',
  });
  expect(await facts(memory)).toEqual({ Ada: ['likes tea'], Bob: ['likes tea'] });
  await memory.call('undo_revision', { revision: 5 });
  expect(await memory.call('read_graph', { detail: 'full' })).toEqual(spoilt);
});

test('since leaves what was done before it', async () => {
  await using memory = await openTestMemory();
  const mallory = actor(memory, 'mallory');
  for (const name of ['A1', 'B1', 'C1']) {
    await mallory('create_entities', { entities: [person(name)] });
  }
  await memory.query('UPDATE revision SET at = id * 86400000');

  await memory.call('undo_actor', { actor: 'mallory', since: '1970-01-04' });
  expect(Object.keys(await facts(memory))).toEqual(['A1', 'B1']);
  await memory.call('undo_actor', { actor: 'mallory', since: 1 });
  expect(Object.keys(await facts(memory))).toEqual(['A1']);
  expect(await memory.call('undo_actor', { actor: 'mallory', since: 1 })).toMatchObject({
    revision: null,
    note: 'Everything that it did had been taken back before.',
  });
});

test('what was deleted and brought back, or changed and changed back, is in nobody’s way', async () => {
  await using memory = await openTestMemory();
  const mallory = actor(memory, 'mallory');
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea'), person('Bob')] });
  await mallory('delete_entities', { entityNames: ['Ada'] });
  await memory.call('undo_revision', { revision: 2 });
  await mallory('update_node', { node_id: 'ent_3', source: 'one' });
  await mallory('update_node', { node_id: 'ent_3', source: 'two' });
  await memory.call('undo_revision', { revision: 4, cascade: true });
  await mallory('create_entities', { entities: [person('Spam')] });

  const { revision } = await memory.call('undo_actor', { actor: 'mallory', since: 1 });

  expect(revision).toBe(8);
  expect(await facts(memory)).toEqual({ Ada: ['likes tea'], Bob: [] });
});

test('what others built on it is named, and undone by a cascade alone', async () => {
  await using memory = await openTestMemory();
  const mallory = actor(memory, 'mallory');
  await memory.call('create_entities', { entities: [person('Ada')] });
  await mallory('create_entities', { entities: [person('Spam', 'buy this')] });
  await memory.call('create_relations', { relations: [relation('Ada', 'likes', 'Spam')] });
  await memory.call('create_entities', { entities: [person('Bob')] });

  const error = await memory.fail('undo_actor', { actor: 'mallory', since: 0 });
  expect(error).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(
      "What 'mallory' did cannot be undone: revision 3 (create_relations,",
    ),
    hint: expect.stringContaining('call undo_actor with cascade: true'),
  });
  expect(Object.keys(await facts(memory))).toEqual(['Ada', 'Bob', 'Spam']);
  const answer = await memory.call('undo_actor', { actor: 'mallory', since: 0, cascade: true });
  expect(answer['undone'].map((one: any) => one.revision)).toEqual([3, 2]);
  expect(Object.keys(await facts(memory))).toEqual(['Ada', 'Bob']);
});

test('an actor who did nothing is answered with those who did', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada')] });

  expect(await memory.fail('undo_actor', { actor: 'mallory', since: 0 })).toEqual({
    code: 'not_found',
    message: "'mallory' has changed nothing since then.",
    hint: "Those who have: 'tester'. get_recent_changes lists what they did.",
  });
  expect(await memory.fail('undo_actor', { actor: 'tester', since: 1 })).toMatchObject({
    hint: 'Nobody has.',
  });
});

test('what is large goes in several revisions, and others are answered in between', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  const mallory = actor(memory, 'mallory');
  for (const name of ['Spam', 'Eggs']) {
    await mallory('create_entities', { entities: [person(name, 'is spam')] });
  }
  // As if each had changed the date of a node very often.
  await memory.query(
    `WITH RECURSIVE pad (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM pad WHERE n < 35000)
     INSERT INTO change SELECT id, 1000 + n, 'node', '1', image, image FROM revision, pad,
       (SELECT after AS image FROM change WHERE table_name = 'node' AND row_key = '1')
     WHERE actor = 'mallory'`,
  );

  const [answer] = await Promise.all([
    memory.call('undo_actor', { actor: 'mallory', since: 1 }),
    memory.call('create_entities', { entities: [person('Bob', 'likes tea')] }),
  ]);

  expect(answer).toMatchObject({ total: 2 });
  expect(answer['note']).toMatch(/^Undo revisions \d+, \d+ to take this undo back\.$/);
  expect(Object.keys(await facts(memory))).toEqual(['Ada', 'Bob']);
  expect(
    await memory.query("SELECT count(*) AS made FROM revision WHERE tool = 'undo_actor'"),
  ).toEqual([{ made: 2 }]);
  // A second call finds nothing left.
  expect(await memory.call('undo_actor', { actor: 'mallory', since: 1 })).toMatchObject({
    revision: null,
  });
  await memory.query('DELETE FROM change WHERE seq > 1000');
});

test('what is in the way of the oldest is told with what is taken back already', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  const mallory = actor(memory, 'mallory');
  await mallory('create_entities', { entities: [person('Spam', 'is spam')] });
  await mallory('create_entities', { entities: [person('Eggs', 'is spam')] });
  await memory.call('add_observations', {
    observations: [{ entityName: 'Spam', contents: ['is a brand'] }],
  });
  await memory.query(
    `WITH RECURSIVE pad (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM pad WHERE n < 60000)
     INSERT INTO change SELECT id, 1000 + n, 'node', '1', image, image FROM revision, pad,
       (SELECT after AS image FROM change WHERE table_name = 'node' AND row_key = '1')
     WHERE actor = 'mallory'`,
  );

  const error = await memory.fail('undo_actor', { actor: 'mallory', since: 1 });

  expect(error.code).toBe('conflict');
  expect(error.hint).toMatch(/cascade: true.* The newest of it is taken back, by revision 5\.$/);
  expect(error.hint).not.toContain('Nothing was changed');
  expect(Object.keys(await facts(memory))).toEqual(['Ada', 'Spam']);
  await memory.query('DELETE FROM change WHERE seq > 1000');
});

test('one call restores a thread after all that a credential with memory:write can do', async () => {
  await using memory = await openTestMemory();
  // test/e2e/scale.node.test.ts takes back as much as the default lets in.
  await runInThread(memory, async (thread) => {
    thread.env = { ...thread.env, MAX_NEW_NODES_PER_MINUTE: '1000' };
  });
  await fill(memory);
  const before = await restorable(memory);
  const mallory = actor(memory, 'mallory');

  const [office, shop, bank] = await idsOf(memory);
  const since = (await memory.query('SELECT max(id) AS id FROM revision'))[0]?.['id'];

  await mallory('update_node', { node_id: office, text: 'The office is nowhere' });
  await mallory('update_node', { node_id: office, metadata: { owned: true } });
  await mallory('update_node', { node_id: shop, expires_at: 1 });
  await mallory('mark_outdated', { fact_id: office });
  const { created: added } = await mallory('store_memory', { content: 'Nothing is open' });
  await mallory('supersede_memory', {
    old_memory_id: bank,
    new_memory_id: (added as { id: string }).id,
  });
  for (const [entityName, newName] of [
    ['Ada', 'Zed'],
    ['Bob', 'Ada'],
    ['Zed', 'Bob'],
    ['Ada', 'Eve'],
  ]) {
    await mallory('rename_entity', { entityName, newName });
  }
  await mallory('create_entities', { entities: [person('Ada', 'is an impostor')] });
  await mallory('import_database', { content: archivingFile });
  // The expiry is the server's own work, on the rows that are to come back.
  await memory.runAlarm();
  await expect
    .poll(() => memory.query("SELECT 1 FROM revision WHERE tool = 'job:expiry'"))
    .not.toEqual([]);
  await mallory('import_database', { content: spam('Spam') });
  await expect(mallory('import_database', { content: spam('More') })).rejects.toThrow(
    'A credential may add 1000 nodes a minute to a thread',
  );
  expect(await memory.query('SELECT count(*) > 3000 AS isMore FROM change')).toEqual([
    { isMore: 1 },
  ]);
  expect(await restorable(memory)).not.toEqual(before);

  const { total, revision } = await memory.call('undo_actor', { actor: 'mallory', since });

  expect(total).toBeGreaterThan(10);
  expect(revision).not.toBeNull();
  expect(await restorable(memory)).toEqual(before);
  expect(await memory.call('health_check')).toMatchObject({ vector_index: true });
});

/** Something of every kind that a writer can spoil. */
async function fill(memory: TestMemory): Promise<void> {
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });
  for (const content of ['The office is in Porto', 'The shop is in Faro', 'The bank is open']) {
    await memory.call('store_memory', { content });
  }
  await memory.call('add_memory', {
    sessionId: 's1',
    prompt: 'Why?',
    thought: 'Hm.',
    response: 'So.',
  });
}

async function idsOf(memory: TestMemory): Promise<string[]> {
  const rows = await memory.query(
    'SELECT node_id FROM fact WHERE entity_id IS NULL ORDER BY node_id',
  );
  return rows.map((row) => `mem_${row['node_id']}`);
}

const LATER = Date.now() + 1_000_000;
/** Says of what is there that it is archived, and tells more of it. */
const archivingFile = toLines([
  HEADER,
  entityRecord(1, 'Hub', { entityType: 'Nothing', status: 'archived', updatedAt: LATER }),
  factRecord(2, 'The bank is open', { status: 'archived', expiresAt: 1, updatedAt: LATER }),
  factRecord(3, 'The office is in Porto', { status: 'archived', updatedAt: LATER }),
]);

/** More than 3,000 changed rows: entities with facts, and relations between them. */
function spam(prefix: string): string {
  const names = numbered(prefix, 80);
  const entities = names.map((name) => ({
    type: 'entity',
    name,
    entityType: 'Spam',
    observations: numbered(`${name} says `, 9),
  }));
  const relations = Array.from({ length: 1_500 }, (_, index) => ({
    type: 'relation',
    from: names[index % names.length],
    to: names[(index * 7 + Math.floor(index / names.length)) % names.length],
    relationType: `r${Math.floor(index / names.length)}`,
  }));
  return [...entities, ...relations].map((line) => JSON.stringify(line)).join('\n');
}

/** The tables that an undo restores; the history and the counts of saves go on. */
async function restorable(memory: TestMemory) {
  const { total, ...state } = await readState(memory);
  const [counts] = total as Record<string, number>[];
  return {
    ...state,
    revision: [],
    change: [],
    total: { ...counts, saves_accepted: 0, saves_rejected: 0 },
  };
}

async function facts(memory: TestMemory): Promise<Record<string, string[]>> {
  const { entities } = await memory.call('read_graph', { detail: 'full' });
  return Object.fromEntries(
    entities
      .map((one: any) => [one.name, one.observations.map(({ content }: any) => content)])
      .toSorted(),
  );
}

/** Calls as another credential would. */
function actor(memory: TestMemory, name: string) {
  const { threadId } = memory;
  const call = openThread(env, { subject: 'test', threadId });
  return async (tool: string, input: Record<string, unknown>) => {
    const outcome = await call(tool, input, { threadId, actor: name, countedAs: name });
    if (!outcome.ok) throw new Error(`${tool}: ${JSON.stringify(outcome.error)}`);
    return outcome.value;
  };
}
