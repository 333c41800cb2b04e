import { expect, test } from 'vitest';
import { cluster, entity, hub } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { ALL_WAIT } from '#test/waiting.ts';

const NOTES = [
  'User is vegetarian and avoids mushrooms',
  'The API gateway rejects requests larger than 6 MB',
  'Deploys to production happen on Tuesdays and Thursdays only',
  "Tom's daughter Mia starts kindergarten in September",
];

test('a paraphrase that shares no word is found first, with its similarity', async () => {
  await using memory = await openTestMemory();
  await remember(memory, ...NOTES);

  const { success, results, facts, entities } = await memory.call('search', {
    query: 'dietary restrictions',
  });

  expect(success).toBe(true);
  expect(results[0]).toMatchObject({
    id: 'mem_1',
    node_type: 'Fact',
    text: NOTES[0],
    status: 'active',
    owner_id: 'default',
  });
  expect(results[0].similarity).toBeGreaterThan(0.3);
  expect(results[0].similarity).toBeLessThan(1);
  expect(facts).toEqual(results);
  expect(results).toHaveLength(NOTES.length);
  expect(entities).toEqual([]);
});

test('what has nothing to do with the question comes after what has', async () => {
  await using memory = await openTestMemory();
  await remember(memory, ...NOTES);

  const texts = await textsOf(memory, { query: 'dietary restrictions' });
  expect(texts[0]).toBe(NOTES[0]);
  expect(texts.toSorted()).toEqual(NOTES.toSorted());
});

test('a fact in its own words is nearly as similar as can be, and a name is', async () => {
  await using memory = await openTestMemory();
  await remember(memory, ...NOTES);
  await memory.call('save_memory', { entities: cluster('Ada Lovelace') });

  const fact = await memory.call('search', { query: NOTES[1] ?? '' });
  const name = await memory.call('search', { query: 'ada lovelace' });

  expect(fact['results'][0]).toMatchObject({ text: NOTES[1] });
  expect(fact['results'][0].similarity).toBeGreaterThan(0.85);
  expect(name['results'][0]).toMatchObject({
    node_type: 'Entity',
    name: 'Ada Lovelace',
    type: 'Thing',
    similarity: 1,
  });
});

test('similarity_threshold cuts what is less similar, whatever its rank', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User moved to Austin', 'User likes Austin', 'User is vegetarian');
  const { results } = await memory.call('search', { query: 'User moved to Austin' });
  const [best, second] = results.map(({ similarity }: any) => similarity);

  const cut = await textsOf(memory, {
    query: 'User moved to Austin',
    similarity_threshold: (best + second) / 2,
  });

  expect(results.length).toBeGreaterThan(1);
  expect(cut).toEqual(['User moved to Austin']);
  expect(await textsOf(memory, { query: 'User moved to Austin', similarity_threshold: 1 })).toEqual(
    [],
  );
});

test('what the threshold cuts takes no place of the limit', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'The menu card lists restrictions on parking', NOTES[0] ?? '');
  const query = 'dietary restrictions';
  expect((await textsOf(memory, { query }))[0]).toContain('parking');

  expect(await textsOf(memory, { query, limit: 1, similarity_threshold: 0.3 })).toEqual([NOTES[0]]);
});

test('node_types keeps to facts or to entities, and both are sorted into lists', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [hub('Violin'), entity('Violin', { observations: ['The violin is from 1890'] })],
  });
  const idsOf = async (input: object) =>
    (await memory.call('search', { query: 'violin', ...input }))['results'].map(
      ({ id }: any) => id,
    );

  const { results, facts, entities } = await memory.call('search', { query: 'violin' });

  expect(entities.map(({ name }: any) => name)).toEqual(['Violin', 'Hub']);
  expect(facts[0]).toMatchObject({ text: 'The violin is from 1890' });
  expect(facts[0].entity_id).toBe(entities[0].id);
  expect(new Set(results)).toEqual(new Set([...facts, ...entities]));
  expect(await idsOf({ node_types: ['Fact'] })).toEqual(facts.map(({ id }: any) => id));
  expect(await idsOf({ node_types: ['Entity'] })).toEqual(entities.map(({ id }: any) => id));
});

test('limit is 10 unless another is given', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 14; index += 1) await remember(memory, `Release ${index} of the app`);

  expect(await textsOf(memory, { query: 'release app' })).toHaveLength(10);
  expect(await textsOf(memory, { query: 'release app', limit: 3 })).toHaveLength(3);
  expect(await textsOf(memory, { query: 'release app', limit: 14 })).toHaveLength(14);
  expect(await textsOf(memory, { query: 'release app', limit: 0 })).toHaveLength(1);
});

test('outdated facts are found on demand alone, also after an eviction', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User lives in Seattle', 'User lives in Austin now', 'Tea is green');
  const query = 'Where does the user live?';
  expect(await textsOf(memory, { query })).toHaveLength(3);
  expect(await textsOf(memory, { query, status: 'outdated' })).toEqual([]);
  await memory.call('mark_outdated', { fact_id: 'mem_1' });

  const answers = async () => ({
    byDefault: await textsOf(memory, { query }),
    included: new Set(await textsOf(memory, { query, include_outdated: true })),
    outdated: await textsOf(memory, { query, status: 'outdated' }),
    active: await textsOf(memory, { query, status: 'active' }),
    byMeaning: await textsOf(memory, { query: 'home of this person', status: 'outdated' }),
    similar: (await memory.call('find_similar', { fact_id: 'mem_2', threshold: 0.3 }))['results'],
    memories: (await memory.call('search_memories', { query }))['memories'].length,
  });
  const expected = {
    byDefault: ['User lives in Austin now', 'Tea is green'],
    included: new Set(['User lives in Austin now', 'User lives in Seattle', 'Tea is green']),
    outdated: ['User lives in Seattle'],
    active: ['User lives in Austin now', 'Tea is green'],
    byMeaning: ['User lives in Seattle'],
    similar: [],
    memories: 2,
  };

  expect(await answers()).toEqual(expected);
  await memory.evict();
  expect(await answers()).toEqual(expected);
  await memory.call('update_node', { node_id: 'mem_1', status: 'active' });
  expect(await textsOf(memory, { query })).toHaveLength(3);
  expect(await textsOf(memory, { query, status: 'outdated' })).toEqual([]);
});

test('an active entity of exactly that name is not among what is outdated', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  expect(await textsOf(memory, { query: 'Ada', status: 'outdated' })).toEqual([]);
  expect(await textsOf(memory, { query: 'Ada', include_outdated: true })).toContain('Ada');
});

test('a fact in a script that the model never learnt is as similar as its characters', async () => {
  await using memory = await openTestMemory();
  await remember(memory, '東京タワーは赤い', 'Tea is green');

  const { results } = await memory.call('search', { query: '東京タワー' });

  expect(results[0]).toMatchObject({ text: '東京タワーは赤い' });
  expect(results[0].similarity).toBeGreaterThan(0.5);
});

test('many outdated facts do not hide the one that is active', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Where is her house on the hill', 'Her home is a boat');
  await copyFact(memory, 1, 300);
  await memory.query("UPDATE node SET status = 'outdated' WHERE id <> 2");
  await memory.evict();

  const { results } = await memory.call('search', { query: 'where is her house' });

  expect(results.map(({ text }: any) => text)).toEqual(['Her home is a boat']);
});

test('archived and expired facts are in no search, and the answer says so', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge', 'Tea is in the cupboard');
  await memory.call('update_node', { node_id: 'mem_1', status: 'archived' });
  await memory.query('UPDATE node SET expires_at = 1 WHERE id = 2');
  await remember(memory, 'Wine is in the cellar');

  const found = await memory.call('search', {
    query: 'milk tea fridge cupboard',
    include_outdated: true,
    status: 'archived',
  });

  expect(await textsOf(memory, { query: 'milk' })).toEqual(['Wine is in the cellar']);
  expect(await textsOf(memory, { query: 'tea cupboard', include_outdated: true })).toEqual([
    'Wine is in the cellar',
  ]);
  expect(found['results']).toEqual([]);
  expect(found['note']).toContain('get_node');
});

test('long facts are shown as far as there is room, and the answer says how many are left', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 5; index += 1) {
    await remember(memory, `Chapter ${index}: ${'the ship sailed on and on. '.repeat(200)}`);
  }

  const { results, note } = await memory.call('search', { query: 'ship', limit: 5 });

  expect(results).toHaveLength(2);
  expect(note).toContain('3 more nodes');
});

test.each([
  [{}, 'query'],
  [{ query: '' }, 'query'],
  [{ query: 'x', similarity_threshold: 2 }, 'similarity_threshold'],
  [{ query: 'x', node_types: ['Edge'] }, 'node_types'],
  [{ query: 'x', status: 'lost' }, 'status'],
])('search refuses %j and names %s', async (input, field) => {
  await using memory = await openTestMemory();

  const error = await memory.fail('search', input);

  expect(error.code).toBe('invalid_input');
  expect(JSON.stringify(error)).toContain(field);
});

test('similar facts come with their edges, most similar first', async () => {
  await using memory = await openTestMemory();
  await remember(
    memory,
    'User lives in Seattle',
    'User lives in Austin now',
    'User lives in Seattle, Washington',
    'The build takes twenty minutes',
  );
  await memory.query(
    "INSERT INTO edge (from_id, to_id, type, created_at) VALUES (3, 4, 'RELATED_TO', 1), (1, 3, 'CONTRADICTS', 1), (3, 2, 'RELATED_TO', 1)",
  );

  const { results } = await memory.call('find_similar', { fact_id: 'mem_1' });
  const bare = await memory.call('find_similar', { fact_id: 'mem_1', include_relations: false });
  const strict = await memory.call('find_similar', { fact_id: 'mem_1', threshold: 0.999 });
  const one = await memory.call('find_similar', { fact_id: 'mem_1', limit: 1 });

  expect(results.map(({ id }: any) => id)).toEqual(['mem_3', 'mem_2']);
  expect(results[0].similarity).toBeGreaterThan(results[1].similarity);
  expect(results[1].similarity).toBeGreaterThanOrEqual(0.55);
  const between = { from_id: 'mem_3', to_id: 'mem_2', relation_type: 'RELATED_TO', metadata: {} };
  expect(results[0].relations).toHaveLength(3);
  expect(results[0].relations).toEqual(
    expect.arrayContaining([
      { from_id: 'mem_3', to_id: 'mem_4', relation_type: 'RELATED_TO', metadata: {} },
      { from_id: 'mem_1', to_id: 'mem_3', relation_type: 'CONTRADICTS', metadata: {} },
      between,
    ]),
  );
  expect(results[1].relations).toEqual([between]);
  expect(bare['results'][0]).not.toHaveProperty('relations');
  expect(strict['results']).toEqual([]);
  expect(one['results']).toHaveLength(1);
});

test('relations with much metadata are left out of find_similar and said to be', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_node', { text: 'User lives in Seattle' });
  await memory.call('create_node', { text: 'User lives in Austin now' });
  for (const to_id of ['mem_1', 'mem_2']) {
    await memory.call('create_relation', {
      from_id: 'mem_2',
      to_id,
      relation_type: 'CONTRADICTS',
      properties: { text: 'x'.repeat(8_000) },
    });
  }

  const { results, note } = await memory.call('find_similar', { fact_id: 'mem_1' });

  expect(results).toHaveLength(1);
  expect(results[0].relations).toHaveLength(1);
  expect(note).toBe('Not all relations are shown; get_context shows those around a fact.');
});

test('find_similar compares facts alone: no entity, and nothing that is no fact', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [hub('Seattle'), entity('Seattle', { observations: ['Seattle is rainy'] })],
  });
  const { created } = await memory.call('store_memory', { content: 'Seattle' });
  await memory.embedAll();

  const { results } = await memory.call('find_similar', { fact_id: created.id, threshold: 0 });

  expect(results.length).toBeGreaterThan(0);
  expect(results.every(({ node_type }: any) => node_type === 'Fact')).toBe(true);
  expect(await memory.fail('find_similar', { fact_id: 'ent_1' })).toMatchObject({
    code: 'not_found',
  });
  expect(await memory.fail('find_similar', { fact_id: 'mem_99' })).toMatchObject({
    code: 'not_found',
  });
});

test('the same said twice is as similar as can be, within the rounding of vectors', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User lives in Seattle', 'User lives in Seattle');

  const { results } = await memory.call('find_similar', { fact_id: 'mem_1', threshold: 0.99 });

  expect(results).toEqual([expect.objectContaining({ id: 'mem_2' })]);
  expect(results[0].similarity).toBeLessThanOrEqual(1);
});

test('a fact that waits for its vector has nothing similar yet, and the answer says so', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User lives in Seattle', 'User lives in Austin now');
  await memory.query('DELETE FROM vector WHERE node_id = 1');
  await memory.query(ALL_WAIT);

  const waiting = await memory.call('find_similar', { fact_id: 'mem_1' });

  expect(waiting).toMatchObject({ results: [], note: expect.stringContaining('no vector') });
});

async function remember(memory: TestMemory, ...contents: string[]): Promise<void> {
  for (const content of contents) await memory.call('store_memory', { content });
}

async function textsOf(memory: TestMemory, input: Record<string, unknown>): Promise<string[]> {
  const { results } = await memory.call('search', input);
  return results.map(({ text }: any) => text);
}

/** With its text and its vector, past the embedder. */
async function copyFact(memory: TestMemory, nodeId: number, copies: number): Promise<void> {
  await memory.query(
    `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${copies})
     INSERT INTO node (kind, created_at, updated_at) SELECT 'fact', 1, 1 FROM number`,
  );
  await memory.query(
    `INSERT INTO vector (node_id, model, scale, vector)
     SELECT node.id, model, scale, vector FROM node JOIN vector ON vector.node_id = ?
     WHERE node.id NOT IN (SELECT node_id FROM fact)`,
    nodeId,
  );
  await memory.query(
    `INSERT INTO fact (node_id, content, content_hash, is_atomic)
     SELECT node.id, content, content_hash, is_atomic FROM node JOIN fact ON fact.node_id = ?
     WHERE node.id NOT IN (SELECT node_id FROM fact)`,
    nodeId,
  );
}
