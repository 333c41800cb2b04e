import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { Vars } from '#env.ts';
import { EXPORT_PAGES_MAX } from '#limits.ts';
import { exportUseCases, type ExportPage, type ExportRequest } from '#memory/files/stream-graph.ts';
import type { World } from '#memory/world.ts';
import { openStore } from '#store/store.ts';
import { openThread } from '#test/open-thread.ts';
import type { OutcomeOf } from '#thread/outcome.ts';
import { EXPORT_FORMATS } from '#transfer/graph-formats.ts';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { countThreads, fetchWorker, threadStub } from '#test/mcp.ts';
import { NOTHING_WAITS } from '#test/waiting.ts';
import { openTables } from '#test/tables.ts';

const ENTITIES = 3_000;

test.each([
  ['json', 'application/json', 'json'],
  ['jsonl', 'application/x-ndjson', 'jsonl'],
  ['mermaid', 'text/vnd.mermaid; charset=utf-8', 'mmd'],
  ['dot', 'text/vnd.graphviz; charset=utf-8', 'dot'],
  ['graphml', 'application/graphml+xml', 'graphml'],
])('%s comes as a file of its own type', async (format, mediaType, extension) => {
  await callTool('atlas', 'save_memory', { entities: cluster('Ada') });

  const { status, headers } = await fetchWorker(exportOf('atlas', format));

  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe(mediaType);
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="atlas.${extension}"; filename*=UTF-8''atlas.${extension}`,
  );
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a thread whose name is not ASCII still has a file name', async () => {
  const { headers } = await fetchWorker(exportOf('café:1', 'dot'));

  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="caf__1.dot"; filename*=UTF-8''caf%C3%A9%3A1.dot`,
  );
});

test('JSON is the whole graph in the shape of read_graph, current observations alone', async () => {
  await callTool('shape', 'save_memory', {
    entities: [hub('Ada'), entity('Ada', { entityType: 'Person', observations: ['Likes tea'] })],
  });
  const { entities } = await callTool('shape', 'open_nodes', { names: ['Ada'], detail: 'full' });
  await callTool('shape', 'update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'Likes coffee',
  });

  const graph = await readJson(exportOf('shape', 'json'));

  expect(graph).toEqual({
    entities: [
      { name: 'Hub', entityType: 'Thing', observations: ['Hub is worth remembering'] },
      { name: 'Ada', entityType: 'Person', observations: ['Likes coffee'] },
    ],
    relations: [
      { from: 'Hub', to: 'Ada', relationType: 'has' },
      { from: 'Ada', to: 'Hub', relationType: 'belongs to' },
    ],
  });
  expect(await readJson('/api/threads/shape/export')).toEqual(graph);
});

test('a thread that holds nothing exports an empty graph', async () => {
  expect(await readJson(exportOf('nothing', 'json'))).toEqual({ entities: [], relations: [] });
  expect(await readText(exportOf('nothing', 'mermaid'))).toBe('graph LR\n');
  expect(await readText(exportOf('nothing', 'jsonl'))).toBe('');
});

test('an empty export says so in a header that a page may read, and no other export does', async () => {
  await callTool('not-empty', 'save_memory', { entities: cluster('Ada') });

  const empty = await fetchWorker(exportOf('leeré', 'dot'), {
    headers: { origin: 'https://claude.ai' },
  });
  const full = await fetchWorker(exportOf('not-empty', 'dot'));
  await full.text();

  expect(decodeURIComponent(empty.headers.get('skein-note') ?? '')).toBe(
    "The thread 'leeré' has no entities: this export is empty.",
  );
  expect(empty.headers.get('access-control-expose-headers')).toContain('Skein-Note');
  expect(full.headers.get('skein-note')).toBeNull();
});

test.each(['json', 'jsonl'])('a graph exported as %s is imported again, whole', async (format) => {
  const threadId = `there-${format}`;
  await callTool(threadId, 'save_memory', { entities: cluster('Ada "A"', 'Bob') });
  await callTool(threadId, 'create_entities', {
    entities: [
      { name: 'Lonely', entityType: 'Thing', observations: ['[1], {2}', 'C:\\dir', 'é 漢 😀'] },
    ],
  });
  const file = await fetchWorker(exportOf(threadId, format));

  const answer = await fetchWorker(`/api/threads/back-${format}/import`, {
    method: 'POST',
    body: file.body,
  });

  const { result } = JSON.parse((await answer.text()).trimEnd().split('\n').at(-1) ?? '');
  const before = await readJson(exportOf(threadId, 'json'));
  expect(result).toMatchObject({
    added: { entities: before.entities.length, relations: before.relations.length },
    leftOut: { total: 0, faults: [] },
  });
  expect(before.entities.length).toBeGreaterThan(2);
  expect(before.relations.length).toBeGreaterThan(1);
  expect(await readJson(exportOf(`back-${format}`, 'json'))).toEqual(before);
});

test('thousands of entities and relations come in pages, all of them, each once', async () => {
  await seedOnce('many', ENTITIES);
  const { vars, requests } = watchPages();

  const { entities, relations } = await readJson(exportOf('many', 'json'), vars);

  expect(entities.map(({ name }: { name: string }) => name)).toEqual(
    numbers(ENTITIES).map((i) => `Entity ${i}`),
  );
  expect(entities.at(-1)).toEqual({
    name: `Entity ${ENTITIES}`,
    entityType: 'Thing',
    observations: [`Fact 1 of ${ENTITIES}`, `Fact 2 of ${ENTITIES}`],
  });
  expect(new Set(relations.map((one: object) => JSON.stringify(one)))).toEqual(
    new Set(
      numbers(ENTITIES).flatMap((i) =>
        ['follows', 'precedes'].map((relationType) =>
          JSON.stringify({ from: `Entity ${i}`, to: `Entity ${(i % ENTITIES) + 1}`, relationType }),
        ),
      ),
    ),
  );
  expect(relations).toHaveLength(2 * ENTITIES);
  expect(requests).toHaveLength(5);
});

test.each([
  ['mermaid', /^ {2}n\d+\["Entity \d+"\]$/gm, /^ {2}n\d+ -->\|\w+\| n\d+$/gm, 5],
  ['dot', /^ {2}n\d+ \[label="Entity \d+"\];$/gm, /^ {2}n\d+ -> n\d+ \[label="\w+"\];$/gm, 5],
  ['graphml', /<node id="n\d+"><data key="name">Entity \d+</g, /<edge source="n\d+" /g, 7],
])(
  '%s has thousands of nodes and edges, each once, and reads no more than it shows',
  async (format, node, edge, pages) => {
    await seedOnce('many-facts', ENTITIES, { facts: 3 });
    const { vars, requests } = watchPages();

    const text = await readText(exportOf('many-facts', format), vars);

    expect(new Set(text.match(node)).size).toBe(ENTITIES);
    expect(text.match(node)).toHaveLength(ENTITIES);
    expect(new Set(text.match(edge)).size).toBe(format === 'graphml' ? ENTITIES : 2 * ENTITIES);
    expect(text.match(edge)).toHaveLength(2 * ENTITIES);
    expect(requests).toHaveLength(pages);
  },
);

test('an entity with more observations than a page keeps all of them, in their order', async () => {
  await seed('long', 3, { facts: 4_500 });

  const { entities } = await readJson(exportOf('long', 'json'));

  expect(entities).toEqual(
    numbers(3).map((i) => ({
      name: `Entity ${i}`,
      entityType: 'Thing',
      observations: numbers(4_500).map((k) => `Fact ${k} of ${i}`),
    })),
  );
});

test('long observations end a page early and are not cut', async () => {
  await seed('wide', 40, { facts: 10, text: 'x'.repeat(9_000) });
  const { vars, requests } = watchPages();

  const { entities } = await readJson(exportOf('wide', 'json'), vars);

  expect(entities).toHaveLength(40);
  for (const { observations } of entities) {
    expect(observations).toHaveLength(10);
    expect(observations.every((one: string) => one.endsWith('x'.repeat(9_000)))).toBe(true);
  }
  expect(requests.length).toBeGreaterThanOrEqual(5);
});

test('a write between two pages repeats nothing and loses nothing that it did not touch', async () => {
  await seed('moving', ENTITIES);
  const { vars } = watchPages(async (index) => {
    if (index !== 1) return;
    // One that was written, one that was not yet; then one comes back under its old name.
    await callTool('moving', 'delete_entities', { entityNames: ['Entity 2', 'Entity 2900'] });
    await callTool('moving', 'save_memory', {
      entities: [
        entity('Entity 2', { relations: [relatesTo('Entity 1')] }),
        entity('Newcomer', { relations: [relatesTo('Entity 3')] }),
      ],
    });
  });

  const { entities, relations } = await readJson(exportOf('moving', 'json'), vars);

  const names = entities.map(({ name }: { name: string }) => name);
  const expected = numbers(ENTITIES).filter((i) => i !== 2_900);
  expect(names).toEqual(expected.map((i) => `Entity ${i}`));
  const left = numbers(ENTITIES).filter((i) => ![1, 2, 2_899, 2_900].includes(i));
  expect(relations).toHaveLength(2 * left.length);
  for (const { from, to } of relations) {
    expect(names).toContain(from);
    expect(names).toContain(to);
  }
});

test('what is archived or expired is left out, with its relations', async () => {
  await seed('stale', 4);
  await inThread('stale', (sql) => {
    sql.exec("UPDATE node SET status = 'archived' WHERE id = 1");
    sql.exec('UPDATE node SET expires_at = 1 WHERE id = 3');
  });

  const { entities, relations } = await readJson(exportOf('stale', 'json'));

  expect(entities.map(({ name }: { name: string }) => name)).toEqual(['Entity 2', 'Entity 4']);
  expect(relations).toEqual([]);
});

test('a client that does not read has no more than a page made ready for it', async () => {
  await seedOnce('many', ENTITIES);
  const { vars, requests } = watchPages();

  const { body } = await fetchWorker(exportOf('many', 'json'), {}, vars);
  await scheduler.wait(200);
  const readAhead = requests.length;
  const reader = body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await scheduler.wait(200);

  expect(readAhead).toBeLessThanOrEqual(2);
  expect(requests.length).toBeLessThanOrEqual(3);
});

test.each(EXPORT_FORMATS)(
  '%s that fails half-way breaks off and never seems complete',
  async (format) => {
    await seedOnce('many', ENTITIES);
    const { vars } = watchPages((index) => {
      if (index === 2) throw new Error('The object was reset.');
    });

    const response = await fetchWorker(exportOf('many', format), {}, vars);

    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('The export broke off');
  },
);

test('a thread that cannot be reached is an error and no file', async () => {
  const { vars } = watchPages(() => {
    throw new Error('The object was reset.');
  });

  const response = await fetchWorker(exportOf('gone', 'json'), {}, vars);

  expect(response.status).toBe(503);
  expect(response.headers.get('content-disposition')).toBeNull();
  expect(await response.json()).toEqual({
    error: {
      code: 'unavailable',
      message: expect.stringMatching(/^This thread cannot be reached/),
      hint: expect.any(String),
    },
  });
});

test.each(['yaml', 'JSON', '', 'toString', 'json,dot'])(
  'the format "%s" is refused with the ones that there are, and wakes no thread',
  async (format) => {
    const before = await countThreads();

    const response = await fetchWorker(exportOf('asleep', format));

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: 'invalid_input',
        message: `Unknown export format '${format}'.`,
        hint: 'Use ?format= with one of json, jsonl, mermaid, dot, graphml.',
      },
    });
    expect(await countThreads()).toBe(before);
  },
);

test.each(['a%20b', 'a%2Fb', '%00', '..%2f', `${'x'.repeat(129)}`, '%E0%A4%A'])(
  'the thread id %s is refused',
  async (threadId) => {
    const response = await fetchWorker(`/api/threads/${threadId}/export?format=json`);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('Invalid threadId') },
    });
  },
);

test.each([
  ['http://evil.example/api/threads/atlas/export', {}, 403],
  ['https://skein.example.workers.dev/api/threads/atlas/export', {}, 503],
  ['/api/threads/atlas/export', { headers: { origin: 'https://evil.example' } }, 403],
  ['/api/threads/atlas/export', { method: 'POST' }, 405],
  ['/api/threads/atlas/export', { method: 'DELETE' }, 405],
  ['/api/threads/atlas', {}, 404],
  ['/api/threads//export', {}, 404],
])('%s %o is answered with %i and one shape of error', async (target, init, status) => {
  const response = await fetchWorker(target, init);

  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({
    error: { code: expect.any(String), message: expect.any(String), hint: expect.any(String) },
  });
});

test('a graph of more pages than a request may ask for is refused before the file begins', async () => {
  await callTool('too-large', 'save_memory', { entities: cluster('Ada') });
  const pretend = (query: string, value: number) =>
    inThread('too-large', (sql) => void sql.exec(query, value));

  // Counted are the rows that there would be, so that nothing is read in vain.
  await pretend('UPDATE total SET observations = ?', 2_000 * EXPORT_PAGES_MAX);
  const withFacts = await fetchWorker(exportOf('too-large', 'json'));
  const withoutFacts = await readText(exportOf('too-large', 'dot'));
  await pretend(
    "INSERT INTO counter (name, label, value) VALUES ('relation', 'invented', ?)",
    5_000 * EXPORT_PAGES_MAX,
  );
  const withRelations = await fetchWorker(exportOf('too-large', 'dot'));

  expect(withFacts.status).toBe(413);
  expect(withFacts.headers.get('content-disposition')).toBeNull();
  expect(await withFacts.json()).toEqual({
    error: {
      code: 'limit_exceeded',
      message: 'This graph is too large for one export: it would take more than 900 pages.',
      hint: 'Ask for format=mermaid or format=dot, which leave out observations, or read it by read_graph, which goes on from its nextCursor without end.',
    },
  });
  expect(withoutFacts).toMatch(/^digraph/);
  expect(withRelations.status).toBe(413);
  expect(await withRelations.json()).toMatchObject({
    error: { hint: expect.stringMatching(/^Delete what is not needed, or read it by read_graph/) },
  });
});

test('texts are measured where the database is larger than an export, and they alone count', async () => {
  await callTool('long-texts', 'save_memory', { entities: cluster('Ada') });
  const firstPage = (bytes: { database: number; facts: number }) =>
    runInDurableObject(threadStub('long-texts'), (_, state) => {
      const store = openStore(openTables(state.storage));
      const sized = {
        ...store,
        sizeBytes: () => bytes.database,
        bulk: { ...store.bulk, factBytes: () => bytes.facts },
      };
      const { page } = exportUseCases({ store: sized } as World);
      return page({ cursor: undefined, hasObservations: true }).part;
    });

  expect(await firstPage({ database: 800_000_000, facts: Number.NaN })).toBe('entities');
  expect(await firstPage({ database: 8_000_000_000, facts: 800_000_000 })).toBe('entities');
  await expect(firstPage({ database: 8_000_000_000, facts: 900_000_000 })).rejects.toThrow(
    'more than 900 pages',
  );
  const facts = await runInDurableObject(threadStub('long-texts'), (_, state) =>
    openStore(openTables(state.storage)).bulk.factBytes(),
  );
  const { entities } = await readJson(exportOf('long-texts', 'json'));
  const texts = entities.flatMap(({ observations }: { observations: string[] }) => observations);
  expect(facts).toBe(texts.join('').length);
});

test('a page on an allowed origin may fetch the file and read its name', async () => {
  const init = { headers: { origin: 'https://claude.ai' } };

  const { status, headers } = await fetchWorker(exportOf('atlas', 'json'), init);

  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).not.toBeNull();
  expect(headers.get('access-control-expose-headers')).toContain('Content-Disposition');
});

test('a relation of what is archived or has expired does not leave', async () => {
  const threadId = `hidden-${crypto.randomUUID()}`;
  for (const object_value of ['Bob', 'Cem', 'Dora']) {
    await callTool(threadId, 'create_triplet', {
      subject: 'Ada',
      predicate: 'knows',
      object_value,
    });
  }
  await callTool(threadId, 'update_node', { node_id: 'ent_2', status: 'archived' });
  await callTool(threadId, 'update_node', { node_id: 'ent_3', expires_at: 1 });

  const { entities, relations } = await readJson(exportOf(threadId, 'json'));

  expect(entities.map(({ name }: any) => name)).toEqual(['Ada', 'Dora']);
  expect(relations).toMatchObject([{ from: 'Ada', to: 'Dora' }]);
});

function exportOf(threadId: string, format: string): string {
  return `/api/threads/${encodeURIComponent(threadId)}/export?format=${encodeURIComponent(format)}`;
}

async function readText(target: string, vars?: Vars): Promise<string> {
  const response = await fetchWorker(target, {}, vars);
  expect(response.status).toBe(200);
  return response.text();
}

async function readJson(target: string, vars?: Vars): Promise<any> {
  return JSON.parse(await readText(target, vars));
}

async function callTool(threadId: string, tool: string, input: Record<string, unknown>) {
  const thread = openThread(env, { subject: 'local', threadId });
  const outcome = await thread(tool, input, { threadId, actor: 'tester' });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value as Record<string, any>;
}

function inThread(threadId: string, work: (sql: SqlStorage) => void): Promise<void> {
  return runInDurableObject(threadStub(threadId), (_, state) => {
    openTables(state.storage);
    state.storage.transactionSync(() => {
      state.storage.sql.exec("INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'seed')");
      work(state.storage.sql);
    });
  });
}

const seeded = new Set<string>();

/** For threads that several tests read and none changes. */
async function seedOnce(...[threadId, ...rest]: Parameters<typeof seed>): Promise<void> {
  if (!seeded.has(threadId)) await seed(threadId, ...rest);
  seeded.add(threadId);
}

/**
 * A ring: every entity precedes and follows the next one. No text of it is embedded: tens of
 * thousands of them would keep the runtime that test files share busy for minutes.
 */
function seed(threadId: string, entities: number, { facts = 2, text = '' } = {}): Promise<void> {
  // Numbers stand in the text, since parameters are floating point and 3 / 2 would be 1.5.
  const countTo = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  return inThread(threadId, (sql) => {
    const addNodes = (kind: string, count: number) =>
      sql.exec(
        `${countTo(count)} INSERT INTO node (kind, created_at, updated_at) SELECT '${kind}', 1, 1 FROM n`,
      );
    addNodes('entity', entities);
    sql.exec(
      `INSERT INTO entity (node_id, name, folded_name, type)
       SELECT id, 'Entity ' || id, 'entity ' || id, 'Thing' FROM node`,
    );
    addNodes('fact', entities * facts);
    // The first fact of every entity, then the second: not in the order in which they leave.
    sql.exec(
      `${countTo(entities * facts)} INSERT INTO fact (node_id, entity_id, content, content_hash, is_atomic)
       SELECT ${entities} + i + 1, i % ${entities} + 1,
         'Fact ' || (i / ${entities} + 1) || ' of ' || (i % ${entities} + 1) || ?, -i, 1 FROM n`,
      text,
    );
    for (const type of ['precedes', 'follows']) {
      sql.exec(
        `${countTo(entities)} INSERT INTO edge (from_id, to_id, type, created_at)
         SELECT i + 1, (i + 1) % ${entities} + 1, ?, 1 FROM n`,
        type,
      );
    }
    sql.exec(NOTHING_WAITS);
  });
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The thread's own pages, seen on their way; `before` is told which one is asked for, from 0. */
function watchPages(before: (index: number) => Promise<void> | void = () => {}) {
  const requests: ExportRequest[] = [];
  const getByName = (name: string) => {
    const stub = env.THREAD.getByName(name) as unknown as {
      exportPage(request: ExportRequest, caller: unknown): Promise<OutcomeOf<ExportPage>>;
    };
    return {
      async exportPage(request: ExportRequest, caller: unknown) {
        requests.push(request);
        await before(requests.length - 1);
        return stub.exportPage(request, caller);
      },
    };
  };
  return { requests, vars: { THREAD: { getByName } } as unknown as Vars };
}
