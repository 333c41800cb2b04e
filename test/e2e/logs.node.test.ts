/** The short form of `npm run fuzz`, on the real server, and what its log may say. */
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/support/dev-server.ts';
import { fuzz, type FuzzReport } from '../../scripts/support/fuzz.ts';
import { SECRET, findOffence, hostileInputs } from '../../scripts/support/hostile-inputs.ts';
import { HEAP_ALLOWANCE, judgeSteadiness, readHeaps } from '../../scripts/support/server-memory.ts';
import { selectTools } from '#tools/catalog.ts';

const CALLS = 250;

describe('a server that is sent whatever schemas allow, and what they do not', () => {
  let server: DevServer;
  let report: FuzzReport;

  beforeAll(async () => {
    server = await startDevServer();
    report = await fuzz(server, { calls: CALLS, seed: inject('propertySeed') });
    await plantSecrets(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('answers each call decently, and its threads stay sound', () => {
    expect(report.offences).toEqual([]);
    expect(report.faults).toEqual([]);
    expect(report.outcomes.ok).toBeGreaterThan(CALLS / 5);
    expect(report.outcomes.refused).toBeGreaterThan(CALLS / 5);
  });

  test('logs nothing but lines of known fields, one for each call', () => {
    const lines = ownLines(server.log()).map((line) => JSON.parse(line));

    expect(lines.filter(({ event }) => event === 'tool_call').length).toBeGreaterThan(CALLS / 2);
    for (const line of lines) expect(line).toEqual(fieldsOf(line));
  });

  test('was told the secret in every place that there is, and never wrote it to its log', () => {
    expect(report.secretsSent).toBeGreaterThan(10);
    expect(ownLines(server.log()).join('\n')).not.toContain(SECRET);
  });

  test('takes a client that goes away half-way through its request for no bug of its own', async () => {
    const paths = ['/mcp', '/mcp/gone', '/api/threads/gone/tools/read_graph'];
    for (const path of [...paths, '/api/threads/gone/import']) {
      for (const framing of ['Content-Length: 1000\r\n\r\n', CHUNKED]) {
        await breakOff(server, `POST ${path} HTTP/1.1`, `${framing}{"jsonrpc":`);
      }
    }
    await wait(300);

    const events = ownLines(server.log()).map((line) => JSON.parse(line).event);
    expect(events).not.toContain('internal_error');
    expect((await fetch(`${server.url}/api/threads/gone/verify`)).status).toBe(200);
  });
});

const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n1000\r\n';

/** Sends half a request, and is gone as soon as the server has had time to read it. */
async function breakOff({ url }: DevServer, requestLine: string, rest: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`${requestLine}\r\nHost: ${host}\r\n`);
  socket.write(`Accept: application/json, text/event-stream\r\n`);
  socket.write(`Content-Type: application/json\r\n${rest}`);
  await wait(100);
  socket.destroy();
}

/** Everything that the server has printed since it was ready. */
function ownLines(log: string): string[] {
  // The last line of the start.
  const [, ...lines] = log.slice(log.indexOf('Claude Code:')).split('\n');
  return lines.filter((line) => line !== '');
}

/** The fields that a line of its event has. */
function fieldsOf({ event, revision }: { event: string; revision?: unknown }): object | undefined {
  const thread = expect.stringMatching(/^[0-9a-f]{12}$/);
  const word = expect.stringMatching(/^[a-z_]+$/);
  const shared = { event, thread, outcome: word, ms: expect.any(Number) };
  const known = revision === null ? null : expect.any(Number);
  switch (event) {
    case 'tool_call': {
      const rows = { rowsRead: expect.any(Number), rowsWritten: expect.any(Number) };
      return { ...shared, tool: word, ...rows, revision: known };
    }
    case 'job':
      return { ...shared, job: word, failures: expect.any(Number), revision: known };
    case 'protocol':
      return { event, kind: expect.stringMatching(/^\w+$/) };
    default:
      return undefined;
  }
}

/** The secret as a name, a fact, a turn, a query, metadata, an owner, a thread, a file, and as what is none of it. */
async function plantSecrets({ url }: DevServer): Promise<void> {
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const call = (name: string, args: object) => {
    const params = { name, arguments: { threadId: SECRET, ...args } };
    return post('/mcp?toolsets=all', { jsonrpc: '2.0', id: SECRET, method: 'tools/call', params });
  };
  const person = { name: SECRET, entityType: SECRET, observations: [`Knows ${SECRET}`] };
  const relation = { from: SECRET, to: `${SECRET} 2`, relationType: SECRET };
  const turn = { prompt: SECRET, thought: SECRET, response: SECRET, sessionId: SECRET };
  const line = JSON.stringify({ type: 'entity', name: SECRET, entityType: SECRET, oops: SECRET });

  const taken = [
    await call('create_entities', { entities: [person, { ...person, name: `${SECRET} 2` }] }),
    await call('create_relations', { relations: [relation] }),
    await call('add_memory', { ...turn, agent: SECRET, model: SECRET }),
    await call('summarize_sessions', { sessionId: SECRET }),
    await call('create_node', { text: SECRET, metadata: { [SECRET]: SECRET }, source: SECRET }),
    await call('create_node', { text: SECRET, owner_id: SECRET }),
    await call('search_nodes', { query: `${SECRET} "${SECRET}" -${SECRET}` }),
    await call('recall', { query: SECRET }),
    await call('open_nodes', { names: SECRET }),
    await call('query_raw_memories', { query: SECRET }),
    await call('export_database', {}),
    await post(`/api/threads/${SECRET}/tools/get_entity`, { name: SECRET, [SECRET]: 1 }),
  ];
  const refused = [
    await call('read_graph', { asOf: SECRET, cursor: SECRET, [SECRET]: SECRET }),
    await call('open_nodes', { names: [[SECRET]] }),
    await call('import_database', { file: `${SECRET}.jsonl` }),
    await call('import_database', { content: line }),
    await call('delete_thread', { confirm: `not ${SECRET}` }),
    await call(SECRET, {}),
    await post(`/mcp/${SECRET}?toolsets=${SECRET}`, { method: SECRET }),
    await post(`/api/threads/${SECRET}/tools/${SECRET}`, {}, { authorization: `Bearer ${SECRET}` }),
    await post(`/api/threads/${SECRET}/import`, { name: SECRET }),
    await send(`/api/threads/${SECRET}/files/${SECRET}.jsonl`),
    await send(`/api/threads/${SECRET}/export?format=${SECRET}`),
  ];

  for (const { status, text } of taken) {
    expect(text).not.toMatch(/"isError":true|"error"/);
    expect(status).toBe(200);
  }
  for (const { text } of refused) expect(text).toMatch(/"isError":true|"error"/);
}

test('the same seed makes the same inputs, and another seed others', () => {
  const { tools } = selectTools('all', { isReadonly: false, isBound: true });
  const inputsOf = (seed: number) => {
    const { argumentsFor } = hostileInputs(seed);
    return tools.map(argumentsFor);
  };

  expect(inputsOf(1)).toEqual(inputsOf(1));
  expect(inputsOf(1)).not.toEqual(inputsOf(2));
  for (const input of inputsOf(3)) expect(JSON.parse(input)).toBeTypeOf('object');
});

test.each([
  [500, '{}', true],
  [200, '{"text":"Internal error (reference 12ab34cd)."}', true],
  [200, '{"text":"no such column: foo"}', true],
  [200, '{"text":"UNIQUE constraint failed: entity.name"}', true],
  [400, '{"message":"limit: \'x\' is no number."}', false],
])('an answer of status %i with %s is an offence: %s', (status, body, isOffence) => {
  expect(findOffence(status, body) !== undefined).toBe(isOffence);
});

test('the heap of our code is that of the isolate that was the largest, as full collections leave it', () => {
  const log = [
    '[18067:0x31cc]     8724 ms: Mark-Compact 35.1 (55.2) -> 19.8 (52.2) MB, pooled: 2.8 MB',
    '[18067:0x44ff]     8800 ms: Mark-Compact (reduce) 5.1 (8.2) -> 4.8 (7.2) MB, pooled: 1.0 MB',
    '[18067:0x31cc]     9100 ms: Scavenge 57.9 (106.2) -> 34.6 (106.2) MB, pooled: 0.0 MB',
    '[18067:0x31cc]:1   9363 ms: Mark-Compact 105.1 (154.0) -> 17.2 (91.2) MB, pooled: 48.5 MB',
  ].join('\n');

  expect(readHeaps(log)).toEqual([19.8, 17.2]);
});

test.each([
  [[20, 25, 21, 20, 22, 21, 20, 22], true],
  [[20, 30, 40, 50, 60, 70, 80, 90], false],
  [[1, 1, 20, 20, 40, 20, 24, 24], true],
  [[20, 20, 20, 20, 20, 20, 26, 26], false],
])('a memory of %j megabytes is steady: %s', (values, isSteady) => {
  expect(judgeSteadiness(values, HEAP_ALLOWANCE)).toMatchObject({ isSteady });
});

test('a run that is too short to tell is not judged', () => {
  expect(judgeSteadiness([10, 20, 30, 40, 50, 60, 70], HEAP_ALLOWANCE)).toBeUndefined();
});
