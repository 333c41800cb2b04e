import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { threadObjectName } from '#thread/thread-address.ts';
import { person, relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { until } from '#test/until.ts';
import { readFileText } from '#test/files.ts';
import { readContent } from '#test/thread-state.ts';

const NAME = 'Zephyrine Quux';
/** Stemmed, and as part of any other form of it. */
const TRACE = 'zephyrin';
const PHONE = '555-0199-77';

function objectOf({ threadId }: TestMemory) {
  return env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
}

/** Where a text is, in whatever table, column or file of the thread. */
async function findTraces(memory: TestMemory, traces: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const look = (place: string, value: unknown) => {
    const text =
      value instanceof ArrayBuffer ? new TextDecoder('latin1').decode(value) : String(value);
    for (const trace of traces) {
      if (text.toLowerCase().includes(trace.toLowerCase())) found.push(`${place}: ${trace}`);
    }
  };
  const tables = await memory.query(
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE '_cf%'",
  );
  expect(tables.length).toBeGreaterThan(25);
  for (const { name } of tables) {
    for (const row of await memory.query(`SELECT * FROM "${name}"`)) {
      for (const [column, value] of Object.entries(row)) look(`${name}.${column}`, value);
    }
  }
  const files = await env.FILES?.list({ prefix: `${objectOf(memory).id.toString()}/` });
  for (const { key } of files?.objects ?? []) {
    look('file', await (await env.FILES?.get(key))?.text());
  }
  return [...new Set(found)];
}

/** Deleted texts whose words are still in some page of an index. */
async function tombstones(memory: TestMemory): Promise<number> {
  const counts = await Promise.all(
    ['fulltext', 'trigram'].map((table) =>
      memory.query(`SELECT count(*) AS n FROM ${table}_data WHERE id >= 9007199254740992`),
    ),
  );
  return counts.reduce((sum, [row]) => sum + row?.['n'], 0);
}

/** The id of the node that says this. */
async function idOf(memory: TestMemory, text: string): Promise<string> {
  const [row] = await memory.query(
    `SELECT 'ent_' || node_id AS id FROM entity WHERE name = ?1
     UNION ALL SELECT iif(entity_id IS NULL, 'mem_', 'obs_') || node_id FROM fact WHERE content = ?1`,
    text,
  );
  return row?.['id'];
}

/** Has others speak of an entity, in each place where a thread can keep a text. */
async function plant(memory: TestMemory): Promise<void> {
  const remember = async (text: string, fields: object = {}) => {
    await memory.call('create_node', { text, ...fields });
    return idOf(memory, text);
  };
  const replace = async (entityName: string, text: string, newContent: string) =>
    memory.call('update_observation', {
      entityName,
      observationId: await idOf(memory, text),
      newContent,
    });
  await memory.call('create_entities', {
    entities: [
      person(NAME, `Her phone is ${PHONE}`, 'Collects opals'),
      person('Bob', `Works for ${NAME}`, 'Likes tea'),
      person('Carl'),
    ],
  });
  await memory.call('create_relations', {
    relations: [relation('Bob', 'works for', NAME), relation('Bob', 'knows', 'Carl')],
  });
  // Versions, kept states, states that the history alone has, and what was deleted.
  await replace(NAME, `Her phone is ${PHONE}`, 'Her phone is secret');
  await replace('Bob', `Works for ${NAME}`, 'Works for somebody');
  await replace('Bob', 'Works for somebody', 'Works for the town');
  const old = await remember(`${NAME} likes opals`);
  await memory.call('supersede_memory', {
    old_memory_id: old,
    new_memory_id: await remember('Somebody likes opals'),
  });
  const seen = await remember(`${NAME} was seen in Porto`);
  await memory.call('update_node', { node_id: seen, text: 'Nobody was seen', versioning: true });
  await memory.call('update_node', { node_id: seen, source: 'a walk' });
  const sold = await remember(`${NAME} sold the house`);
  await memory.call('delete_node', { node_id: sold });
  await memory.call('create_entities', { entities: [person(`${NAME} Junior`, 'Plays chess')] });
  await memory.call('rename_entity', { entityName: `${NAME} Junior`, newName: 'Junior' });
  // Other fields.
  await remember('A fact with metadata', { metadata: { said: `"${NAME.toUpperCase()}"` } });
  await remember('A fact with a source', { source: `letter of ${NAME}` });
  await memory.call('create_relation', {
    from_id: await idOf(memory, 'Carl'),
    to_id: await idOf(memory, 'Likes tea'),
    relation_type: 'SAID',
    properties: { at: `party of ${NAME}` },
  });
  const archived = await remember(`${NAME} moves tomorrow`);
  await memory.call('update_node', { node_id: archived, status: 'archived' });
  // Sessions.
  const turn = { thought: '', response: 'Well.' };
  await memory.call('add_memory', { ...turn, prompt: `Who is ${NAME}?`, sessionId: 's1' });
  await memory.call('add_memory', { ...turn, prompt: 'And Bob?', sessionId: 's1' });
  await memory.call('add_memory', { ...turn, prompt: 'Hello', agent: NAME, sessionId: 's2' });
  await memory.call('add_memory', { ...turn, prompt: 'Bye', model: NAME, sessionId: 's3' });
  await memory.call('summarize_sessions', {});
  await replace('Bob', 'Likes tea', 'Likes coffee');
}

test('what was forgotten is in no table, index, file and answer', async () => {
  await using memory = await openTestMemory();
  await plant(memory);
  await memory.embedAll();
  await memory.call('export_database', {});
  const object = objectOf(memory);
  const caller = { threadId: memory.threadId, actor: 'tester' };
  const staged = `{"type":"entity","name":"${NAME}","entityType":"Person","observations":[]}\n`;
  await object.stageImport('staged', new TextEncoder().encode(staged), caller);
  await object.backUp(Date.parse('2026-01-20T03:17:00Z'), caller);
  await memory.call('search_nodes', { query: NAME });
  const { changes } = await memory.call('get_recent_changes', { limit: 100 });
  const latest = changes[0].revision;
  const before = await memory.call('read_graph', { asOf: '2' });
  expect(JSON.stringify(before).toLowerCase()).toContain(TRACE);
  expect((await findTraces(memory, [TRACE, PHONE])).length).toBeGreaterThan(15);

  const preview = await memory.call('forget', { entity: NAME });
  expect(preview).toMatchObject({
    preview: true,
    targetTotal: 4,
  });
  const also = preview['mentions'].map(({ id }: { id: string }) => id);
  const done = await memory.call('forget', {
    entity: NAME,
    also,
    preview: false,
    delete_files: true,
  });

  expect(done).toMatchObject({ preview: false, mentions: [], done: true });
  expect(done['remains'].map(({ where }: { where: string }) => where)).toEqual([
    'platform',
    'copies',
  ]);
  expect(await findTraces(memory, [TRACE, PHONE])).toEqual([]);
  expect(await tombstones(memory)).toBe(0);

  const answers = [
    ...[
      'read_graph',
      'list_entities',
      'get_recent_changes',
      'graph_stats',
      'list_recent_memories',
      'get_all_summaries',
    ].map((tool) => ({ tool, input: {} })),
    ...[
      'search_nodes',
      'recall',
      'search_memories',
      'query_raw_memories',
      'query_summaries',
      'search',
      'search_relations',
    ].map((tool) => ({ tool, input: { query: 'opals letter collector tea' } })),
    ...Array.from({ length: latest }, (_, revision) => ({
      tool: 'read_graph',
      input: { asOf: String(revision), detail: 'full' },
    })),
    ...Array.from({ length: latest }, (_, revision) => ({
      tool: 'recall',
      input: { asOf: String(revision), query: 'opals tea' },
    })),
    ...['s1', 's2'].map((session_id) => ({ tool: 'get_session_memories', input: { session_id } })),
  ];
  for (const { tool, input } of answers) {
    const outcome = await memory.outcome(tool, input);
    const text = `${tool}: ${JSON.stringify(outcome)}`;
    expect(text.toLowerCase()).not.toContain(TRACE);
    expect(text).not.toContain(PHONE);
    expect(text).not.toContain('internal');
  }
  // What does not speak of it is still there.
  const graph = await memory.call('read_graph', {});
  expect(graph['entities'].map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'Bob',
    'Carl',
    'Junior',
  ]);
});

test('a preview changes nothing, and what it does not list cannot be chosen', async () => {
  await using memory = await openTestMemory();
  await plant(memory);
  const before = await runInDurableObject(objectOf(memory), (_, { storage }) =>
    storage.sql.exec('SELECT * FROM change').toArray(),
  );
  const { mentions } = await memory.call('forget', { entity: NAME });
  expect(
    mentions.map((one: Record<string, string>) => `${one['where']} ${one['what']}: ${one['text']}`),
  ).toEqual([
    `now observation: Works for ${NAME}`,
    `now memory: ${NAME} likes opals`,
    'now memory: {"said":"\\"ZEPHYRINE QUUX\\""}',
    `now memory: letter of ${NAME}`,
    `now memory: ${NAME} moves tomorrow`,
    `now turn: Who is ${NAME}?`,
    `now turn: ${NAME}`,
    `now turn: ${NAME}`,
    'now summary: Who is Zephyrine Quux',
    `now relation: {"at":"party of ${NAME}"}`,
    `past entity: ${NAME} Junior`,
    `past memory: ${NAME} was seen in Porto`,
    `deleted memory: ${NAME} sold the house`,
  ]);
  expect(
    await memory.fail('forget', { entity: NAME, also: ['ent_3'], preview: false }),
  ).toMatchObject({
    code: 'invalid_input',
    message: "'ent_3' does not mention it.",
  });
  expect(await memory.query('SELECT * FROM change')).toEqual(before);
});

/** Forgets at once, with all that the preview lists. */
async function forgetAll(memory: TestMemory, target: object) {
  const { mentions } = await memory.call('forget', { ...target });
  const also = mentions.map(({ id }: { id: string }) => id);
  return memory.call('forget', { ...target, also, preview: false });
}

test('forgetting cannot be undone, and an undo of another call brings back all else', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person(NAME, 'Sings'), person('Bob', 'Reads')],
  });
  await memory.call('delete_entities', { entityNames: [NAME, 'Bob'] });

  const done = await memory.call('forget', { entity: NAME, preview: false });

  expect(done).toMatchObject({ targetTotal: 2, removed: { entities: 0, facts: 0, changes: 8 } });
  expect(await memory.fail('undo_revision', { revision: 3 })).toMatchObject({
    code: 'conflict',
    message: 'Revision 3 cannot be undone: forget is final.',
  });
  const { changes } = await memory.call('get_recent_changes');
  expect(changes[0]).toMatchObject({
    revision: 3,
    tool: 'forget',
    summary: 'forget removed something for good',
    rows: 0,
  });
  await memory.call('undo_revision', { revision: 2 });
  const graph = await memory.call('read_graph');
  expect(graph['entities']).toMatchObject([{ name: 'Bob', observations: ['Reads'] }]);
  expect(await memory.call('undo_actor', { actor: 'tester', since: 0 })).toMatchObject({
    total: 3,
  });
  expect(await findTraces(memory, [TRACE, 'sings'])).toEqual([]);
});

test('an entity of which all was forgotten leaves an empty history, and no number is used again', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person(NAME, 'Sings')] });

  await memory.call('forget', { entity: 'ent_1', preview: false });
  await memory.call('create_entities', { entities: [person('Bob')] });

  expect(await memory.query('SELECT id, tool FROM revision ORDER BY id')).toEqual([
    { id: 2, tool: 'forget' },
    { id: 3, tool: 'create_entities' },
  ]);
  expect(await memory.query('SELECT node_id FROM entity')).toEqual([{ node_id: 3 }]);
  expect(await memory.call('graph_stats')).toMatchObject({ entities: 1 });
});

test('an earlier version goes alone, in the past too', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Bob', 'Lives in Rome')] });
  const move = async (from: string, newContent: string) =>
    memory.call('update_observation', {
      entityName: 'Bob',
      observationId: await idOf(memory, from),
      newContent,
    });
  await move('Lives in Rome', `Lives with ${NAME}`);
  await move(`Lives with ${NAME}`, 'Lives in Oslo');

  const done = await memory.call('forget', {
    fact: await idOf(memory, `Lives with ${NAME}`),
    preview: false,
  });

  expect(done).toMatchObject({ targetTotal: 1, removed: { facts: 1 }, mentions: [] });
  const { history } = await memory.call('get_observation_history', {
    entityName: 'Bob',
    observationId: await idOf(memory, 'Lives in Oslo'),
  });
  expect(history.map(({ content }: { content: string }) => content)).toEqual([
    'Lives in Rome',
    'Lives in Oslo',
  ]);
  const asOf = async (revision: number) => {
    const { entities } = await memory.call('read_graph', { asOf: String(revision) });
    return entities[0].observations;
  };
  expect(await asOf(1)).toEqual(['Lives in Rome']);
  expect(await asOf(2)).toEqual([]);
  expect(await asOf(3)).toEqual(['Lives in Oslo']);
  expect(await findTraces(memory, [TRACE])).toEqual([]);
  // The version after it took its place from what is forgotten.
  const error = await memory.fail('undo_revision', { revision: 3 });
  expect(error).toMatchObject({ code: 'conflict' });
});

test('a session goes with its turns, its summary and what names it', async () => {
  await using memory = await openTestMemory();
  const turn = { thought: '', response: 'Well, here is a reply.' };
  await memory.call('add_memory', { ...turn, prompt: 'The first prompt', sessionId: 'secret-run' });
  await memory.call('add_memory', {
    ...turn,
    prompt: 'The second prompt',
    sessionId: 'secret-run',
  });
  await memory.call('add_memory', { ...turn, prompt: 'Another prompt', sessionId: 'other' });
  await memory.call('summarize_sessions');
  await memory.call('create_node', { text: 'Seen in secret-run', source: 'turn_1' });

  const done = await forgetAll(memory, { session: 'secret-run' });

  expect(done).toMatchObject({ removed: { turns: 2, summaries: 1, facts: 1 }, done: true });
  expect(await findTraces(memory, ['secret-run', 'first prompt', 'second prompt'])).toEqual([]);
  expect(await memory.query('SELECT session_id FROM session')).toEqual([{ session_id: 'other' }]);
});

test('a turn is forgotten alone, and its session’s summary is named as a mention', async () => {
  await using memory = await openTestMemory();
  const turn = { thought: '', response: 'Well.', sessionId: 's1' };
  const { id } = await memory.call('add_memory', { ...turn, prompt: 'A prompt to be forgotten' });
  await memory.call('add_memory', { ...turn, prompt: 'A prompt that stays' });
  await memory.call('summarize_sessions');

  const { mentions } = await memory.call('forget', { turn: id });
  expect(mentions.map(({ what }: { what: string }) => what)).toEqual(['summary']);
  const done = await memory.call('forget', { turn: id, preview: false });

  expect(done).toMatchObject({
    removed: { turns: 1, summaries: 0 },
    remains: [
      { where: 'mentions', what: '1 that were not chosen with also' },
      { where: 'platform' },
      { where: 'copies' },
    ],
  });
  const { memories } = await memory.call('get_session_memories', { sessionId: 's1' });
  expect(memories.map(({ prompt }: { prompt: string }) => prompt)).toEqual(['A prompt that stays']);
});

test('other texts are looked for, and ids are not taken for longer ones', async () => {
  await using memory = await openTestMemory();
  for (let count = 1; count <= 12; count += 1) {
    await memory.call('create_node', { text: `Statement of number ${count}` });
  }
  await memory.call('create_node', { text: 'A note', source: 'mem_12' });
  await memory.call('create_node', { text: 'Call ÉLODIE now', source: 'mem_1' });

  const { mentions } = await memory.call('forget', {
    fact: 'mem_1',
    phrases: ['élodie', 'nobody'],
  });

  expect(mentions.map(({ id }: { id: string }) => id)).toEqual([
    'mem_10',
    'mem_11',
    'mem_12',
    'mem_14',
  ]);
});

test('what was forgotten is in no export, and the export can be imported with its history', async () => {
  await using memory = await openTestMemory();
  await plant(memory);
  await forgetAll(memory, { entity: NAME });
  const { file } = await memory.call('export_database');
  await using copy = await openTestMemory();
  const text = await readFileText(memory, file);
  expect(text.toLowerCase()).not.toContain(TRACE);

  const imported = await copy.call('import_database', { content: text });

  expect(imported).toMatchObject({ historyRestored: true });
  expect(await readContent(copy)).toEqual(await readContent(memory));
});

test('files that stay are named with their end', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person(NAME)] });
  await memory.call('export_database');
  const caller = { threadId: memory.threadId, actor: 'tester' };
  await objectOf(memory).backUp(Date.parse('2026-01-20T03:17:00Z'), caller);

  const { remains } = await memory.call('forget', { entity: NAME, preview: false });

  expect(remains).toEqual([
    { where: 'exports', what: expect.stringContaining('1 files of list_files') },
    { where: 'backups', what: expect.stringContaining('1 files'), until: expect.any(String) },
    { where: 'platform', what: expect.any(String), until: expect.any(String) },
    { where: 'copies', what: expect.any(String) },
  ]);
});

test.each([
  [{}, 'invalid_input', 'Name one thing to forget: entity, fact, turn or session.'],
  [
    { entity: 'Bob', turn: 'turn_1' },
    'invalid_input',
    'Name one thing to forget: entity, fact, turn or session.',
  ],
  [{ turn: 'Bob' }, 'invalid_input', "'Bob' is not the id of a turn."],
  [{ entity: 'Nobody' }, 'not_found', "Nothing here is or mentions entity 'Nobody'."],
])('%j is refused with %s', async (input, code, message) => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Bob')] });

  expect(await memory.fail('forget', { ...input, preview: false })).toMatchObject({
    code,
    message,
  });
  expect(await memory.query('SELECT id FROM revision')).toEqual([{ id: 1 }]);
});

test('facts that were moved away from a forgotten entity stay, and the past can be read', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [person(NAME, 'Plays chess'), person('Bob', 'Reads')],
  });
  await memory.call('create_relations', { relations: [relation(NAME, 'knows', 'Bob')] });
  await memory.call('merge_entities', { source: NAME, target: 'Bob' });

  await forgetAll(memory, { entity: NAME });

  expect(await findTraces(memory, [TRACE])).toEqual([]);
  const graph = await memory.call('read_graph');
  expect(graph['entities'][0].observations.toSorted()).toEqual(['Plays chess', 'Reads']);
  const past = await memory.call('read_graph', { asOf: '1' });
  expect(past['entities']).toMatchObject([{ name: 'Bob', observations: ['Reads'] }]);
  // No earlier state refers to what is forgotten, so that an undo finds nothing missing.
  await memory.call('undo_revision', { revision: 3 });
  const undone = await memory.call('read_graph');
  expect(undone['entities']).toMatchObject([{ name: 'Bob', observations: ['Reads'] }]);
  expect(await idOf(memory, 'Plays chess')).toMatch(/^mem_/);
});

test('words of deleted texts leave the pages of the indexes in the background where there are many', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_node', { text: `${NAME} sold the house` });
  await memory.call('create_node', { text: 'Somebody bought it' });
  await memory.call('delete_node', { node_id: 'mem_1' });
  expect(await tombstones(memory)).toBeGreaterThan(0);

  // As `forget` leaves it, which merges more pages than a test would like to fill.
  await memory.query("INSERT INTO job (name, cursor) VALUES ('forgetting', 1)");
  await until(async () => {
    await memory.runAlarm();
    const [job] = await memory.query("SELECT cursor FROM job WHERE name = 'forgetting'");
    return job?.['cursor'] === 0;
  });

  const traces = await findTraces(memory, ['zephyrin']);
  expect(traces.filter((trace) => trace.startsWith('fulltext'))).toEqual([]);
});
