import { expect, test } from 'vitest';
import { cluster } from '#test/builders.ts';
import { person, relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('each call that changed something is one line, newest first', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob', 'Cyd') });
  await memory.call('save_memory', { entities: [] });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'Ada wrote the first program',
  });
  await memory.call('rename_entity', { entityName: 'Bob', newName: 'Robert' });
  await memory.call('store_memory', { content: 'The office is in Porto' });
  await memory.call('update_node', { node_id: entities[0].id, status: 'outdated' });
  await memory.call('delete_entities', { entityNames: ['Cyd'] });
  const [{ revision }] = (await memory.call('get_recent_changes', { limit: 1 }))['changes'];
  await memory.call('undo_revision', { revision });

  const { changes, nextCursor } = await memory.call('get_recent_changes');

  expect(changes.map((one: any) => one.summary)).toEqual([
    'undo_revision added 1 entity, 1 observation, 1 relation',
    'delete_entities deleted 1 relation, 1 observation, 1 entity',
    'update_node changed 1 entity',
    'store_memory added 1 memory',
    'rename_entity renamed 1 entity',
    'update_observation updated 1 observation',
    'save_memory added 4 entities, 4 observations, 4 relations',
  ]);
  expect(changes.at(-1)).toMatchObject({
    revision: 1,
    actor: 'tester',
    tool: 'save_memory',
    at: expect.stringMatching(/^\d{4}-.+Z$/),
  });
  expect(nextCursor).toBeNull();
});

test('a line says what was changed: names and texts, shortened, facts first', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Ada', 'likes tea'), person('Bob', 'x'.repeat(150))],
  });
  await memory.call('create_relations', { relations: [relation('Ada', 'knows', 'Bob')] });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'likes coffee',
  });
  await memory.call('rename_entity', { entityName: 'Ada', newName: 'Ada L' });
  await memory.call('store_memory', { content: 'The office\nis in Porto' });
  await memory.call('add_memory', {
    sessionId: 's1',
    prompt: 'Why?',
    thought: 'Hm.',
    response: 'So.',
  });
  await memory.call('delete_entities', { entityNames: ['Ada L'] });
  await memory.call('create_entities', {
    entities: ['C', 'D', 'E'].map((name) => person(name, `${name} is here`)),
  });

  const { changes } = await memory.call('get_recent_changes');

  expect(changes.map((one: any) => one.what)).toEqual([
    ['+ C: C is here', '+ D: D is here', '+ E: E is here', '+ C (person)', '…'],
    [
      '- Ada L: likes tea',
      '- Ada L: likes coffee',
      '- Ada L (person)',
      expect.stringMatching(/^- Ada L -\[knows\]-> (Bob|ent_\d+)$/),
    ],
    [expect.stringMatching(/^\+ turn_\d+: Why\?$/)],
    [expect.stringMatching(/^\+ mem_\d+: The office is in Porto$/)],
    ['~ Ada L: Ada → Ada L'],
    ['~ Ada L: likes tea → likes coffee'],
    [expect.stringMatching(/^\+ Ada L -\[knows\]-> Bob$/)],
    ['+ Ada: likes tea', `+ Bob: ${'x'.repeat(93)}…`, '+ Ada (person)', '+ Bob (person)'],
  ]);
});

test('an undone update is told as the text that holds again', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'likes coffee',
  });
  await memory.call('undo_revision', { revision: 2 });
  await memory.call('undo_revision', { revision: 3 });

  const { changes } = await memory.call('get_recent_changes', { limit: 2 });

  expect(changes.map((one: any) => one.what)).toEqual([
    ['~ Ada: likes tea → likes coffee'],
    ['~ Ada: likes coffee → likes tea'],
  ]);
});

test('changes are paged, and bounded by since as a revision or a time', async () => {
  await using memory = await openTestMemory();
  for (const name of ['A1', 'B1', 'C1', 'D1', 'E1']) {
    await memory.call('create_entities', { entities: [person(name)] });
  }
  await memory.query('UPDATE revision SET at = id * 86400000');
  const list = async (input: Record<string, unknown>) => {
    const page = await memory.call('get_recent_changes', input);
    return { ids: page['changes'].map((one: any) => one.revision), ...page } as any;
  };

  const first = await list({ limit: 2 });
  const second = await list({ limit: 2, cursor: first.nextCursor });
  const third = await list({ limit: 2, cursor: second.nextCursor });

  expect([first.ids, second.ids, third.ids]).toEqual([[5, 4], [3, 2], [1]]);
  expect([first.note, third.note]).toEqual([
    expect.stringContaining(`with cursor '${first.nextCursor}'`),
    undefined,
  ]);
  expect(third.nextCursor).toBeNull();
  expect((await list({ since: 3 })).ids).toEqual([5, 4]);
  expect((await list({ since: '1970-01-04' })).ids).toEqual([5, 4, 3]);
  expect((await list({ since: '1970-01-04T00:00:01Z' })).ids).toEqual([5, 4]);
  expect((await list({ since: 3, limit: 1 })).ids).toEqual([5]);
  expect((await memory.fail('get_recent_changes', { cursor: 'x' })).code).toBe('invalid_input');
});

test('a revision is described by what each thing said before and after', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Ada', 'likes tea'), person('Bob', 'x'.repeat(150))],
  });
  await memory.call('create_relations', { relations: [relation('Ada', 'knows', 'Bob')] });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  const [fact] = entities[0].observations;
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: fact.id,
    newContent: 'likes coffee',
  });
  await memory.call('rename_entity', { entityName: 'Ada', newName: 'Ada L' });
  await memory.call('update_node', {
    node_id: entities[0].id,
    status: 'outdated',
    source: 'a letter',
    versioning: true,
  });
  await memory.call('delete_entities', { entityNames: ['Bob'] });
  const describe = async (revision: number) =>
    (await memory.call('describe_revision', { revision }))['changes'];

  // The revision itself does not tell these names: they are those of now, or ids of what is gone.
  expect(await describe(2)).toEqual([
    {
      action: 'added',
      what: 'relation',
      id: null,
      about: 'Ada L -[knows]-> ent_3',
      before: null,
      after: 'Ada L -[knows]-> ent_3',
    },
  ]);
  expect(await describe(3)).toEqual([
    {
      action: 'added',
      what: 'observation',
      id: expect.stringMatching(/^obs_/),
      about: 'Ada L',
      before: null,
      after: 'likes coffee',
    },
    {
      action: 'changed',
      what: 'observation',
      id: fact.id,
      about: 'Ada L',
      before: 'superseded by: none',
      after: expect.stringMatching(/^superseded by: obs_\d+$/),
    },
  ]);
  expect(await describe(4)).toEqual([
    {
      action: 'changed',
      what: 'entity',
      id: 'ent_1',
      about: 'Ada L',
      before: 'Ada',
      after: 'Ada L',
    },
  ]);
  expect(await describe(5)).toEqual([
    {
      action: 'changed',
      what: 'entity',
      id: 'ent_1',
      about: 'Ada L',
      before: 'status: active, source: none',
      after: 'status: outdated, source: a letter',
    },
  ]);
  // What is gone is named as it was.
  expect((await describe(6)).map((one: any) => [one.action, one.what, one.about])).toEqual([
    ['deleted', 'relation', 'Ada L -[knows]-> Bob'],
    ['deleted', 'observation', 'Bob'],
    ['deleted', 'entity', 'Bob'],
  ]);
});

test('a long description is paged, and long texts are cut', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: Array.from({ length: 7 }, (_, i) => person(`N${i}`)),
  });
  await memory.call('store_memory', { content: 'long '.repeat(200) });

  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.call('describe_revision', { revision: 1, limit: 3, cursor });
    seen.push(...page['changes'].map((one: any) => one.about));
    cursor = page['nextCursor'] ?? undefined;
  } while (cursor !== undefined);
  const { changes } = await memory.call('describe_revision', { revision: 2 });

  expect(new Set(seen).size).toBe(7);
  expect(seen).toHaveLength(7);
  expect(changes[0].after).toHaveLength(301);
});

test('the list of changes counts so many rows and no more', async () => {
  await using memory = await openTestMemory();
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (0, 'x', 'import')");
  await memory.query(
    `WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 21000)
     INSERT INTO change SELECT 1, n, 'entity', 'x' || n, NULL, '{}' FROM seq`,
  );
  await memory.call('create_entities', { entities: [person('Ada')] });

  const page = await memory.call('get_recent_changes');
  const next = await memory.call('get_recent_changes', { cursor: page['nextCursor'] });

  expect(page['changes']).toHaveLength(1);
  expect(next['changes']).toMatchObject([
    { summary: 'import added 20000 entities and more', rows: 21_000 },
  ]);
  await memory.query('DELETE FROM change WHERE revision_id = 1');
  await memory.query('DELETE FROM revision WHERE id = 1');
});

test('a renamed entity keeps what is known of it, and is found by its new name alone', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea'), person('Bob')] });
  await memory.call('create_relations', { relations: [relation('Ada', 'knows', 'Bob')] });
  await memory.call('search_nodes', { query: 'Ada' });

  const answer = await memory.call('rename_entity', { entityName: 'Ada', newName: 'Lovelace' });
  await memory.embedAll();

  expect(answer).toEqual({ name: 'Lovelace', before: 'Ada', observations: 1, relations: 1 });
  expect(await memory.call('read_graph')).toMatchObject({
    relations: [relation('Lovelace', 'knows', 'Bob')],
  });
  const found = async (query: string) =>
    (await memory.call('search_nodes', { query }))['entities'].map((one: any) => one.name);
  expect(await found('Lovelace')).toContain('Lovelace');
  expect(await found('Lovelace likes tea')).toContain('Lovelace');
  expect((await memory.call('open_nodes', { names: ['Ada'] }))['missing']).toEqual(['Ada']);
  const { history } = await memory.call('get_observation_history', { entityName: 'Lovelace' });
  expect(history).toHaveLength(1);
  expect(await memory.call('health_check')).toMatchObject({ vector_index: true });
});

test.each<[string, Record<string, unknown>, string, RegExp]>([
  [
    'taken',
    { entityName: 'Ada', newName: 'Bob' },
    'already_exists',
    /'Bob' belongs to ent_\d+ already/,
  ],
  [
    'of a hidden entity',
    { entityName: 'Ada', newName: 'Cyd' },
    'already_exists',
    /belongs to ent_/,
  ],
  ['empty', { entityName: 'Ada', newName: '  ' }, 'invalid_input', /Entity name is empty/],
  ['of nobody', { entityName: 'ada', newName: 'Eve' }, 'invalid_input', /No entity named 'ada'/],
])(
  'a rename to or from a name that is %s is refused and changes nothing',
  async (_, input, code, message) => {
    await using memory = await openTestMemory();
    await memory.call('create_entities', {
      entities: ['Ada', 'Bob', 'Cyd'].map((one) => person(one)),
    });
    await memory.call('update_node', { node_id: 'ent_3', status: 'archived' });
    const before = await tables(memory);

    expect(await memory.fail('rename_entity', input)).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await tables(memory)).toEqual(before);
  },
);

test('a rename to the same name is no change, and one of case alone is', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('ada')] });

  await memory.call('rename_entity', { entityName: 'ada', newName: ' ada ' });
  await memory.call('rename_entity', { entityName: 'ada', newName: 'Ada' });

  const { changes } = await memory.call('get_recent_changes');
  expect(changes.map((one: any) => one.tool)).toEqual(['rename_entity', 'create_entities']);
  expect(await memory.query('SELECT name FROM entity')).toEqual([{ name: 'Ada' }]);
});

function tables(memory: TestMemory): Promise<unknown[]> {
  return Promise.all(
    ['entity', 'revision', 'change'].map((one) => memory.query(`SELECT * FROM ${one}`)),
  );
}
