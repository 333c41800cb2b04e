import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { openThread } from '#test/open-thread.ts';
import { IMPORT_BYTES_MAX } from '#limits.ts';
import { edgeRecord, entityRecord, factRecord, HEADER, toLines } from '#test/files.ts';
import { countThreads, fetchWorker, threadStub } from '#test/mcp.ts';
import { slowBody } from '#test/slow-body.ts';
import { checkInvariants } from '#store/derived/invariants.ts';
import { NOTHING_WAITS } from '#test/waiting.ts';
import { openTables } from '#test/tables.ts';

/** A few pieces of a staged file; test/e2e/scale.node.test.ts sends 50,000. */
const LINES = 10_000;

test('thousands of lines come in as a stream, and the answer tells how far they have come', async () => {
  const threadId = 'large';
  const response = await post(threadId, streamOf(manyLines(LINES)), '?progress=1');
  const lines = toAnswers(await response.text());

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const progress = lines.slice(0, -1).map((line) => line['progress'].lines);
  expect(progress.length).toBeGreaterThan(2);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.at(-1)).toBe(LINES);
  expect(lines.at(-1)?.['result']).toMatchObject({
    mode: 'merge',
    lines: LINES,
    added: { entities: LINES / 5, facts: LINES - LINES / 5 - 1, turns: 0, summaries: 0 },
  });
  const faults = await inThread(threadId, (sql, { storage }) => {
    const found = checkInvariants(openTables(storage));
    sql.exec(NOTHING_WAITS);
    return found;
  });
  expect(faults).toEqual([]);
  await inThread(threadId, (_, state) => void state.storage.deleteAlarm());
});

test('a fault in the last line changes nothing, and is the last line of the answer', async () => {
  const lines = [...manyLines(LINES), toLines([factRecord(1, 'Has the id of another')])];

  const answers = toAnswers(await (await post('faulty', streamOf(lines), '?progress=1')).text());

  expect(answers.length).toBeGreaterThan(2);
  expect(answers.at(-1)).toEqual({
    error: {
      code: 'invalid_input',
      message: 'Line 10001: the id 1 is that of line 2 too.',
      hint: expect.stringMatching(/^Nothing was changed/),
      faults: [{ path: 'line 10001', problem: 'the id 1 is that of line 2 too' }],
    },
  });
  expect(await countRows('faulty')).toEqual({ nodes: 0, transfers: 0, pieces: 0 });
});

test('the answer is the result, or the error of a refused file with its status', async () => {
  const refused = await post('once', toLines([HEADER, factRecord(1, 'One'), factRecord(1, 'Two')]));
  const taken = await post('once', streamOf(manyLines(2_000)));
  const tooMany = await post('once', '\n'.repeat(1_000_001));

  expect([refused.status, taken.status, tooMany.status]).toEqual([400, 200, 413]);
  expect(taken.headers.get('content-type')).toBe('application/json');
  expect(taken.headers.get('cache-control')).toBe('no-store');
  expect(await refused.json()).toMatchObject({
    error: { code: 'invalid_input', message: 'Line 3: the id 1 is that of line 2 too.' },
  });
  expect(await taken.json()).toEqual({ result: expect.objectContaining({ lines: 2_000 }) });
  expect(await tooMany.json()).toMatchObject({ error: { code: 'limit_exceeded' } });
  await inThread('once', (sql, state) => {
    sql.exec(NOTHING_WAITS);
    void state.storage.deleteAlarm();
  });
});

test('a body that breaks off changes nothing and leaves nothing', async () => {
  const [first = '', ...rest] = manyLines(9_000);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(first + rest.join('')));
      controller.error(new Error('The client is gone.'));
    },
  });

  using log = vi.spyOn(console, 'error');
  const answers = toAnswers(await (await post('import-broken', body)).text());

  expect(answers.at(-1)).toEqual({
    error: {
      code: 'invalid_input',
      message: 'The body of the request broke off.',
      hint: 'Nothing was changed. Send it again.',
    },
  });
  expect(log).not.toHaveBeenCalled();
  expect(await countRows('import-broken')).toEqual({ nodes: 0, transfers: 0, pieces: 0 });
});

test('a client that goes away half-way leaves nothing behind', async () => {
  const { body } = await post('import-gone', streamOf(manyLines(LINES)), '?progress=1');
  const reader = body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await scheduler.wait(300);

  expect(await countRows('import-gone')).toEqual({ nodes: 0, transfers: 0, pieces: 0 });
});

test('a line without an end is refused before all of it was read', async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(500_000).fill(120));
    },
  });

  const answers = toAnswers(await (await post('endless', body)).text());

  expect(answers).toEqual([
    {
      error: {
        code: 'invalid_input',
        message: 'Line 1: a line has at most 1900000 bytes.',
        hint: expect.any(String),
      },
    },
  ]);
  expect(sent).toBeLessThan(12);
});

test('a body beyond the limit of an import is refused', async () => {
  const line = new TextEncoder().encode(toLines([factRecord(2, 'x'.repeat(900_000))]));
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(sent === 0 ? new TextEncoder().encode(toLines([HEADER])) : line);
      sent += line.length;
    },
  });

  const answers = toAnswers(await (await post('huge', body)).text());

  expect(answers.at(-1)).toMatchObject({
    error: { code: 'limit_exceeded', message: expect.stringContaining('100 MiB') },
  });
  expect(sent).toBeLessThan(IMPORT_BYTES_MAX + 20 * line.length);
  expect(await countRows('huge')).toEqual({ nodes: 0, transfers: 0, pieces: 0 });
});

test('every fault is listed with its line, and ?skip=1 takes the rest and lists what it left', async () => {
  const body = toLines([
    HEADER,
    entityRecord(1, 'Ada'),
    entityRecord(2, ''),
    factRecord(3, 'Likes tea', { entity: 1 }),
    factRecord(4, 'Of nobody', { entity: 2 }),
    edgeRecord(1, 9),
    edgeRecord(1, 1),
  ]);
  const faults = [
    { line: 3, problem: "name is '': expected text that is not empty" },
    { line: 5, problem: 'no line before it has the entity 2 that it is about' },
    { line: 6, problem: 'there is no node 9' },
  ];

  const refused = toAnswers(await (await post('skipping', body)).text()).at(-1);
  const none = await countRows('skipping');
  const taken = toAnswers(await (await post('skipping', body, '?skip=1')).text()).at(-1);

  expect(refused).toEqual({
    error: {
      code: 'invalid_input',
      message: "Line 3: name is '': expected text that is not empty. The file has 3 faults.",
      hint: expect.stringContaining('skip'),
      faults: faults.map(({ line, problem }) => ({ path: `line ${line}`, problem })),
    },
  });
  expect(none).toEqual({ nodes: 0, transfers: 0, pieces: 0 });
  expect(taken?.['result']).toMatchObject({
    added: { entities: 1, facts: 1, relations: 1 },
    leftOut: { total: 3, faults },
  });
});

test('a graph of one JSON object comes in as a stream, whatever its size', async () => {
  const count = 4_000;
  const entities = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `Entity ${index}`, entityType: 'Thing', observations: ['x'] }),
  );
  const relation = { from: 'Entity 1', to: 'Entity 2', relationType: 'precedes' };
  const texts = [
    '{"entities":[\n',
    ...entities.map((one) => `${one},\n`),
    `${JSON.stringify({ name: 'Last', entityType: 'Thing', observations: [] })}\n],`,
    `"relations":[\n${JSON.stringify(relation)}\n]}\n`,
  ];

  const answers = toAnswers(
    await (await post('large-graph', streamOf(texts), '?progress=1')).text(),
  );

  expect(answers.length).toBeGreaterThan(1);
  expect(answers.at(-1)?.['result']).toMatchObject({
    added: { entities: count + 1, facts: count, relations: 1 },
  });
  await inThread('large-graph', (sql, state) => {
    sql.exec(NOTHING_WAITS);
    void state.storage.deleteAlarm();
  });
});

test.each([
  ['JSON that breaks off', '{"type":"header",'],
  ['an array', '[{"type":"entity","name":"Ada"}]'],
  ['a message of MCP', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ['brackets 100,000 deep', '['.repeat(100_000)],
  ['bytes that are no UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
  ['zeros', new Uint8Array(5 * 1024 * 1024)],
  ['lines without anything', '\n'.repeat(1_000)],
])('a body of %s is refused in one line, and nothing is kept of it', async (_, body) => {
  const answers = toAnswers(await (await post('import-junk', body)).text());

  expect(answers.at(-1)).toEqual({
    error: {
      code: 'invalid_input',
      message: expect.any(String),
      hint: expect.stringMatching(/^Nothing was changed\. Correct the file and import it again/),
    },
  });
  expect(await countRows('import-junk')).toEqual({ nodes: 0, transfers: 0, pieces: 0 });
});

test('a file that comes slowly, a few bytes at a time, holds up nobody else', async () => {
  const body = slowBody(toLines([HEADER, factRecord(1, 'Came in small pieces')]), 7, 1);

  const slow = post('import-slow', body.stream);
  await callTool('import-slow', 'store_memory', { content: 'Came meanwhile' });
  expect(body.sent()).toBeLessThan(body.length);

  const answers = toAnswers(await (await slow).text());
  expect(answers.at(-1)?.['result']).toMatchObject({ added: { facts: 1 } });
});

test('?mode=replace removes what the body does not have', async () => {
  const threadId = 'replaced';
  await callTool(threadId, 'store_memory', { content: 'Will be gone' });

  const body = toLines([HEADER, factRecord(1, 'Comes instead')]);
  const answers = toAnswers(await (await post(threadId, body, '?mode=replace')).text());

  expect(answers.at(-1)?.['result']).toMatchObject({ removed: 1, added: { facts: 1 } });
  const facts = await inThread(threadId, (sql) => sql.exec('SELECT content FROM fact').toArray());
  expect(facts).toEqual([{ content: 'Comes instead' }]);
});

test.each([
  ['/api/threads/a/import?mode=append', { method: 'POST', body: 'x' }, 400, 'invalid_input'],
  ['/api/threads/a/import?progress=perhaps', { method: 'POST', body: 'x' }, 400, 'invalid_input'],
  ['/api/threads/a/import?skip=perhaps', { method: 'POST', body: 'x' }, 400, 'invalid_input'],
  ['/api/threads/a%20b/import', { method: 'POST', body: 'x' }, 400, 'invalid_input'],
  ['/api/threads/a/import', { method: 'POST' }, 400, 'invalid_input'],
  ['/api/threads/a/import', { method: 'GET' }, 405, 'invalid_input'],
  ['/api/threads/a/import', { method: 'PUT', body: 'x' }, 405, 'invalid_input'],
  ['http://evil.example/api/threads/a/import', { method: 'POST', body: 'x' }, 403, 'forbidden'],
  [
    '/api/threads/a/import',
    { method: 'POST', body: 'x', headers: { origin: 'https://evil.example' } },
    403,
    'forbidden',
  ],
  [
    'https://skein.example.workers.dev/api/threads/a/import',
    { method: 'POST', body: 'x' },
    503,
    'unavailable',
  ],
])('%s %o is answered with %i', async (target, init, status, code) => {
  const response = await fetchWorker(target, init);

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code, hint: expect.any(String) } });
});

test('a page on an allowed origin may ask whether it may import', async () => {
  const { status, headers } = await fetchWorker('/api/threads/a/import', {
    method: 'OPTIONS',
    headers: { origin: 'https://claude.ai', 'access-control-request-method': 'POST' },
  });

  expect(status).toBe(204);
  expect(headers.get('access-control-allow-methods')).toContain('POST');
});

test('a file that export_database names can be fetched, and imported elsewhere', async () => {
  await callTool('exporting', 'store_memory', { content: 'Goes elsewhere' });
  const { file, download, sizeBytes } = await callTool('exporting', 'export_database', {});

  const response = await fetchWorker(download);
  const text = await response.clone().text();
  const answers = toAnswers(await (await post('elsewhere', response.body)).text());

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${file}"`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(new TextEncoder().encode(text).length).toBe(sizeBytes);
  expect(answers.at(-1)?.['result']).toMatchObject({ added: { facts: 1 }, hasHistory: true });
});

test('the files of a thread are listed, newest first, without waking it', async () => {
  await callTool('listed', 'store_memory', { content: 'Written down twice' });
  const first = await callTool('listed', 'export_database', {});
  // R2 keeps milliseconds.
  await scheduler.wait(5);
  const second = await callTool('listed', 'export_database', { history: false });
  const before = await countThreads();

  const all = await readFiles('listed');
  const newest = await readFiles('listed', '?limit=1');
  const none = await readFiles('never-written');

  expect(all).toEqual({
    threadId: 'listed',
    files: [second, first].map(({ file, sizeBytes, download }) => ({
      file,
      sizeBytes,
      writtenAt: expect.stringMatching(/^\d{4}-.*Z$/),
      download,
    })),
    total: 2,
  });
  expect(newest).toMatchObject({ files: [{ file: second['file'] }], total: 2 });
  expect(none).toEqual({ threadId: 'never-written', files: [], total: 0 });
  expect(await countThreads()).toBe(before);
  for (const limit of ['0', '1001', 'x', '']) {
    const response = await fetchWorker(`/api/threads/listed/files?limit=${limit}`);
    expect([limit, response.status]).toEqual([limit, 400]);
  }
});

test('the files of an owner are listed for that owner alone', async () => {
  await callTool('shared-files', 'create_node', { text: 'The cat is black', owner_id: 'bob' });
  const { download } = await callTool('shared-files', 'export_database', { owner_id: 'bob' });

  expect(await readFiles('shared-files', '?owner_id=bob')).toMatchObject({ files: [{ download }] });
  expect(await readFiles('shared-files')).toMatchObject({ files: [], total: 0 });
});

async function readFiles(threadId: string, query = ''): Promise<Record<string, any>> {
  return (await fetchWorker(`/api/threads/${threadId}/files${query}`)).json();
}

test('a file is that of its thread alone', async () => {
  await callTool('mine', 'store_memory', { content: 'Mine alone' });
  const { file } = await callTool('mine', 'export_database', {});
  const id = env.THREAD.idFromName('local/mine').toString();

  const targets = [
    `/api/threads/yours/files/${file}`,
    `/api/threads/yours/files/..%2F${id}%2F${file}`,
    `/api/threads/yours/files/${id}%2F${file}`,
    '/api/threads/mine/files/..',
    '/api/threads/mine/files/%00',
    '/api/threads/mine/files/missing.jsonl',
    `/api/threads/mine/files/${'x'.repeat(129)}`,
  ];
  for (const target of targets) {
    const response = await fetchWorker(target);
    expect([target, response.status]).toEqual([target, 404]);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  }
  expect((await fetchWorker(`/api/threads/mine/files/${file}`)).status).toBe(200);
});

test('the routes of files reach the memory of an owner, and its alone', async () => {
  const threadId = 'owned-files';
  await post(threadId, toLines([HEADER, factRecord(1, 'The cat is black')]), '?owner_id=bob').then(
    (response) => response.text(),
  );
  const { download } = await callTool(threadId, 'export_database', { owner_id: 'bob' });

  const his = await fetchWorker(download);
  const mine = await fetchWorker(download.replace('bob', 'default'));
  const nobodys = await fetchWorker(download.replace('bob', 'a%2Fb'));

  expect(await his.text()).toContain('The cat is black');
  expect([mine.status, nobodys.status]).toEqual([404, 400]);
  expect(await mine.json()).toMatchObject({
    error: { hint: 'It has none: export_database writes one.' },
  });
  expect(await nobodys.json()).toMatchObject({ error: { code: 'invalid_input' } });
  const { total } = await callTool(threadId, 'read_graph', {});
  expect(total).toMatchObject({ entities: 0, observations: 0 });
});

/** A header, entities, and facts about them, in texts of a hundred lines. */
function manyLines(count: number): string[] {
  const entities = Math.floor(count / 5);
  const records = Array.from({ length: count }, (_, index) => {
    if (index === 0) return HEADER;
    if (index <= entities) return entityRecord(index, `Entity ${index}`);
    return factRecord(index, `Fact ${index} tells of something that was seen`, {
      entity: (index % entities) + 1,
    });
  });
  return Array.from({ length: Math.ceil(count / 100) }, (_, index) =>
    toLines(records.slice(index * 100, index * 100 + 100)),
  );
}

function streamOf(texts: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const text = texts[next];
      next += 1;
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
  });
}

function post(
  threadId: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  query = '',
): Promise<Response> {
  return fetchWorker(`/api/threads/${threadId}/import${query}`, { method: 'POST', body });
}

function toAnswers(text: string): Record<string, any>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function callTool(threadId: string, tool: string, input: Record<string, unknown>) {
  const thread = openThread(env, { subject: 'local', threadId });
  const outcome = await thread(tool, input, { threadId, actor: 'tester' });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value as Record<string, any>;
}

function inThread<Found>(
  threadId: string,
  work: (sql: SqlStorage, state: DurableObjectState) => Found,
): Promise<Found> {
  return runInDurableObject(threadStub(threadId), (_, state) => {
    openTables(state.storage);
    return work(state.storage.sql, state);
  });
}

function countRows(threadId: string) {
  return inThread(threadId, (sql) =>
    sql
      .exec(
        `SELECT (SELECT count(*) FROM node) AS nodes, (SELECT count(*) FROM transfer) AS transfers,
           (SELECT count(*) FROM transfer_piece) AS pieces`,
      )
      .one(),
  );
}
