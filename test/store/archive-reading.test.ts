/** How archives are read: pages of rows, whatever their length, that memory can hold. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { LIST_BYTES } from '#limits.ts';
import { archiveReadingStore } from '#store/bulk/archive-reading.ts';
import type { Sql, SqlValue } from '#store/sql.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { entity } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';
import { openTables } from '#test/tables.ts';

const LONG = 95_000;

test('no statement gives more than a page of bytes, or one row, and no row is left out', async () => {
  await using memory = await openTestMemory();
  const metadata = { note: 'n'.repeat(LONG) };
  for (let turn = 0; turn < 14; turn += 1) {
    const letter = String.fromCodePoint(97 + turn).repeat(LONG);
    await memory.call('add_memory', { prompt: letter, thought: '', response: letter });
    await memory.call('create_node', { text: `Node ${turn}`, metadata });
    await memory.call('update_node', { node_id: `mem_${2 * turn + 2}`, text: `Changed ${turn}` });
  }
  const names = Array.from({ length: 600 }, (_, index) => entity(`Entity ${index}`));
  for (let from = 0; from < names.length; from += 100) {
    await memory.call('create_entities', { entities: names.slice(from, from + 100) });
  }

  const { read, largest } = await inObject(memory.threadId, (sql) => {
    const answers: number[] = [];
    const archive = archiveReadingStore(watch(sql, answers));
    const count = (rows: Iterable<unknown>) => [...rows].length;
    return {
      read: {
        turns: count(archive.nodes('turn')),
        entities: count(archive.nodes('entity')),
        facts: count(archive.nodes('fact')),
        versions: count(archive.versions(['fact'])),
        revisions: count(archive.revisions()),
        changes: count(archive.changes()),
      },
      largest: Math.max(...answers),
    };
  });

  const [expected] = await memory.query(
    `SELECT (SELECT count(*) FROM turn) AS turns, (SELECT count(*) FROM entity) AS entities,
      (SELECT count(*) FROM fact) AS facts, (SELECT count(*) FROM node_version) AS versions,
      (SELECT count(*) FROM revision) AS revisions, (SELECT count(*) FROM change) AS changes`,
  );
  expect(read).toEqual(expected);
  expect(read).toMatchObject({ turns: 14, entities: 600, versions: 14 });
  // Beside the texts there are ids and times.
  expect(largest).toBeLessThan(LIST_BYTES * 1.2);
});

function inObject<Result>(threadId: string, work: (sql: Sql) => Result): Promise<Result> {
  const stub = env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
  return runInDurableObject(stub, (_, { storage }) => work(openTables(storage)));
}

/** Notes how long the JSON of each answer is. */
function watch(sql: Sql, answers: number[]): Sql {
  return {
    ...sql,
    all<Row>(query: string, ...values: SqlValue[]) {
      const rows = sql.all<Row>(query, ...values);
      answers.push(JSON.stringify(rows).length);
      return rows;
    },
  };
}
