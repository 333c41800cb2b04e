import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { openStore } from '#store/store.ts';
import { HISTORY_KEYS } from '#store/history/history-tables.ts';
import { openTables } from '#test/tables.ts';

test('every table with a history can be taken back, by the key that its history has', async () => {
  await inThread(async (storage) => {
    const triggers = storage.sql
      .exec("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .toArray();
    const recorded = triggers.filter(({ sql }) => /INSERT INTO change /.test(String(sql)));
    const tables = [...new Set(recorded.map(({ tbl_name }) => String(tbl_name)))];

    expect(tables.toSorted()).toEqual(Object.keys(HISTORY_KEYS).toSorted());
    for (const table of tables) {
      const columns = storage.sql.exec(`PRAGMA table_info(${table})`).toArray();
      const key = columns
        .filter(({ pk }) => Number(pk) > 0)
        .toSorted((a, b) => Number(a['pk']) - Number(b['pk']));
      expect(HISTORY_KEYS[table]).toEqual(key.map(({ name }) => name));
    }
  });
});

test('a read of the past that throws, or that waits, leaves nothing behind', async () => {
  await inThread(async (storage) => {
    const store = openStore(openTables(storage));

    expect(() =>
      store.rewinding.readAsOf(0, [], () => {
        throw new Error('not found');
      }),
    ).toThrow('not found');
    expect(() => store.rewinding.readAsOf(0, [], async () => 1)).toThrow(/cannot be waited/);
    expect(store.rewinding.readAsOf(0, [], () => undefined)).toBeUndefined();
    expect(storage.sql.exec('SELECT * FROM revision').toArray()).toEqual([]);
  });
});

function inThread(work: (storage: DurableObjectStorage) => Promise<void>): Promise<void> {
  const stub = env.THREAD.getByName(`test/rewinding-${crypto.randomUUID()}`);
  return runInDurableObject(stub, (_, { storage }) => {
    openTables(storage);
    return work(storage);
  });
}
