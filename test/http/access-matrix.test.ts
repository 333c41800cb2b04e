/** Every route with every kind of credential, in every mode. A new route must be entered here. */
import { describe, expect, test } from 'vitest';
import type { Env } from '#env.ts';
import { createApp } from '#http/app.ts';
import {
  bearer,
  connectClient,
  deleteToken,
  makeToken,
  OAUTH_MODE,
  ORIGIN,
  OTHER_ORIGIN,
  PASSPHRASE,
  TOKEN_MODE,
} from '#test/auth.ts';
import {
  askMemoryRoute,
  headersOf,
  MEMORY_ROUTES,
  PUBLIC_ROUTES,
  THREAD,
  tokenStates,
  UNKNOWN,
  UNSUITABLE,
  WRITING,
  type Ask,
  type CredentialState,
} from '#test/access-matrix.ts';
import { countThreads, fetchWorker } from '#test/mcp.ts';

/** Guards, which answer only to refuse. */
const GUARDS = [
  'ALL /',
  'ALL /*',
  'ALL /t/:threadId',
  'ALL /t/:threadId/:view',
  'ALL /ui/*',
  'ALL /session',
  'ALL /mcp/*',
  'ALL /openapi.json',
  'ALL /api/threads/:threadId/:resource',
  'ALL /api/threads/:threadId/tools/:tool',
  'ALL /api/threads/:threadId/import',
  'ALL /api/threads/:threadId/files/:file',
  'ALL /settings/*',
  'ALL /sign-in',
  'ALL /sign-out',
  'ALL /authorize',
  'ALL /.well-known/oauth-protected-resource',
  'ALL /.well-known/oauth-protected-resource/mcp',
  'ALL /.well-known/oauth-protected-resource/mcp/:threadId',
];

const STATES: Record<string, CredentialState> = {
  ...tokenStates({ makeToken, deleteToken }),
  'a grant for another address': {
    headers: async () => bearer((await connectClient({ origin: OTHER_ORIGIN })).access_token),
    answer: UNKNOWN,
  },
  'a refresh token': {
    headers: async () => bearer((await connectClient()).refresh_token),
    answer: UNKNOWN,
  },
};

test('every route is in the matrix', () => {
  const served = createApp().routes.map(({ method, path }) => `${method} ${path}`);
  const known = [...Object.keys(MEMORY_ROUTES), ...Object.keys(PUBLIC_ROUTES), ...GUARDS];

  expect([...new Set(served)].filter((route) => !known.includes(route))).toEqual([]);
  expect(known.filter((route) => !served.includes(route))).toEqual([]);
});

describe.each([
  ['token', TOKEN_MODE],
  ['oauth', OAUTH_MODE],
] as const)('in %s mode', (mode, bindings) => {
  test.each(Object.entries(STATES))('%s is answered alike by every route', async (name, state) => {
    const headers = await state.headers();
    for (const route of Object.keys(MEMORY_ROUTES)) {
      const { status, challenge } = await askMemory(route, headers, bindings);
      const answer = name === 'a token to read' && WRITING.has(route) ? UNSUITABLE : state.answer;

      expect([route, status]).toEqual([route, answer[0]]);
      if (answer[1] === null) expect(challenge).toBeNull();
      else expect(challenge).toMatch(answer[1]);
      const isPointedToOAuth = challenge?.includes('resource_metadata=') ?? false;
      expect(isPointedToOAuth).toBe(mode === 'oauth' && challenge !== null);
    }
  });

  test('a grant opens every route where there is OAuth, and none where there is not', async () => {
    const { access_token } = await connectClient();
    for (const route of Object.keys(MEMORY_ROUTES)) {
      const { status } = await askMemory(route, bearer(access_token), bindings);

      expect([route, status]).toEqual([route, mode === 'oauth' ? 200 : 401]);
    }
  });

  test('a public route answers everybody alike', async () => {
    for (const state of Object.values(STATES)) {
      const headers = await state.headers();
      for (const [route, [path, init, inToken, inOAuth]] of Object.entries(PUBLIC_ROUTES)) {
        const request = { ...init, headers, redirect: 'manual' } as const;
        const response = await fetchWorker(ORIGIN + path, request, bindings);

        await response.text();
        const expected = mode === 'token' ? inToken : inOAuth;
        expect([route, response.status]).toEqual([route, expected]);
      }
    }
  });
});

test('a token in the address is no credential', async () => {
  const token = await makeToken();
  const { access_token } = await connectClient();
  for (const route of Object.keys(MEMORY_ROUTES)) {
    for (const name of ['access_token', 'token', 'authorization', 'api_key']) {
      for (const value of [token, access_token, `Bearer ${token}`]) {
        const { status, challenge } = await askMemory(route, {}, OAUTH_MODE, { [name]: value });

        expect([route, status]).toEqual([route, 401]);
        expect(challenge).not.toContain('error=');
      }
    }
  }
});

const ODD_PATHS = [
  '/mcp/',
  '/mcp//',
  '//mcp',
  '/mcp//atlas',
  '/mcp/atlas/',
  '/%6dcp',
  '/%6Dcp/atlas',
  '/mcp%2Fatlas',
  '/mcp/%2e%2e/mcp/atlas',
  '/MCP',
  '/mcp;a',
  '/mcp/atlas%2Fgraph',
  '/settings/../mcp/atlas',
  '/health/../mcp',
  '/api/threads/atlas/export/',
  '/api/threads/atlas//export',
  '/api//threads/atlas/export',
  '/api/threads/atlas/%65xport',
  '/api/threads/atlas%2Fexport',
  '/api/threads/atlas/tools/read_graph/',
  '/api/threads/atlas/tools%2Fread_graph',
  '/api/threads/atlas/tools/%72ead_graph',
  '/api/threads/atlas/import/',
  '/api/threads/atlas/files/',
  '/api/threads/atlas/files/..%2F..%2Fother%2Fx.jsonl',
  '/api/threads/atlas/files/%2e%2e',
  '/api/threads/./atlas/health',
];

test('no way of writing a path and no method is served without a credential', async () => {
  const before = await countThreads();
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
  const paths = Object.values(MEMORY_ROUTES).map((toRequest) => toRequest('matrix-odd')[0]);
  for (const path of [...paths, ...ODD_PATHS]) {
    for (const method of methods) {
      const response = await fetchWorker(ORIGIN + path, { method }, OAUTH_MODE);
      const text = await response.text();

      const isPreflight = method === 'OPTIONS' && response.status === 204;
      expect([method, path, isPreflight || response.status]).toEqual([
        method,
        path,
        isPreflight ? true : expect.toSatisfy((status: number) => [401, 404, 405].includes(status)),
      ]);
      if (isPreflight) expect(text).toBe('');
    }
  }
  expect(await countThreads()).toBe(before);
});

test('a refused credential wakes no thread', async () => {
  const before = await countThreads();
  for (const { headers, answer } of Object.values(STATES)) {
    if (answer[0] === 200) continue;
    const sent = await headers();
    for (const [, toRequest] of Object.entries(MEMORY_ROUTES)) {
      const [path, init] = toRequest('matrix-never-woken');
      const sentToo = { ...init, headers: { ...headersOf(init), ...sent } };
      await fetchWorker(ORIGIN + path, sentToo, OAUTH_MODE);
    }
  }

  expect(await countThreads()).toBe(before);
});

test.each([
  ['nothing is configured', {}, 'npx wrangler secret put OWNER_PASSPHRASE --env production'],
  ['it is said to be open', { AUTH_MODE: 'open' }, 'npx wrangler secret put OWNER_PASSPHRASE'],
  ['OAuth has no passphrase', { AUTH_MODE: 'oauth' }, 'npx wrangler secret put OWNER_PASSPHRASE'],
  ['the passphrase is short', { OWNER_PASSPHRASE: 'eleven char' }, 'wrangler secret put'],
  ['the mode is misspelt', { AUTH_MODE: 'opne' }, 'npm run deploy'],
  ['there is no namespace', { AUTH_MODE: 'token', OAUTH_KV: undefined }, 'npm run deploy'],
  ['there is no namespace for OAuth', { ...OAUTH_MODE, OAUTH_KV: undefined }, 'npm run deploy'],
] as [string, any, string][])(
  'nobody is served where %s, and the answer says what to run, as JSON and as a page',
  async (_, bindings, command) => {
    for (const route of Object.keys(MEMORY_ROUTES)) {
      const [path, init] = MEMORY_ROUTES[route]!(THREAD);
      for (const credential of [{}, bearer(await makeToken())]) {
        const headers = { ...headersOf(init), ...credential };
        const refused = await fetchWorker(ORIGIN + path, { ...init, headers }, bindings);

        expect([route, refused.status]).toEqual([route, 503]);
        expect(await refused.json()).toMatchObject({
          error: { code: 'unavailable', hint: expect.stringContaining(command) },
        });
      }
    }
    for (const [route, [path, init]] of Object.entries(PUBLIC_ROUTES)) {
      if (['GET /health', 'GET /openapi.json'].includes(route)) continue;
      for (const accept of ['application/json', 'text/html', '*/*']) {
        const headers = { ...headersOf(init), accept };
        const refused = await fetchWorker(ORIGIN + path, { ...init, headers }, bindings);

        expect([route, refused.status]).toEqual([route, 503]);
        expect(await refused.text()).toContain(command);
        const type = accept === 'text/html' ? 'text/html' : 'application/json';
        expect(refused.headers.get('content-type')).toContain(type);
      }
    }
    for (const path of ['/', '/mcp', '/mcp/atlas', '/settings', '/api/threads/a/export']) {
      const page = await fetchWorker(
        ORIGIN + path,
        { headers: { accept: 'text/html,application/xhtml+xml' } },
        bindings,
      );

      expect([path, page.status]).toEqual([path, 503]);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await page.text()).toContain(command);
    }
  },
);

test('credentials are not accepted in the clear', async () => {
  const token = await makeToken();
  for (const route of Object.keys(MEMORY_ROUTES)) {
    const [path, init] = MEMORY_ROUTES[route]!(THREAD);
    const request = { ...init, headers: { ...headersOf(init), ...bearer(token) } };
    const response = await fetchWorker(
      `http://skein.example.workers.dev${path}`,
      request,
      TOKEN_MODE,
    );

    expect([route, response.status]).toEqual([route, 403]);
  }
});

test('no passphrase, code or token is taken in the clear, and a browser is led to where it is safe', async () => {
  const http = ORIGIN.replace('https:', 'http:');
  for (const [route, [path, init]] of Object.entries(PUBLIC_ROUTES)) {
    if (['GET /health', 'GET /openapi.json'].includes(route)) continue;
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: http };
    const body = `passphrase=${encodeURIComponent(PASSPHRASE)}`;
    const request = init.method === 'POST' ? { ...init, headers: form, body } : init;
    const refused = await fetchWorker(http + path, request, OAUTH_MODE);
    const text = await refused.text();

    expect([route, refused.status]).toEqual([route, 403]);
    expect(text).toContain('plain HTTP');
    expect(refused.headers.get('set-cookie')).toBeNull();
  }
  for (const path of ['/settings', '/authorize?client_id=a%20b']) {
    const headers = { accept: 'text/html' };
    const led = await fetchWorker(http + path, { headers, redirect: 'manual' }, OAUTH_MODE);

    expect(led.status).toBe(307);
    expect(led.headers.get('location')).toBe(ORIGIN + path);
  }
});

test('credentials are asked for on localhost too, where a mode asks for them', async () => {
  const [path, init] = MEMORY_ROUTES['ALL /mcp']!(THREAD);

  const statuses = [];
  for (const bindings of [TOKEN_MODE, OAUTH_MODE, {}]) {
    const response = await fetchWorker(path, init, bindings);
    await response.text();
    statuses.push(response.status);
  }

  expect(statuses).toEqual([401, 401, 200]);
});

function askMemory(
  route: string,
  sent: Record<string, string>,
  bindings: Partial<Env>,
  query: Record<string, string> = {},
) {
  const ask: Ask = (path, init) => fetchWorker(ORIGIN + path, init, bindings);
  return askMemoryRoute(ask, route, sent, query);
}
