/**
 * A thread that was written by the first schema there was, migrations 0001 to 0004, is opened by today's
 * code. `scripts/dump-state.ts` made the fixture from the database of a server of that time.
 */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { checkInvariants } from '#store/invariants.ts';
import { migrate } from '#store/migrate.ts';
import { MIGRATIONS } from '#store/migrations.ts';
import { openSql, type Sql } from '#store/sql.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { threadObjectName } from '#thread/thread-client.ts';
import fixture from './fixtures/first-schema.sql?raw';

test('a thread of the first schema is migrated whole, and used as if it had been written today', async () => {
  await using memory = await openOldThread();

  expect(await memory.query('SELECT id FROM migration ORDER BY position')).toEqual(
    MIGRATIONS.map(({ id }) => ({ id })),
  );
  const { entities, relations } = await memory.call('read_graph');
  expect(entities).toEqual([
    { name: 'Ada', entityType: 'Person', observations: ['Likes tea', 'Lives in Rome'] },
    { name: 'Grace', entityType: 'Person', observations: ['Prefers dark mode'] },
    {
      name: 'Atlas',
      entityType: 'Project',
      observations: ['Ships in May 2026', 'Uses python-docx 1.2.0'],
    },
    { name: 'Café Müller', entityType: 'Place', observations: ['Opens at eight'] },
    { name: '北京', entityType: 'City', observations: ['首都在这里'] },
  ]);
  expect(relations).toHaveLength(5);
  const { history } = await memory.call('get_observation_history', { entityName: 'Ada' });
  expect(history.map((one: any) => one.content)).toEqual([
    'Likes tea',
    'Lives in Paris',
    'Lives in Rome',
  ]);
  await memory.embedAll();
  for (const [query, name] of [
    ['choice of a dark mode', 'Grace'],
    ['muller', 'Café Müller'],
    ['首都', '北京'],
    ['python-docx', 'Atlas'],
  ]) {
    const found = await memory.call('search_nodes', { query });
    expect(found['entities'].map((one: any) => one.name)).toContain(name);
  }
  await memory.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Plays the violin'] }],
  });
});

test('a migration that fails half-way leaves the old thread as it was, and usable by the old code', async () => {
  const stub = env.THREAD.getByName(`old-${crypto.randomUUID()}`);
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAll();
    const sql = openSql(storage);
    loadFixture(sql);
    const old = MIGRATIONS.slice(0, 4);
    const dump = () =>
      ['node', 'fact', 'edge', 'change', 'migration'].map((table) =>
        sql.all(`SELECT * FROM ${table}`),
      );
    const before = dump();
    const faulty = { id: '0005_faulty', up: 'DELETE FROM edge; DROP TABLE nowhere;' };

    expect(() => migrate(sql, [...old, faulty])).toThrow(
      'Migration 0005_faulty failed and was undone.',
    );

    expect(dump()).toEqual(before);
    migrate(sql, old);
    migrate(sql);
    expect(checkInvariants(sql)).toEqual([]);
  });
});

/** Loads the fixture into an object, and wakes it. */
async function openOldThread(): Promise<TestMemory> {
  const memory = await openTestMemory();
  const address = { subject: 'test', threadId: memory.threadId };
  const stub = env.THREAD.getByName(threadObjectName(address));
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAll();
    loadFixture(openSql(storage));
  });
  await evictDurableObject(stub);
  return memory;
}

/** Facts refer to versions that stand behind them; the text indexes are filled as the triggers of then fill them. */
function loadFixture(sql: Sql): void {
  sql.transaction(() => {
    sql.script(`PRAGMA defer_foreign_keys = on;\n${fixture}`);
    sql.script(
      'INSERT INTO fulltext (rowid, title, body) SELECT node_id, title, body FROM searchable',
    );
    sql.script(`INSERT INTO trigram (rowid, title, body)
      SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  ' FROM searchable`);
  });
}
