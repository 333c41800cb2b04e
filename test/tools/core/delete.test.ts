import { expect, test } from 'vitest';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('deleting an entity takes its facts and its relations in both directions', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles') });

  const deleted = await memory.call('delete_entities', { entityNames: ['Hub', 'Ghost', 'Hub'] });

  expect(deleted).toEqual({
    deleted: ['Hub'],
    notFound: ['Ghost'],
    deletedObservations: 1,
    deletedRelations: 3,
    revision: 2,
  });
  const { entities, relations } = await memory.call('read_graph');
  expect(entities.map((e: any) => e.name)).toEqual(['Ada', 'Charles']);
  expect(relations).toEqual([]);
  const found = await memory.call('search_nodes', { query: 'Hub' });
  expect(found['entities'].map((e: any) => e.name)).toEqual(['Ada', 'Charles']);
});

test('a near match deletes nothing', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  const deleted = await memory.call('delete_entities', { entityNames: ['ada', 'ADA'] });

  expect(deleted).toMatchObject({ deleted: [], notFound: ['ada', 'ADA'] });
});

test('deleting nothing leaves no revision', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  const before = await memory.query('SELECT * FROM revision');

  await memory.call('delete_entities', { entityNames: ['Ghost'] });
  await memory.call('delete_relations', {
    relations: [{ from: 'Ada', to: 'Ghost', relationType: 'x' }],
  });

  expect(await memory.query('SELECT * FROM revision')).toEqual(before);
});

test('an entity whose facts have versions is deleted with all of them', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await update(memory, 'Ada', 'Ada has a second version');

  const deleted = await memory.call('delete_entities', { entityNames: ['Ada'] });

  expect(deleted).toMatchObject({ deletedObservations: 1 });
  expect(await memory.query("SELECT * FROM fact WHERE content LIKE 'Ada%'")).toEqual([]);
});

test('a current fact is deleted by its text with all its versions', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  const [oldId, newId] = await update(memory, 'Ada', 'Ada has a second version');

  const { results } = await memory.call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: ['Ada has a second version', 'Never said'] }],
  });

  expect(results).toEqual([
    { entityName: 'Ada', deleted: [oldId, newId], notFound: ['Never said'] },
  ]);
});

test('an older version is deleted alone, and its neighbours stay one chain', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  const [first, second] = await update(memory, 'Ada', 'Ada has a second version');
  const [, third] = await update(memory, 'Ada', 'Ada has a third version');

  await memory.call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: [second] }],
  });

  const { history } = await memory.call('get_observation_history', {
    entityName: 'Ada',
    observationId: first,
  });
  expect(history.map((o: any) => [o.id, o.version, o.supersedes])).toEqual([
    [first, 1, undefined],
    [third, 3, first],
  ]);
});

test('deleting facts of a missing entity is refused, and the rest of the batch too', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  const error = await memory.fail('delete_observations', {
    deletions: [
      { entityName: 'Ada', observations: ['Ada is worth remembering'] },
      { entityName: 'Ghost', observations: ['Anything at all'] },
    ],
  });

  expect(error.message).toBe("deletions[1].entityName: No entity named 'Ghost' in this thread.");
  expect(await memory.call('search_nodes', { query: 'remembering' })).toMatchObject({
    entities: [{ name: 'Hub' }, { name: 'Ada' }],
  });
});

test('relations are deleted by exact from, to and type', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', { relations: [relatesTo('Hub', 'knows'), relatesTo('Hub', 'likes')] }),
    ],
  });

  const answer = await memory.call('delete_relations', {
    relations: [
      { from: 'Ada', to: 'Hub', relationType: 'knows' },
      { from: 'Hub', to: 'Ada', relationType: 'knows' },
    ],
  });

  expect(answer).toEqual({
    deleted: [{ from: 'Ada', to: 'Hub', relationType: 'knows' }],
    notFound: [{ from: 'Hub', to: 'Ada', relationType: 'knows' }],
    revision: 2,
  });
  const { relations } = await memory.call('open_nodes', { names: ['Ada'] });
  expect(relations.map((r: any) => r.relationType)).toEqual(['likes', 'has']);
});

test('a deletion tells the revision that undoes it, and none when nothing was deleted', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  const none = await memory.call('delete_entities', { entityNames: ['Ghost'] });
  const { revision } = await memory.call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: [(await factOf(memory, 'Ada')).content] }],
  });
  await memory.call('undo_revision', { revision });

  expect(none).not.toHaveProperty('revision');
  expect(await factOf(memory, 'Ada')).toBeDefined();
});

/** The entity's first fact. */
async function factOf(memory: TestMemory, name: string): Promise<any> {
  const { entities } = await memory.call('open_nodes', { names: [name], detail: 'full' });
  return entities[0].observations[0];
}

/** Makes a next version of the entity's first fact; returns the old id and the new one. */
async function update(
  memory: Awaited<ReturnType<typeof openTestMemory>>,
  entityName: string,
  newContent: string,
): Promise<[string, string]> {
  const { entities } = await memory.call('open_nodes', { names: [entityName], detail: 'full' });
  const observationId = entities[0].observations[0].id;
  const { observation } = await memory.call('update_observation', {
    entityName,
    observationId,
    newContent,
  });
  return [observationId, observation.id];
}
