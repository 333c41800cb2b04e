import { expect, test } from 'vitest';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import { person, relation, type PlainRelation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('a deletion is undone: the entity is read and found again, by words and by meaning', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      entity('Ada', { observations: ['Wrote the first program'], relations: [relatesTo('Hub')] }),
      entity('Hub', { relations: [relatesTo('Ada')] }),
    ],
  });
  // From here on the vectors are in memory, and have to follow.
  await memory.call('search_nodes', { query: 'first program' });
  const before = await memory.call('read_graph', { detail: 'full' });
  await memory.call('delete_entities', { entityNames: ['Ada'] });

  const undone = await memory.call('undo_revision', { revision: 2 });
  await memory.embedAll();

  expect(undone).toMatchObject({ revision: 3, undone: [{ revision: 2, tool: 'delete_entities' }] });
  expect(await memory.call('read_graph', { detail: 'full' })).toEqual(before);
  const found = await memory.call('search_nodes', { query: 'first program', detail: 'full' });
  expect(found['matches'][0]).toMatchObject({
    entityName: 'Ada',
    content: 'Wrote the first program',
    why: ['full text', 'meaning'],
  });
  expect(await memory.call('health_check')).toMatchObject({ vector_index: true });
});

test('an undone save is out of every answer, and of the vectors in memory', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('search_nodes', { query: 'anything worth remembering' });
  await memory.call('save_memory', {
    entities: [
      entity('Zebra', { observations: ['Has black stripes'], relations: [relatesTo('Hub')] }),
    ],
  });
  await memory.embedAll();

  await memory.call('undo_revision', { revision: 2 });

  const { entities } = await memory.call('search_nodes', { query: 'Which animal has stripes?' });
  expect(entities.map((one: any) => one.name)).not.toContain('Zebra');
  const health = await memory.call('health_check');
  expect(health).toMatchObject({ vector_index: true, embedding_backlog: 0 });
});

test('two entities that have changed names since change them back, through one that stays', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person('Ada', 'likes tea'), person('Bob', 'likes rum')],
  });
  const before = await memory.call('read_graph', { detail: 'full' });
  const rename = (entityName: string, newName: string) =>
    memory.call('rename_entity', { entityName, newName });
  await rename('Ada', 'Cyd');
  await rename('Bob', 'Ada');
  await rename('Cyd', 'Bob');
  await memory.call('create_entities', { entities: [person('Cyd', 'plays chess')] });
  const after = await memory.call('read_graph', { detail: 'full' });

  const { revision } = await memory.call('undo_revision', { revision: 2, cascade: true });
  const undone = await memory.call('read_graph', { detail: 'full' });
  await memory.call('undo_revision', { revision });

  expect(undone['entities'].slice(0, 2)).toEqual(before['entities']);
  expect(undone['entities'][2]).toMatchObject({ name: 'Cyd' });
  expect(await memory.call('read_graph', { detail: 'full' })).toEqual(after);
});

test('what another call has done since to other rows stays', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea', 'plays chess')] });
  await forget(memory, 'Ada', 'likes tea');
  await memory.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['lives in Rome'] }],
  });
  const [added] = await memory.query('SELECT updated_at FROM node WHERE id = 1');

  await memory.call('undo_revision', { revision: 2 });

  expect(await factsOf(memory, 'Ada')).toEqual(['likes tea', 'plays chess', 'lives in Rome']);
  // The date is that of the later call.
  expect(await memory.query('SELECT updated_at FROM node WHERE id = 1')).toEqual([added]);
});

test('a later change of the same row is a conflict that names the call and what it changed', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await rewrite(memory, 'Ada', 'likes rum');
  const before = await memory.call('read_graph', { detail: 'full' });

  const error = await memory.fail('undo_revision', { revision: 1 });

  expect(error.code).toBe('conflict');
  expect(error.message).toMatch(
    /^Revision 1 cannot be undone: revision 2 \(update_observation, \d{4}-.+Z\) has since changed the observation obs_2 of 'Ada'/,
  );
  expect(error.hint).toMatch(/^Undo revision 2 first, or call undo_revision with cascade: true/);
  expect(await memory.call('read_graph', { detail: 'full' })).toEqual(before);
});

test.each<[string, (memory: TestMemory) => Promise<unknown>, RegExp]>([
  [
    'a relation',
    (memory) => relate(memory, [relation('Bob', 'knows', 'Ada')]),
    /added the relation Bob -\[knows\]-> Ada/,
  ],
  [
    'a fact',
    (memory) => memory.call('upsert_entities', { entities: [person('Ada', 'lives in Rome')] }),
    /added the observation obs_\d+ of 'Ada'/,
  ],
  [
    'a merge',
    (memory) => memory.call('merge_entities', { source: 'Bob', target: 'Ada' }),
    /changed the observation obs_\d+ of 'Ada'/,
  ],
  [
    'another name',
    (memory) => memory.call('rename_entity', { entityName: 'Ada', newName: 'Ada L' }),
    /changed the entity 'Ada L'/,
  ],
])('what was built on an undone entity is in the way: %s', async (_, build, found) => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Bob', 'likes rum')] });
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await build(memory);

  expect((await memory.fail('undo_revision', { revision: 2 })).message).toMatch(found);
  const { undone } = await memory.call('undo_revision', { revision: 2, cascade: true });

  expect(undone.map((one: any) => one.revision)).toEqual([3, 2]);
  expect(await names(memory)).toEqual(['Bob']);
  expect(await factsOf(memory, 'Bob')).toEqual(['likes rum']);
});

test('a name that has been taken meanwhile is in the way, and one that is free again is not', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('delete_entities', { entityNames: ['Ada'] });
  await memory.call('create_entities', { entities: [person('Ada', 'likes rum')] });

  const error = await memory.fail('undo_revision', { revision: 2 });
  await memory.call('rename_entity', { entityName: 'Ada', newName: 'Second Ada' });
  await memory.call('undo_revision', { revision: 2 });

  expect(error.message).toMatch(
    /revision 3 \(create_entities, .+\) has since added the entity 'Ada'/,
  );
  expect(await factsOf(memory, 'Ada')).toEqual(['likes tea']);
  expect(await factsOf(memory, 'Second Ada')).toEqual(['likes rum']);
});

test('what a restored row refers to and is gone is in the way', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await forget(memory, 'Ada', 'likes tea');
  await memory.call('delete_entities', { entityNames: ['Ada'] });

  const error = await memory.fail('undo_revision', { revision: 2 });
  const { undone } = await memory.call('undo_revision', { revision: 2, cascade: true });

  expect(error.message).toMatch(/revision 3 \(delete_entities, .+\) has since deleted/);
  expect(undone.map((one: any) => one.revision)).toEqual([3, 2]);
  expect(await factsOf(memory, 'Ada')).toEqual(['likes tea']);
});

test('a cascade undoes what stands in the way and leaves everything else', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('create_entities', { entities: [person('Bob', 'likes rum')] });
  await rewrite(memory, 'Ada', 'likes coffee');
  await relate(memory, [relation('Bob', 'knows', 'Bob')]);
  await relate(memory, [relation('Bob', 'helps', 'Ada')]);

  const { undone, revision } = await memory.call('undo_revision', { revision: 1, cascade: true });

  expect(undone.map((one: any) => one.revision)).toEqual([5, 3, 1]);
  expect(await memory.call('read_graph')).toMatchObject({
    entities: [{ name: 'Bob' }],
    relations: [relation('Bob', 'knows', 'Bob')],
  });
  await memory.call('undo_revision', { revision });
  expect(await factsOf(memory, 'Ada')).toEqual(['likes coffee']);
});

test('a later change that was itself undone is in no one’s way', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await rewrite(memory, 'Ada', 'likes rum');
  await memory.call('undo_revision', { revision: 2 });

  const { undone } = await memory.call('undo_revision', { revision: 1 });

  expect(undone.map((one: any) => one.revision)).toEqual([1]);
  expect(await names(memory)).toEqual([]);
});

test('who undoes the same twice learns that it was undone already', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('undo_revision', { revision: 1 });

  const error = await memory.fail('undo_revision', { revision: 1 });

  expect(error.message).toMatch(/revision 2 \(undo_revision, /);
  expect(error.hint).toMatch(
    /^It may have been undone already.+Undo that one to have revision 1 back/,
  );
});

test('the expiry of a node is undone like anything else, and comes again', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_node', { text: 'Milk is in the fridge', ttl_days: 1 });
  await memory.query('UPDATE node SET expires_at = 1');
  await memory.runAlarm();
  const [job] = await memory.query("SELECT id FROM revision WHERE tool = 'job:expiry'");

  await memory.call('undo_revision', { revision: job?.['id'] });

  const { changes } = await memory.call('get_recent_changes', { limit: 3 });
  expect(changes.map((one: any) => one.tool)).toContain('undo_revision');
});

test('a revision that is not there, or forgotten, cannot be undone, and the error says which can', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.query('UPDATE revision SET at = 86400000');
  await memory.call('create_entities', { entities: [person('Bob', 'likes tea')] });
  await memory.call('compact');

  expect(await memory.fail('undo_revision', { revision: 9 })).toMatchObject({
    code: 'not_found',
    message: 'There is no revision 9.',
  });
  const forgotten = await memory.fail('undo_revision', { revision: 1 });
  expect(forgotten.message).toBe(
    'Revision 1 is forgotten: compact has removed the history up to revision 1, of 1970-01-02T00:00:00.000Z.',
  );
  expect(forgotten.hint).toMatch(/^The oldest revision left is 2, of \d{4}-/);
});

test('an undo is judged by its own rows, however much has changed since', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await memory.call('create_entities', { entities: [person('Bob', 'likes tea')] });
  await addChanges(memory, 3, 60_000);

  await memory.call('undo_revision', { revision: 1 });

  expect(await names(memory)).toEqual(['Bob']);
  await dropChanges(memory, 3);
});

test('an undo beyond its limits is refused, and changes nothing', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Ada', 'likes tea')] });
  await addChanges(memory, 2, 250_001);

  expect(await memory.fail('undo_revision', { revision: 2 })).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('more than 250000 changed rows'),
  });
  expect(await memory.fail('undo_actor', { actor: 'x', since: 0 })).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('revision 2, which alone changed more than 250000 rows'),
    hint: expect.stringContaining('restore a backup'),
  });
  await dropChanges(memory, 2);
});

/** As an earlier call has left them, of rows that nothing else has met. */
async function addChanges(memory: TestMemory, revision: number, count: number): Promise<void> {
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (1, 'x', 'x')");
  await memory.query(
    `WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < ?2)
     INSERT INTO change SELECT ?1, n, 'node', 'x' || n, NULL, '{}' FROM seq`,
    revision,
    count,
  );
}

async function dropChanges(memory: TestMemory, revision: number): Promise<void> {
  await memory.query('DELETE FROM change WHERE revision_id = ?', revision);
  await memory.query('DELETE FROM revision WHERE id = ?', revision);
}

test('an undo that fails half-way leaves everything as it was', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });
  await memory.call('delete_entities', { entityNames: ['Ada', 'Bob'] });
  await memory.query(
    "CREATE TRIGGER poison BEFORE INSERT ON edge BEGIN SELECT raise(ABORT, 'poisoned'); END",
  );
  const before = await memory.query('SELECT * FROM node');

  expect((await memory.fail('undo_revision', { revision: 2 })).code).toBe('internal');
  expect(await memory.query('SELECT * FROM node')).toEqual(before);
  await memory.query('DROP TRIGGER poison');
  await memory.call('undo_revision', { revision: 2 });
  expect(await names(memory)).toContain('Ada');
});

async function names(memory: TestMemory): Promise<string[]> {
  const { entities } = await memory.call('read_graph');
  return entities.map((one: any) => one.name);
}

async function factsOf(memory: TestMemory, name: string): Promise<string[]> {
  const { entities } = await memory.call('open_nodes', { names: [name] });
  return entities[0]?.observations;
}

async function forget(memory: TestMemory, entityName: string, fact: string): Promise<void> {
  await memory.call('delete_observations', {
    deletions: [{ entityName, observations: [fact] }],
  });
}

/** Makes the next version of an entity's first fact. */
async function rewrite(memory: TestMemory, entityName: string, newContent: string): Promise<void> {
  const { entities } = await memory.call('open_nodes', { names: [entityName], detail: 'full' });
  const observationId = entities[0].observations[0].id;
  await memory.call('update_observation', { entityName, observationId, newContent });
}

async function relate(memory: TestMemory, relations: readonly PlainRelation[]): Promise<void> {
  await memory.call('create_relations', { relations });
}
