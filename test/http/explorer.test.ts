/** The page of the explorer, its files, and the owner's session as a credential of the API. */
import { expect, test } from 'vitest';
import {
  bearer,
  makeToken,
  OAUTH_MODE,
  openBrowser,
  ORIGIN,
  signIn,
  TOKEN_MODE,
} from '#test/auth.ts';
import { fetchWorker } from '#test/mcp.ts';

const OWN_PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' };
const READ = '/api/threads/explorer-session/tools/read_graph';

test.each(['/', '/t/atlas', '/t/atlas/history?at=3'])(
  '%s is the explorer, under a strict policy',
  async (path) => {
    const page = await fetchWorker(path, { headers: { accept: 'text/html' } });
    const text = await page.text();
    const policy = page.headers.get('content-security-policy') ?? '';

    expect(page.status).toBe(200);
    const script = /<script type="module" src="(\/ui\/[\w-]+\.js)">/.exec(text)?.[1] ?? '';
    const file = await fetchWorker(script, {});
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toMatch(/javascript/);
    expect(file.headers.get('cache-control')).toContain('immutable');
    await file.text();
    const nonce = /<script nonce="([^"]+)">/.exec(text)?.[1];
    expect(policy).toContain(`script-src 'self' 'nonce-${nonce}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/(?:src|href)="https?:\/\/(?!modelcontextprotocol)/);
  },
);

test('a file of the explorer that there is not is not found', async () => {
  const answer = await fetchWorker('/ui/none-AAAA.js', {});

  expect(answer.status).toBe(404);
  await answer.text();
});

test('the session tells what the credential may do, and a stranger how to come in', async () => {
  const open = await (await fetchWorker('/session', {})).json<any>();
  const token = await makeToken({ name: 'reader', scopes: ['memory:read'], threads: ['atlas'] });
  const ask = async (headers: Record<string, string>, mode = TOKEN_MODE) =>
    (await fetchWorker(`${ORIGIN}/session`, { headers }, mode)).json<any>();

  expect(open).toMatchObject({ mode: 'open', principal: { actor: 'local' } });
  expect(open.limits.observationCharsMax).toBeGreaterThan(0);
  expect(await ask(bearer(token))).toMatchObject({
    mode: 'token',
    canSignIn: false,
    principal: { actor: 'reader', scopes: ['memory:read'], threads: ['atlas'] },
  });
  const stranger = await ask({}, OAUTH_MODE);
  expect(stranger).toMatchObject({ mode: 'oauth', canSignIn: true });
  expect(stranger.principal).toBeUndefined();
});

test('who has signed in is the owner for the API, on our own page alone', async () => {
  const browser = openBrowser();
  await signIn(browser);
  const call = async (headers: Record<string, string>) => {
    const answer = await browser.send(READ, { method: 'POST', headers });
    await answer.text();
    return answer.status;
  };

  expect(await call(OWN_PAGE)).toBe(200);
  expect(await call({ origin: ORIGIN })).toBe(401);
  expect(await call({ ...OWN_PAGE, 'sec-fetch-site': 'same-site' })).toBe(401);
  expect(await call({ ...OWN_PAGE, 'sec-fetch-site': 'cross-site' })).toBe(401);
  expect(await call({ ...OWN_PAGE, origin: 'http://localhost' })).toBe(401);
  expect(await call({ ...OWN_PAGE, ...bearer('skn_short') })).toBe(401);
  const session = await (await browser.send('/session', { headers: OWN_PAGE })).json<any>();
  expect(session.principal).toMatchObject({ actor: 'owner', scopes: ['memory:admin'] });
});

test('a session is no credential of MCP, and none after signing out', async () => {
  const browser = openBrowser();
  await signIn(browser);
  const mcp = await browser.send('/mcp/explorer-session', { method: 'POST', headers: OWN_PAGE });
  await mcp.text();
  const settings = await (await browser.get('/settings')).text();
  const proof = /name="proof" value="([^"]*)"/.exec(settings)?.[1] ?? '';
  await browser.post('/sign-out', { proof });
  const after = await browser.send(READ, { method: 'POST', headers: OWN_PAGE });
  await after.text();

  expect([mcp.status, after.status]).toEqual([401, 401]);
});

test('what the owner writes in the explorer is in the history as theirs', async () => {
  const browser = openBrowser();
  await signIn(browser);
  const call = async (tool: string, body: object) =>
    (
      await browser.send(`/api/threads/explorer-owner/tools/${tool}`, {
        method: 'POST',
        headers: { ...OWN_PAGE, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json<any>();
  await call('create_entities', { entities: [{ name: 'Ada', entityType: 'Person' }] });

  const { changes } = await call('get_recent_changes', {});
  expect(changes[0]).toMatchObject({ actor: 'owner', tool: 'create_entities' });
});

test.each(['/', '/t/atlas/history?at=3'])(
  'after signing in the browser goes on to %s',
  async (next) => {
    const answer = await signIn(openBrowser(), next);

    expect(answer.headers.get('location')).toBe(next);
  },
);

test.each(['//evil.example', '/t', '/t/a b', 'https://evil.example/t/a', '/mcp'])(
  'but not to %s',
  async (next) => {
    const answer = await signIn(openBrowser(), next);

    expect(answer.headers.get('location')).toBe('/settings');
  },
);
