import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Vars } from '#env.ts';
import type { ErrorData } from '#errors.ts';
import { REQUEST_BODY_BYTES_MAX } from '#limits.ts';
import { openThread } from '#test/open-thread.ts';
import type { Outcome } from '#thread/outcome.ts';
import { findTool, TOOLSETS } from '#tools/catalog.ts';
import { cluster } from '#test/builders.ts';
import { asInExamples, inputOf } from '#test/examples.ts';
import { countThreads, fetchWorker, speakMcp, threadStub } from '#test/mcp.ts';
import { draws } from '#test/draws.ts';
import { slowBody } from '#test/slow-body.ts';

const DEPLOYED = 'https://skein.example.workers.dev';
const tools = [...new Set(TOOLSETS.flatMap((toolset) => toolset.tools))];
const changers = tools.filter(({ effect }) => effect !== 'read');
const lonely = { name: 'Ada', entityType: 'Person', observations: ['Ada'], relations: [] };

/** Status of each code; a new code does not compile without one. */
const STATUSES: Readonly<Record<ErrorData['code'], number>> = {
  invalid_input: 400,
  forbidden: 403,
  not_found: 404,
  already_exists: 409,
  conflict: 409,
  limit_exceeded: 413,
  internal: 500,
  unavailable: 503,
};
const CODES = Object.keys(STATUSES) as ErrorData['code'][];

// What a directory answers is not of one thread: test/mcp/protocol.test.ts.
const ofThreads = tools.filter(({ host }) => host === 'thread');

test.each(ofThreads.map(({ name }) => name))(
  '%s answers over HTTP with the structured content that MCP gives',
  async (name) => {
    const tool = findTool(name)!;
    const { given = [] } = tool.example;
    // Of one length: a file names its thread.
    const [here, there] = [`http-${name}`, `mcp1-${name}`];
    const mcp = speakMcp('modern', `/mcp/${there}?toolsets=all`);
    for (const step of given) {
      await callTool(here, step.tool, step.input);
      await mcp.callTool(step.tool, step.input);
    }

    const { status, body, headers } = await callTool(here, name, inputOf(tool, here));

    const { structuredContent } = await mcp.callTool(name, inputOf(tool, there));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(asInExamples(body, here)).toEqual(asInExamples(structuredContent, there));
  },
);

test('a refused save is the answer that MCP gives, with a status of its own', async () => {
  const input = { entities: [lonely] };

  const { status, body } = await callTool('refused', 'save_memory', input);

  const { structuredContent } = await speakMcp('modern', '/mcp/refused').callTool(
    'save_memory',
    input,
  );
  expect(status).toBe(422);
  expect(body).toMatchObject({ success: false, errors: [{ entity: 'Ada' }, { entity: 'Ada' }] });
  expect(body).toEqual(structuredContent);
  expect(await fitsDescription('save_memory', 422, body)).toBeUndefined();
});

test.each([
  ['invalid_input', 'read_graph', { limit: 'ten', detail: 'medium' }],
  ['invalid_input', 'get_node', {}],
  ['invalid_input', 'get_node', { node_id: 'mem_1', owner_id: 'a/b' }],
  ['invalid_input', 'read_graph', { threadId: 'another' }],
  ['invalid_input', 'get_node', { node_id: 'mem_1', threadId: 7 }],
  ['not_found', 'get_entity', { name: 'Nobody' }],
  ['not_found', 'get_node', { node_id: 'mem_99' }],
  ['conflict', 'update_observation', correction('Worked at Google until May')],
] as const)('the error %s of %s is the one that MCP gives: %j', async (code, tool, input) => {
  await callTool('errors', 'save_memory', { entities: cluster('Ada') });
  await callTool('errors', 'update_observation', correction('Worked at Google'));

  const answer = await callTool('errors', tool, input);

  const result = await speakMcp('modern', '/mcp/errors?toolsets=all').callTool(tool, input);
  expect(result._meta.error.code).toBe(code);
  expect(answer.status).toBe(STATUSES[code]);
  expectSameFailure(answer, result);
});

test.each(CODES.flatMap((code) => [[code, 'read_graph'] as const, [code, 'get_node'] as const]))(
  'whatever the thread fails with is told in full and as described: %s of %s',
  async (code, tool) => {
    const error = {
      code,
      message: 'Größe: “3”.',
      hint: 'Try 100 % less — now.',
      faults: [fault('a'), fault('b')],
    };
    const vars = withThread({ call: async () => ({ ok: false, error }) });
    const input = { node_id: 'mem_1' };

    const answer = await callTool('failing', tool, input, { vars });

    const mcp = speakMcp('modern', '/mcp/failing?toolsets=all', vars);
    expect(answer.status).toBe(STATUSES[code]);
    expectSameFailure(answer, await mcp.callTool(tool, input));
    expect(await fitsDescription(tool, answer.status, answer.body)).toBeUndefined();
  },
);

test('a bug is answered with a reference, and a thread that cannot be reached too', async () => {
  await callTool('http-broken', 'save_memory', { entities: cluster('Ada') });
  await runInDurableObject(threadStub('http-broken'), (_, state) => {
    state.storage.sql.exec('ALTER TABLE entity RENAME TO elsewhere');
  });
  const vars = withThread({ call: () => Promise.reject(new Error('Durable Object reset')) });

  const broken = await callTool('http-broken', 'read_graph', {});
  const unreachable = await callTool('http-asleep', 'get_node', { node_id: 'mem_1' }, { vars });

  await runInDurableObject(threadStub('http-broken'), (_, state) => {
    state.storage.sql.exec('ALTER TABLE elsewhere RENAME TO entity');
  });
  expect(broken).toMatchObject({ status: 500, body: { error: { code: 'internal' } } });
  expect(broken.body.error.message).toMatch(/^Internal error \(reference \w{8}\)\.$/);
  expect(unreachable).toMatchObject({ status: 503, body: { code: 'connection_error' } });
  expect(unreachable.body.error).toMatch(/cannot be reached just now \(reference \w{8}\)\.$/);
});

test('arguments that the tool does not know are named in a header, as MCP names them', async () => {
  const entities = cluster('Ada').map((one) => ({ ...one, mood: 'curious' }));
  const input = {
    entities,
    'größe, 100 %': 1,
    ['x'.repeat(200)]: 2,
    'a\r\nset-cookie: b': 3,
    '\ud800': 4,
  };

  const { status, body, headers } = await callTool('http-ignored', 'save_memory', input);

  const { content } = await speakMcp('modern', '/mcp/http-ignored-too').callTool(
    'save_memory',
    input,
  );
  expect(status).toBe(200);
  expect(body.success).toBe(true);
  expect(headers.get('skein-ignored')).toMatch(/^entities\[0\]\.mood, /);
  expect(`Ignored unknown arguments: ${decodeURIComponent(headers.get('skein-ignored')!)}.`).toBe(
    content[1].text.toWellFormed(),
  );
  expect(headers.get('set-cookie')).toBeNull();
  expect(
    (await callTool('http-ignored', 'read_graph', {})).headers.get('skein-ignored'),
  ).toBeNull();
});

test.each(['café', 'cafe\u0301'])(
  'a threadId in the body may repeat that of the URL: %j',
  async (threadId) => {
    expect((await callTool('café', 'read_graph', { threadId })).status).toBe(200);
  },
);

test('a threadId in the body that contradicts the URL is refused and writes to neither thread', async () => {
  const input = { threadId: 'theirs', entities: cluster('Ada') };

  const { status, body } = await callTool('http-ours', 'save_memory', input);

  expect(status).toBe(400);
  expect(body.error.message).toContain("works on the thread 'http-ours'");
  expect(await countEntities('http-ours')).toBe(0);
  expect(await countEntities('theirs')).toBe(0);
});

test('owner_id chooses a memory of its own in the thread', async () => {
  const made = await callTool('owners', 'create_node', {
    text: 'The cat is black',
    owner_id: 'bob',
  });

  const { node } = made.body;
  expect(node).toMatchObject({ id: 'mem_1', owner_id: 'bob' });
  expect(await callTool('owners', 'get_node', { node_id: node.id })).toMatchObject({
    status: 404,
    body: { success: false, code: 'memory_not_found' },
  });
  expect(await callTool('owners', 'get_node', { node_id: node.id, owner_id: 'bob' })).toMatchObject(
    {
      status: 200,
      body: { node: { text: 'The cat is black' } },
    },
  );
});

test.each(changers.map(({ name, example }) => [name, example.input] as const))(
  'a read-only call of %s is refused, and nothing changes',
  async (name, input) => {
    const before = await countThreads();

    const { status, body } = await callTool('frozen', name, input, { query: '?readonly=1' });

    const { error } = await speakMcp('modern', '/mcp/frozen?toolsets=all&readonly=1').request(
      'tools/call',
      { name, arguments: input },
    );
    expect(status).toBe(403);
    expect(body.error.code).toBe('forbidden');
    expect(`${body.error.message} ${body.error.hint}`).toBe(error?.message);
    expect(await countThreads()).toBe(before);
  },
);

test('a read-only call may read, and a switch that is neither on nor off is refused', async () => {
  const call = (query: string) => callTool('http-reading', 'read_graph', {}, { query });

  expect((await call('?readonly')).status).toBe(200);
  expect((await call('?readonly=please')).status).toBe(400);
  const saved = await callTool(
    'http-reading',
    'save_memory',
    { entities: cluster('Ada') },
    { query: '?readonly=0' },
  );
  expect(saved.status).toBe(200);
});

test.each([
  ['save_memry', 'Did you mean save_memory'],
  ['constructor', 'Enabled toolsets: core'],
  ['__proto__', 'Enabled toolsets: core'],
  ['a%2Fb', 'Enabled toolsets: core'],
  ['x'.repeat(10_000), 'Enabled toolsets: core'],
])('the unknown tool %s is not found, and wakes no thread', async (name, advice) => {
  const before = await countThreads();

  const { status, body } = await callTool('unknown', name, {});

  expect(status).toBe(404);
  expect(body.error.message).toBe(`Unknown tool '${decodeURIComponent(name).slice(0, 80)}'.`);
  expect(body.error.hint).toContain(advice);
  expect(await countThreads()).toBe(before);
});

test.each(['a%20b', 'a%2Fb', '-atlas', '%00', '%', '%ED%A0%80', 'x'.repeat(129)])(
  'the thread %s of the URL is refused with what is allowed, and woken is none',
  async (segment) => {
    const before = await countThreads();

    const response = await post(`/api/threads/${segment}/tools/read_graph`, '{}');

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: 'invalid_input',
        message: expect.stringMatching(/^Invalid threadId '/),
        hint: expect.stringContaining('A threadId is 1-128 letters'),
      },
    });
    expect(await countThreads()).toBe(before);
  },
);

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
  '%s is not allowed, and told what is',
  async (method) => {
    const response = await fetchWorker(TOOL_URL, { method });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_input', hint: expect.stringContaining('POST') },
    });
  },
);

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/jsonp', 415],
  ['', 415],
  ['application/json', 200],
  ['Application/JSON; charset=utf-8', 200],
])('a body of the type %j is answered with %i', async (type, status) => {
  const response = await post(TOOL_URL, '{}', { 'content-type': type });

  expect(response.status).toBe(status);
  if (status === 415) expect(await response.text()).toContain('Content-Type: application/json');
});

test('a body of no type is refused, and no body stands for no arguments', async () => {
  const untyped = { method: 'POST', body: new Blob(['{}']).stream() };

  expect((await fetchWorker(TOOL_URL, untyped)).status).toBe(415);
  expect((await fetchWorker(TOOL_URL, { method: 'POST' })).status).toBe(200);
  expect((await post(TOOL_URL, '')).status).toBe(200);
});

test.each(['{', 'null', '[]', '[{}]', '"{}"', '7', 'true', ' ', '{}{}', "{'a':1}"])(
  'the body %j is refused',
  async (body) => {
    const response = await post(TOOL_URL, body);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: 'invalid_input',
        message: expect.stringMatching(/^The body is not (JSON|a JSON object)\.$/),
        hint: expect.stringContaining('one JSON object'),
      },
    });
  },
);

test('a body of 4 MiB is accepted, and one byte more is refused', async () => {
  const largest = await post(TOOL_URL, '{}'.padStart(REQUEST_BODY_BYTES_MAX));
  const larger = await post(TOOL_URL, '{}'.padStart(REQUEST_BODY_BYTES_MAX + 1));

  expect(largest.status).toBe(200);
  expect(larger.status).toBe(413);
  expect(await larger.json()).toMatchObject({ error: { code: 'limit_exceeded' } });
});

test('a stream that is too large is read no further than that', async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });

  const response = await fetchWorker(TOOL_URL, { method: 'POST', body, headers: JSON_TYPE });

  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { code: 'limit_exceeded' } });
  expect(sent).toBeLessThan(8);
});

test('a body that comes slowly is waited for', async () => {
  const body = slowBody(JSON.stringify({ names: ['Nobody'] }), 2, 1);

  const target = '/api/threads/slow-tool/tools/open_nodes';
  const response = await fetchWorker(target, {
    method: 'POST',
    body: body.stream,
    headers: JSON_TYPE,
  });

  expect(await response.json()).toMatchObject({ entities: [], relations: [], missing: ['Nobody'] });
});

test.each([
  ['brackets 100,000 deep', '['.repeat(100_000)],
  ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe])],
  ['four million zeros as a text', JSON.stringify('0'.repeat(4_000_000))],
])('a body of %s is refused', async (_, body) => {
  const response = await fetchWorker(TOOL_URL, { method: 'POST', body, headers: JSON_TYPE });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_input' } });
});

test('no body whatever brings about a failure of the server', async () => {
  const bodies = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.dictionary(fc.string(), fc.json()).map((fields) => JSON.stringify(fields)),
  );

  await fc.assert(
    fc.asyncProperty(
      bodies,
      // A thread that was stopped answers 503, which is no failure.
      fc.constantFrom(...tools.map(({ name }) => name).filter((name) => name !== 'stop_database')),
      async (body, name) => {
        const { status } = await post(`/api/threads/any-body/tools/${name}`, body);

        expect(status).toBeLessThan(500);
      },
    ),
    draws(50),
  );
});

test.each([
  ['http://evil.example', {}, 403],
  [DEPLOYED, {}, 503],
  [DEPLOYED, { authorization: 'Bearer guess' }, 503],
  ['http://localhost', { origin: 'https://evil.example' }, 403],
])('a call at %s with %j is answered with %i, as MCP is', async (host, headers, status) => {
  const before = await countThreads();

  const response = await post(`${host}/api/threads/guarded/tools/read_graph`, '{}', headers);

  const mcp = await fetchWorker(`${host}/mcp/guarded`, {
    method: 'POST',
    body: '{}',
    headers: { ...JSON_TYPE, ...headers },
  });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual(await mcp.json());
  expect(await countThreads()).toBe(before);
});

test('a page on an allowed origin may call, and read the headers of the answer', async () => {
  const origin = 'http://localhost:5173';
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  };

  const asked = await fetchWorker(TOOL_URL, { method: 'OPTIONS', headers: preflight });
  const { headers } = await post(TOOL_URL, '{}', { origin });

  expect(asked.status).toBeLessThan(300);
  expect(asked.headers.get('access-control-allow-methods')).toBe('POST,OPTIONS');
  expect(asked.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
    'content-type',
  );
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')).toMatch(
    /Skein-Ignored,Skein-Hint,Skein-Note,Skein-Renamed/,
  );
});

test('a call makes one RPC, to the thread of the URL and in the name of the caller', async () => {
  const calls: unknown[] = [];
  const vars = withThread({
    call: async (...call) => {
      calls.push(call);
      return { ok: true, value: {}, ignored: [], renamed: [], isFailure: false };
    },
  });

  await callTool('one', 'read_graph', { detail: 'full' }, { vars });

  expect(calls).toEqual([
    [
      'local/one',
      'read_graph',
      { detail: 'full' },
      { threadId: 'one', actor: 'local', seesBackups: true, isLocal: true },
    ],
  ]);
});

const JSON_TYPE = { 'content-type': 'application/json' };
const TOOL_URL = '/api/threads/atlas/tools/read_graph';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

function post(
  target: string,
  body: string,
  headers: Record<string, string> = {},
  vars: Vars = {},
): Promise<Response> {
  return fetchWorker(target, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } }, vars);
}

async function callTool(
  threadId: string,
  tool: string,
  input: object,
  { query = '', vars = {} }: { query?: string; vars?: Vars } = {},
): Promise<Answer> {
  const target = `/api/threads/${encodeURIComponent(threadId)}/tools/${tool}${query}`;
  const response = await post(target, JSON.stringify(input), {}, vars);
  const { status, headers } = response;
  return { status, headers, body: await response.json() };
}

/** What MCP tells in `_meta.error`, or in the shape of the tool's contract. */
function expectSameFailure({ body, headers }: Answer, result: Record<string, any>): void {
  const { error } = result['_meta'];
  expect(result['isError']).toBe(true);
  if (result['structuredContent'] === undefined) {
    expect(body).toEqual({ error: { hint: null, ...error } });
  } else {
    const hint = headers.get('skein-hint');
    expect(body).toEqual(result['structuredContent']);
    expect(hint === null ? undefined : decodeURIComponent(hint)).toBe(error.hint);
  }
}

/** What the published description has against a body; undefined when it fits. */
async function fitsDescription(
  tool: string,
  status: number,
  body: unknown,
): Promise<string | undefined> {
  const { paths, components } = await (await fetchWorker('/openapi.json')).json<any>();
  const { $ref, content } = paths[`/api/threads/{threadId}/tools/${tool}`].post.responses[status];
  const response = $ref === undefined ? { content } : components.responses[$ref.split('/').at(-1)];
  const { schema } = response.content['application/json'];
  const validator = new CfWorkerJsonSchemaValidator({ shortcircuit: false });
  return validator.getValidator({ ...schema, components })(body).errorMessage;
}

/** A deployment whose threads all answer so; `call` is given the name of the object first. */
function withThread({ call }: { call(...args: unknown[]): Promise<Outcome> }): Vars {
  const THREAD = {
    getByName: (name: string) => ({ call: (...args: unknown[]) => call(name, ...args) }),
  };
  return { THREAD } as Vars;
}

async function countEntities(threadId: string): Promise<number> {
  const outcome = await openThread(env, { subject: 'local', threadId })(
    'read_graph',
    {},
    { threadId, actor: 'tester' },
  );
  if (!outcome.ok) throw new Error(outcome.error.message);
  return (outcome.value as any).total.entities;
}

function fault(path: string) {
  return { path, problem: 'Too long.', suggestion: 'Cut it.' };
}

function correction(newContent: string) {
  return { entityName: 'Ada', observationId: 'obs_4', newContent };
}
