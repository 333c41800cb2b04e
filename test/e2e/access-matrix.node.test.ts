/** The table of test/http/access-matrix.test.ts, against the server of `npm start`, over HTTP. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintToken } from '#auth/api-token.ts';
import {
  askMemoryRoute,
  MEMORY_ROUTES,
  NOBODY,
  PUBLIC_ROUTES,
  tokenStates,
  UNSUITABLE,
  WRITING,
  type CredentialState,
} from '#test/access-matrix.ts';
import { bearer } from '#test/bearer.ts';
import {
  makeScratch,
  removeScratch,
  ROOT,
  startDevServer,
  type DevServer,
} from '../../scripts/support/dev-server.ts';
import { projectWrangler, wranglerRunner } from '../../scripts/support/wrangler.ts';

const PASSPHRASE = 'correct horse battery staple';
const MODES = ['token', 'oauth'] as const;

/** What is in the namespace before a server starts, by key. */
const records = new Map<string, string>();
const keys = new Map<string, string>();
const states = tokenStates({
  async makeToken(record = {}) {
    const request = { name: 'tester', scope: 'admin', threads: '', days: '' };
    const minted = await mintToken(request, Date.now());
    records.set(minted.key, JSON.stringify({ ...minted.record, ...record }));
    keys.set(minted.token, minted.key);
    return minted.token;
  },
  async deleteToken(token) {
    records.delete(keys.get(token) ?? '');
  },
});

const scratch = makeScratch();
const servers = {} as Record<(typeof MODES)[number], DevServer>;
let credentials: { name: string; state: CredentialState; headers: Record<string, string> }[];
let goodToken: Record<string, string>;

beforeAll(async () => {
  const named = Object.entries(states);
  credentials = await Promise.all(
    named.map(async ([name, state], index) => ({
      name,
      state,
      // Each from an address of its own, or the limit of requests would answer.
      headers: { ...(await state.headers()), 'x-forwarded-for': `192.0.2.${index + 1}` },
    })),
  );
  goodToken = credentials.find(({ name }) => name === 'a good token')?.headers ?? {};
  const file = join(scratch, 'tokens.json');
  writeFileSync(file, JSON.stringify([...records].map(([key, value]) => ({ key, value }))));
  const written = await wranglerRunner(projectWrangler())([
    'kv',
    'bulk',
    'put',
    file,
    '--binding=OAUTH_KV',
    '--local',
    `--config=${join(ROOT, 'wrangler.toml')}`,
    `--persist-to=${join(scratch, 'token')}`,
  ]);
  if (written.status !== 0) throw new Error(written.complaint);
  cpSync(join(scratch, 'token'), join(scratch, 'oauth'), { recursive: true });
  for (const mode of MODES) {
    const vars: Record<string, string> =
      mode === 'token' ? { AUTH_MODE: 'token' } : { OWNER_PASSPHRASE: PASSPHRASE };
    servers[mode] = await startDevServer({ persistTo: join(scratch, mode), vars });
  }
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
  removeScratch(scratch);
});

test.each(MODES)(
  'every credential is answered by every route of memory in %s mode',
  async (mode) => {
    const ask = (path: string, init: RequestInit) => fetch(servers[mode].url + path, init);
    for (const { name, state, headers } of credentials) {
      for (const route of Object.keys(MEMORY_ROUTES)) {
        const { status, challenge } = await askMemoryRoute(ask, route, headers);
        const answer = answerOf(name, route, state);

        expect([name, route, status]).toEqual([name, route, answer[0]]);
        if (answer[1] === null) expect(challenge).toBeNull();
        else expect(challenge).toMatch(answer[1]);
        const isPointedToOAuth = challenge?.includes('resource_metadata=') ?? false;
        expect(isPointedToOAuth).toBe(mode === 'oauth' && challenge !== null);
      }
    }
  },
);

test.each(MODES)('a public route answers everybody alike in %s mode', async (mode) => {
  for (const { name, headers } of credentials) {
    for (const [route, [path, init, inToken, inOAuth]] of Object.entries(PUBLIC_ROUTES)) {
      const request = { ...init, headers, redirect: 'manual' } as const;
      const response = await fetch(servers[mode].url + path, request);

      await response.text();
      const expected = mode === 'token' ? inToken : inOAuth;
      expect([name, route, response.status]).toEqual([name, route, expected]);
    }
  }
});

test('what is exported can be imported, and the description names the routes', async () => {
  const { url } = servers.token;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { ...goodToken, ...init.headers } });
  const call = async (threadId: string, tool: string, input: object) => {
    const init = { method: 'POST', body: JSON.stringify(input), headers: JSON_BODY };
    const response = await ask(`/api/threads/${threadId}/tools/${tool}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const entities = [{ name: 'Ada', entityType: 'Person', observations: ['Writes programs.'] }];
  expect(await call('source', 'create_entities', { entities })).toMatchObject({ status: 200 });

  const { body } = await call('source', 'export_database', {});
  const file = await ask(`/api/threads/source/files/${body['file']}`);
  const lines = await file.text();
  const imported = await ask('/api/threads/copy/import', { method: 'POST', body: lines });
  await imported.text();

  expect([file.status, imported.status]).toEqual([200, 200]);
  const graph = await ask('/api/threads/copy/export');
  expect(await graph.json()).toMatchObject({ entities: [{ name: 'Ada' }] });
  const description = (await (await ask('/openapi.json')).json()) as { paths: object };
  expect(Object.keys(description.paths)).toContain('/api/threads/{threadId}/export');
});

test('the settings are behind the passphrase, and make a token that works', async () => {
  const { url } = servers.oauth;
  const form = async (path: string, fields: Record<string, string>, cookie = '') => {
    const headers = { origin: url, cookie, accept: 'text/html' };
    const body = new URLSearchParams(fields);
    return fetch(url + path, { method: 'POST', headers, body, redirect: 'manual' });
  };
  const wrong = await form('/sign-in', { passphrase: 'not the passphrase', next: '/settings' });
  const signedIn = await form('/sign-in', { passphrase: PASSPHRASE, next: '/settings' });
  const cookiesOf = ({ headers }: Response) =>
    headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
  const cookie = cookiesOf(signedIn);
  const settings = await fetch(`${url}/settings`, { headers: { cookie, accept: 'text/html' } });
  const page = await settings.text();

  expect(wrong.headers.getSetCookie().join()).not.toContain('session=');
  expect(signedIn.status).toBe(303);
  expect(page).toContain('/settings/tokens');
  const proof = /name="proof" value="([^"]*)"/.exec(page)?.[1] ?? '';
  const wanted = { name: 'laptop', scope: 'read', threads: '', days: '', proof };
  const made = await form('/settings/tokens', wanted, cookie);
  const shown = await fetch(`${url}/settings`, {
    headers: { cookie: `${cookie}; ${cookiesOf(made)}`, accept: 'text/html' },
  });
  const token = /skn_[\w-]{43}/.exec(await shown.text())?.[0] ?? '';
  const graph = await fetch(`${url}/api/threads/mine/export`, { headers: bearer(token) });
  expect(graph.status).toBe(200);
});

function answerOf(name: string, route: string, { answer }: CredentialState) {
  // An empty header does not arrive.
  if (name === 'an empty header') return NOBODY;
  return name === 'a token to read' && WRITING.has(route) ? UNSUITABLE : answer;
}

const JSON_BODY = { 'content-type': 'application/json' };
