import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import {
  edgeRecord,
  entityRecord,
  exportText,
  factRecord,
  HEADER,
  toLines,
  toRecords,
  turnRecord,
} from '#test/files.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { addSummary, addTurn } from '#test/sessions.ts';
import { readContent, readState } from '#test/thread-state.ts';
import { draws } from '#test/draws.ts';

test('a thread that held nothing becomes what the file says, with ids and history', async () => {
  await using source = await openTestMemory();
  await using copy = await openTestMemory();
  await fill(source);

  const imported = await copy.call('import_database', { content: await exportText(source) });

  expect(imported).toMatchObject({
    added: { entities: 3, facts: 6, relations: 3, turns: 1, summaries: 1 },
    updated: 0,
    removed: 0,
    historyRestored: true,
  });
  expect(await readState(copy)).toEqual(await readState(source));
  expect(await recordsOf(copy)).toEqual(await recordsOf(source));
});

test('whatever is done to a thread, its import into an empty one equals it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 12 }), async (steps) => {
      await using source = await openTestMemory();
      await using copy = await openTestMemory();
      for (const step of steps) await step(source);

      const content = await exportText(source);
      await copy.call('import_database', { content });

      expect(await readState(copy)).toEqual(await readState(source));
      const next = { content: 'What comes next has an id of its own' };
      expect(await copy.call('store_memory', next)).toMatchObject({
        created: { id: (await source.call('store_memory', next))['created'].id },
      });
    }),
    draws(5),
  );
});

test('what tools accept of odd texts comes back from a file', async () => {
  await using source = await openTestMemory();
  await using copy = await openTestMemory();
  const odd = 'before \0 after \u0001 \ud800 end';
  await source.call('add_memory', {
    prompt: odd,
    thought: odd,
    response: odd,
    agent: odd,
    model: odd,
  });
  await source.call('create_node', {
    text: 'A note on a pattern.',
    metadata: { pattern: '\\u0000 is written with six characters' },
  });
  const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });
  const deep = await source.call('create_node', { text: 'Deep.', metadata: nested(100) });
  await source.call('update_node', { node_id: deep['node'].id, text: 'Deeper.', versioning: true });

  await copy.call('import_database', { content: await exportText(source) });

  expect(await readState(copy)).toEqual(await readState(source));
  const [turn] = await copy.query<{ prompt: string }>('SELECT prompt FROM turn');
  expect(turn?.prompt).toBe('before \ufffd after \u0001 \ufffd end');
});

test.each([
  ['create_node', { text: 'Hostile.', metadata: { key: 'a\0b' } }],
  ['create_node', { text: 'Hostile.', metadata: { list: [{ 'a\0b': 1 }] } }],
  ['add_memory', { prompt: 'p', thought: 't', response: 'r', sessionId: 'a\0b' }],
  ['add_memory', { prompt: 'p', thought: 't', response: 'r', sessionId: 'a\u0007b' }],
])('%s refuses what no file could bring back: %j', async (tool, input) => {
  await using memory = await openTestMemory();

  await expect(memory.call(tool, input)).rejects.toThrow(/U\+0000|control characters/);

  expect(await memory.query('SELECT * FROM node')).toEqual([]);
});

test('a thread whose undo passed a name that was taken again comes back with its history', async () => {
  await using source = await openTestMemory();
  await using copy = await openTestMemory();
  const create = (name: string) =>
    source.call('create_entities', { entities: [{ name, entityType: 'Thing', observations: [] }] });
  const rename = (entityName: string, newName: string) =>
    source.call('rename_entity', { entityName, newName });
  await create('A');
  await create('B');
  await rename('A', 'C');
  const { changes } = await source.call('get_recent_changes', { limit: 1 });
  await rename('B', 'A');
  await rename('C', 'B');
  await source.call('undo_revision', { revision: changes[0].revision, cascade: true });
  expect(await exportText(source)).toContain('\\u0001');

  const imported = await copy.call('import_database', { content: await exportText(source) });

  expect(imported).toMatchObject({ historyRestored: true });
  expect(await readState(copy)).toEqual(await readState(source));
});

test('importing twice equals importing once, and replacing leaves what the file holds', async () => {
  const steps = fc.array(aStep, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, steps, async (theirs, ours) => {
      await using source = await openTestMemory();
      await using target = await openTestMemory();
      for (const step of theirs) await step(source);
      for (const step of ours) await step(target);
      await target.call('store_memory', { content: 'The target has something of its own' });
      const content = await exportText(source);

      await target.call('import_database', { content });
      const once = await readState(target);
      await target.call('import_database', { content });

      expect(await readState(target)).toEqual(once);

      const { historyRestored } = await target.call('import_database', {
        content,
        mode: 'replace',
      });
      const replaced = await readState(target);
      expect(historyRestored).toBe(false);
      expect(await readContent(target)).toEqual(await readContent(source));

      await target.call('import_database', { content, mode: 'replace' });
      expect(await readState(target)).toEqual(replaced);
    }),
    draws(5),
  );
});

test('a file in R2 is read by its name', async () => {
  await using memory = await openTestMemory();
  await fill(memory);
  const before = await readContent(memory);
  const { file } = await memory.call('export_database');
  await memory.call('delete_entities', { entityNames: ['Ada', 'Engine'] });

  const imported = await memory.call('import_database', { file, mode: 'replace' });

  expect(imported['added']).toMatchObject({ entities: 2 });
  expect(await readContent(memory)).toEqual(before);
});

test('a replacing import is one revision, of the tool that made it', async () => {
  await using memory = await openTestMemory();
  await fill(memory);
  const before = await memory.query<{ id: number }>('SELECT max(id) AS id FROM revision');

  const { removed, added } = await memory.call('import_database', {
    content: toLines([HEADER, entityRecord(7, 'Ada'), entityRecord(9, 'Newcomer')]),
    mode: 'replace',
  });

  const after = await memory.query(
    'SELECT id, tool FROM revision WHERE id > ?',
    before[0]?.id ?? 0,
  );
  expect(after).toEqual([{ id: (before[0]?.id ?? 0) + 1, tool: 'import_database' }]);
  expect(removed).toBe(10);
  expect(added).toMatchObject({ entities: 1 });
  // Who is known keeps the id that clients know.
  expect(await memory.query('SELECT node_id, name FROM entity ORDER BY node_id')).toEqual([
    { node_id: 2, name: 'Ada' },
    { node_id: expect.any(Number), name: 'Newcomer' },
  ]);
});

test('an import can be undone, whether it merged or replaced', async () => {
  await using source = await openTestMemory();
  await fill(source);
  const content = await exportText(source);
  for (const mode of ['merge', 'replace']) {
    await using memory = await openTestMemory();
    await memory.call('save_memory', { entities: cluster('Ada', 'Zoe') });
    await memory.call('add_memory', { prompt: 'Before?', thought: 'Hm', response: 'Yes' });
    const before = await readContent(memory);

    await memory.call('import_database', { content, mode });
    const { changes } = await memory.call('get_recent_changes', { limit: 1 });
    await memory.call('undo_revision', { revision: changes[0].revision });

    expect(changes[0].tool).toBe('import_database');
    expect(await readContent(memory)).toEqual(before);
    expect((await memory.call('search_nodes', { query: 'Zoe' }))['entities']).not.toEqual([]);
  }
});

test('a merge takes what is newer from either side', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [
      { name: 'Old here', entityType: 'Here', observations: [] },
      { name: 'New here', entityType: 'Here', observations: [] },
    ],
  });
  const future = Date.now() + 1_000_000;

  const { updated, added } = await memory.call('import_database', {
    content: toLines([
      HEADER,
      entityRecord(1, 'Old here', { entityType: 'There', importance: 0.9, updatedAt: future }),
      entityRecord(2, 'New here', { entityType: 'There', updatedAt: 1 }),
    ]),
  });

  expect(updated).toBe(1);
  expect(added['entities']).toBe(0);
  expect(
    await memory.query(
      'SELECT name, type, importance FROM entity JOIN node ON id = node_id ORDER BY id',
    ),
  ).toEqual([
    { name: 'Old here', type: 'There', importance: 0.9 },
    { name: 'New here', type: 'Here', importance: 0.5 },
  ]);
});

test('a merge lowers no status, confidence or end, and changes no turn, however new the file', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Lives in Seattle', confidence: 0.9 });
  await memory.call('store_memory', { content: 'Lives in Boston', confidence: 0.2 });
  await memory.call('update_node', { node_id: 'mem_2', status: 'archived', ttl_days: 2 });
  await addTurn(memory, { prompt: 'Who built it?', response: 'Ada.' });
  const standing = () =>
    memory.query('SELECT status, confidence, expires_at, ttl_days FROM node ORDER BY id');
  const [first, second, turn] = await standing();
  const updatedAt = Date.now() + 1_000_000;
  const lowered = { status: 'archived', confidence: 0.1, expiresAt: 1, ttlDays: 1, updatedAt };
  const raised = { status: 'active', confidence: 1, expiresAt: null, ttlDays: null, updatedAt };
  const records = toRecords(await exportText(memory)).filter(
    ({ type }) => type !== 'revision' && type !== 'change',
  );
  const lines = records.map((record) => {
    if (record['type'] === 'header') return HEADER;
    if (record['content'] === 'Lives in Boston') return { ...record, ...raised };
    if (record['type'] === 'fact') return { ...record, ...lowered };
    if (record['type'] === 'turn') return { ...record, ...lowered, response: 'Nobody.' };
    return record;
  });

  await memory.call('import_database', { content: toLines(lines) });

  expect(await standing()).toEqual([
    first,
    { ...second, status: 'active', confidence: 1, expires_at: null, ttl_days: null },
    turn,
  ]);
  expect(await memory.query('SELECT response FROM turn')).toEqual([{ response: 'Ada.' }]);
  await memory.call('import_database', { content: toLines(lines), mode: 'replace' });
  expect((await standing())[0]).toMatchObject({ status: 'archived', confidence: 0.1 });
});

test('versions that a thread does not have are added to its chain', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Lives in Seattle' });
  const chain = [
    factRecord(10, 'Lives in Seattle', { supersededBy: 11 }),
    factRecord(11, 'Lives in Austin', { version: 2, supersedes: 10 }),
  ];

  const { added } = await memory.call('import_database', { content: toLines([HEADER, ...chain]) });

  expect(added['facts']).toBe(1);
  expect(await readChains(memory)).toEqual([
    { content: 'Lives in Seattle', version: 1, newer: 'Lives in Austin' },
    { content: 'Lives in Austin', version: 2, newer: null },
  ]);
});

test('where two chains part, the thread keeps its own and the other version stands beside it', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ann', entityType: 'Person', observations: ['Lives in Seattle'] }],
  });
  await memory.call('update_observation', {
    entityName: 'Ann',
    observationId: 'obs_2',
    newContent: 'Lives in Boston',
  });
  const content = toLines([
    HEADER,
    entityRecord(1, 'Ann'),
    factRecord(10, 'Lives in Seattle', { entity: 1, supersededBy: 11 }),
    factRecord(11, 'Lives in Austin', { entity: 1, version: 2, supersedes: 10 }),
  ]);

  await memory.call('import_database', { content });
  await memory.call('import_database', { content });

  expect(await readChains(memory)).toEqual([
    { content: 'Lives in Seattle', version: 1, newer: 'Lives in Boston' },
    { content: 'Lives in Boston', version: 2, newer: null },
    { content: 'Lives in Austin', version: 2, newer: null },
  ]);
});

test('a fact still says which turn it came from when the turn gets another id', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Takes the first id' });

  await memory.call('import_database', {
    content: toLines([
      HEADER,
      factRecord(1, 'Likes tea', { source: 'turn_2' }),
      turnRecord(2, 'session_1'),
    ]),
  });

  expect(
    await memory.query(
      `SELECT source = 'turn_' || (SELECT node_id FROM turn) AS same, source
       FROM fact JOIN node ON id = node_id WHERE content = 'Likes tea'`,
    ),
  ).toEqual([{ same: 1, source: 'turn_3' }]);
});

test('what was imported is found by its words at once, and by its meaning soon', async () => {
  await using memory = await openTestMemory();
  await memory.call('import_database', {
    content: toLines([
      HEADER,
      entityRecord(1, 'Sourdough'),
      factRecord(2, 'The dough rests overnight', { entity: 1 }),
      factRecord(3, 'The cat sleeps on the keyboard'),
    ]),
  });

  const { entities } = await memory.call('search_nodes', { query: 'overnight' });
  await memory.embedAll();
  const found = await memory.call('search_memories', { query: 'A feline naps on the computer' });

  expect(entities.map(({ name }: any) => name)).toEqual(['Sourdough']);
  expect(JSON.stringify(found)).toContain('keyboard');
});

test('the file of the reference memory server is read as it is', async () => {
  await using memory = await openTestMemory();
  const content = [
    '{"type":"entity","name":"  Ada  Lovelace ","entityType":"person","observations":["Likes tea","Likes tea","Works\\u00e9"]}',
    '{"type":"entity","name":"Engine","entityType":"machine","observations":[]}',
    '{"type":"relation","from":"Ada Lovelace","to":"Engine","relationType":"describes"}',
    '{"type":"relation","from":"Ada Lovelace","to":"Engine","relationType":"describes"}',
  ].join('\n');

  await memory.call('import_database', { content });
  const once = await readState(memory);
  const again = await memory.call('import_database', { content });

  expect(again).toMatchObject({ added: { entities: 0, facts: 0 }, updated: 0 });
  expect(await readState(memory)).toEqual(once);
  expect(await memory.call('read_graph')).toMatchObject({
    entities: [
      { name: 'Ada Lovelace', entityType: 'person', observations: ['Likes tea', 'Worksé'] },
      { name: 'Engine', entityType: 'machine', observations: [] },
    ],
    relations: [{ from: 'Ada Lovelace', to: 'Engine', relationType: 'describes' }],
  });
});

test.each([
  ['a byte order mark', `\ufeff${toLines([HEADER, entityRecord(1, 'Ada')])}`],
  ['the line ends of Windows', toLines([HEADER, entityRecord(1, 'Ada')]).replaceAll('\n', '\r\n')],
  ['empty lines', `\n${toLines([HEADER])}\n\n${toLines([entityRecord(1, 'Ada')])}\n`],
  ['no end of its last line', toLines([HEADER, entityRecord(1, 'Ada')]).trimEnd()],
])('a file with %s is read', async (_, content) => {
  await using memory = await openTestMemory();

  const { added } = await memory.call('import_database', { content });

  expect(added['entities']).toBe(1);
});

describe('a file that is wrong changes nothing and is told by its line', () => {
  const ada = entityRecord(1, 'Ada');
  const chain = [
    factRecord(2, 'One', { supersededBy: 3 }),
    factRecord(3, 'Two', { version: 2, supersedes: 2 }),
  ];
  const lines = (...records: object[]) => toLines([HEADER, ...records]);

  test.each([
    ['empty lines alone', '\n\r\n  \n', 'The file is empty.'],
    ['no header', toLines([ada]), /^Line 1: observations is no list/],
    ['no JSON', 'hello', /^Line 1: this is no JSON, or not all of it: 'hello'/],
    ['a list', '[]', /^Line 1: expected an object/],
    ['null', 'null', /^Line 1: expected an object/],
    ['another format', toLines([{ ...HEADER, format: 'other' }]), /^Line 1: the format is 'other'/],
    [
      'a newer version',
      toLines([{ ...HEADER, version: 2 }]),
      /^Line 1: the file has version '2', this server reads version 1/,
    ],
    ['two headers', lines(ada, HEADER), /^Line 3: a header can only be the first line/],
    ['a line cut off', lines(ada).slice(0, -20), /^Line 2: this is no JSON, or not all of it/],
    [
      'a type that there is not',
      lines({ type: 'constructor' }),
      /^Line 2: there are no records of the type 'constructor'/,
    ],
    ['no type', lines({}), /^Line 2: there are no records of the type/],
    ['a field too many', lines({ ...ada, colour: 'red' }), /^Line 2: there is no field 'colour'/],
    [
      'a field of the prototype',
      `${lines()}{"__proto__":{"x":1},${JSON.stringify(ada).slice(1)}\n`,
      /^Line 2: there is no field '__proto__'/,
    ],
    ['a field too few', lines({ ...ada, name: undefined }), /^Line 2: name is missing/],
    ['a number for a name', lines({ ...ada, name: 7 }), /^Line 2: name is 7: expected text/],
    ['an empty name', lines({ ...ada, name: '' }), /^Line 2: name is ''/],
    [
      'a long name',
      lines({ ...ada, name: 'x'.repeat(101) }),
      /^Line 2: name is .* at most 100 characters/,
    ],
    ['a name with spaces around', lines({ ...ada, name: ' Ada' }), /^Line 2: name is ' Ada'/],
    [
      'half a character',
      lines(ada).replace('"Ada"', String.raw`"\ud800"`),
      /^Line 2: name is .*surrogate/,
    ],
    ['a NUL', lines(factRecord(1, 'a\0b')), /^Line 2: content is .*U\+0000/],
    [
      'a confidence of 2',
      lines({ ...ada, confidence: 2 }),
      /^Line 2: confidence is 2: expected a number from 0 to 1/,
    ],
    [
      'a time that is text',
      lines({ ...ada, createdAt: '2026-01-20' }),
      /^Line 2: createdAt is '2026-01-20': expected epoch milliseconds/,
    ],
    ['an id of 0', lines({ ...ada, id: 0 }), /^Line 2: id is 0/],
    [
      'an unknown status',
      lines({ ...ada, status: 'lost' }),
      /^Line 2: status is 'lost': expected one of active/,
    ],
    [
      'metadata that is a list',
      lines({ ...ada, metadata: [] }),
      /^Line 2: metadata is a list: expected an object/,
    ],
    [
      'metadata too deep',
      lines({ ...ada, metadata: nested(101) }),
      /^Line 2: metadata is an object: more than 100 levels/,
    ],
    ['an id twice', lines(ada, factRecord(1, 'One')), /^Line 3: the id 1 is that of line 2 too/],
    [
      'a name twice',
      lines(ada, entityRecord(2, 'Ada')),
      /^Line 3: line 2 has an entity of that name already/,
    ],
    [
      'an edge twice',
      lines(ada, edgeRecord(1, 1), edgeRecord(1, 1)),
      /^Line 4: line 3 has the same edge/,
    ],
    ['an edge to nowhere', lines(ada, edgeRecord(1, 9)), /^Line 3: there is no node 9/],
    [
      'a fact about nobody',
      lines(factRecord(2, 'One', { entity: 9 })),
      /^Line 2: no line before it has the entity 9/,
    ],
    [
      'a fact about a fact',
      lines(factRecord(1, 'One'), factRecord(2, 'Two', { entity: 1 })),
      /^Line 3: no line before it has the entity 1/,
    ],
    ['a chain that leads nowhere', lines(chain[0]!), /^Line 2: there is no fact 3/],
    [
      'a chain of one side',
      lines({ ...chain[0]!, supersededBy: null }, chain[1]!),
      /^Line 3: it supersedes 2, which does not say/,
    ],
    [
      'a chain in a circle',
      lines({ ...chain[0]!, supersedes: 3 }, { ...chain[1]!, supersededBy: 2 }),
      /^Line 2: version 1 supersedes version 2: versions rise and go in no circle/,
    ],
    [
      'a fact that supersedes itself',
      lines(factRecord(2, 'One', { supersedes: 2, supersededBy: 2 })),
      /^Line 2: version 1 supersedes version 1/,
    ],
    [
      'a chain across entities',
      lines(ada, chain[0]!, { ...chain[1]!, entity: 1 }),
      /^Line 4: it is about another entity/,
    ],
    [
      'fewer lines than promised',
      toLines([{ ...HEADER, counts: { entities: 2 } }, ada]),
      /^The header promises 2 entities, and there are 1/,
    ],
    [
      'a relation to nobody',
      '{"type":"relation","from":"Ada","to":"Bob","relationType":"knows"}',
      /^Line 1: no line before has the entity 'Ada'/,
    ],
    [
      'an entity twice, of the reference server',
      '{"type":"entity","name":"A","entityType":"T","observations":[]}\n'.repeat(2),
      /^Line 2: the entity 'A' is there already/,
    ],
  ])('%s', async (_, content, message) => {
    await using memory = await openTestMemory();
    await memory.call('save_memory', { entities: cluster('Kept') });
    const before = await readState(memory);

    for (const mode of ['merge', 'replace']) {
      const error = await memory.fail('import_database', { content, mode });

      expect(error.code).toBe('invalid_input');
      expect(error.message).toMatch(message);
      expect(error.hint).toMatch(/^Nothing was changed/);
    }

    expect(await readState(memory)).toEqual(before);
    expect(await memory.query('SELECT * FROM transfer')).toEqual([]);
    expect(await memory.query('SELECT * FROM transfer_piece')).toEqual([]);
  });

  test('bytes that are no UTF-8, and a line that is too long', async () => {
    await using memory = await openTestMemory();
    const bytes = new TextEncoder().encode(toLines([HEADER, entityRecord(1, 'Ada')]));
    const broken = bytes.with(bytes.length - 10, 0xff);
    const long = toLines([HEADER, factRecord(1, 'x'.repeat(1_900_000)), factRecord(2, 'y')]);

    await putFile(memory, 'broken.jsonl', broken);
    await putFile(memory, 'long.jsonl', new TextEncoder().encode(long));

    expect(await memory.fail('import_database', { file: 'broken.jsonl' })).toMatchObject({
      message: 'Line 2: these bytes are not UTF-8.',
    });
    expect(await memory.fail('import_database', { file: 'long.jsonl' })).toMatchObject({
      message: 'Line 2: a line has at most 1900000 bytes.',
    });
    expect(await memory.query('SELECT * FROM node')).toEqual([]);
    expect(await memory.query('SELECT * FROM transfer_piece')).toEqual([]);
  });
});

test.each([
  [{}, /Give either file or content/, 'invalid_input'],
  [{ file: '', content: '' }, /Give either file or content/, 'invalid_input'],
  [{ file: 'a', content: 'b' }, /Give either file or content/, 'invalid_input'],
  [{ file: 'missing.jsonl' }, /This thread has no file 'missing.jsonl'/, 'not_found'],
  [{ file: '../other/file' }, /This thread has no file/, 'not_found'],
  [{ content: '', mode: 'append' }, /'append' is none of: merge, replace/, 'invalid_input'],
])('%j is refused', async (input, message, code) => {
  await using memory = await openTestMemory();

  expect(await memory.fail('import_database', input)).toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('metadata that names the prototype comes and goes as any other', async () => {
  await using memory = await openTestMemory();
  const line = JSON.stringify(entityRecord(1, 'Ada', { metadata: { marker: true } }));
  const content = `${toLines([HEADER])}${line.replace('"marker":true', '"__proto__":{"polluted":true}')}\n`;

  await memory.call('import_database', { content });

  expect(await exportText(memory)).toContain('"metadata":{"__proto__":{"polluted":true}}');
  expect({}).not.toHaveProperty('polluted');
});

test('a file that nobody goes on with is dropped by the alarm', async () => {
  await using memory = await openTestMemory();
  const stub = env.THREAD.getByName(
    threadObjectName({ subject: 'test', threadId: memory.threadId }),
  );
  await memory.query(
    "INSERT INTO transfer (id, touched_at, lines, bytes) VALUES ('old', 1, 1, 1), ('new', ?, 1, 1)",
    Date.now(),
  );
  await memory.query("INSERT INTO transfer_piece VALUES ('old', 1, x'00'), ('new', 1, x'00')");
  // What wakes a thread after an eviction sets the alarm.
  await memory.evict();
  await memory.call('read_graph');

  await runDurableObjectAlarm(stub);

  expect(await memory.query('SELECT id FROM transfer')).toEqual([{ id: 'new' }]);
  expect(await memory.query('SELECT transfer_id FROM transfer_piece')).toEqual([
    { transfer_id: 'new' },
  ]);
  const nextAt = await runInDurableObject(stub, (_, state) => state.storage.getAlarm());
  expect(nextAt).toBeGreaterThan(Date.now());
});

/** Something of every kind: versions, metadata, kept states, links of all sorts, and what is gone. */
async function fill(memory: TestMemory): Promise<void> {
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', {
    entities: [
      entity('Engine', { relations: [relatesTo('Ada', 'built by')], importance: 0.1 + 0.2 }),
    ],
  });
  await memory.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Likes "tea" & coffee\tçé'] }],
  });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: 'obs_4',
    newContent: 'Ada writes programs',
  });
  await memory.call('store_memory', { content: 'The engine weaves patterns', confidence: 1 / 3 });
  await memory.call('update_node', {
    node_id: 'ent_2',
    metadata: { list: [1.5, null, { '1': 'ü', a: -0.000001, constructor: 'x' }] },
    ttl_days: 0.7,
    versioning: true,
  });
  await memory.call('create_triplet', { subject: 'Ada', predicate: 'knows', object_value: 'Bob' });
  await memory.call('delete_entities', { entityNames: ['Bob'] });
  await addTurn(memory, { prompt: 'Who built it?', thought: 'Line\nbreak', response: 'Ada.' });
  await addSummary(memory, 'session_1', 'Engines', 'What was said of engines.');
}

async function recordsOf(memory: TestMemory) {
  return toRecords(await exportText(memory)).map((record) =>
    record['type'] === 'header' ? { ...record, threadId: '', exportedAt: '' } : record,
  );
}

function readChains(memory: TestMemory) {
  return memory.query(
    `SELECT content, version, (SELECT content FROM fact AS next WHERE next.node_id = fact.superseded_by) AS newer
     FROM fact ORDER BY node_id`,
  );
}

async function putFile(memory: TestMemory, name: string, bytes: Uint8Array): Promise<void> {
  const id = env.THREAD.idFromName(
    threadObjectName({ subject: 'test', threadId: memory.threadId }),
  );
  await env.FILES?.put(`${id.toString()}/${name}`, bytes);
}

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level += 1) value = { inner: value };
  return value;
}

type Step = (memory: TestMemory) => Promise<unknown>;

const aName = fc.constantFrom('Ada', 'Bob', 'Ćao', 'Engine');
const aText = fc.oneof(
  fc.constantFrom('Likes tea', 'Likes coffee', 'Works at home', 'Speaks Ukrainian'),
  fc
    .string({ unit: 'grapheme', minLength: 5, maxLength: 20 })
    .filter((text) => /^[\p{L} ]{5,}$/u.test(text.trim())),
);
const aUnit = fc.double({ min: 0, max: 1, noNaN: true });

/** What tools may do. A call that is refused changes nothing, which is as good an example. */
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ name: aName, observations: fc.array(aText, { maxLength: 3 }) }).map(
    ({ name, observations }): Step =>
      (memory) =>
        memory.outcome('upsert_entities', {
          entities: [{ name, entityType: 'Person', observations }],
        }),
  ),
  fc.record({ content: aText, confidence: aUnit }).map(
    (input): Step =>
      (memory) =>
        memory.outcome('store_memory', input),
  ),
  fc.record({ id: fc.integer({ min: 1, max: 12 }), name: aName, newContent: aText }).map(
    ({ id, name, newContent }): Step =>
      (memory) =>
        memory.outcome('update_observation', {
          entityName: name,
          observationId: `obs_${id}`,
          newContent,
        }),
  ),
  fc
    .record({
      id: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom('ent', 'mem', 'obs'),
      status: fc.constantFrom('active', 'outdated', 'archived'),
      metadata: fc.dictionary(
        fc.string({ maxLength: 5 }),
        fc.oneof(fc.double({ noNaN: true }), fc.boolean()),
      ),
      versioning: fc.boolean(),
    })
    .map(
      ({ id, kind, ...fields }): Step =>
        (memory) =>
          memory.outcome('update_node', { node_id: `${kind}_${id}`, ...fields }),
    ),
  fc.record({ from: aName, to: aName }).map(
    ({ from, to }): Step =>
      (memory) =>
        memory.outcome('create_relations', { relations: [{ from, to, relationType: 'knows' }] }),
  ),
  aName.map(
    (name): Step =>
      (memory) =>
        memory.outcome('delete_entities', { entityNames: [name] }),
  ),
  fc.record({ source: aName, target: aName }).map(
    (input): Step =>
      (memory) =>
        memory.outcome('merge_entities', input),
  ),
  fc.constantFrom('session_1', 'session_2').map(
    (sessionId): Step =>
      (memory) =>
        addTurn(memory, { sessionId, prompt: 'What is it?', response: 'A thing.' }),
  ),
  fc.constantFrom('session_1', 'session_2').map((sessionId): Step => async (memory) => {
    const known = await memory.query('SELECT 1 FROM summary WHERE session_id = ?', sessionId);
    if (known.length === 0) await addSummary(memory, sessionId, 'A title', 'A summary.');
  }),
);
