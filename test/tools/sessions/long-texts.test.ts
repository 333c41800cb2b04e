/** Threads whose texts are as long as tools take them: written to a file, and had back from it. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { openSql } from '#store/sql.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { BOUND_BYTES_MAX, TURN_TEXT_CHARS_MAX } from '#limits.ts';
import { exportText } from '#test/files.ts';
import { openTestMemory } from '#test/memory.ts';
import { readContent, readState } from '#test/thread-state.ts';

test('turns of more bytes than a statement takes are deleted and come back from their file, whole', async () => {
  await using memory = await openTestMemory();
  const long = (letter: string) => letter.repeat(95_000);
  const count = Math.ceil(BOUND_BYTES_MAX / 190_000) + 1;
  for (let turn = 0; turn < count; turn += 1) {
    await memory.call('add_memory', {
      prompt: `Turn ${turn}`,
      thought: long('a'),
      response: long('b'),
    });
  }
  const before = await readState(memory);
  const { file } = await memory.call('export_database');
  await memory.call('delete_thread', { confirm: memory.threadId });

  const imported = await memory.call('import_database', { file });
  const merged = await memory.call('import_database', { file });

  expect(imported).toMatchObject({ added: { turns: count }, historyRestored: true });
  expect(merged).toMatchObject({ added: { turns: 0 }, updated: 0 });
  expect(await readState(memory)).toEqual(before);
});

test('texts at their limits, of letters and of signs that a file escapes, come back', async () => {
  await using source = await openTestMemory();
  await using copy = await openTestMemory();
  await using other = await openTestMemory();
  for (const sign of ['\u0001', '語', '😀', '"']) {
    const text = sign.repeat(TURN_TEXT_CHARS_MAX);
    await source.call('add_memory', { prompt: text, thought: 'Short.', response: 'Short.' });
    const { node } = await source.call('create_node', {
      text: `About ${sign === '\u0001' ? 'control' : sign} ${'x'.repeat(9_900)}`,
      metadata: { text: sign.repeat(15_000) },
    });
    await source.call('update_node', { node_id: node.id, text: 'Short.', versioning: true });
  }
  await other.call('store_memory', { content: 'Was here before' });
  const content = await exportText(source);

  await copy.call('import_database', { content });
  await other.call('import_database', { content });
  await other.call('import_database', { content, mode: 'replace' });

  expect(await readState(copy)).toEqual(await readState(source));
  expect(await readContent(other)).toEqual(await readContent(source));
});

test.each([
  ['a text', 'x'.repeat(BOUND_BYTES_MAX), 'x'.repeat(BOUND_BYTES_MAX + 1)],
  ['a text of several bytes a sign', '語'.repeat(666_666), '語'.repeat(666_667)],
  ['bytes', new ArrayBuffer(BOUND_BYTES_MAX), new ArrayBuffer(BOUND_BYTES_MAX + 1)],
])('%s that production would not bind is refused everywhere', async (_, fitting, long) => {
  const stub = env.THREAD.getByName(
    threadObjectName({ subject: 'test', threadId: 'long-texts-bound' }),
  );

  const told = await runInDurableObject(stub, (_instance, { storage }) => {
    const sql = openSql(storage);
    expect(sql.first('SELECT length(?) AS n', fitting)).toBeDefined();
    for (const run of [
      () => sql.first('SELECT length(?) AS n', long),
      () => [...sql.each('SELECT ?', long)],
    ]) {
      expect(run).toThrow('A bound value has more than 2000000 bytes.');
    }
    return true;
  });

  expect(told).toBe(true);
});

test('a save of four million bytes of names, types and facts is taken', async () => {
  await using memory = await openTestMemory();
  const letters = (index: number, length: number) =>
    `${index} ${'語'.repeat(length)}`.slice(0, length);
  const entities = Array.from({ length: 100 }, (_, index) => ({
    name: letters(index, 100),
    entityType: letters(index, 50),
    observations: Array.from({ length: 80 }, (_fact, fact) => letters(fact, 149)),
    relations: [],
  }));

  const made = await memory.call('create_entities', { entities });

  expect(made['entities'] ?? made['created']).toHaveLength(100);
  expect(await memory.query('SELECT count(*) AS n FROM fact')).toEqual([{ n: 8_000 }]);
});
