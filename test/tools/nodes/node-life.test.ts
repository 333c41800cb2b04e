import { expect, test } from 'vitest';
import { entity, hub } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { addEntity, addFact, DAY_MS, link } from '#test/nodes.ts';

test('a fact is stored with all that is said of it', async () => {
  await using memory = await openTestMemory();
  const before = Date.now();

  const { node } = await memory.call('create_node', {
    text: '  The office moves to Lisbon ',
    source: 'mail',
    metadata: { tags: ['office'], nested: { deep: null } },
    ttl_days: 1.5,
  });

  expect(node).toEqual({
    id: 'mem_1',
    owner_id: 'default',
    node_type: 'Fact',
    text: 'The office moves to Lisbon',
    metadata: { tags: ['office'], nested: { deep: null } },
    source: 'mail',
    status: 'active',
    created_at: expect.any(Number),
    updated_at: node.created_at,
    ttl_days: 1.5,
    expires_at: node.created_at + 1.5 * DAY_MS,
  });
  expect(node.created_at).toBeGreaterThanOrEqual(before);
  await memory.evict();
  expect(await memory.call('get_node', { node_id: 'mem_1' })).toEqual({ success: true, node });
});

test('two facts may say the same', async () => {
  await using memory = await openTestMemory();

  expect([await addFact(memory, 'It rains'), await addFact(memory, 'It rains')]).toEqual([
    'mem_1',
    'mem_2',
  ]);
});

test('an entity of a name that exists is returned as it is, and says so', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Acme', entityType: 'Company', observations: ['Makes anvils'] }],
  });

  const answer = await memory.call('create_node', {
    text: ' Acme ',
    node_type: 'Entity',
    metadata: { size: 3 },
  });

  expect(answer).toMatchObject({
    node: { id: 'ent_1', node_type: 'Entity', name: 'Acme', type: 'Company', metadata: {} },
    note: expect.stringContaining('was left as it is'),
  });
  expect(await memory.query('SELECT * FROM entity')).toHaveLength(1);
});

test('an expires_at that is given wins over ttl_days', async () => {
  await using memory = await openTestMemory();
  const expiresAt = Date.now() + 5 * DAY_MS;

  const { node } = await memory.call('create_node', {
    text: 'A short story',
    ttl_days: 1,
    expires_at: expiresAt,
  });

  expect(node).toMatchObject({ ttl_days: 1, expires_at: expiresAt });
});

test('arguments that are null are left out', async () => {
  await using memory = await openTestMemory();

  const { node } = await memory.call('create_node', {
    text: 'It rains',
    metadata: null,
    status: null,
    ttl_days: null,
    expires_at: null,
    semantic_threshold: null,
    links: null,
    owner_id: null,
  });

  expect(node).toMatchObject({ owner_id: 'default', status: 'active', expires_at: null });
});

test('an update changes what is given and keeps the rest', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The office is in Porto', { metadata: { a: 1 }, source: 'x' });

  const { node } = await memory.call('update_node', { node_id: id, text: 'It is in Lisbon' });
  const again = await memory.call('update_node', { node_id: id, metadata: { b: 2 } });

  expect(node).toMatchObject({ id, text: 'It is in Lisbon', metadata: { a: 1 }, source: 'x' });
  expect(again['node']).toMatchObject({ text: 'It is in Lisbon', metadata: { b: 2 } });
});

test('a new text is found at once by its words and soon by its meaning, and the old one no longer', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The cat sleeps on the sofa');
  await memory.call('search', { query: 'cat' });

  await memory.call('update_node', { node_id: id, text: 'The violin is out of tune' });

  expect(await foundTexts(memory, 'violin')).toEqual(['The violin is out of tune']);
  expect(await foundTexts(memory, 'cat')).toEqual(['The violin is out of tune']);
  await memory.embedAll();
  const { memories } = await memory.call('search_memories', { query: 'broken musical instrument' });
  expect(memories).toMatchObject([{ id }]);
});

test('an entity that is renamed keeps its id, its facts and its relations', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_triplet', { subject: 'Ada', predicate: 'knows', object_value: 'Bob' });
  await memory.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Likes engines'] }],
  });

  const { node } = await memory.call('update_node', {
    node_id: 'ent_1',
    text: 'Ada Lovelace',
    entity_type: 'Person',
  });

  expect(node).toMatchObject({ id: 'ent_1', text: 'Ada Lovelace', type: 'Person' });
  expect(await memory.call('open_nodes', { names: ['Ada Lovelace'] })).toMatchObject({
    entities: [{ entityType: 'Person', observations: ['Likes engines'] }],
    relations: [{ from: 'Ada Lovelace', to: 'Bob' }],
  });
  expect(await memory.call('list_entity_types')).toMatchObject({
    types: [
      { type: 'Entity', count: 1 },
      { type: 'Person', count: 1 },
    ],
  });
});

test('an observation that is updated keeps to the limits of observations', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Likes engines'] }],
  });

  const error = await memory.fail('update_node', { node_id: 'obs_2', text: 'x'.repeat(151) });
  const { node } = await memory.call('update_node', { node_id: 'obs_2', text: 'Likes numbers' });

  expect(error.message).toBe(
    'Observation too long (151 chars). Max 150. Split into multiple observations.',
  );
  expect(node).toMatchObject({ id: 'obs_2', entity_id: 'ent_1', text: 'Likes numbers' });
  expect(await memory.call('get_entity', { name: 'Ada' })).toMatchObject({
    observations: ['Likes numbers'],
  });
});

test('another text keeps the state before, versioning keeps it for the rest, and the newest comes first', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'First', { metadata: { n: 1 }, ttl_days: 3 });
  expect(await memory.call('get_node_change_history', { node_id: id })).toEqual({
    success: true,
    versions: [],
  });

  await memory.call('update_node', { node_id: id, text: 'Second', versioning: true });
  await memory.call('update_node', { node_id: id, text: 'Third' });
  await memory.call('update_node', { node_id: id, metadata: { n: 2 }, versioning: true });
  await memory.call('update_node', { node_id: id, metadata: { n: 3 } });
  await memory.evict();

  const { versions } = await memory.call('get_node_change_history', { node_id: id });
  expect(versions).toMatchObject([
    { id, text: 'Third', metadata: { n: 1 }, ttl_days: 3, replaced_at: expect.any(Number) },
    { id, text: 'Second', metadata: { n: 1 }, ttl_days: 3, replaced_at: expect.any(Number) },
    { id, text: 'First', metadata: { n: 1 }, ttl_days: 3, replaced_at: expect.any(Number) },
  ]);
});

test('every call that changes a text, a name, a status or an end keeps the state before', async () => {
  await using memory = await openTestMemory();
  const fact = await addFact(memory, 'The office is in Porto');
  const entity = await addEntity(memory, 'Acme');
  const statesOf = async (node_id: string) => {
    const { versions } = await memory.call('get_node_change_history', { node_id });
    return versions.map(({ text, name, status, expires_at }: any) => [
      text ?? name,
      status,
      expires_at,
    ]);
  };

  await memory.call('update_node', { node_id: fact, text: 'The office is in Lisbon' });
  await memory.call('mark_outdated', { fact_id: fact });
  await memory.call('update_node', { node_id: fact, expires_at: 1 });
  await memory.call('rename_entity', { entityName: 'Acme', newName: 'Acme Ltd' });
  await memory.call('update_node', { node_id: entity, status: 'archived' });
  await memory.call('create_entities', {
    entities: [{ name: 'Acme Ltd', entityType: 'Firm', observations: [] }],
  });

  expect(await statesOf(fact)).toEqual([
    ['The office is in Lisbon', 'outdated', null],
    ['The office is in Lisbon', 'active', null],
    ['The office is in Porto', 'active', null],
  ]);
  expect(await statesOf(entity)).toEqual([
    ['Acme Ltd', 'archived', null],
    ['Acme Ltd', 'active', null],
    ['Acme', 'active', null],
  ]);
});

test('states are kept up to a bound, the oldest goes first', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'Text 0');
  for (let index = 1; index <= 102; index += 1) {
    await memory.call('update_node', { node_id: id, text: `Text ${index}` });
  }

  const kept = await memory.query(
    "SELECT state ->> 'text' AS text FROM node_version ORDER BY version",
  );

  expect(kept).toHaveLength(100);
  expect([kept[0], kept.at(-1)]).toEqual([{ text: 'Text 2' }, { text: 'Text 101' }]);
});

test('the state that was kept last comes first, whatever the clocks of two calls said', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'One');
  for (const text of ['Two', 'Three']) {
    await memory.call('update_node', { node_id: id, text, versioning: true });
  }
  await memory.query('UPDATE node_version SET replaced_at = replaced_at + 60000 WHERE version = 1');

  const { versions } = await memory.call('get_node_change_history', { node_id: id });

  expect(versions.map(({ text }: any) => text)).toEqual(['Two', 'One']);
});

test('a history of long texts is cut, and says so', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'a'.repeat(10_000));
  for (const letter of ['b', 'c', 'd']) {
    const text = letter.repeat(10_000);
    await memory.call('update_node', { node_id: id, text, versioning: true });
  }

  const { versions, note } = await memory.call('get_node_change_history', { node_id: id });

  expect(versions.map(({ text }: any) => text[0])).toEqual(['c', 'b']);
  expect(note).toBe('There are older states than these.');
});

test('the name and type that an entity had are in its history', async () => {
  await using memory = await openTestMemory();
  const id = await addEntity(memory, 'Acme');

  await memory.call('update_node', {
    node_id: id,
    text: 'Acme Ltd',
    entity_type: 'Company',
    versioning: true,
  });

  const { versions } = await memory.call('get_node_change_history', { node_id: id });
  expect(versions).toMatchObject([{ name: 'Acme', type: 'Entity' }]);
});

test('earlier versions of an observation are its history', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Lives in Paris'] }],
  });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: 'obs_2',
    newContent: 'Lives in London',
  });

  const { versions } = await memory.call('get_node_change_history', { node_id: 'obs_3' });

  expect(versions).toMatchObject([{ id: 'obs_2', text: 'Lives in Paris', status: 'outdated' }]);
  const error = await memory.fail('update_node', { node_id: 'obs_2', text: 'Lives in Rome' });
  expect(error.message).toBe('obs_2 has been superseded; change obs_3 instead');
});

test('what is outdated leaves searches with its reason, and comes back when it is active again', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The office is in Porto', { metadata: { from: 'mail' } });

  const { node } = await memory.call('mark_outdated', { fact_id: id, reason: 'It moved' });

  expect(node).toMatchObject({
    status: 'outdated',
    metadata: { from: 'mail', outdated_reason: 'It moved' },
  });
  expect(await foundTexts(memory, 'office in Porto')).toEqual([]);

  await memory.call('update_node', { node_id: id, status: 'active' });

  expect(await foundTexts(memory, 'office in Porto')).toEqual(['The office is in Porto']);
});

test('an entity changes when a fact about it is marked as outdated', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Lives in Paris'] }],
  });
  await memory.query('UPDATE node SET updated_at = 1');

  const { node } = await memory.call('mark_outdated', { fact_id: 'obs_2' });

  const [entity] = await memory.query('SELECT updated_at FROM node WHERE id = 1');
  expect(entity).toEqual({ updated_at: node.updated_at });
});

test('an entity cannot be marked as outdated, for it is no fact', async () => {
  await using memory = await openTestMemory();
  const id = await addEntity(memory, 'Acme');

  expect(await memory.fail('mark_outdated', { fact_id: id })).toMatchObject({
    code: 'not_found',
    message: "No fact 'ent_1' in this memory.",
  });
});

test.each(['outdated', 'archived'])('a node may be %s from the beginning', async (status) => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The office is in Porto', { status });
  await addEntity(memory, 'Porto', { status });

  expect(await memory.call('get_node', { node_id: id })).toMatchObject({ node: { status } });
  expect(await foundTexts(memory, 'office in Porto')).toEqual([]);
  expect(await memory.call('read_graph')).toMatchObject({ entities: [], total: { entities: 0 } });
});

test('what has expired is archived at once, before any job runs', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The office is in Porto', { ttl_days: 1 });
  await expireUnseen(memory);

  expect(await memory.call('get_node', { node_id: id })).toMatchObject({
    node: { status: 'archived' },
  });
  expect(await memory.query('SELECT status FROM node')).toEqual([{ status: 'active' }]);
});

test('who creates what has expired already is told so', async () => {
  await using memory = await openTestMemory();
  const inSeconds = Math.floor(Date.now() / 1000) + 3_600;

  for (const node_type of ['Fact', 'Entity']) {
    const answer = await memory.call('create_node', {
      text: 'Porto',
      node_type,
      expires_at: inSeconds,
    });

    expect(answer['node'].status).toBe('archived');
    expect(answer['note']).toContain('It has expired already');
  }
});

test('a version that was superseded cannot be made active', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Lives in Paris'] }],
  });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: 'obs_2',
    newContent: 'Lives in London',
  });

  const error = await memory.fail('update_node', { node_id: 'obs_2', status: 'active' });

  expect(error.message).toBe('obs_2 has been superseded; change obs_3 instead');
});

test('an expired node comes back with a longer life, and not without one', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The office is in Porto', { expires_at: Date.now() - 1 });

  const error = await memory.fail('update_node', { node_id: id, status: 'active' });
  const { node } = await memory.call('update_node', { node_id: id, ttl_days: 2 });

  expect(error.message).toMatch(/^It expired at \d+; give a later expires_at, or ttl_days$/);
  expect(node).toMatchObject({ status: 'active', ttl_days: 2 });
  expect(node.expires_at).toBeGreaterThan(Date.now() + DAY_MS);
  expect(await foundTexts(memory, 'office in Porto')).toHaveLength(1);
});

/** Every read of every toolset, with what it says of the entity that has gone. */
const READS: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ['search', { query: 'Porto' }, { results: [{ name: 'Ada' }], facts: [], closeness: 'weak' }],
  ['search_memories', { query: 'office in Porto' }, { memories: [] }],
  ['recall', { query: 'office in Porto' }, { ids: [], closeness: 'none' }],
  ['search_nodes', { query: 'Porto' }, { entities: [{ name: 'Ada' }], relations: [] }],
  ['open_nodes', { names: ['Porto'] }, { entities: [], relations: [] }],
  ['read_graph', {}, { total: { entities: 1, observations: 0 }, relations: [] }],
  ['list_entities', {}, { total: 1 }],
  ['query_nodes', {}, { relations: [] }],
  ['search_relations', {}, { relations: [] }],
  ['search_triplets', {}, { triplets: [] }],
  ['get_neighbors', { name: 'Ada' }, { entities: [{ name: 'Ada' }], relations: [] }],
  ['extract_subgraph', { names: ['Ada'] }, { entities: [{ name: 'Ada' }], relations: [] }],
  ['describe_entity', { name: 'Ada' }, { relations: [], neighbors: [] }],
  ['find_relation_path', { from: 'Ada', to: 'Porto' }, { found: false }],
  ['batch_get_entities', { names: ['Porto'] }, { entities: [null] }],
  ['get_context', { node_id: 'ent_1' }, { nodes: [{ id: 'ent_1' }], edges: [] }],
  ['graph_stats', {}, { entities: 1, relations: 0 }],
  ['list_relation_types', {}, { types: [] }],
  ['list_entity_types', {}, { types: [{ type: 'Entity', count: 1 }] }],
];

/** Counts are kept by triggers, which nothing fires when time passes. */
const COUNTED = new Set([
  'read_graph',
  'list_entities',
  'graph_stats',
  'list_relation_types',
  'list_entity_types',
]);

async function makePorto(memory: TestMemory): Promise<void> {
  await memory.call('create_triplet', {
    subject: 'Ada',
    predicate: 'lives_in',
    object_value: 'Porto',
  });
  await memory.call('add_observations', {
    observations: [{ entityName: 'Porto', contents: ['Has an office of ours'] }],
  });
  const fact = await addFact(memory, 'The office is in Porto');
  await link(memory, 'ent_1', fact);
  for (const node_id of ['ent_2', 'obs_3', fact]) {
    await memory.call('update_node', { node_id, ttl_days: 100 });
  }
}

test.each(READS)('%s shows nothing that is archived', async (tool, input, expected) => {
  await using memory = await openTestMemory();
  await makePorto(memory);
  expect(await memory.call(tool, input)).not.toMatchObject(expected);

  for (const node_id of ['ent_2', 'obs_3', 'mem_4']) {
    await memory.call('update_node', { node_id, status: 'archived' });
  }

  expect(await memory.call(tool, input)).toMatchObject(expected);
});

test.each(READS.filter(([tool]) => !COUNTED.has(tool)))(
  '%s shows nothing that has expired, before any job runs',
  async (tool, input, expected) => {
    await using memory = await openTestMemory();
    await makePorto(memory);

    await expireUnseen(memory);

    expect(await memory.call(tool, input)).toMatchObject(expected);
    expect(await memory.query("SELECT id FROM node WHERE status <> 'active'")).toEqual([]);
  },
);

test('the facts about an entity go with it, and come back with it', async () => {
  await using memory = await openTestMemory();
  await makePorto(memory);

  await memory.call('update_node', { node_id: 'ent_2', status: 'archived' });

  expect(await foundTexts(memory, 'an office of ours')).toEqual(['The office is in Porto']);

  await memory.call('update_node', { node_id: 'ent_2', status: 'active' });

  expect(await foundTexts(memory, 'an office of ours')).toContain('Has an office of ours');
  expect(await memory.call('graph_stats')).toMatchObject({ entities: 2, relations: 1 });
});

test.each(['archived', 'expired'])(
  'the facts about an entity that is %s are in no search for outdated ones either',
  async (end) => {
    await using memory = await openTestMemory();
    await makePorto(memory);
    const fact = await addFact(memory, 'We have an office of ours in Porto');
    const search = async (input: object) => {
      const query = 'an office of ours';
      const { results } = await memory.call('search', { query, ...input });
      return results.map(({ id }: any) => id);
    };
    expect(await search({ include_outdated: true })).toContain('obs_3');

    await memory.call('mark_outdated', { fact_id: 'obs_3' });
    expect(await search({ status: 'outdated' })).toEqual(['obs_3']);
    const change = end === 'archived' ? { status: 'archived' } : { expires_at: 1 };
    await memory.call('update_node', { node_id: 'ent_2', ...change });

    expect(await search({ status: 'outdated' })).toEqual([]);
    expect(await search({ include_outdated: true })).not.toContain('obs_3');
    await memory.call('update_node', { node_id: 'obs_3', status: 'active' });
    expect(await search({ include_outdated: true })).not.toContain('obs_3');
    const { results } = await memory.call('find_similar', { fact_id: fact, threshold: 0 });
    expect(results.map(({ id }: any) => id)).toEqual(['mem_4']);
  },
);

test('the facts about an entity that is outdated are found with it', async () => {
  await using memory = await openTestMemory();
  await makePorto(memory);

  await memory.call('update_node', { node_id: 'ent_2', status: 'outdated' });

  const input = { query: 'an office of ours', include_outdated: true };
  const { results } = await memory.call('search', input);
  expect(results.map(({ id }: any) => id)).toContain('obs_3');
});

test('counts that are kept as nodes come and go are those that compact would count', async () => {
  await using memory = await openTestMemory();
  await makePorto(memory);
  for (const [node_id, status] of [
    ['ent_2', 'archived'],
    ['obs_3', 'outdated'],
    ['ent_1', 'outdated'],
    ['obs_3', 'active'],
    ['ent_2', 'active'],
  ]) {
    await memory.call('update_node', { node_id, status });

    expect(await memory.call('compact')).toMatchObject({
      mendedCounts: 0,
      mendedTexts: 0,
      removedVectors: 0,
    });
  }
});

test('observations that are outdated do not take the place of those that are not', async () => {
  await using memory = await openTestMemory();
  const contents = Array.from({ length: 60 }, (_, index) => `Fact number ${index}`);
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: contents }],
  });
  for (let id = 2; id < 52; id += 1) {
    await memory.call('mark_outdated', { fact_id: `obs_${id}` });
  }

  const { entities } = await memory.call('open_nodes', { names: ['Ada'] });

  expect(entities[0].observations).toEqual(contents.slice(50));
  expect(entities[0].moreObservations).toBeUndefined();
});

test.each([
  ['save_memory', (name: string) => ({ entities: [hub(name), entity(name)] })],
  [
    'create_entities',
    (name: string) => ({
      entities: [{ name, entityType: 'Thing', observations: ['Ada is worth remembering'] }],
    }),
  ],
  ['create_node', (name: string) => ({ text: name, node_type: 'Entity' })],
  [
    'create_triplet',
    (name: string) => ({ subject: name, predicate: 'knows', object_value: 'Hub' }),
  ],
])('%s brings an archived entity back with what was known of it', async (tool, inputFor) => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Ada is worth remembering'] }],
  });
  await memory.call('update_node', { node_id: 'ent_1', status: 'archived' });

  await memory.call(tool, inputFor('Ada'));

  await memory.embedAll();
  expect(await memory.query('SELECT node_id FROM vector WHERE node_id = 1')).toHaveLength(1);
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  expect(entities).toMatchObject([{ id: 'ent_1' }]);
  expect(entities[0].observations.map(({ content }: any) => content)).toEqual([
    'Ada is worth remembering',
  ]);
});

test('a name that an archived entity has cannot be given to another', async () => {
  await using memory = await openTestMemory();
  const [old, other] = [await addEntity(memory, 'Acme'), await addEntity(memory, 'Acme Ltd')];
  await memory.call('update_node', { node_id: old, status: 'archived' });

  const error = await memory.fail('update_node', { node_id: other, text: 'Acme' });

  expect(error.message).toBe("The name 'Acme' belongs to ent_1");
});

test('a deleted fact is gone with its links and versions', async () => {
  await using memory = await openTestMemory();
  const [one, two] = [await addFact(memory, 'One'), await addFact(memory, 'Two')];
  await link(memory, one, two);
  await memory.call('update_node', { node_id: one, text: 'The first', versioning: true });

  expect(await memory.call('delete_node', { node_id: one })).toEqual({ success: true });

  expect(await memory.fail('get_node', { node_id: one })).toMatchObject({ code: 'not_found' });
  expect(await memory.query('SELECT * FROM edge')).toEqual([]);
  expect(await memory.query('SELECT * FROM node_version')).toEqual([]);
});

test('an observation is deleted with its versions, whatever their status', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Lives in Paris'] }],
  });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: 'obs_2',
    newContent: 'Lives in London',
  });
  await memory.call('update_node', { node_id: 'obs_2', status: 'archived' });
  await memory.call('mark_outdated', { fact_id: 'obs_3' });

  await memory.call('delete_node', { node_id: 'obs_3' });

  expect(await memory.query('SELECT * FROM fact')).toEqual([]);
  expect(await memory.call('get_entity', { name: 'Ada' })).toMatchObject({ observations: [] });
});

test('a deleted entity goes with its facts, relations and versions', async () => {
  await using memory = await openTestMemory();
  await makePorto(memory);
  await memory.call('update_node', { node_id: 'ent_2', text: 'Oporto', versioning: true });

  await memory.call('delete_node', { node_id: 'ent_2' });

  expect(await memory.query('SELECT node_id FROM fact')).toEqual([{ node_id: 4 }]);
  expect(await memory.call('graph_stats')).toMatchObject({ entities: 1, relations: 0 });
});

test.each(['get_node', 'update_node', 'delete_node', 'get_node_change_history', 'get_context'])(
  '%s knows no node of an id that names none',
  async (tool) => {
    await using memory = await openTestMemory();
    await addFact(memory, 'It rains');

    for (const node_id of ['', 'mem_2', 'ent_1', 'obs_1', 'turn_1', '1', 'mem_01', "mem_1' --"]) {
      const error = await memory.fail(tool, { node_id, status: 'active' });
      expect(error).toMatchObject({
        code: 'not_found',
        message: `No node '${node_id}' in this memory.`,
      });
    }
  },
);

/** Lets what has an end come to it without a call, which would set the alarm. */
async function expireUnseen(memory: TestMemory): Promise<void> {
  // Nor may the alarm find it that tells the directory of the thread.
  await memory.register();
  await memory.query('UPDATE node SET expires_at = 1 WHERE expires_at IS NOT NULL');
}

async function foundTexts(memory: TestMemory, query: string): Promise<string[]> {
  const { memories } = await memory.call('search_memories', { query, limit: 20 });
  return memories.map(({ content }: { content: string }) => content);
}
