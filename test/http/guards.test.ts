import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { REQUEST_BODY_BYTES_MAX } from '#limits.ts';
import {
  countThreads,
  ERAS,
  fetchWorker,
  mcpRequest,
  readEvents,
  readMessage,
  speakMcp,
} from '#test/mcp.ts';
import { slowBody } from '#test/slow-body.ts';

const DEPLOYED = 'https://skein.example.workers.dev';

const listTools = (headers: Record<string, string> = {}) =>
  mcpRequest('legacy', 'tools/list', {}, headers);

const preflight = (origin: string) => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type, mcp-protocol-version',
  },
});

test.each([
  ['no origin', {}],
  ['http://localhost', { origin: 'http://localhost' }],
  ['http://localhost:5173', { origin: 'http://localhost:5173' }],
  ['http://127.0.0.1:6274', { origin: 'http://127.0.0.1:6274' }],
  ['http://[::1]:6274', { origin: 'http://[::1]:6274' }],
  ['https://claude.ai', { origin: 'https://claude.ai' }],
  ['https://claude.com', { origin: 'https://claude.com' }],
])('a request with %s is served', async (_, headers) => {
  const response = await fetchWorker('/mcp', listTools(headers));

  expect(response.status).toBe(200);
});

test.each([
  'https://evil.example',
  'null',
  'garbage',
  'https://',
  'file://',
  'https://claude.ai.evil.example',
  'https://notclaude.ai',
  'https://evil.example/claude.ai',
  'https://evil.example?claude.ai',
  'https://claude.ai@evil.example',
  'http://localhost.evil.example',
  'https://evil.workers.dev',
  'chrome-extension://abcdefgh',
])('a request from the origin %s is refused, to the preflight as well', async (origin) => {
  for (const path of ['/mcp', '/mcp/atlas']) {
    for (const init of [listTools({ origin }), preflight(origin)]) {
      const response = await fetchWorker(path, init);

      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await response.json()).toEqual({
        error: {
          code: 'forbidden',
          message: `Requests from the origin '${origin}' are not allowed.`,
          hint: expect.stringContaining('ALLOWED_ORIGIN_HOSTNAMES'),
        },
      });
    }
  }
});

test.each(['https://claude.ai', 'http://localhost:5173'])(
  'the preflight from %s allows every header that a client of either era sends',
  async (origin) => {
    for (const path of ['/mcp', '/mcp/atlas', '/mcp?toolsets=core&readonly=1']) {
      const { status, headers } = await fetchWorker(path, preflight(origin));

      const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(/, */);
      expect(status).toBeLessThan(300);
      expect(['*', origin]).toContain(headers.get('access-control-allow-origin'));
      expect(headers.get('access-control-allow-methods')).toContain('POST');
      expect(allowed).toEqual(
        expect.arrayContaining([
          'authorization',
          'content-type',
          'accept',
          'mcp-protocol-version',
          'mcp-method',
          'mcp-name',
        ]),
      );
    }
  },
);

test('a page on an allowed origin can read the answer', async () => {
  const response = await fetchWorker('/mcp', listTools({ origin: 'https://claude.ai' }));

  expect(response.headers.get('access-control-allow-origin')).toMatch(
    /^(\*|https:\/\/claude\.ai)$/,
  );
});

test.each([
  ['/mcp?toolsets=nonsense', 400],
  ['/mcp?readonly=please', 400],
  ['/mcp/a%20b', 400],
  [`${DEPLOYED}/mcp`, 503],
])('a page on an allowed origin can read why %s is refused', async (target, status) => {
  const origin = 'https://claude.ai';

  const asked = await fetchWorker(target, preflight(origin));
  const refused = await fetchWorker(target, listTools({ origin }));

  expect(asked.status).toBeLessThan(300);
  expect(refused.status).toBe(status);
  expect(refused.headers.get('access-control-allow-origin')).not.toBeNull();
});

test.each([
  'http://evil.example/mcp',
  'http://evil.example:8787/mcp/atlas',
  'https://localhost.evil.example/mcp',
  'http://127.0.0.1.nip.io/mcp',
  'http://0.0.0.0/mcp',
  'http://192.168.1.5/mcp',
  'https://workers.dev/mcp',
  'https://skein.workers.dev.evil.example/mcp',
])('a host that rebinds its name to ours is refused: %s', async (url) => {
  const { hostname } = new URL(url);

  const response = await fetchWorker(url, listTools());

  expect(response.status).toBe(403);
  expect(await response.json()).toEqual({
    error: {
      code: 'forbidden',
      message: `This server is not known as '${hostname}'.`,
      hint: expect.stringContaining('ALLOWED_HOSTNAMES'),
    },
  });
});

test.each(['evil.example', 'evil.example:8787', 'localhost.evil.example', '@'])(
  'the Host header %s is refused whatever the URL says',
  async (host) => {
    for (const era of ERAS) {
      const response = await fetchWorker('/mcp', mcpRequest(era, 'tools/list', {}, { host }));

      expect(response.status).toBe(403);
    }
  },
);

test.each([
  'http://localhost/mcp',
  'http://LOCALHOST:8787/mcp',
  'http://127.0.0.1/mcp',
  'http://[::1]:8787/mcp',
])('a loopback host is served: %s', async (url) => {
  expect((await fetchWorker(url, listTools())).status).toBe(200);
});

test.each(['/mcp', '/mcp/atlas', '/mcp?toolsets=all'])(
  'a deployment without credentials serves nobody at %s, and says what to do',
  async (path) => {
    const before = await countThreads();

    for (const headers of [
      {},
      { authorization: 'Bearer guess' },
      { 'x-forwarded-host': 'localhost' },
    ]) {
      for (const era of ERAS) {
        const params = { name: 'read_graph', arguments: { threadId: 'atlas' } };
        const request = mcpRequest(era, 'tools/call', params, headers);

        const response = await fetchWorker(`${DEPLOYED}${path}`, request);

        expect(response.status).toBe(503);
        expect(await response.json()).toEqual({
          error: {
            code: 'unavailable',
            message: 'This deployment has no credentials configured.',
            hint: expect.stringContaining('npm start'),
          },
        });
      }
    }
    expect(await countThreads()).toBe(before);
  },
);

test.each([
  ['a tunnel', { 'cf-connecting-ip': '203.0.113.7' }],
  ['another machine', { 'cf-connecting-ip': '192.168.1.20' }],
  ['a machine of IPv6', { 'cf-connecting-ip': '2001:db8::1' }],
  ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
  ['two proxies', { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' }],
  ['a proxy that tells the host', { 'x-forwarded-host': 'memory.example.com' }],
  ['a host that begins as ours', { 'x-forwarded-host': 'localhost.evil.example' }],
  ['a name for an address', { 'x-forwarded-for': '127.0.0.1.evil.example' }],
  ['a proxy of the standard', { forwarded: 'for=203.0.113.7' }],
  ['a proxy that is nginx', { 'x-real-ip': '203.0.113.7' }],
  ['another Worker', { 'cf-worker': 'example.com' }],
])(
  'without credentials nobody is served by way of %s, whatever Host it sends',
  async (_, headers) => {
    const before = await countThreads();

    for (const path of ['/mcp', '/mcp/atlas', '/api/threads/atlas/tools/read_graph']) {
      const response = await fetchWorker(path, listTools(headers));

      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({
        error: { code: 'unavailable', hint: expect.stringContaining('.dev.vars') },
      });
    }
    expect(await countThreads()).toBe(before);
  },
);

test.each([
  {},
  { 'cf-connecting-ip': '127.0.0.1' },
  { 'cf-connecting-ip': '::1' },
  { 'cf-connecting-ip': '::ffff:127.0.0.1' },
  { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost:5173' },
])('who asks on the machine itself is served, with %j too', async (headers) => {
  expect((await fetchWorker('/mcp', listTools(headers))).status).toBe(200);
});

test('a host that the deployment names is known, and still asks for credentials', async () => {
  const url = 'https://memory.example.com/mcp';
  const vars = { ALLOWED_HOSTNAMES: 'a.example, Memory.Example.com' };

  expect((await fetchWorker(url, listTools())).status).toBe(403);
  expect((await fetchWorker(url, listTools(), vars)).status).toBe(503);
});

test('an origin that the deployment names is allowed', async () => {
  const request = listTools({ origin: 'https://app.example.com' });
  const vars = { ALLOWED_ORIGIN_HOSTNAMES: 'App.Example.com' };

  expect((await fetchWorker('/mcp', request)).status).toBe(403);
  expect((await fetchWorker('/mcp', request, vars)).status).toBe(200);
});

test.each([
  [
    'told by Content-Length',
    (body: string) => ({ body, headers: { 'content-length': String(body.length) } }),
  ],
  ['sent as a stream', (body: string) => ({ body: new Blob([body]).stream(), headers: {} })],
])('a body of 4 MiB %s is accepted, and one byte more is refused', async (_, carry) => {
  for (const era of ERAS) {
    const request = mcpRequest(era, 'tools/list');
    const send = (bytes: number) => {
      const { body, headers } = carry(request.body.padStart(bytes));
      return fetchWorker('/mcp', { ...request, body, headers: { ...request.headers, ...headers } });
    };

    const largest = await send(REQUEST_BODY_BYTES_MAX);
    const larger = await send(REQUEST_BODY_BYTES_MAX + 1);

    expect((await readMessage(largest)).result.tools.length).toBeGreaterThan(0);
    expect(larger.status).toBe(413);
    expect(await larger.json()).toEqual({
      error: {
        code: 'limit_exceeded',
        message: 'The request body is larger than 4 MiB.',
        hint: expect.stringContaining('Split the call'),
      },
    });
  }
});

test('a body that counts fewer than 4 MiB characters and more bytes is refused', async () => {
  const request = mcpRequest('legacy', 'tools/list', {
    note: 'é'.repeat(REQUEST_BODY_BYTES_MAX / 2),
  });

  expect(request.body.length).toBeLessThan(REQUEST_BODY_BYTES_MAX);
  expect((await fetchWorker('/mcp', request)).status).toBe(413);
});

test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])(
  '%s is not allowed on an MCP endpoint',
  async (method) => {
    for (const path of ['/mcp', '/mcp/atlas']) {
      const response = await fetchWorker(path, {
        method,
        headers: { accept: 'text/event-stream' },
      });

      expect(response.status).toBe(405);
    }
  },
);

test('the refusal of a method names the one that is allowed', async () => {
  const response = await fetchWorker('/mcp');

  expect(response.headers.get('allow')).toMatch(/\bPOST\b/);
});

test.each([
  ['an unknown route', '/nope', {}, 404, 'not_found'],
  ['a route below a thread', '/mcp/atlas/graph', listTools(), 404, 'not_found'],
  ['an empty thread', '/mcp/', listTools(), 404, 'not_found'],
  ['a post to /health', '/health', { method: 'POST' }, 404, 'not_found'],
  ['a path of a kilobyte', `/${'x'.repeat(1000)}`, {}, 404, 'not_found'],
  ['a malformed thread', '/mcp/a%20b', listTools(), 400, 'invalid_input'],
  ['an unknown toolset', '/mcp?toolsets=nope', listTools(), 400, 'invalid_input'],
  ['an unclear switch', '/mcp?readonly=please', listTools(), 400, 'invalid_input'],
  ['a foreign origin', '/mcp', listTools({ origin: 'https://evil.example' }), 403, 'forbidden'],
  ['a foreign host', 'http://evil.example/mcp', listTools(), 403, 'forbidden'],
  ['no credentials', `${DEPLOYED}/mcp`, listTools(), 503, 'unavailable'],
  [
    'too large a body',
    '/mcp',
    { ...listTools(), body: ' '.repeat(REQUEST_BODY_BYTES_MAX + 1) },
    413,
    'limit_exceeded',
  ],
  ['a GET', '/mcp', {}, 405, expect.any(String)],
] as [string, string, RequestInit, number, string][])(
  'the refusal of %s has the one shape of an error',
  async (_, target, init, status, code) => {
    const response = await fetchWorker(target, init);

    const text = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(JSON.parse(text)).toEqual({
      error: { code, message: expect.any(String), hint: expect.any(String) },
    });
    expect(text.length).toBeLessThan(600);
  },
);

test('a bug of ours outside a thread shows a reference and nothing else', async () => {
  using log = vi.spyOn(console, 'error').mockImplementation(() => {});

  const response = await fetchWorker('/mcp', listTools(), { OBSERVATION_CHARS_MAX: 'many' });

  expect(response.status).toBe(500);
  const text = await response.text();
  const [reference] = /(?<=reference )[0-9a-f]{8}/.exec(text) ?? [];
  expect(JSON.parse(text)).toEqual({
    error: expect.objectContaining({
      code: 'internal',
      message: `Internal error (reference ${reference}).`,
    }),
  });
  expect(text).not.toContain('OBSERVATION_CHARS_MAX');
  expect(log.mock.calls.join()).toContain(`"reference":"${reference}"`);
});

test('/health answers without credentials and without waking a thread', async () => {
  const before = await countThreads();

  for (const base of ['http://localhost', DEPLOYED]) {
    const response = await fetchWorker(`${base}/health`);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'ok',
      name: 'skein',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  }

  expect(await countThreads()).toBe(before);
  await speakMcp('modern', '/mcp/woken').callTool('read_graph');
  expect(await countThreads()).toBe(before + 1);
});

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test.each([
  ['JSON that breaks off', '{"jsonrpc":"2.0",', {}, 400],
  ['no JSON at all', 'hello', {}, 400],
  ['an empty body', '', {}, 400],
  ['white space', ' \n', {}, 400],
  ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe]), {}, 400],
  ['a number', '1', {}, 400],
  ['null', 'null', {}, 400],
  ['an object that is no message', '{}', {}, 400],
  ['an empty batch', '[]', {}, 400],
  ['a batch with something else in it', JSON.stringify([ping, 1]), {}, 400],
  ['a batch of 101 messages', JSON.stringify(Array.from({ length: 101 }, () => ping)), {}, 400],
  ['form data', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['plain text', JSON.stringify(ping), { 'content-type': 'text/plain' }, 415],
  ['no content type', JSON.stringify(ping), { 'content-type': '' }, 415],
] as [string, string | Uint8Array, Record<string, string>, number][])(
  'a body of %s is a mistake of the client in both eras',
  async (_, body, headers, status) => {
    for (const era of ERAS) {
      const request = mcpRequest(era, 'ping', {}, headers);

      const response = await fetchWorker('/mcp', { ...request, body });

      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: expect.any(Number), message: expect.any(String) },
      });
    }
  },
);

test('a client that accepts no event stream is told so in the era that needs one', async () => {
  const response = await fetchWorker('/mcp', listTools({ accept: 'application/json' }));

  expect(response.status).toBe(406);
});

test.each([
  ['mcp-protocol-version', 'nonsense'],
  ['mcp-protocol-version', '9999-99-99'],
  ['mcp-session-id', 'x'.repeat(8_000)],
  ['mcp-method', 'tools/call'],
  ['mcp-name', '=?base64?%%%?='],
  ['accept', ''],
  ['accept', 'text/html;q=nonsense'],
  ['content-encoding', 'gzip'],
  ['content-length', '-1'],
  ['content-length', 'many'],
  ['content-type', 'application/json; charset=utf-16'],
  ['authorization', 'Bearer'],
  ['x-request-id', "'; DROP TABLE node; --"],
])('the header %s: %s brings about no failure of the server', async (header, value) => {
  const targets = ['/mcp', '/mcp/atlas', '/api/threads/atlas/tools/read_graph'];
  for (const [target, era] of targets.flatMap((one) => ERAS.map((of) => [one, of] as const))) {
    const response = await fetchWorker(target, mcpRequest(era, 'ping', {}, { [header]: value }));
    const text = await response.text();

    expect([target, era, response.status < 500]).toEqual([target, era, true]);
    expect(text).not.toMatch(/Internal error|\n\s+at /);
  }
});

test('a batch is answered one by one in the legacy era and refused in the modern one', async () => {
  const body = JSON.stringify([ping, { ...ping, id: 2, method: 'tools/list' }]);

  const legacy = await fetchWorker('/mcp', { ...mcpRequest('legacy', 'ping'), body });
  const modern = await fetchWorker('/mcp', { ...mcpRequest('modern', 'ping'), body });

  expect((await readEvents(legacy)).map(({ id }) => id).sort()).toEqual([1, 2]);
  expect(modern.status).toBe(400);
});

test('a body that comes slowly is waited for, and holds up nobody else', async () => {
  const request = mcpRequest('legacy', 'tools/list');
  const body = slowBody(request.body, 8, 5);

  const slow = fetchWorker('/mcp', { ...request, body: body.stream });
  const quick = await fetchWorker('/mcp', request);

  expect(body.sent()).toBeLessThan(body.length);
  expect((await readMessage(quick)).result.tools.length).toBeGreaterThan(0);
  expect((await readMessage(await slow)).result.tools.length).toBeGreaterThan(0);
});

test.each(['/mcp', '/mcp/broken', '/api/threads/broken/tools/save_memory'])(
  'a body that breaks off on its way to %s is a mistake of its sender, and wakes no thread',
  async (path) => {
    using log = vi.spyOn(console, 'error');
    const before = await countThreads();

    for (const era of ERAS) {
      const request = mcpRequest(era, 'tools/list');
      const body = breakingOff(request.body.substring(0, 20));
      const response = await fetchWorker(path, { ...request, body });

      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: {
          code: 'invalid_input',
          message: 'The body of the request broke off.',
          hint: 'Nothing was changed. Send it again.',
        },
      });
    }
    expect(log).not.toHaveBeenCalled();
    expect(await countThreads()).toBe(before);
  },
);

test('no body whatever brings about a failure of the server', async () => {
  const bodies = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.json().map(inMessage));

  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...ERAS), async (body, era) => {
      const response = await fetchWorker('/mcp', { ...mcpRequest(era, 'tools/call'), body });
      await response.text();

      expect(response.status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
});

/** Any JSON as the parameters of a call. */
function inMessage(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
}

function breakingOff(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new Error('Network connection lost.')),
  });
}

test('a page of another site cannot load what a memory answers, and a person who follows a link can', async () => {
  const ask = async (mode: string) => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode };
    const response = await fetchWorker('/api/threads/linked/health', { headers });
    return { status: response.status, text: await response.text() };
  };

  expect((await ask('no-cors')).status).toBe(403);
  expect((await ask('no-cors')).text).toContain('A page of another site');
  expect((await ask('navigate')).status).toBe(200);
});

test.each(['/api/threads/kept-by-nobody/health', '/api/threads/kept-by-nobody/verify'])(
  'no browser and no proxy keeps what %s answers',
  async (path) => {
    const response = await fetchWorker(path);
    await response.text();

    expect(response.headers.get('cache-control')).toBe('no-store');
  },
);

test.each(['/mcp', '/api/threads/deep/tools/create_node'])(
  'JSON that is nested too deep is a mistake of the sender at %s',
  async (path) => {
    const send = async (levels: number) => {
      const value = `${'['.repeat(levels)}${']'.repeat(levels)}`;
      const response = await fetchWorker(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: `{"text":"a \\" [[[ b","metadata":${value}}`,
      });
      return { status: response.status, text: await response.text() };
    };

    for (const levels of [300, 4_000, 100_000]) {
      const { status, text } = await send(levels);
      expect([levels, status]).toEqual([levels, 400]);
      expect(text).toContain('more than 250 levels');
    }
    // Brackets in a text are no levels.
    expect((await send(10)).text).not.toContain('levels');
  },
);
