import { expect, test } from 'vitest';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import { exportText, readFileText, toRecords } from '#test/files.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { addSummary, addTurn } from '#test/sessions.ts';

test('a file begins with what it is and how much of each it holds', async () => {
  await using memory = await openTestMemory();
  await fill(memory);

  const { file, download, sizeBytes, counts } = await memory.call('export_database');

  const text = await readFileText(memory, file);
  const [header, ...records] = toRecords(text);
  expect(file).toMatch(/^skein-\d{8}T\d{6}Z-[0-9a-f]{4}\.jsonl$/);
  expect(download).toBe(`/api/threads/${memory.threadId}/files/${file}`);
  expect(sizeBytes).toBe(new TextEncoder().encode(text).length);
  expect(header).toMatchObject({
    type: 'header',
    format: 'skein',
    version: 1,
    threadId: memory.threadId,
    include: ['memories', 'summaries', 'graph'],
    counts,
  });
  expect(counts).toMatchObject({ entities: 3, facts: 4, turns: 1, summaries: 1, edges: 3 });
  for (const [type, name] of TYPES) {
    expect([type, records.filter((one) => one['type'] === type).length]).toEqual([
      type,
      counts[name],
    ]);
  }
});

test('a record says everything that the thread knows of a node', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'The café opens at 8', confidence: 0.3 });
  await memory.call('update_node', {
    node_id: 'mem_1',
    metadata: { seen: ['here', { twice: true }] },
    ttl_days: 3650,
    versioning: true,
  });

  const [, fact] = toRecords(await exportText(memory));

  expect(fact).toMatchObject({
    type: 'fact',
    id: 1,
    entity: null,
    content: 'The café opens at 8',
    isAtomic: true,
    version: 1,
    supersedes: null,
    supersededBy: null,
    status: 'active',
    confidence: 0.3,
    importance: 0.5,
    source: 'extracted',
    metadata: { seen: ['here', { twice: true }] },
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
    expiresAt: expect.any(Number),
    ttlDays: 3650,
    accessedAt: null,
  });
});

test.each([
  [['memories'], ['turn']],
  [['summaries'], ['summary']],
  [
    ['memories', 'summaries'],
    ['edge', 'summary', 'turn'],
  ],
  [['graph'], ['edge', 'entity', 'fact', 'version']],
])('%j holds %j alone, edges between them, and no history', async (include, types) => {
  await using memory = await openTestMemory();
  await fill(memory);
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
  await memory.query(
    `INSERT INTO edge (from_id, to_id, type, created_at)
     SELECT (SELECT node_id FROM summary), (SELECT node_id FROM turn), 'sums up', 1`,
  );
  await memory.call('update_node', { node_id: 'ent_1', metadata: {}, versioning: true });

  const [header, ...records] = toRecords(await exportText(memory, { include }));

  expect(header?.['include']).toEqual(include);
  expect([...new Set(records.map(({ type }) => type))].toSorted()).toEqual(types);
});

test('an export changes nothing and leaves nothing behind', async () => {
  await using memory = await openTestMemory();
  await fill(memory);
  const before = await memory.query('SELECT max(id) AS id FROM revision');

  await memory.call('export_database');

  expect(await memory.query('SELECT max(id) AS id FROM revision')).toEqual(before);
  expect(await memory.query('SELECT * FROM transfer')).toEqual([]);
  expect(await memory.query('SELECT * FROM transfer_piece')).toEqual([]);
});

test('a file of many parts has every line, in one moment, whatever is written meanwhile', async () => {
  await using memory = await openTestMemory();
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'test')");
  await memory.query(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
     INSERT INTO node (kind, created_at, updated_at) SELECT 'turn', i, i FROM n`,
  );
  await memory.query(
    `INSERT INTO turn (node_id, session_id, prompt, thought, response)
     SELECT id, 'session_1', 'Turn ' || id, '', replace(hex(zeroblob(4000)), '00', 'ж') FROM node`,
  );
  const [{ file, sizeBytes, counts }] = await Promise.all([
    memory.call('export_database'),
    memory.call('store_memory', { content: 'Written meanwhile' }),
    memory.call('store_memory', { content: 'And this' }),
  ]);

  const text = await readFileText(memory, file);
  const [header, ...records] = toRecords(text);
  expect(sizeBytes).toBeGreaterThan(17 * 1024 * 1024);
  expect(new TextEncoder().encode(text).length).toBe(sizeBytes);
  expect(header?.['counts']).toEqual(counts);
  const turns = records.filter(({ type }) => type === 'turn');
  expect(turns.map(({ prompt }) => prompt)).toEqual(
    Array.from({ length: 1_200 }, (_, index) => `Turn ${index + 1}`),
  );
  expect(records.filter(({ type }) => type === 'fact')).toHaveLength(counts.facts);
});

const TYPES = [
  ['entity', 'entities'],
  ['fact', 'facts'],
  ['turn', 'turns'],
  ['summary', 'summaries'],
  ['edge', 'edges'],
  ['version', 'versions'],
  ['revision', 'revisions'],
  ['change', 'changes'],
] as const;

async function fill(memory: TestMemory): Promise<void> {
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', {
    entities: [entity('Engine', { relations: [relatesTo('Ada', 'built by')] })],
  });
  await memory.call('store_memory', { content: 'The engine weaves patterns' });
  await addTurn(memory, { prompt: 'Who built it?', response: 'Ada.' });
  await addSummary(memory, 'session_1', 'Engines', 'What was said of engines.');
}
