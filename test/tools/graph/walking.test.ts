import { expect, test } from 'vitest';
import { estimateTokens } from '#graph/text/tokens.ts';
import { complete, numbered, person, relate, relation } from '#test/graph.ts';
import { openTestMemory } from '#test/memory.ts';

test('a path is found against the direction of relations, and it is a shortest one', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    relation('B', 'next', 'A'),
    relation('B', 'next', 'C'),
    relation('D', 'next', 'C'),
    relation('A', 'next', 'X'),
    relation('X', 'next', 'Y'),
    relation('Y', 'next', 'Z'),
    relation('Z', 'next', 'D'),
  ]);

  expect(await memory.call('find_path', { from: 'A', to: 'D' })).toEqual({
    path: ['A', 'B', 'C', 'D'],
  });
  expect(await memory.call('find_path', { from: 'A', to: 'a' })).toEqual({ path: ['A'] });
});

test('a path may be of any length', async () => {
  await using memory = await openTestMemory();
  const names = numbered('N', 60);
  await relate(
    memory,
    names.slice(1).map((name, index) => relation(names[index] ?? '', 'next', name)),
  );

  expect(await memory.call('find_path', { from: 'N0', to: 'N59' })).toEqual({ path: names });
});

test.each(['find_path', 'find_all_paths'])(
  '%s fails for unknown and for unconnected entities',
  async (tool) => {
    await using memory = await openTestMemory();
    await relate(memory, [relation('A', 'next', 'B'), relation('C', 'next', 'D')]);

    expect(await memory.fail(tool, { from: 'A', to: 'Ghost' })).toMatchObject({
      code: 'not_found',
      message: "No entity named 'Ghost' in this thread.",
    });
    const error = await memory.fail(tool, { from: 'A', to: 'D' });
    expect(error.code).toBe('not_found');
    expect(error.message).toMatch(/^No path.* found between 'A' and 'D'\.$/);
    expect(error.hint).toMatch(/get_neighbors/);
  },
);

test('all paths come shortest first, each once, and none visits an entity twice', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    relation('A', 'knows', 'B'),
    relation('A', 'likes', 'B'),
    relation('B', 'knows', 'C'),
    relation('C', 'knows', 'A'),
    relation('D', 'knows', 'C'),
    relation('B', 'knows', 'D'),
  ]);

  expect(await memory.call('find_all_paths', { from: 'A', to: 'D' })).toEqual({
    paths: [
      ['A', 'B', 'D'],
      ['A', 'C', 'D'],
      ['A', 'B', 'C', 'D'],
      ['A', 'C', 'B', 'D'],
    ],
  });
  expect(await memory.call('find_all_paths', { from: 'A', to: 'D', maxDepth: 2 })).toEqual({
    paths: [
      ['A', 'B', 'D'],
      ['A', 'C', 'D'],
    ],
  });
  expect(await memory.call('find_all_paths', { from: 'A', to: 'D', maxPaths: 3 })).toMatchObject({
    paths: { length: 3 },
    note: expect.stringMatching(/more paths/),
  });
  expect(await memory.call('find_all_paths', { from: 'A', to: 'A' })).toEqual({ paths: [['A']] });
});

test('fifty paths through a crowd that all know one another read each relation a few times at most', async () => {
  await using memory = await openTestMemory();
  const names = numbered('N', 40);
  await relate(memory, complete(names));

  const { paths, note } = await memory.call('find_all_paths', { from: 'N0', to: 'N39' });
  const { rowsRead } = await memory.measure('find_all_paths', { from: 'N0', to: 'N39' });

  // Every relation is read from both its ends, with the entities there, and no more than twice.
  expect(rowsRead).toBeLessThan(12 * (40 * 39));
  expect(paths).toHaveLength(50);
  expect(paths.map((path: string[]) => path.length)).toEqual([
    2,
    ...Array(38).fill(3),
    ...Array(11).fill(4),
  ]);
  expect(note).toMatch(/more paths/);
});

test('a graph of one way through a crowd is searched without trying the crowd', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    ...complete(numbered('N', 40)),
    relation('Start', 'next', 'N0'),
    relation('N0', 'next', 'End'),
  ]);

  expect(await memory.call('find_all_paths', { from: 'Start', to: 'End', maxDepth: 16 })).toEqual({
    paths: [['Start', 'N0', 'End']],
  });
});

test('a subgraph reaches as far as its depth, nearest first, with the relations within', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    relation('A', 'next', 'B'),
    relation('C', 'next', 'B'),
    relation('C', 'next', 'D'),
    relation('X', 'next', 'Y'),
  ]);
  const extract = async (input: object) => {
    const { entities, relations, missing } = await memory.call('extract_subgraph', { ...input });
    return [entities.map((e: any) => e.name), relations.length, missing];
  };

  expect(await extract({ names: ['A'] })).toEqual([['A', 'B'], 1, undefined]);
  expect(await extract({ names: ['A'], depth: 0 })).toEqual([['A'], 0, undefined]);
  expect(await extract({ names: ['A'], depth: 2 })).toEqual([['A', 'B', 'C'], 2, undefined]);
  expect(await extract({ names: ['A'], depth: 16 })).toEqual([['A', 'B', 'C', 'D'], 3, undefined]);
  expect(await extract({ names: ['D', 'Ghost', 'X', 'd'] })).toEqual([
    ['D', 'X', 'Y', 'C'],
    2,
    ['Ghost'],
  ]);
  expect(await extract({ names: [] })).toEqual([[], 0, undefined]);
  expect(await extract({ names: ['Ghost'] })).toEqual([[], 0, ['Ghost']]);
  expect(await memory.fail('extract_subgraph', { names: ['A'], depth: 17 })).toMatchObject({
    code: 'invalid_input',
  });
});

test('neighbours are followed in one direction and along one type', async () => {
  await using memory = await openTestMemory();
  await relate(memory, [
    relation('A', 'knows', 'B'),
    relation('B', 'knows', 'C'),
    relation('D', 'knows', 'A'),
    relation('A', 'likes', 'E'),
  ]);
  const around = async (input: object) => {
    const { entities, relations } = await memory.call('get_neighbors', { name: 'A', ...input });
    return [
      entities.map((e: any) => e.name).join(' '),
      relations.map((r: any) => `${r.from}${r.to}`).join(' '),
    ];
  };

  expect(await around({})).toEqual(['A B E D', 'AB AE DA']);
  expect(await around({ depth: 0 })).toEqual(['A', '']);
  expect(await around({ direction: 'out' })).toEqual(['A B E', 'AB AE']);
  expect(await around({ direction: 'in' })).toEqual(['A D', 'DA']);
  expect(await around({ direction: 'out', depth: 2 })).toEqual(['A B E C', 'AB AE BC']);
  expect(await around({ relationType: 'knows', depth: 3 })).toEqual(['A B D C', 'AB BC DA']);
  expect(await around({ relationType: 'hates' })).toEqual(['A', '']);
  expect(await memory.fail('get_neighbors', { name: 'Ghost' })).toMatchObject({
    code: 'not_found',
  });
});

test('what surrounds a crowded entity is cut to what an answer holds, and says so', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Hub', 'knows everybody there is')] });
  await relate(
    memory,
    numbered('Member ', 5_000).map((name, index) =>
      index % 2 === 0 ? relation('Hub', 'knows', name) : relation(name, 'knows', 'Hub'),
    ),
  );

  for (const [tool, input] of [
    ['extract_subgraph', { names: ['Hub'], depth: 3 }],
    ['get_neighbors', { name: 'Hub', depth: 3 }],
  ] as const) {
    const answer = await memory.call(tool, input);
    expect(answer['entities'][0]).toEqual(person('Hub', 'knows everybody there is'));
    expect(answer['entities'].length).toBeGreaterThan(100);
    expect(answer['relations'].length).toBeGreaterThan(100);
    expect(answer['note']).toMatch(/^Only the nearest \d+ entities are shown/);
    expect(JSON.stringify(answer).length / 4).toBeLessThan(10_000);
    expect((await memory.measure(tool, input)).rowsRead).toBeLessThan(20_000);
  }
  const described = await memory.call('describe_entity', { name: 'Hub' });
  expect(described['degree']).toBe(5_000);
  expect(described['note']).toMatch(/Only the first \d+ relations.*Only the first \d+ neighbors/);
  expect(estimateTokens(JSON.stringify(described))).toBeLessThanOrEqual(3_000);
  expect((await memory.measure('describe_entity', { name: 'Hub' })).rowsRead).toBeLessThan(3_000);
}, 120_000);
