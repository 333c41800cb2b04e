import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { freshSchema } from '#store/fresh-schema.ts';
import { migrate, SchemaDriftError } from '#store/migrate.ts';
import { MIGRATIONS, type Migration } from '#store/migrations.ts';
import { openStore } from '#store/store.ts';
import { openSql, type Sql } from '#store/sql.ts';

const first: Migration = {
  id: '0001_first',
  up: 'CREATE TABLE one (id INTEGER PRIMARY KEY) STRICT',
};
const second: Migration = {
  id: '0002_second',
  up: 'CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT',
};

test('migrations are applied in order, each once', async () => {
  await onEmptyDatabase('order', (sql) => {
    migrate(sql, [first]);
    migrate(sql, [first, second]);
    migrate(sql, [first, second]);

    expect(sql.all('SELECT position, id FROM migration')).toEqual([
      { position: 0, id: '0001_first' },
      { position: 1, id: '0002_second' },
    ]);
    expect(tables(sql)).toEqual(['migration', 'one', 'two']);
  });
});

test('a migration that fails leaves no trace of itself and all of those before', async () => {
  await onEmptyDatabase('failure', (sql) => {
    const faulty = { id: '0002_faulty', up: `${second.up}; INSERT INTO nowhere VALUES (1)` };

    expect(() => migrate(sql, [first, faulty])).toThrow(
      'Migration 0002_faulty failed and was undone.',
    );

    expect(tables(sql)).toEqual(['migration', 'one']);
    migrate(sql, [first, second]);
    expect(tables(sql)).toEqual(['migration', 'one', 'two']);
  });
});

test.each([
  ['an edited migration', [{ ...first, up: `${first.up} ` }, second], '0001_first was edited'],
  ['a reordered list', [second, first], 'the thread has 0001_first where the code has 0002_second'],
  ['older code on a newer thread', [first], 'it has migration 0002_second, which this code lacks'],
])('%s is refused by name, and nothing is changed', async (name, migrations, message) => {
  await onEmptyDatabase(name, (sql) => {
    migrate(sql, [first, second]);

    expect(() => migrate(sql, migrations)).toThrow(SchemaDriftError);
    expect(() => migrate(sql, migrations)).toThrow(message);

    expect(sql.all('SELECT id FROM migration')).toHaveLength(2);
  });
});

test('every table is STRICT', async () => {
  await onEmptyDatabase('strict', (sql) => {
    migrate(sql, MIGRATIONS);

    const loose = sql.all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND sql NOT LIKE '%STRICT%' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name NOT LIKE 'fulltext%' AND name NOT LIKE 'trigram%'",
    );
    expect(loose).toEqual([]);
  });
});

test('nodes from before have no end, unless they had one, and their history leads to them', async () => {
  await onEmptyDatabase('node life', (sql) => {
    migrate(
      sql,
      MIGRATIONS.filter(({ id }) => id < '0007'),
    );
    sql.run("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
    for (const [id, status, expiresAt] of [
      [1, 'active', null],
      [2, 'active', 5],
      [3, 'outdated', null],
      [4, 'archived', 5],
    ] as const) {
      sql.run(
        "INSERT INTO node (id, kind, status, expires_at, created_at, updated_at) VALUES (?, 'entity', ?, ?, 1, 1)",
        id,
        status,
        expiresAt,
      );
      sql.run(
        "INSERT INTO entity (node_id, name, folded_name, type) VALUES (?1, 'n' || ?1, 'n' || ?1, 'T')",
        id,
      );
    }

    migrate(sql, MIGRATIONS);

    expect(sql.all('SELECT node_id, hidden_from FROM entity ORDER BY node_id')).toEqual([
      { node_id: 1, hidden_from: null },
      { node_id: 2, hidden_from: 5 },
      { node_id: 3, hidden_from: 0 },
      { node_id: 4, hidden_from: 0 },
    ]);
    sql.run('UPDATE node SET ttl_days = 1.5 WHERE id = 2');
    const [first, second] = sql.all<Record<string, string>>(
      "SELECT before, after FROM change WHERE table_name = 'node' AND row_key = '2'",
    );
    expect(first?.['after']).toBe(second?.['before']);
    expect(JSON.parse(second?.['after'] ?? '')).toMatchObject({ id: 2, ttl_days: 1.5 });
  });
});

test('what was outdated before it could be found is indexed, and waits for its vector', async () => {
  await onEmptyDatabase('lifecycle', (sql) => {
    migrate(
      sql,
      MIGRATIONS.filter(({ id }) => id < '0008'),
    );
    sql.run("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
    for (const [id, status] of [
      [1, 'active'],
      [2, 'outdated'],
      [3, 'archived'],
    ] as const) {
      sql.run(
        "INSERT INTO node (id, kind, status, created_at, updated_at) VALUES (?, 'fact', ?, 1, 1)",
        id,
        status,
      );
      sql.run(
        "INSERT INTO fact (node_id, content, content_hash, is_atomic) VALUES (?, 'Tea is green', 1, 1)",
        id,
      );
    }

    migrate(sql, MIGRATIONS);

    const found = (table: string) =>
      sql.all<{ rowid: number }>(`SELECT rowid FROM ${table} WHERE ${table} MATCH 'tea'`);
    expect(found('fulltext')).toEqual([{ rowid: 1 }, { rowid: 2 }]);
    expect(found('trigram')).toEqual([{ rowid: 1 }, { rowid: 2 }]);
    expect(sql.all('SELECT node_id FROM embedding_backlog')).toEqual([
      { node_id: 1 },
      { node_id: 2 },
    ]);
  });
});

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

test('the nodes of a thread from before are counted at its next revision, and from then on kept with each', async () => {
  await onEmptyDatabase('fewer rows', (sql) => {
    migrate(
      sql,
      MIGRATIONS.filter(({ id }) => id < '0012'),
    );
    const insertNode = (kind: string) =>
      sql.run('INSERT INTO node (kind, created_at, updated_at) VALUES (?, 1, 1)', kind);
    sql.run("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
    for (const kind of ['entity', 'fact', 'fact']) insertNode(kind);

    migrate(sql, MIGRATIONS);

    const { revisions, growth } = openStore(sql);
    expect(sql.all("SELECT * FROM counter WHERE name = 'node'")).toEqual([]);
    const first = revisions.open(2, 'tester', 'test');
    expect(growth.totals()).toEqual([
      { kind: 'entity', total: 1 },
      { kind: 'fact', total: 2 },
    ]);
    insertNode('fact');
    sql.run("DELETE FROM node WHERE kind = 'entity'");
    expect(growth.of(first).nodes).toEqual([{ kind: 'fact', total: 3 }]);
    const second = revisions.open(3, 'tester', 'test');
    expect(growth.of(second).nodes).toEqual([]);
    expect(sql.all('SELECT nodes_before FROM revision ORDER BY id')).toEqual([
      { nodes_before: null },
      { nodes_before: '{"entity":1,"fact":2}' },
      { nodes_before: '{"entity":0,"fact":3}' },
    ]);
  });
});

test('a new thread has the tables, indexes and triggers that the migrations make one by one', async () => {
  const describe = (sql: Sql) => ({
    schema: sql.all(
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE '_cf_%' ORDER BY type, name",
    ),
    migrations: sql.all('SELECT position, id, checksum FROM migration ORDER BY position'),
  });
  let oneByOne: unknown;
  await onEmptyDatabase('one by one', (sql) => {
    for (const [index] of MIGRATIONS.entries()) migrate(sql, MIGRATIONS.slice(0, index + 1));
    oneByOne = describe(sql);
  });

  await onEmptyDatabase('at once', (sql) => {
    migrate(sql);

    expect(describe(sql)).toEqual(oneByOne);
  });
});

test('a new thread is made without what a later migration drops', () => {
  const up = (script: string, id = '0001_x') => ({ id, up: script });

  const script = freshSchema([
    up(
      "CREATE TABLE a (id INTEGER -- never; reused\n);CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO a VALUES (1 - 2); SELECT ';';\nEND;",
    ),
    up(
      'DROP TRIGGER t; INSERT INTO a VALUES (3); CREATE UNIQUE INDEX i ON a (id); ALTER TABLE a ADD COLUMN b;',
    ),
    up('CREATE TRIGGER t AFTER DELETE ON a BEGIN SELECT 2; END;'),
  ]);

  expect(script).toContain('-- never; reused');
  expect(script).not.toContain('AFTER INSERT');
  expect(script).not.toContain('VALUES (3)');
  expect(script).toContain('CREATE UNIQUE INDEX i');
  expect(script).toContain('ADD COLUMN b');
  expect(script).toContain('AFTER DELETE ON a BEGIN SELECT 2; END;');
});
