import { expect, test } from 'vitest';
import { findTool, TOOLSETS } from '#tools/catalog.ts';
import { openTestMemory } from '#test/memory.ts';
import { observationsOf, person, relation } from '#test/graph.ts';

test('a tool of core and of graph is the same tool', () => {
  const [core, graph] = ['core', 'graph'].map((name) => TOOLSETS.find((one) => one.name === name));
  const shared = graph?.tools.filter(({ name }) => core?.tools.some((tool) => tool.name === name));

  expect(shared?.map(({ name }) => name)).toEqual([
    'add_observations',
    'delete_entities',
    'delete_observations',
    'delete_relations',
    'merge_entities',
    'read_graph',
    'search_nodes',
    'open_nodes',
  ]);
  expect(shared?.filter((tool) => !core?.tools.includes(tool))).toEqual([]);
});

test.each(['create_entities', 'create_relations'])('%s points to save_memory', (name) => {
  expect(findTool(name)?.description).toMatch(/Prefer save_memory/);
});

test('names that exist are skipped with their facts, and only new entities are returned', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice', 'likes coffee')] });

  const answer = await memory.call('create_entities', {
    entities: [person('Alice', 'hates coffee'), person('Bob', 'drinks matcha')],
  });

  expect(answer).toEqual({ entities: [person('Bob', 'drinks matcha')], skipped: ['Alice'] });
  expect(await observationsOf(memory, 'Alice')).toEqual(['likes coffee']);
});

test('a name that stands twice in a batch is created once, as it stood first', async () => {
  await using memory = await openTestMemory();

  const answer = await memory.call('create_entities', {
    entities: [
      person('Alice', 'likes coffee', 'likes coffee'),
      person('Alice', 'hates coffee'),
      person(' Alice '),
    ],
  });

  expect(answer).toEqual({
    entities: [person('Alice', 'likes coffee')],
    skipped: ['Alice', 'Alice'],
  });
});

test('types are stored as given, and observations may be left out', async () => {
  await using memory = await openTestMemory();

  await memory.call('create_entities', {
    entities: [{ name: 'X', entityType: 'code artifact' }],
  });

  expect(await memory.call('get_entity', { name: 'X' })).toEqual({
    name: 'X',
    entityType: 'code artifact',
    observations: [],
  });
});

test.each(['create_entities', 'upsert_entities'])(
  'a batch of %s with bad items changes nothing and names each of them',
  async (tool) => {
    await using memory = await openTestMemory();

    const error = await memory.fail(tool, {
      entities: [
        person('Alice', 'likes coffee'),
        { name: '', entityType: 'person' },
        { name: 'Bob', observations: ['ok', 'One fact. Two facts. Three facts.'] },
        'Charlie',
        { name: 'x'.repeat(101), entityType: 'y'.repeat(51), observations: 7 },
        { name: 'Dora', entityType: 'person', observations: Array(101).fill('likes tea') },
      ],
    });

    expect(error.code).toBe('invalid_input');
    expect(error.faults?.map(({ path, problem }) => `${path}: ${problem}`)).toEqual([
      'entities[1].name: Empty.',
      'entities[2].entityType: Missing.',
      'entities[2].observations[0]: Observation too short (2 chars). Min 5.',
      'entities[2].observations[1]: Too many sentences (3). Max 2. One fact per observation.',
      'entities[3]: Expected an object, got text.',
      'entities[4].name: Too long (101 chars). Max 100 chars.',
      'entities[4].entityType: Too long (51 chars). Max 50 chars.',
      'entities[4].observations: Expected a list, got a number.',
      'entities[5].observations: List of 101 items.',
    ]);
    expect(error.faults?.every(({ suggestion }) => suggestion !== undefined)).toBe(true);
    expect(await memory.call('graph_stats')).toMatchObject({ entities: 0, totalObservations: 0 });
  },
);

test('an upsert creates what is new, adds what is lacking and keeps the type', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice', 'likes coffee')] });

  const { results } = await memory.call('upsert_entities', {
    entities: [
      { name: 'Alice', entityType: 'robot', observations: ['likes coffee', 'plays chess'] },
      person('Bob', 'drinks matcha'),
      person('Bob', 'drinks matcha', 'runs marathons'),
    ],
  });

  expect(results).toEqual([
    { name: 'Alice', created: false, addedObservations: ['plays chess'] },
    { name: 'Bob', created: true, addedObservations: ['drinks matcha'] },
    { name: 'Bob', created: false, addedObservations: ['runs marathons'] },
  ]);
  expect(await memory.call('get_entity', { name: 'Alice' })).toEqual(
    person('Alice', 'likes coffee', 'plays chess'),
  );
});

test('an upsert that is repeated changes nothing', async () => {
  await using memory = await openTestMemory();
  const input = { entities: [person('Alice', 'likes coffee')] };
  await memory.call('upsert_entities', input);
  const before = await memory.query('SELECT * FROM revision');

  const { results } = await memory.call('upsert_entities', input);

  expect(results).toEqual([{ name: 'Alice', created: false, addedObservations: [] }]);
  expect(await memory.query('SELECT * FROM revision')).toEqual(before);
});

test('what is created is found by meaning soon after', async () => {
  await using memory = await openTestMemory();

  await memory.call('create_entities', { entities: [person('Alice', 'owns a small dog')] });
  await memory.call('upsert_entities', { entities: [person('Alice', 'drives an old car')] });

  await memory.embedAll();
  expect(await memory.query('SELECT count(*) AS n FROM vector')).toEqual([{ n: 3 }]);
  const { entities } = await memory.call('search_nodes', { query: 'Who has a pet?' });
  expect(entities).toMatchObject([{ name: 'Alice' }]);
});

test('relations that exist or stand twice are skipped, and only new ones are returned', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice'), person('Bob')] });
  await memory.call('create_relations', { relations: [relation('Alice', 'knows', 'Bob')] });

  const answer = await memory.call('create_relations', {
    relations: [
      relation('Alice', 'knows', 'Bob'),
      relation('Bob', 'knows', 'Alice'),
      relation('Bob', ' knows ', 'Alice'),
      relation('Alice', 'trusts', 'Bob'),
      relation('Alice', 'trusts', 'Alice'),
    ],
  });

  expect(answer).toEqual({
    relations: [
      relation('Bob', 'knows', 'Alice'),
      relation('Alice', 'trusts', 'Bob'),
      relation('Alice', 'trusts', 'Alice'),
    ],
    skipped: [relation('Alice', 'knows', 'Bob'), relation('Bob', 'knows', 'Alice')],
  });
});

test('a batch of relations with an unknown end changes nothing and names each of them', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice'), person('Bob')] });

  const error = await memory.fail('create_relations', {
    relations: [
      relation('Alice', 'knows', 'Bob'),
      relation('Alicia', 'knows', 'Bob'),
      relation('Alice', '', 'bob'),
    ],
  });

  expect(error.faults).toEqual([
    {
      path: 'relations[1].from',
      problem: "No entity named 'Alicia' in this thread.",
      suggestion: "Closest names: 'Alice'. Use search_nodes to look further.",
    },
    {
      path: 'relations[2].relationType',
      problem: 'Empty.',
      suggestion: "Give a type of 1-50 chars, such as 'works at'.",
    },
    {
      path: 'relations[2].to',
      problem: "No entity named 'bob' in this thread.",
      suggestion: "Closest names: 'Bob'. Use search_nodes to look further.",
    },
  ]);
  expect(await memory.call('graph_stats')).toMatchObject({ relations: 0 });
});

test('deleting an entity takes its facts and its relations in both directions along', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Alice', 'likes coffee'), person('Bob'), person('Charlie')],
  });
  await memory.call('create_relations', {
    relations: [
      relation('Alice', 'knows', 'Bob'),
      relation('Charlie', 'knows', 'Alice'),
      relation('Bob', 'knows', 'Charlie'),
    ],
  });

  await memory.call('delete_entities', { entityNames: ['Alice'] });

  expect(await memory.call('search_relations')).toEqual({
    relations: [relation('Bob', 'knows', 'Charlie')],
    nextCursor: null,
  });
  expect(await memory.query('SELECT * FROM fact')).toEqual([]);
});
