import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { hashText } from '#graph/text/hash.ts';
import { migrate, SchemaDriftError } from '#store/schema/migrate.ts';
import { DIRECTORY_MIGRATIONS } from '#directory-store/migrations.ts';
import { MIGRATIONS, type Migration } from '#store/schema/migrations/list.ts';
import { openSql, type Sql } from '#store/sql.ts';
import { openTestMemory } from '#test/memory.ts';
import { threadObjectName } from '#thread/thread-address.ts';

const first = migration('0001_first', 'CREATE TABLE one (id INTEGER PRIMARY KEY) STRICT;');
const second = migration('0002_second', 'CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT;');

test('migrations are applied in order, each once', async () => {
  await onEmptyDatabase('order', (sql) => {
    expect(migrate(sql, [first])).toBe(true);
    expect(migrate(sql, [first, second])).toBe(false);
    migrate(sql, [first, second]);

    expect(sql.all('SELECT id, checksum FROM migration ORDER BY id')).toEqual([
      { id: '0001_first', checksum: first.checksum },
      { id: '0002_second', checksum: second.checksum },
    ]);
    expect(tables(sql)).toEqual(['migration', 'one', 'two']);
  });
});

test('a migration that fails leaves no trace of itself and all of those before', async () => {
  await onEmptyDatabase('failure', (sql) => {
    const faulty = migration('0002_faulty', `${second.up()} INSERT INTO nowhere VALUES (1);`);

    expect(() => migrate(sql, [first, faulty])).toThrow(
      'Migration 0002_faulty failed and was undone.',
    );

    expect(tables(sql)).toEqual(['migration', 'one']);
    migrate(sql, [first, second]);
    expect(tables(sql)).toEqual(['migration', 'one', 'two']);
  });
});

test.each([
  ['an edited migration', [migration('0001_first', ' '), second], '0001_first was edited'],
  ['a reordered list', [second, first], 'the object has 0001_first where the code has 0002_second'],
  ['older code on a newer thread', [first], 'it has migration 0002_second, which this code lacks'],
])('%s is refused by name, and nothing is changed', async (name, migrations, message) => {
  await onEmptyDatabase(name, (sql) => {
    migrate(sql, [first, second]);

    expect(() => migrate(sql, migrations)).toThrow(SchemaDriftError);
    expect(() => migrate(sql, migrations)).toThrow(message);

    expect(sql.all('SELECT id FROM migration')).toHaveLength(2);
  });
});

test('the next migration changes a thread that holds something, and what it holds stays', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Drinks tea'] }],
  });
  const next = migration(
    '0002_entity_colour',
    "ALTER TABLE entity ADD COLUMN colour TEXT; UPDATE entity SET colour = 'of ' || name;",
  );

  await runInDurableObject(threadOf(memory.threadId), (_, { storage }) => {
    migrate(openSql(storage), [...MIGRATIONS, next]);
  });

  expect(await memory.query('SELECT id FROM migration ORDER BY id')).toEqual([
    { id: '0001_initial' },
    { id: '0002_entity_colour' },
  ]);
  expect(await memory.query('SELECT name, colour FROM entity')).toEqual([
    { name: 'Ada', colour: 'of Ada' },
  ]);
  const { entities } = await memory.call('search_nodes', { query: 'tea' });
  expect(entities).toMatchObject([{ name: 'Ada', observations: ['Drinks tea'] }]);
});

test.each([
  ['thread', MIGRATIONS],
  ['directory', DIRECTORY_MIGRATIONS],
])('the live schema of a %s is what its migrations say', async (object, migrations) => {
  await onEmptyDatabase(`schema of a ${object}`, (sql) => {
    migrate(sql, migrations);

    const live = sql
      .all<{ sql: string }>(
        `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'migration'
           AND name NOT LIKE '_cf_%' AND name NOT LIKE 'fulltext\\_%' ESCAPE '\\' AND name NOT LIKE 'trigram\\_%' ESCAPE '\\'
         UNION ALL SELECT sql FROM sqlite_master WHERE name IN ('fulltext_term', 'trigram_term')`,
      )
      .map((row) => row.sql.trim());
    const text = migrations.map(({ up }) => up()).join('\n');
    const made = text.match(/^\s*CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX|VIEW|TRIGGER)/gm) ?? [];
    expect(live).toHaveLength(made.length);
    for (const statement of live) expect(text).toContain(statement);
    const loose = live.filter((one) => one.startsWith('CREATE TABLE') && !one.includes('STRICT'));
    expect(loose).toEqual([]);
  });
});

test('a thread from before the first release is refused with what to do, and left as it is', async () => {
  await using memory = await openTestMemory();
  const stub = threadOf(memory.threadId);
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAll();
    storage.sql.exec(`CREATE TABLE migration (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
      checksum INTEGER NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
    storage.sql.exec("INSERT INTO migration VALUES (0, '0001_graph', 1, 1)");
  });
  await memory.evict();

  const error = await memory.fail('read_graph');

  expect(error.code).toBe('unavailable');
  expect(error.hint).toContain('Export the thread with the version of the server that made it');
  expect(await memory.query('SELECT id FROM migration')).toEqual([{ id: '0001_graph' }]);
  // The check at the end wants a sound thread.
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAll();
    migrate(openSql(storage));
  });
});

function migration(id: string, up: string): Migration {
  return { id, checksum: hashText(up), up: () => up };
}

function threadOf(threadId: string) {
  return env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
}

/** A database of its own, emptied of what the object's constructor made. */
async function onEmptyDatabase(name: string, work: (sql: Sql) => void): Promise<void> {
  await runInDurableObject(env.THREAD.getByName(`migrate ${name}`), async (_, state) => {
    await state.storage.deleteAll();
    work(openSql(state.storage));
  });
}

function tables(sql: Sql): string[] {
  return sql
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' ORDER BY name",
    )
    .map(({ name }) => name);
}
