/** Whatever overwrites something keeps the row before: the undo of its revision brings it back to the letter. */
import { expect, test } from 'vitest';
import { cluster } from '#test/builders.ts';
import { entityRecord, factRecord, HEADER, toLines, turnRecord } from '#test/files.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { readState } from '#test/thread-state.ts';

const LATER = Date.now() + 1_000_000;

const OVERWRITES: Record<string, (memory: TestMemory) => Promise<unknown>> = {
  'a merging import of other types, metadata, sources and confidence': (memory) =>
    memory.call('import_database', {
      content: toLines([
        HEADER,
        entityRecord(1, 'Ada', {
          entityType: 'Robot',
          metadata: { room: 'attic' },
          source: 'a file',
          importance: 0.9,
          updatedAt: LATER,
        }),
        factRecord(2, 'The bank is open', {
          metadata: { seen: true },
          source: 'a file',
          confidence: 1,
          updatedAt: LATER,
        }),
        turnRecord(3, 's1'),
      ]),
    }),
  'a summary that is made again': async (memory) => {
    await memory.call('add_memory', {
      sessionId: 's1',
      prompt: 'Which database do we take for the garden?',
      thought: '',
      response: 'We take SQLite for the garden, since one file is easy to copy.',
    });
    return memory.call('summarize_sessions');
  },
  'a deletion of all summaries': (memory) => memory.call('delete_all_summaries', { confirm: true }),
  'a merge of two entities': (memory) =>
    memory.call('merge_entities', { source: 'Bob', target: 'Ada' }),
  'an update of a node that asks for no version': (memory) =>
    memory.call('update_node', {
      node_id: 'ent_1',
      text: 'Adelaide',
      metadata: { room: 'attic' },
      source: 'hearsay',
      expires_at: LATER,
    }),
};

test.each(Object.entries(OVERWRITES))('%s is taken back', async (_, overwrite) => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });
  await memory.call('update_node', { node_id: 'ent_1', metadata: { room: 'kitchen' } });
  await memory.call('store_memory', { content: 'The bank is open' });
  await memory.call('add_memory', {
    sessionId: 's1',
    prompt: 'What grows in the garden?',
    thought: 'Hm.',
    response: 'Figs grow in the garden, next to the wall.',
  });
  await memory.call('summarize_sessions');
  const last = await lastRevision(memory);
  const before = await restorable(memory);

  await overwrite(memory);
  expect(await restorable(memory)).not.toEqual(before);
  for (let id = await lastRevision(memory); id > last; id -= 1) {
    await memory.call('undo_revision', { revision: id });
  }

  expect(await restorable(memory)).toEqual(before);
});

async function lastRevision(memory: TestMemory): Promise<number> {
  const [row] = await memory.query('SELECT max(id) AS id FROM revision');
  return row?.['id'];
}

/** The tables that an undo restores. */
async function restorable(memory: TestMemory): Promise<object> {
  return { ...(await readState(memory)), revision: [], change: [] };
}
