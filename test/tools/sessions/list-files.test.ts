import { expect, test } from 'vitest';
import { openTestMemory } from '#test/memory.ts';

test('the files of a thread are listed, newest first, as they can be fetched and imported', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Written down twice' });
  const first = await memory.call('export_database');
  // R2 keeps milliseconds.
  await scheduler.wait(5);
  const second = await memory.call('export_database', { history: false });

  const { files, total, note } = await memory.call('list_files');
  const newest = await memory.call('list_files', { limit: 1 });

  expect(files).toEqual(
    [second, first].map(({ file, sizeBytes, download }) => ({
      file,
      sizeBytes,
      download,
      writtenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })),
  );
  expect([total, note]).toEqual([2, undefined]);
  expect(newest).toMatchObject({
    files: [{ file: second['file'] }],
    total: 2,
    note: 'The newest 1 of 2 files; limit shows more.',
  });
  const imported = await memory.call('import_database', { file: files[1].file });
  expect(imported).toMatchObject({ added: { facts: 0 } });
});

test('a thread lists its own files alone, and so does each owner', async () => {
  await using memory = await openTestMemory();
  await using other = await openTestMemory();
  await other.call('store_memory', { content: 'Of another thread' });
  await other.call('export_database');
  await memory.call('create_node', { text: 'The cat is black', owner_id: 'bob' });
  const { download } = await memory.call('export_database', { owner_id: 'bob' });

  expect(await memory.call('list_files')).toMatchObject({ files: [], total: 0 });
  expect(await memory.call('list_files', { owner_id: 'bob' })).toMatchObject({
    files: [{ download }],
    total: 1,
  });
});
