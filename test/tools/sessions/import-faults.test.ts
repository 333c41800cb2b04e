/** Imports of files with more than one fault: what is listed, and what `skip` takes. */
import { expect, test } from 'vitest';
import { cluster } from '#test/builders.ts';
import {
  edgeRecord,
  entityRecord,
  factRecord,
  HEADER,
  toLines,
  forge,
  recordsWithHistory,
} from '#test/files.ts';
import { openTestMemory } from '#test/memory.ts';
import { readState } from '#test/thread-state.ts';

const REFERENCE = [
  '{"type":"entity","name":"Ada","entityType":"person","observations":["Likes tea","",7,"Writes"]}',
  '{"type":"entity","name":"Engine","entityType":"machine","observations":[]}',
  '{"type":"relation","from":"Ada","to":"Nobody","relationType":"knows"}',
  '{"type":"relation","from":"Ada","to":"Engine","relationType":"describes"}',
  '{"type":"entity","name":"","entityType":"thing","observations":["Has no name"]}',
  '{"type":"relation","from":"Ada"',
].join('\n');

const REFERENCE_FAULTS = [
  { line: 1, problem: 'observations[1] is empty' },
  { line: 1, problem: "observations[2] is '7': expected text" },
  { line: 3, problem: "no line before has the entity 'Nobody'" },
  { line: 5, problem: "name is '': expected text that is not empty" },
  { line: 6, problem: `this is no JSON, or not all of it: '{"type":"relation","from":"Ada"'` },
];

test('all faults of a file come at once, each with its line', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Kept') });
  const before = await readState(memory);

  const error = await memory.fail('import_database', { content: REFERENCE });

  expect(error).toEqual({
    code: 'invalid_input',
    message: 'Line 1: observations[1] is empty. The file has 5 faults.',
    hint: expect.stringMatching(/^Nothing was changed\. .*skip: true/),
    faults: REFERENCE_FAULTS.map(({ line, problem }) => ({ path: `line ${line}`, problem })),
  });
  expect(await readState(memory)).toEqual(before);
});

test('skip takes the rest and lists what it left out, in a graph of JSON too', async () => {
  const records = REFERENCE.split('\n')
    .slice(0, 5)
    .map((line) => JSON.parse(line));
  const ofType = (wanted: string) =>
    records.filter(({ type }) => type === wanted).map(({ type: _, ...record }) => record);
  const graph = JSON.stringify({ entities: ofType('entity'), relations: ofType('relation') });

  for (const [content, total] of [
    [REFERENCE, 5],
    [graph, 4],
  ] as const) {
    await using memory = await openTestMemory();

    const { added, leftOut } = await memory.call('import_database', { content, skip: true });

    expect(added).toEqual({ entities: 2, facts: 2, relations: 1, turns: 0, summaries: 0 });
    expect(leftOut.total).toBe(total);
    expect(leftOut.faults.map(({ problem }: any) => problem).toSorted()).toEqual(
      REFERENCE_FAULTS.slice(0, total)
        .map(({ problem }) => problem)
        .toSorted(),
    );
    expect(await memory.call('read_graph')).toMatchObject({
      entities: [{ name: 'Ada', observations: ['Likes tea', 'Writes'] }, { name: 'Engine' }],
      relations: [{ from: 'Ada', to: 'Engine', relationType: 'describes' }],
    });
  }
});

test('a skipping import that is made twice changes nothing the second time', async () => {
  await using memory = await openTestMemory();

  await memory.call('import_database', { content: REFERENCE, skip: true });
  const once = await readState(memory);
  const again = await memory.call('import_database', { content: REFERENCE, skip: true });

  expect(again).toMatchObject({ added: { entities: 0, facts: 0, relations: 0 }, updated: 0 });
  expect(await readState(memory)).toEqual(once);
});

test('a hundred faults are listed of as many as there are', async () => {
  await using memory = await openTestMemory();
  const bad = Array.from({ length: 250 }, (_, index) => entityRecord(index + 2, ''));
  const content = toLines([HEADER, entityRecord(1, 'Ada'), ...bad]);

  const error = await memory.fail('import_database', { content });
  const taken = await memory.call('import_database', { content, skip: true });

  expect(error.message).toMatch(
    /^Line 3: .* The file has 250 faults\. The first 100 are listed\.$/,
  );
  expect(error.faults?.map(({ path }) => path)).toEqual(
    Array.from({ length: 100 }, (_, index) => `line ${index + 3}`),
  );
  expect(taken).toMatchObject({ added: { entities: 1 }, leftOut: { total: 250 } });
  expect(taken['leftOut'].faults).toHaveLength(100);
});

test('what depends on a line that is left out is left out with it', async () => {
  await using memory = await openTestMemory();
  const content = toLines([
    HEADER,
    entityRecord(1, 'Ada'),
    entityRecord(2, 'Bob', { confidence: 2 }),
    factRecord(3, 'About Bob', { entity: 2 }),
    factRecord(4, 'Lives in Rome', { entity: 1, supersededBy: 5 }),
    factRecord(5, 'Lives in Oslo', { entity: 1, version: 2, supersedes: 4, supersededBy: 6 }),
    factRecord(6, 'Lives in Kyiv', { entity: 2, version: 3, supersedes: 5 }),
    factRecord(7, 'Likes tea', { entity: 1 }),
    edgeRecord(1, 2),
    edgeRecord(5, 1),
    edgeRecord(7, 1),
  ]);

  const { added, leftOut } = await memory.call('import_database', { content, skip: true });

  expect(leftOut).toEqual({
    total: 7,
    faults: [
      { line: 3, problem: 'confidence is 2: expected a number from 0 to 1' },
      { line: 4, problem: 'no line before it has the entity 2 that it is about' },
      { line: 5, problem: 'there is no fact 5 that it could be superseded by' },
      { line: 6, problem: 'there is no fact 6 that it could be superseded by' },
      { line: 7, problem: 'no line before it has the entity 2 that it is about' },
      { line: 9, problem: 'there is no node 2' },
      { line: 10, problem: 'there is no node 5' },
    ],
  });
  expect(added).toMatchObject({ entities: 1, facts: 1, relations: 1 });
});

test('a file with a fault in its graph never brings its history', async () => {
  const records = await recordsWithHistory();

  for (const content of [
    forge(records, 'fact', { content: 7 }),
    toLines([{ ...records[0], counts: { entities: 99 } }, ...records.slice(1)]),
  ]) {
    await using memory = await openTestMemory();

    const refused = await memory.fail('import_database', { content });
    const taken = await memory.call('import_database', { content, skip: true });

    expect(refused.code).toBe('invalid_input');
    expect(taken).toMatchObject({ historyRestored: false, leftOut: { total: 1 } });
    expect(taken['added'].entities).toBeGreaterThan(1);
    expect(await memory.query('SELECT tool FROM revision')).toEqual([{ tool: 'import_database' }]);
  }
});

test.each([
  [
    'no header that this server reads',
    toLines([{ ...HEADER, version: 2 }, entityRecord(1, 'Ada')]),
  ],
  ['a graph that is cut off', '{"entities":[{"name":"Ada","entityType":"T","observations":[]}'],
  ['nothing in it', '\n'],
])('skip does not help a file with %s', async (_, content) => {
  await using memory = await openTestMemory();

  const error = await memory.fail('import_database', { content, skip: true });

  expect(error).toMatchObject({
    code: 'invalid_input',
    hint: 'Nothing was changed. Correct the file and import it again.',
  });
  expect(await memory.query('SELECT * FROM node')).toEqual([]);
});

test('a number that JSON cannot write again is refused, so that none becomes null', async () => {
  await using memory = await openTestMemory();
  const lines = toLines([HEADER, factRecord(1, 'It rains', { metadata: { big: 'here' } })]);

  const error = await memory.fail('import_database', { content: lines.replace('"here"', '1e400') });

  expect(error.message).toContain('a number beyond 1.8e308 cannot be stored');
  expect(error.message).toMatch(/^Line 2: metadata/);
});
