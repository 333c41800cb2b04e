/** A thread that this version of the server cannot open can be read as it is, and deleted. */
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { beforeEach, expect, test } from 'vitest';
import { createApp } from '#http/app.ts';
import { migrate } from '#store/schema/migrate.ts';
import { openSql } from '#store/sql.ts';
import { threadObjectName } from '#thread/thread-address.ts';

const app = createApp();
let threadId = '';
beforeEach(() => {
  threadId = `dump-${crypto.randomUUID()}`;
});

const ask = (path: string, init?: RequestInit) =>
  app.fetch(new Request(`http://localhost/api/threads/${threadId}/${path}`, init), env);

const call = (tool: string, input: object) =>
  ask(`tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

/** Changes the tables behind the back of the server, which then wakes to them. */
async function change(work: (storage: DurableObjectStorage) => unknown): Promise<void> {
  const stub = env.THREAD.getByName(threadObjectName({ subject: 'local', threadId }));
  await runInDurableObject(stub, async (_, { storage }) => {
    await work(storage);
  });
  await evictDurableObject(stub);
}

async function dump(): Promise<Record<string, any>[]> {
  const response = await ask('dump');
  expect(response.status).toBe(200);
  const text = await response.text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, any>);
}

async function rowsOf(table: string): Promise<Record<string, any>[]> {
  const lines = await dump();
  return lines.flatMap((line) => (line['table'] === table && line['row'] ? [line['row']] : []));
}

const DEFECTS: Record<string, (storage: DurableObjectStorage) => unknown> = {
  'that newer code has written': ({ sql }) =>
    sql.exec("INSERT INTO migration VALUES ('0009_newer', 1, 1)"),
  'from before the first release': async (storage) => {
    await storage.deleteAll();
    storage.sql.exec('CREATE TABLE migration (id TEXT PRIMARY KEY, checksum INTEGER)');
    storage.sql.exec("INSERT INTO migration VALUES ('0001_graph', 1)");
    storage.sql.exec('CREATE TABLE thing ("a ""name" TEXT)');
    storage.sql.exec("INSERT INTO thing VALUES ('Ada')");
  },
  'whose migration fails': async (storage) => {
    await storage.deleteAll();
    const records = { id: '0000', checksum: 0, up: () => '' };
    migrate(openSql(storage), [records]);
    storage.sql.exec('DELETE FROM migration');
    storage.sql.exec('CREATE TABLE node (name TEXT) STRICT');
    storage.sql.exec("INSERT INTO node VALUES ('Ada')");
  },
};

test.each(Object.entries(DEFECTS))('a thread %s is dumped, and deleted', async (_, spoil) => {
  await call('create_entities', { entities: [{ name: 'Ada', entityType: 'Person' }] });
  await change(spoil);
  const refused = await call('read_graph', {});
  expect(refused.status).toBe(503);
  expect(JSON.stringify(await refused.json())).toContain(
    'GET /api/threads/<threadId>/dump reads its tables, and delete_thread deletes it.',
  );

  expect(JSON.stringify(await dump())).toContain('"Ada"');

  const wrong = await call('delete_thread', { confirm: 'another' });
  expect(wrong.status).toBe(400);
  expect(JSON.stringify(await dump())).toContain('"Ada"');
  const deleted = await call('delete_thread', { confirm: threadId });
  expect([deleted.status, await deleted.json()]).toMatchObject([200, { deleted: true }]);
  expect(await dump()).toEqual([]);
  expect(
    (await call('create_entities', { entities: [{ name: 'Bob', entityType: 'Person' }] })).status,
  ).toBe(200);
  const graph = await call('read_graph', {});
  expect(await graph.json()).toMatchObject({ entities: [{ name: 'Bob' }] });
});

test('a dump has every row of every table once, in pages, with bytes as base64', async () => {
  await call('create_entities', { entities: [{ name: 'Ada', entityType: 'Person' }] });
  await change(({ sql }) => {
    sql.exec('CREATE TABLE large (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID');
    sql.exec(
      `WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 3000)
       INSERT INTO large SELECT 'x' || (n % 7), n, hex(zeroblob(500)) FROM seq`,
    );
    sql.exec('CREATE TABLE loose (bytes BLOB)');
    sql.exec("INSERT INTO loose VALUES (x'0001ff'), (x'0001ff')");
  });

  const large = await rowsOf('large');

  expect(large).toHaveLength(3_000);
  expect(new Set(large.map(({ b }) => b)).size).toBe(3_000);
  expect(await rowsOf('loose')).toMatchObject([{ bytes: 'AAH/' }, { bytes: 'AAH/' }]);
  expect(await rowsOf('entity')).toMatchObject([{ name: 'Ada', type: 'Person' }]);
  const tables = (await dump()).flatMap(({ table, create }) => (create ? [table] : []));
  expect(tables).toContain('change');
  expect(tables.filter((name) => /^(fulltext|trigram|_cf_|sqlite_)/.test(name))).toEqual([]);
});

test('a dump of a thread that was never written to is empty, and makes nothing', async () => {
  expect(await dump()).toEqual([]);
  expect((await ask('dump', { method: 'POST' })).status).toBe(405);
});
