/** What writes write, in rows: `docs/contributing/benchmarks.md` lists what each is for. */
import { expect, test } from 'vitest';
import { openTestMemory } from '#test/memory.ts';

const fact = 'Works at the harbour';

test('a save of one entity with a fact and a relation writes 25 rows', async () => {
  await using memory = await openTestMemory();
  const ada = (targetEntity: string) => [{ targetEntity, relationType: 'knows' }];
  await memory.call('create_entities', {
    entities: [{ name: 'Bob', entityType: 'Person', observations: [fact] }],
  });
  await memory.call('create_entities', {
    entities: [{ name: 'Carol', entityType: 'Person', observations: [fact] }],
  });
  await memory.call('create_relations', {
    relations: [{ from: 'Carol', to: 'Bob', relationType: 'knows' }],
  });
  await memory.embedAll();

  const { rowsWritten } = await memory.measure('save_memory', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: [fact], relations: ada('Bob') }],
  });

  expect(rowsWritten).toBe(25);
});

test('each count is written once, however many facts and relations a save has', async () => {
  await using memory = await openTestMemory();
  const cost = async (count: number) => {
    const contents = Array.from({ length: count }, (_, index) => `Fact ${index} of this one`);
    const { rowsWritten } = await memory.measure('create_entities', {
      entities: [{ name: `N${count}`, entityType: 'Thing', observations: contents }],
    });
    return rowsWritten;
  };
  const [one, eleven] = [await cost(1), await cost(11)];

  // The node, the fact, its index, two changes and two texts.
  expect((eleven - one) / 10).toBe(7);
});

test('ids of nodes and revisions are not given again, also when nothing tells of them any more', async () => {
  await using memory = await openTestMemory();
  const make = async (name: string) => {
    await memory.call('create_entities', {
      entities: [{ name, entityType: 'Thing', observations: [fact] }],
    });
    const [row] = await memory.query<{ node: number; revision: number }>(
      'SELECT (SELECT max(id) FROM node) AS node, (SELECT max(id) FROM revision) AS revision',
    );
    return row ?? { node: 0, revision: 0 };
  };
  const first = await make('First');

  await memory.call('delete_entities', { entityNames: ['First'] });
  const second = await make('Second');
  await memory.call('delete_entities', { entityNames: ['Second'] });
  await memory.query('UPDATE revision SET at = 1');
  await memory.call('compact');
  expect(await memory.query('SELECT id FROM revision')).toEqual([]);
  expect(await memory.query('SELECT id FROM node')).toEqual([]);
  const third = await make('Third');

  expect(second).toEqual({ node: first.node + 2, revision: first.revision + 2 });
  expect(third.node).toBe(second.node + 2);
  expect(third.revision).toBeGreaterThan(second.revision + 1);
});

test('what is new waits for its vector without a row, and what comes back with one', async () => {
  await using memory = await openTestMemory();
  const waiting = async () => ({
    all: await memory.query('SELECT node_id FROM awaiting_vector ORDER BY node_id'),
    rows: await memory.query('SELECT node_id FROM embedding_backlog'),
  });
  await memory.query(
    "INSERT INTO job (name, retry_at, failures, last_error) VALUES ('embedding', 9e15, 1, 'test')",
  );
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: [fact] }],
  });
  expect(await waiting()).toEqual({ all: [{ node_id: 1 }, { node_id: 2 }], rows: [] });
  await memory.query("DELETE FROM job WHERE name = 'embedding'");
  await memory.embedAll();
  expect(await memory.query("SELECT cursor FROM job WHERE name = 'embedding'")).toEqual([
    { cursor: 2 },
  ]);

  await memory.query(
    "INSERT OR REPLACE INTO job (name, cursor, retry_at, failures, last_error) VALUES ('embedding', 2, 9e15, 1, 'test')",
  );
  await memory.call('rename_entity', { entityName: 'Ada', newName: 'Ada L' });

  expect(await waiting()).toEqual({
    all: [{ node_id: 1 }, { node_id: 2 }],
    rows: [{ node_id: 1 }, { node_id: 2 }],
  });
  await memory.query(
    "UPDATE job SET retry_at = NULL, failures = 0, last_error = NULL WHERE name = 'embedding'",
  );
  await memory.embedAll();
  expect(await waiting()).toEqual({ all: [], rows: [] });
});

test('memories that are stored with their vector leave no list to read', async () => {
  await using memory = await openTestMemory();
  for (let index = 1; index <= 66; index += 1) {
    await memory.call('store_memory', { content: `The harbour has a crane number ${index}` });
  }

  expect(await memory.query("SELECT cursor FROM job WHERE name = 'embedding'")).toEqual([
    { cursor: 64 },
  ]);
});

test('counts hold for an entity that a save brings back, and for loops and repeated relations', async () => {
  await using memory = await openTestMemory();
  const knows = (targetEntity: string) => ({ targetEntity, relationType: 'knows' });
  const save = (name: string, targets: string[]) =>
    memory.call('save_memory', {
      entities: [
        { name, entityType: 'Person', observations: [fact], relations: targets.map(knows) },
      ],
    });
  await memory.call('create_entities', {
    entities: [{ name: 'Bob', entityType: 'Person', observations: [fact] }],
  });
  await save('Ada', ['Bob']);
  await memory.query(
    "UPDATE node SET status = 'archived' WHERE id = (SELECT node_id FROM entity WHERE name = 'Ada')",
  );

  await save('Ada', ['Bob', 'Bob']);
  await save('Ada', ['Bob']);
  await memory.call('create_relations', {
    relations: [
      { from: 'Bob', to: 'Bob', relationType: 'knows' },
      { from: 'Bob', to: 'Bob', relationType: 'knows' },
    ],
  });

  // The check at the end recounts all of them.
  const counts = 'SELECT name, observation_count AS facts, relation_count AS relations FROM entity';
  expect(await memory.query(counts)).toEqual([
    { name: 'Bob', facts: 1, relations: 2 },
    { name: 'Ada', facts: 1, relations: 1 },
  ]);
});
