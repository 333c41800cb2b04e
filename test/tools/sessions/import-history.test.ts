/** Files whose history is wrong: everything else is taken, and what is taken can be written and imported again. */
import { expect, test } from 'vitest';
import { cluster } from '#test/builders.ts';
import {
  entityRecord,
  exportText,
  factRecord,
  HEADER,
  toLines,
  forge,
  recordsWithHistory,
} from '#test/files.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { readContent } from '#test/thread-state.ts';

const BEYOND = Number.MAX_SAFE_INTEGER;

test.each([
  ['a state that no change leads to', 'fact', { confidence: 0.1 }, /^the history ends differently/],
  ['an edge that no change leads to', 'edge', { importance: 0.1 }, /^the history ends differently/],
  [
    'a change of another revision',
    'change',
    { number: 99, revision: 99 },
    /^it is of the revision 99/,
  ],
  ['a number that leaves others out', 'change', { number: 99 }, /^number 99 does not follow/],
  ['a number near the greatest', 'change', { number: BEYOND - 10 }, /does not follow/],
  ['a table that there is not', 'change', { of: 'sqlite_master' }, /^of is 'sqlite_master'/],
  ['a row that is not one', 'change', { after: { id: 1 } }, /missing$/],
  [
    'nothing that changed',
    'change',
    { before: null, after: null },
    /^before and after are both null/,
  ],
  ['a time that is text', 'revision', { at: 'yesterday' }, /expected epoch milliseconds$/],
  ['a time beyond all dates', 'revision', { at: BEYOND }, /expected epoch milliseconds$/],
  ['a time before 1970', 'revision', { at: -1 }, /expected epoch milliseconds$/],
  [
    'a time in the future',
    'revision',
    { at: Date.now() + 3 * 86_400_000 },
    /was made in the future$/,
  ],
  ['an id beyond all others', 'revision', { id: BEYOND }, /expected the number of a revision$/],
  ['an actor without end', 'revision', { actor: 'a'.repeat(1_001) }, /^actor has more than 1000/],
  [
    'more forgotten than there was',
    'header',
    { history: { forgottenTo: BEYOND } },
    /is forgotten, as the header says$/,
  ],
  [
    'history that will be forgotten',
    'header',
    { history: { forgottenAt: BEYOND } },
    /in the future$/,
  ],
  ['ids that leave no room', 'header', { lastId: BEYOND }, /leaves no room for new ones$/],
])('%s: the file comes without its history', async (_, type, fields, problem) => {
  const records = await recordsWithHistory();
  await using memory = await openTestMemory();

  const taken = await memory.call('import_database', { content: forge(records, type, fields) });

  expect(taken).toMatchObject({
    historyRestored: false,
    added: { entities: records.filter((one) => one['type'] === 'entity').length },
    leftOut: { total: 0 },
    historyFault: { problem: expect.stringMatching(problem) },
  });
  expect(await memory.query('SELECT tool FROM revision')).toEqual([{ tool: 'import_database' }]);
  await expectUsable(memory);
});

test('a history that is cut off, or of which a part was taken out, is left out', async () => {
  const records = await recordsWithHistory();
  const { counts: _, ...header } = records[0] ?? {};
  const revision = records.find(({ type }) => type === 'revision');
  for (const [lines, problem] of [
    [records.slice(0, -1), /^the header promises \d+ changes/],
    [
      [header, ...records.slice(1).filter(({ of }) => of !== 'edge')],
      /where it came from|no changes/,
    ],
    [
      [header, ...records.slice(1).filter(({ type }) => type !== 'revision')],
      /^it is of the revision 1/,
    ],
    [[header, ...records.slice(1), { ...revision, id: 99 }], /^revision 99 has no changes/],
  ] as const) {
    await using memory = await openTestMemory();

    const taken = await memory.call('import_database', { content: toLines(lines) });

    expect(taken['historyFault']?.problem).toMatch(problem);
    expect(taken).toMatchObject({ historyRestored: false, leftOut: { total: 0 } });
  }
});

test('a sound file says of no fault in its history, whether it was taken or not', async () => {
  const content = toLines(await recordsWithHistory());
  await using memory = await openTestMemory();

  const first = await memory.call('import_database', { content });
  const second = await memory.call('import_database', { content });

  expect(first).toMatchObject({ historyRestored: true, historyFault: null });
  expect(second).toMatchObject({ historyRestored: false, historyFault: null });
});

test('the greatest ids that a file may have are given up for new ones', async () => {
  await using memory = await openTestMemory();
  const content = toLines([
    HEADER,
    entityRecord(999_999_999_999_998, 'Ada'),
    factRecord(999_999_999_999_999, 'Likes tea', { entity: 999_999_999_999_998 }),
  ]);

  await memory.call('import_database', { content });

  expect(await memory.query('SELECT id FROM node ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  await expectUsable(memory);
});

test.each([
  ['an id', factRecord(1_000_000_000_000_000, 'One')],
  ['a version', factRecord(1, 'One', { version: BEYOND })],
])('%s of more than 15 digits is refused', async (_, record) => {
  await using memory = await openTestMemory();

  const error = await memory.fail('import_database', { content: toLines([HEADER, record]) });

  expect(error.message).toMatch(/^Line 2: (id|version) is \d+: expected/);
});

test('saves beyond all counting are cut, and the thread can be written to a file again', async () => {
  const records = await recordsWithHistory();
  await using memory = await openTestMemory();
  const saves = { accepted: BEYOND, rejected: BEYOND };

  const taken = await memory.call('import_database', {
    content: forge(records, 'header', { saves }),
  });
  await memory.call('save_memory', { entities: cluster('Eve') });

  expect(taken).toMatchObject({ historyRestored: true });
  await expectUsable(memory);
});

test('a row that would be too long for production is refused with its line', async () => {
  await using memory = await openTestMemory();
  const quotes = '"'.repeat(600_000);

  const error = await memory.fail('import_database', {
    content: toLines([HEADER, factRecord(1, 'One', { metadata: { quotes } })]),
  });

  expect(error.message).toMatch(/^Line 2: it would take \d+ bytes of 1900000 in a row/);
});

/** It can be written to, tells of itself, and its file makes the same of another thread. */
async function expectUsable(memory: TestMemory): Promise<void> {
  await using copy = await openTestMemory();
  await memory.call('store_memory', { content: 'What comes after the import' });
  await memory.call('get_recent_changes');
  await memory.register();
  const { threads } = await memory.call('list_threads', { limit: 200 });
  expect(JSON.stringify(threads)).toContain(memory.threadId);
  const content = await exportText(memory);
  expect(await copy.call('import_database', { content })).toMatchObject({
    historyRestored: true,
    historyFault: null,
  });
  expect(await readContent(copy)).toEqual(await readContent(memory));
}
