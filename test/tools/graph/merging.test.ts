import { expect, test } from 'vitest';
import { observationsOf, person, relate, relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('a merge moves facts and relations, and drops duplicates and loops', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [
      person('Alice', 'likes coffee', 'plays chess'),
      person('Alicia', 'likes coffee', 'works at Acme'),
    ],
  });
  await relate(memory, [
    relation('Alice', 'knows', 'Bob'),
    relation('Alicia', 'knows', 'Bob'),
    relation('Charlie', 'knows', 'Alice'),
    relation('Alice', 'is', 'Alicia'),
    relation('Alicia', 'is', 'Alice'),
    relation('Alice', 'likes', 'Alice'),
  ]);

  const answer = await memory.call('merge_entities', { source: 'Alice', target: 'Alicia' });

  expect(answer).toEqual({
    source: 'Alice',
    target: 'Alicia',
    movedObservations: 2,
    addedObservations: 1,
    redirectedRelations: 1,
    revision: 4,
  });
  expect(await observationsOf(memory, 'Alicia')).toEqual([
    'plays chess',
    'likes coffee',
    'works at Acme',
  ]);
  expect((await memory.call('search_relations'))['relations']).toEqual([
    relation('Alicia', 'knows', 'Bob'),
    relation('Charlie', 'knows', 'Alicia'),
  ]);
  expect(await memory.fail('get_entity', { name: 'Alice' })).toMatchObject({ code: 'not_found' });
});

test('a merge keeps the weight and date of the relations it redirects', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice'), person('Alicia')] });
  await memory.call('save_memory', {
    entities: [
      {
        name: 'Bob',
        entityType: 'Person',
        observations: ['Bob knows Alice'],
        relations: [{ targetEntity: 'Alice', relationType: 'knows', importance: 0.2 }],
      },
    ],
  });
  const before = await memory.query('SELECT importance, created_at FROM edge');

  await memory.call('merge_entities', { source: 'Alice', target: 'Alicia' });

  expect(await memory.query('SELECT importance, created_at FROM edge')).toEqual(before);
});

test('version chains move as a whole', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Alice', 'lives in Rome'), person('Alicia')],
  });
  const [old, current] = await update(memory, 'Alice', 'lives in Paris');

  await memory.call('merge_entities', { source: 'Alice', target: 'Alicia' });

  const { history } = await memory.call('get_observation_history', {
    entityName: 'Alicia',
    observationId: old,
  });
  expect(history.map((o: any) => [o.id, o.version, o.content])).toEqual([
    [old, 1, 'lives in Rome'],
    [current, 2, 'lives in Paris'],
  ]);
});

test('of two equal facts the one with a history stays, whichever side it is on', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [
      person('Alice', 'lives in Rome', 'drinks a lot of tea'),
      person('Alicia', 'lives in Paris', 'drinks tea with milk'),
    ],
  });
  const [rome] = await update(memory, 'Alice', 'lives in Paris');
  await memory.call('add_observations', {
    observations: [{ entityName: 'Alice', contents: ['drinks no tea'] }],
  });
  const { entities } = await memory.call('open_nodes', { names: ['Alicia'], detail: 'full' });
  const milk = entities[0].observations[1].id;
  await memory.call('update_observation', {
    entityName: 'Alicia',
    observationId: milk,
    newContent: 'drinks no tea',
  });

  const merged = await memory.call('merge_entities', { source: 'Alice', target: 'Alicia' });

  expect(merged).toMatchObject({ movedObservations: 3, addedObservations: 1 });
  const { history } = await memory.call('get_observation_history', { entityName: 'Alicia' });
  expect(history.map((o: any) => o.content).toSorted()).toEqual([
    'drinks a lot of tea',
    'drinks no tea',
    'drinks tea with milk',
    'lives in Paris',
    'lives in Rome',
  ]);
  expect(history.find((o: any) => o.content === 'lives in Rome').id).toBe(rome);
});

test('a merge is one revision that holds every change', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Alice', 'likes coffee'), person('Alicia', 'likes coffee')],
  });
  await relate(memory, [relation('Alice', 'knows', 'Bob')]);
  const [{ last }] = (await memory.query('SELECT max(id) AS last FROM revision')) as [any];

  await memory.call('merge_entities', { source: 'Alice', target: 'Alicia' });

  const revisions = await memory.query('SELECT id, tool FROM revision WHERE id > ?', last);
  expect(revisions).toMatchObject([{ tool: 'merge_entities' }]);
  const changed = await memory.query(
    "SELECT table_name || iif(after IS NULL, ' gone', iif(before IS NULL, ' new', ' changed')) AS what, count(*) AS n FROM change WHERE revision_id > ? GROUP BY what ORDER BY what",
    last,
  );
  expect(changed).toEqual([
    { what: 'edge gone', n: 1 },
    { what: 'edge new', n: 1 },
    { what: 'entity gone', n: 1 },
    { what: 'fact gone', n: 1 },
    { what: 'node changed', n: 1 },
    { what: 'node gone', n: 2 },
  ]);
});

test('what is merged is found under its new name, by words and by meaning', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Alice', 'restores antique clocks'), person('Alicia')],
  });

  await memory.call('merge_entities', { source: 'Alice', target: 'Alicia' });
  await memory.embedAll();

  for (const query of ['antique', 'Alicia clocks', 'repairs old timepieces']) {
    const { entities } = await memory.call('search_nodes', { query, limit: 1 });
    expect(entities).toEqual([person('Alicia', 'restores antique clocks')]);
  }
});

test('an entity cannot be merged into itself or into one that is merely close', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice')] });

  expect(await memory.fail('merge_entities', { source: 'Alice', target: ' Alice' })).toEqual({
    code: 'invalid_input',
    message: "Source and target are the same entity, ' Alice'.",
    hint: 'Name the entity to be merged away in source, and the one to keep in target.',
    faults: undefined,
  });
  const error = await memory.fail('merge_entities', { source: 'alice', target: 'Ghost' });
  expect(error.faults?.map(({ path, problem }) => `${path}: ${problem}`)).toEqual([
    "source: No entity named 'alice' in this thread.",
    "target: No entity named 'Ghost' in this thread.",
  ]);
});

/** Makes a next version of the entity's first fact; returns the old id and the new one. */
async function update(memory: TestMemory, entityName: string, newContent: string) {
  const { entities } = await memory.call('open_nodes', { names: [entityName], detail: 'full' });
  const observationId = entities[0].observations[0].id;
  const input = { entityName, observationId, newContent };
  const { observation } = await memory.call('update_observation', input);
  return [observationId, observation.id];
}
