import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { MemoryError } from '#errors.ts';
import type { NodeKind } from '#graph/ids.ts';
import { IMPORT_BYTES_MAX, IMPORT_LINES_MAX } from '#limits.ts';
import {
  ARCHIVE_PARTS,
  archivingUseCases,
  type ArchiveRequest,
} from '#memory/files/export-thread.ts';
import type { ArchiveCounts } from '#memory/files/file-format.ts';
import type { World } from '#memory/world.ts';
import type { ArchiveRow } from '#store/bulk/archive-tables.ts';
import { openStore, type Store } from '#store/store.ts';
import { openFiles } from '#thread/files.ts';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import { exportText, readFileText, toRecords } from '#test/files.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { addSummary, addTurn } from '#test/sessions.ts';
import { openTables } from '#test/tables.ts';

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
    counts: toHeaderCounts(counts),
  });
  expect(counts).toMatchObject({ entities: 3, facts: 4, turns: 1, summaries: 1, relations: 3 });
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
  expect(header?.['counts']).toEqual(toHeaderCounts(counts));
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
  ['edge', 'relations'],
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

test('a file of more lines than an import takes is not written, and has room without its history', async () => {
  const counts = (kinds: readonly NodeKind[], store: Store) => ({
    ...store.archive.counts(kinds),
    changes: IMPORT_LINES_MAX,
  });
  const parts = ARCHIVE_PARTS;

  const refused = await exportWith({ counts }, { parts, hasHistory: true });
  const written = await exportWith({ counts }, { parts, hasHistory: false });

  expect(refused).toEqual({
    code: 'limit_exceeded',
    message:
      'This file would have 1000001 lines, and an import takes 1000000 lines and 104857600 bytes at most.',
    hint: expect.stringMatching(/^Nothing was written\..*history: false.*include.*compact/),
  });
  expect(written).toMatchObject({ counts: { changes: 0 } });
});

test('a file of more bytes than an import takes is not written, and nothing is left of it', async () => {
  const metadata = { blob: 'x'.repeat(1_780_000) };
  const nodes = function* (kind: NodeKind) {
    const count = kind === 'turn' ? Math.ceil(IMPORT_BYTES_MAX / 1_780_000) : 0;
    for (let id = 1; id <= count; id += 1) yield { id, metadata };
  };

  const refused = await exportWith({ nodes }, { parts: ['memories'], hasHistory: true });

  expect(refused).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringMatching(/^This file would have more than 104857600 bytes/),
    pieces: 0,
  });
});

test('without its history a file of everything keeps ids, and begins a history of its own', async () => {
  await using memory = await openTestMemory();
  await fill(memory);
  const content = await exportText(memory, { history: false });

  await using copy = await openTestMemory();
  const imported = await copy.call('import_database', { content });

  expect(toRecords(content)[0]).not.toHaveProperty('history');
  expect(imported).toMatchObject({ historyRestored: false, added: { entities: 3, facts: 4 } });
  const ids = 'SELECT id, kind FROM node ORDER BY id';
  expect(await copy.query(ids)).toEqual(await memory.query(ids));
});

/** In a file a relation is an edge. */
function toHeaderCounts({ relations, ...others }: Record<string, number>) {
  return { ...others, edges: relations };
}

/** What the use case answers for a thread whose rows are others: so much would take minutes to write. */
function exportWith(
  archive: {
    counts?: (kinds: readonly NodeKind[], store: Store) => ArchiveCounts;
    nodes?: (kind: NodeKind) => Generator<ArchiveRow>;
  },
  request: ArchiveRequest,
): Promise<object> {
  const stub = env.THREAD.getByName('export-limits');
  return runInDurableObject(stub, async (_, state) => {
    const store = openStore(openTables(state.storage));
    const counts = archive.counts ?? store.archive.counts;
    const nodes = archive.nodes ?? store.archive.nodes;
    const world = {
      store: {
        ...store,
        archive: {
          ...store.archive,
          nodes,
          counts: (kinds: readonly NodeKind[]) => counts(kinds, store),
        },
      },
      files: openFiles(env, state.id.toString()),
      caller: { threadId: 'export-limits', actor: 'tester' },
      now: Date.now(),
    } as World;
    const outcome = archivingUseCases(world).export(request);
    const answer = await outcome.catch((error: MemoryError) => error.toData());
    const [left] = state.storage.sql.exec('SELECT count(*) AS pieces FROM transfer_piece');
    return { ...answer, ...(archive.nodes && left) };
  });
}
