import { expect, test } from 'vitest';
import { numbered, person, relate, relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('entities come in the order asked for, and missing ones as null or not at all', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Alice', 'likes coffee'), person('Bob', 'drinks matcha')],
  });
  const names = ['Bob', 'Ghost', 'alice', 'Bob'];

  expect(await memory.call('batch_get_entities', { names })).toEqual({
    entities: [
      person('Bob', 'drinks matcha'),
      null,
      person('Alice', 'likes coffee'),
      person('Bob', 'drinks matcha'),
    ],
  });
  expect(await memory.call('batch_get_entities', { names: [] })).toEqual({ entities: [] });
  const opened = await memory.call('open_nodes', { names });
  expect(opened['entities'].map((e: any) => e.name)).toEqual(['Bob', 'Alice']);
  expect(opened['missing']).toEqual(['Ghost']);
});

test.each(['get_entity', 'describe_entity'])(
  '%s names close names of a missing one',
  async (tool) => {
    await using memory = await openTestMemory();
    await memory.call('create_entities', { entities: [person('Alice')] });

    expect(await memory.fail(tool, { name: 'Alicia' })).toMatchObject({
      code: 'not_found',
      message: "No entity named 'Alicia' in this thread.",
      hint: "Closest names: 'Alice'. Use search_nodes to look further.",
    });
  },
);

test('a description counts every relation and names every neighbour once', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    relation('Alice', 'knows', 'Bob'),
    relation('Alice', 'likes', 'Bob'),
    relation('Bob', 'knows', 'Alice'),
    relation('Charlie', 'knows', 'Alice'),
    relation('Alice', 'likes', 'Alice'),
    relation('Bob', 'knows', 'Charlie'),
  ]);

  const described = await memory.call('describe_entity', { name: 'Alice' });

  expect(described).toMatchObject({ degree: 5, neighbors: ['Bob', 'Charlie'] });
  expect(described['relations']).toHaveLength(5);
  expect(described['relations'][0]).toMatchObject({
    importance: 0.7,
    createdAt: expect.stringMatching(/^20/),
  });
  expect(described['note']).toBeUndefined();
});

test('the facts of one entity are shown as far as they fit, and the rest is counted', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice')] });
  for (const start of [0, 100, 200]) {
    const contents = Array.from({ length: 100 }, (_, index) =>
      `Fact ${start + index} is ${'long '.repeat(30)}`.slice(0, 140).trim(),
    );
    await memory.call('add_observations', { observations: [{ entityName: 'Alice', contents }] });
  }

  for (const [tool, read] of [
    ['get_entity', (answer: any) => answer],
    ['describe_entity', (answer: any) => answer.entity],
  ] as const) {
    const answer = await memory.call(tool, { name: 'Alice' });
    const { observations, moreObservations } = read(answer);
    expect(observations.length).toBeGreaterThan(10);
    expect(observations.length + moreObservations).toBe(300);
    expect(answer['note']).toBe(
      `Only the first ${observations.length} of 300 facts are shown; search_nodes finds the others.`,
    );
    expect(JSON.stringify(answer).length / 4).toBeLessThan(10_000);
  }
});

test('relations are found by their ends and type, and an empty field matches all', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    relation('Alice', 'knows', 'Bob'),
    relation('Alice', 'likes', 'Bob'),
    relation('Bob', 'knows', 'Charlie'),
  ]);
  const search = async (input: object) => {
    const { relations } = await memory.call('search_relations', { ...input });
    return relations.map((r: any) => `${r.from} ${r.relationType} ${r.to}`);
  };

  expect(await search({ from: 'Alice', relationType: 'knows' })).toEqual(['Alice knows Bob']);
  expect(await search({ to: 'bob' })).toEqual(['Alice knows Bob', 'Alice likes Bob']);
  expect(await search({ from: 'Alice', to: 'Bob' })).toEqual([
    'Alice knows Bob',
    'Alice likes Bob',
  ]);
  expect(await search({ from: '', to: '', relationType: ' knows ' })).toEqual([
    'Alice knows Bob',
    'Bob knows Charlie',
  ]);
  expect(await search({})).toHaveLength(3);
  expect(await search({ from: 'Bob', to: 'Alice' })).toEqual([]);
  expect(await memory.call('search_relations', { from: 'Ghost' })).toEqual({
    relations: [],
    nextCursor: null,
    note: "Not in this thread: 'Ghost'.",
  });
});

test.each([
  [{}],
  [{ from: 'A' }],
  [{ to: 'B' }],
  [{ from: 'A', to: 'B' }],
  [{ relationType: 'é' }],
])('pages of the relations %j give each of them once', async (filter) => {
  await using memory = await openTestMemory();
  const names = ['A', 'B', 'C', 'D'];
  await relate(
    memory,
    names.flatMap((from) =>
      names.flatMap((to) => ['é', 'knows', '知'].map((type) => relation(from, type, to))),
    ),
  );
  const whole = await memory.call('search_relations', filter);

  for (const limit of [1, 2, 5]) {
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = await memory.call('search_relations', { ...filter, limit, cursor });
      pages.push(...page['relations']);
      cursor = page['nextCursor'] ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual(whole['relations']);
  }
});

test('a cursor of another kind is refused', async () => {
  await using memory = await openTestMemory();

  for (const cursor of ['YWZ0ZXI6MQ', 'nonsense!', btoa('edge:1:2:%E0%A4%A')]) {
    expect(await memory.fail('search_relations', { cursor })).toMatchObject({
      code: 'invalid_input',
      hint: expect.stringMatching(/nextCursor/),
    });
  }
});

test('types are listed with their counts, most frequent first, ties by name', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [
      person('Alice'),
      person('Bob'),
      { name: 'Acme', entityType: 'company' },
      { name: 'Rome', entityType: 'City' },
    ],
  });
  await memory.call('create_relations', {
    relations: [
      relation('Alice', 'works_at', 'Acme'),
      relation('Bob', 'works_at', 'Acme'),
      relation('Alice', 'knows', 'Bob'),
    ],
  });

  expect(await memory.call('list_entity_types')).toEqual({
    types: [
      { type: 'person', count: 2 },
      { type: 'City', count: 1 },
      { type: 'company', count: 1 },
    ],
  });
  expect(await memory.call('list_relation_types')).toEqual({
    types: [
      { type: 'works_at', count: 2 },
      { type: 'knows', count: 1 },
    ],
  });
  await memory.call('delete_entities', { entityNames: ['Alice'] });
  expect(await memory.call('list_relation_types')).toEqual({
    types: [{ type: 'works_at', count: 1 }],
  });
});

test('the statistics count what is there, and types in bytes', async () => {
  await using memory = await openTestMemory();
  const empty = await memory.call('graph_stats');
  await memory.call('create_entities', {
    entities: [person('Alice', 'likes coffee', 'likes tea'), { name: 'B', entityType: 'é' }],
  });
  await memory.call('create_relations', { relations: [relation('Alice', 'knows', 'B')] });

  expect(empty).toMatchObject({ entities: 0, internedStrings: 0, internedBytes: 0 });
  expect(await memory.call('graph_stats')).toEqual({
    entities: 2,
    relations: 1,
    totalObservations: 2,
    searchIndexEntries: 4,
    internedStrings: 3,
    internedBytes: 13,
    quality: {
      saves_accepted: 0,
      saves_rejected: 0,
      save_error_rate: null,
      relation_coverage: 1,
      observation_atomicity: 1,
      relations_per_entity: 0.5,
    },
  });
});

test('the rows that a call reads do not grow with the graph', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice', 'likes coffee')] });
  await relate(memory, [relation('Alice', 'knows', 'Bob'), relation('Bob', 'knows', 'Charlie')]);
  const costs = async (round: number) => {
    const rows: Record<string, number> = {};
    await memory.call('create_entities', { entities: [person(`Target ${round}`)] });
    for (const [tool, input] of calls(round)) {
      rows[`${tool} ${Object.keys(input).join()}`] = (await memory.measure(tool, input)).rowsRead;
    }
    return rows;
  };
  await grow(memory, 'small', 100);
  const small = await costs(1);

  await grow(memory, 'large', 1_500);

  const large = await costs(2);
  expect(Object.values(small).every((rows) => rows > 0)).toBe(true);
  const grown = Object.keys(small).filter((call) => (large[call] ?? 0) > (small[call] ?? 0) + 5);
  expect(grown.map((call) => `${call}: ${small[call]}, then ${large[call]}`)).toEqual([]);
});

/** Each round writes about a target of its own, so that no entity has more to read than before. */
function calls(round: number): [string, Record<string, unknown>][] {
  const target = `Target ${round}`;
  return [
    ['get_entity', { name: 'Alice' }],
    ['batch_get_entities', { names: ['Alice', 'Bob'] }],
    ['open_nodes', { names: ['Alice', 'Bob'] }],
    ['describe_entity', { name: 'Bob' }],
    ['search_relations', { from: 'Bob' }],
    ['search_relations', { to: 'Bob' }],
    ['search_relations', { from: 'Alice', to: 'Bob' }],
    ['search_relations', {}],
    ['get_neighbors', { name: 'Alice' }],
    ['extract_subgraph', { names: ['Alice'], depth: 3 }],
    ['find_path', { from: 'Alice', to: 'Charlie' }],
    ['find_all_paths', { from: 'Alice', to: 'Charlie' }],
    ['add_observations', { observations: [{ entityName: target, contents: ['likes tea'] }] }],
    ['create_relations', { relations: [relation(target, 'knows', target)] }],
    ['create_entities', { entities: [person(`Newcomer ${round}`, 'is new here')] }],
    ['upsert_entities', { entities: [person(target, 'drinks coffee')] }],
    ['list_entity_types', {}],
    ['list_relation_types', {}],
    ['graph_stats', {}],
  ];
}

/** A ring of entities beside the few that are asked about. */
async function grow(memory: TestMemory, prefix: string, count: number): Promise<void> {
  const names = numbered(`${prefix} `, count);
  await relate(
    memory,
    names.map((name, index) => relation(name, 'knows', names[(index + 1) % count] ?? '')),
  );
}
