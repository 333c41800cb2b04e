/** OAuth as a client and a browser see it, on the wire. `test/e2e/oauth.node.test.ts` has real clients. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  answerConsent,
  askForTokens,
  authorizePath,
  bearer,
  CALLBACK,
  connectClient,
  countedNamespace,
  EXHAUSTED,
  forgetClients,
  hiddenField,
  OAUTH_MODE,
  openBrowser,
  ORIGIN,
  OTHER_ORIGIN,
  PASSPHRASE,
  registerClient,
  signIn,
  VERIFIER,
  type Tokens,
} from '#test/auth.ts';
import { actorOfClient } from '#auth/actor.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { fetchWorker, mcpRequest } from '#test/mcp.ts';

const THREAD = 'oauth-thread';

beforeEach(forgetClients);

/** Reads the answer to its end: a stream that nobody reads keeps the test runner waiting. */
async function callMcp(token: string, path = `/mcp/${THREAD}`, origin = ORIGIN) {
  const request = mcpRequest('legacy', 'tools/list', {}, bearer(token));
  const response = await fetchWorker(origin + path, request, OAUTH_MODE);
  await response.text();
  return { status: response.status };
}

test('a client without a credential is told where to find out how to get one', async () => {
  const refused = await fetchWorker(
    `${ORIGIN}/mcp`,
    mcpRequest('modern', 'tools/list'),
    OAUTH_MODE,
  );

  const challenge = refused.headers.get('www-authenticate') ?? '';
  const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  expect(challenge).toMatch(/^Bearer /);
  expect(challenge).toContain('scope="memory:read memory:write"');
  const resource = await (await fetchWorker(metadataUrl, {}, OAUTH_MODE)).json<any>();
  expect(resource).toMatchObject({
    resource: `${ORIGIN}/mcp`,
    authorization_servers: [ORIGIN],
    scopes_supported: ['memory:read', 'memory:write'],
    bearer_methods_supported: ['header'],
  });
  const server = await (
    await fetchWorker(`${ORIGIN}/.well-known/oauth-authorization-server`, {}, OAUTH_MODE)
  ).json<any>();
  expect(server).toMatchObject({
    issuer: ORIGIN,
    authorization_endpoint: `${ORIGIN}/authorize`,
    token_endpoint: `${ORIGIN}/oauth/token`,
    registration_endpoint: `${ORIGIN}/oauth/register`,
    revocation_endpoint: expect.stringMatching(/^https:/),
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    scopes_supported: ['memory:read', 'memory:write', 'memory:admin'],
  });
});

test('a client that the owner let in reads and writes, under its own name', async () => {
  const { access_token, scope } = await connectClient({ name: 'Claude', scope: 'memory:write' });

  const saved = await fetchWorker(
    `${ORIGIN}/api/threads/${THREAD}/tools/store_memory`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(access_token) },
      body: JSON.stringify({ content: 'The fig tree bears fruit in August.' }),
    },
    OAUTH_MODE,
  );

  expect(saved.status).toBe(200);
  expect(scope).toBe('memory:write');
  expect(await actorsOf(THREAD)).toEqual(['Claude']);
});

test('a grant is good at the address it was made for, and at no other', async () => {
  const here = await connectClient();
  const there = await connectClient({ origin: OTHER_ORIGIN });

  expect((await callMcp(here.access_token)).status).toBe(200);
  expect((await callMcp(there.access_token, '/mcp', OTHER_ORIGIN)).status).toBe(200);
  expect((await callMcp(here.access_token, '/mcp', OTHER_ORIGIN)).status).toBe(401);
  expect((await callMcp(there.access_token)).status).toBe(401);
});

test('a client reaches the threads that the owner named', async () => {
  const { access_token } = await connectClient({ threads: `${THREAD}, team-*` });

  const statuses = await Promise.all(
    [`/mcp/${THREAD}`, '/mcp/team-red', '/mcp/team', '/mcp/other'].map(
      async (path) => (await callMcp(access_token, path)).status,
    ),
  );

  expect(statuses).toEqual([200, 200, 403, 403]);
});

test('consent offers the thread to whose address the client connects', async () => {
  const asked = mcpRequest('modern', 'tools/list');
  const refused = await fetchWorker(`${ORIGIN}/mcp/${THREAD}/?readonly=1`, asked, OAUTH_MODE);
  const challenge = refused.headers.get('www-authenticate') ?? '';
  const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  const { resource } = await (await fetchWorker(metadataUrl, {}, OAUTH_MODE)).json<any>();
  expect(resource).toBe(`${ORIGIN}/mcp/${THREAD}`);

  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);
  const path = await authorizePath(ORIGIN, { client_id, resource });
  const page = await (await browser.get(path)).text();
  const [, threads = ''] = /name="threads"[^>]*value="([^"]*)"/.exec(page) ?? [];
  expect(threads).toBe(THREAD);

  const location = await answerConsent(browser, path, { threads });
  const tokens = await askForTokens(ORIGIN, {
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id,
    code_verifier: VERIFIER,
    resource,
  });
  const { access_token, refresh_token } = await tokens.json<Tokens>();
  expect((await callMcp(access_token)).status).toBe(200);
  expect((await callMcp(access_token, '/mcp/other')).status).toBe(403);
  const fields = { grant_type: 'refresh_token', refresh_token, client_id, resource };
  const refreshed = await (await askForTokens(ORIGIN, fields)).json<Tokens>();
  expect((await callMcp(refreshed.access_token)).status).toBe(200);
});

test.each([
  [`${ORIGIN}/mcp`, ''],
  [`${ORIGIN}/mcp/`, ''],
  [`${ORIGIN}/mcp?toolsets=all`, ''],
  [`${ORIGIN}/mcp/%F0%9F%8C%B3`, ''],
  [`${ORIGIN}/mcp/%D0%BA%D0%B8%D1%97%D0%B2`, 'київ'],
])('a client that asks for %s is offered the thread %j', async (resource, thread) => {
  const browser = openBrowser();
  await signIn(browser);
  const path = await authorizePath(ORIGIN, { client_id: await registerClient(), resource });

  const page = await (await browser.get(path)).text();

  expect(/name="threads"[^>]*value="([^"]*)"/.exec(page)?.[1]).toBe(thread);
});

test.each([`${ORIGIN}/mcpx`, `${ORIGIN}/mcp/a/b`, `${ORIGIN}/`, 'https://evil.example/mcp/atlas'])(
  'a client that asks for %s, which is no endpoint here, is refused',
  async (resource) => {
    const browser = openBrowser();
    await signIn(browser);
    const path = await authorizePath(ORIGIN, { client_id: await registerClient(), resource });

    const location = (await browser.get(path)).headers.get('location') ?? '';

    expect(new URL(location).searchParams.get('error')).toBe('invalid_target');
  },
);

test('refreshing rotates the refresh token, and the old one is no good once the new one was used', async () => {
  const first = await connectClient();
  const refresh = (token: string) =>
    askForTokens(ORIGIN, {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: first.clientId,
    });

  const second = await (await refresh(first.refresh_token)).json<Tokens>();
  const third = await (await refresh(second.refresh_token)).json<Tokens>();
  const replayed = await refresh(first.refresh_token);

  expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
  expect((await callMcp(third.access_token)).status).toBe(200);
  expect(replayed.status).toBe(400);
  expect(await replayed.json()).toMatchObject({ error: 'invalid_grant' });
});

test('a client revokes its grant itself, and at once', async () => {
  const { access_token, refresh_token, clientId } = await connectClient();
  expect((await callMcp(access_token)).status).toBe(200);

  const revoked = await askForTokens(ORIGIN, { token: refresh_token, client_id: clientId });

  expect(revoked.status).toBe(200);
  expect((await callMcp(access_token)).status).toBe(401);
});

test('the owner disconnects a client in the settings', async () => {
  const { access_token } = await connectClient({ name: 'Left laptop' });
  expect((await callMcp(access_token)).status).toBe(200);
  const browser = openBrowser();
  await signIn(browser);
  const page = await (await browser.get('/settings')).text();
  const card = page.slice(page.indexOf('Left laptop'));

  const fields = { proof: hiddenField(card, 'proof'), id: hiddenField(card, 'id') };
  const answer = await browser.post('/settings/clients/revoke', fields);

  expect(answer.status).toBe(303);
  expect((await callMcp(access_token)).status).toBe(401);
  expect(await (await browser.get('/settings')).text()).not.toContain('Left laptop');
});

test('a code is exchanged once, with the verifier it was asked for with', async () => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);
  const codeOf = async () =>
    (await answerConsent(browser, await authorizePath(ORIGIN, { client_id }))).searchParams.get(
      'code',
    ) ?? '';
  const exchange = async (code: string, code_verifier: string) =>
    (
      await askForTokens(ORIGIN, {
        grant_type: 'authorization_code',
        redirect_uri: CALLBACK,
        code,
        client_id,
        code_verifier,
      })
    ).status;

  expect(await exchange(await codeOf(), 'w'.repeat(64))).toBe(400);
  const code = await codeOf();
  expect(await exchange(code, VERIFIER)).toBe(200);
  expect(await exchange(code, VERIFIER)).toBe(400);
});

test.each([
  ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
  ['PKCE in plain', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
  ['the implicit grant', { response_type: 'token' }],
  ['another resource', { resource: `${OTHER_ORIGIN}/mcp` }],
])('a request with %s goes back to the client as an error', async (_, params) => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);

  const response = await browser.get(await authorizePath(ORIGIN, { client_id, ...params }));

  const location = new URL(response.headers.get('location') ?? '');
  expect(location.href.startsWith(CALLBACK)).toBe(true);
  expect(location.searchParams.get('error')).toMatch(/^(invalid|unsupported|unauthorized)_/);
  expect(location.searchParams.get('state')).toBe('some-state');
  expect(location.searchParams.has('code')).toBe(false);
});

test('a confidential client needs PKCE as well', async () => {
  const registered = await fetchWorker(
    `${ORIGIN}/oauth/register`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Confidential', redirect_uris: [CALLBACK] }),
    },
    OAUTH_MODE,
  );
  const { client_id } = await registered.json<any>();
  const browser = openBrowser();
  await signIn(browser);
  const path = await authorizePath(ORIGIN, { client_id });
  const without = path.replace(/&code_challenge(_method)?=[^&]*/g, '');

  const response = await browser.get(without);

  const location = new URL(response.headers.get('location') ?? '');
  expect(location.searchParams.get('error')).toBe('invalid_request');
});

test.each([
  ['an unknown client', { client_id: 'nobody' }],
  ['an address that the client did not register', { redirect_uri: 'https://evil.example/' }],
])('a request of %s is explained on our page and sends the browser nowhere', async (_, params) => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);

  const response = await browser.get(await authorizePath(ORIGIN, { client_id, ...params }));

  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
  expect(await response.text()).toContain('Nothing was granted');
});

test.each([
  ['as they come', undefined],
  // The last two letters of the provider's alphabet, '-' and '_', in every place.
  ['all dashes', 62],
  ['all underscores', 63],
])(
  'a client may name a document of its own instead of registering, and its grant be %s',
  async (_, letter) => {
    const client_id = 'https://client.example/oauth/metadata.json';
    const document = { client_id, client_name: 'Documented', redirect_uris: [CALLBACK] };
    using fetched = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () =>
        Response.json({ ...document, token_endpoint_auth_method: 'none' }),
      );
    const browser = openBrowser();
    await signIn(browser);
    const path = await authorizePath(ORIGIN, { client_id });

    const page = await (await browser.get(path)).text();
    const location = await withLetters(letter, () => answerConsent(browser, path));

    expect(fetched).toHaveBeenCalled();
    expect(page).toContain('<strong>client.example</strong>');
    const tokens = await askForTokens(ORIGIN, {
      grant_type: 'authorization_code',
      code: location.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id,
      code_verifier: VERIFIER,
    });
    expect(tokens.status).toBe(200);
  },
);

/** Lets whatever is drawn at random, such as the names of grants, be one letter again and again. */
async function withLetters<Value>(letter: number | undefined, work: () => Promise<Value>) {
  if (letter === undefined) return work();
  using _ = vi
    .spyOn(crypto, 'getRandomValues')
    .mockImplementation((array) => (array as Uint8Array).fill(letter) as typeof array);
  return await work();
}

test('no document of a stranger is fetched before the owner signed in', async () => {
  using fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}));
  const client_id = 'https://client.example/oauth/metadata.json';

  const page = await openBrowser().get(await authorizePath(ORIGIN, { client_id }));

  expect(await page.text()).toContain('passphrase');
  expect(fetched).not.toHaveBeenCalled();
});

test('no document of a stranger is fetched at the token endpoint, however the client is named', async () => {
  using fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}));
  const client_id = 'https://internal.example/metadata.json';
  const jwt = ['{"alg":"ES256"}', JSON.stringify({ iss: client_id, sub: client_id }), 'x'].map(
    (part) => btoa(part).replace(/=+$/, ''),
  );
  const assertion = {
    client_assertion: jwt.join('.'),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  };
  const code = { grant_type: 'authorization_code', code: 'owner:AAAAAAAAAAAAAAAA:guess' };
  const refresh = { grant_type: 'refresh_token', refresh_token: 'owner:AAAAAAAAAAAAAAAA:guess' };
  const basic = { authorization: `Basic ${btoa(`${encodeURIComponent(client_id)}:x`)}` };

  for (const fields of [code, refresh, { grant_type: 'client_credentials' }]) {
    expect((await askForTokens(ORIGIN, { ...fields, client_id })).status).toBe(400);
    expect((await askForTokens(ORIGIN, { ...fields, ...assertion })).status).toBe(400);
    expect((await askForTokens(ORIGIN, fields, basic)).status).toBe(400);
  }
  const gone = await askForTokens(ORIGIN, { token: 'owner:AAAAAAAAAAAAAAAA:x', client_id });
  expect([gone.status, await gone.text()]).toEqual([200, '']);
  expect(fetched).not.toHaveBeenCalled();
});

test('a client that is known by its document refreshes and revokes', async () => {
  const client_id = 'https://client.example/oauth/known.json';
  const document = { client_id, client_name: 'Documented', redirect_uris: [CALLBACK] };
  using _ = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () =>
      Response.json({ ...document, token_endpoint_auth_method: 'none' }),
    );
  const browser = openBrowser();
  await signIn(browser);
  const location = await answerConsent(browser, await authorizePath(ORIGIN, { client_id }));
  const redirect_uri = CALLBACK;
  const code = location.searchParams.get('code') ?? '';
  const exchange = {
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    code_verifier: VERIFIER,
  };

  const first = await (await askForTokens(ORIGIN, { ...exchange, client_id })).json<Tokens>();
  const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id };
  const second = await (await askForTokens(ORIGIN, refresh)).json<Tokens>();
  const token = second.refresh_token;
  const revoked = await askForTokens(ORIGIN, { token, client_id });

  expect(revoked.status).toBe(200);
  expect((await callMcp(second.access_token)).status).toBe(401);
});

test.each([
  [async () => new Response('x'.repeat(6_000)), 'a document that is too long'],
  [
    async () => Response.json({ client_id: 'https://evil.example/', redirect_uris: [CALLBACK] }),
    'a document of another client',
  ],
  [async () => new Response('<html>'), 'what is no document'],
  [async () => new Response('', { status: 404 }), 'nothing'],
  [() => Promise.reject(new Error('getaddrinfo ENOTFOUND internal-host')), 'no host'],
] as [() => Promise<Response>, string][])(
  'an address with %s where a document should be is explained, and tells nothing of it',
  async (answer) => {
    using _ = vi.spyOn(globalThis, 'fetch').mockImplementation(answer);
    const browser = openBrowser();
    await signIn(browser);
    const client_id = `https://client.example/${crypto.randomUUID()}.json`;

    const response = await browser.get(await authorizePath(ORIGIN, { client_id }));

    const page = await response.text();
    expect(response.status).toBe(400);
    expect(page).toContain('Nothing was granted');
    expect(page).not.toMatch(/internal-host|xxxx|html>.*<html>/s);
  },
);

test.each([
  ['https://client.example/callback/', 'a slash more'],
  ['https://client.example/callback?next=https://evil.example', 'a query'],
  ['https://client.example/Callback', 'another case'],
  ['https://client.example/callback/../evil', 'a path that climbs'],
  ['https://client.example:8443/callback', 'another port'],
  ['https://sub.client.example/callback', 'another host'],
  ['https://client.example.evil.example/callback', 'a host that begins the same'],
  ['https://client.example@evil.example/callback', 'a user'],
  ['http://client.example/callback', 'no encryption'],
  ['https://client.example/callback#a', 'a fragment'],
])('an address that differs from the registered one is refused: %s (%s)', async (redirect_uri) => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);

  const response = await browser.get(await authorizePath(ORIGIN, { client_id, redirect_uri }));

  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
});

test.each([
  ['Evil\u202egnp.exe', 'Evilgnp.exe'],
  ['Two\nlines\tand\u2028more', 'Two lines and more'],
  ['zero\u200bwidth', 'zerowidth'],
  ['x'.repeat(3_000), `${'x'.repeat(59)}…`],
  ['💾'.repeat(61), `${'💾'.repeat(59)}…`],
  ['\u202e\u200b', 'unnamed client'],
  ['skein\ufe0f\u3164', 'skein (client)'],
  ['lo\u034f\u115fcal\u2800', 'local (client)'],
  ['Skein', 'Skein (client)'],
  ['local', 'local (client)'],
  ['حافظة', 'حافظة'],
])('a client that calls itself %j is shown and written down as %j', async (name, expected) => {
  expect(actorOfClient(name)).toBe(expected);
  const client_id = await registerClient({ name });
  const browser = openBrowser();
  await signIn(browser);
  const path = await authorizePath(ORIGIN, { client_id });

  const page = await (await browser.get(path)).text();
  await answerConsent(browser, path);

  expect(page).toContain(`<h1>Let ${expected} use your memory?</h1>`);
  expect(page).toContain(`<bdi>${expected}</bdi>`);
  expect(page.match(/[\u200b\u202e\u2028]|x{61}/)).toBeNull();
  const settings = await (await browser.get('/settings')).text();
  expect(settings).toContain(`<strong>${expected}</strong>`);
});

test.each([
  ['/oauth/token', 'application/x-www-form-urlencoded'],
  ['/sign-in', 'application/x-www-form-urlencoded'],
  ['/authorize', 'application/x-www-form-urlencoded'],
  ['/settings/tokens', 'application/x-www-form-urlencoded'],
])('a body of more than 64 KiB is refused at %s', async (path, type) => {
  const body = JSON.stringify({ client_name: 'x'.repeat(70_000), redirect_uris: [CALLBACK] });
  const headers = { 'content-type': type, origin: ORIGIN };

  const response = await fetchWorker(ORIGIN + path, { method: 'POST', headers, body }, OAUTH_MODE);

  expect(response.status).toBe(413);
  expect(await response.text()).toContain('64 KiB');
});

test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])(
  'a body of the type %j is no form, and a mistake of the client',
  async (type) => {
    const browser = openBrowser();
    await signIn(browser);
    for (const path of ['/sign-in', '/settings/tokens', '/authorize', '/sign-out']) {
      const headers = { origin: ORIGIN, 'content-type': type };
      const response = await browser.send(path, { method: 'POST', headers, body: '{}' });
      await response.text();

      expect([path, response.status]).toEqual([path, 400]);
    }
  },
);

test('attempts of all addresses together are limited too', async () => {
  const browser = openBrowser(ORIGIN, { ...OAUTH_MODE, SUBJECT_LIMIT: EXHAUSTED });

  const response = await signIn(browser);

  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('60');
});

test('a stranger at the token endpoint makes no isolate forget who came in', async () => {
  const { access_token } = await connectClient();
  const namespace = countedNamespace();
  const bindings = { ...OAUTH_MODE, OAUTH_KV: namespace.kv };
  const ask = async () => {
    const init = mcpRequest('legacy', 'tools/list', {}, bearer(access_token));
    await (await fetchWorker(`${ORIGIN}/mcp`, init, bindings)).text();
  };
  await ask();
  await (await askForTokens(ORIGIN, { grant_type: 'refresh_token', client_id: 'x' })).text();
  namespace.requests = 0;

  await ask();

  expect(namespace.requests).toBe(0);
});

test('a token that is unknown is looked up once, not at each request', async () => {
  const namespace = countedNamespace();
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    const init = mcpRequest('legacy', 'tools/list', {}, bearer(`skn_${'u'.repeat(43)}`));
    const response = await fetchWorker(`${ORIGIN}/mcp`, init, {
      ...OAUTH_MODE,
      OAUTH_KV: namespace.kv,
    });
    await response.text();
    statuses.push(response.status);
  }

  expect(statuses).toEqual([401, 401, 401]);
  expect(namespace.requests).toBe(1);
});

test('a code that is used twice ends the access that was given for it at once', async () => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);
  const location = await answerConsent(browser, await authorizePath(ORIGIN, { client_id }));
  const fields = {
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id,
    code_verifier: VERIFIER,
  };
  const { access_token } = await (await askForTokens(ORIGIN, fields)).json<Tokens>();
  expect((await callMcp(access_token)).status).toBe(200);

  expect((await askForTokens(ORIGIN, fields)).status).toBe(400);

  expect((await callMcp(access_token)).status).toBe(401);
});

test('the page names the client, where access goes, and what it may do, and no name is markup', async () => {
  const client_id = await registerClient({ name: '<img src=x onerror=alert(1)> & "friends"' });
  const browser = openBrowser();
  await signIn(browser);

  const response = await browser.get(
    await authorizePath(ORIGIN, { client_id, scope: 'memory:read unheard:of' }),
  );

  const page = await response.text();
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;friends&quot;');
  expect(page).toContain('client.example');
  expect(page).toMatch(/value="memory:read" checked/);
  expect(page).toContain('name="threads"');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("form-action 'self' https:;");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('an owner who denies sends the client an error and no code', async () => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);

  const path = await authorizePath(ORIGIN, { client_id });
  const location = await answerConsent(browser, path, { decision: 'deny' });

  expect(location.searchParams.get('error')).toBe('access_denied');
  expect(location.searchParams.has('code')).toBe(false);
});

test('a form of consent counts once, in the browser and the session it was shown in', async () => {
  const client_id = await registerClient();
  const browser = openBrowser();
  await signIn(browser);
  const other = openBrowser();
  await signIn(other);
  const page = await (await browser.get(await authorizePath(ORIGIN, { client_id }))).text();
  const fields = {
    handle: hiddenField(page, 'handle'),
    proof: hiddenField(page, 'proof'),
    decision: 'allow',
    scope: 'memory:read',
    threads: '',
  };
  const statusOf = async (...args: Parameters<typeof browser.post>) =>
    (await browser.post(...args)).status;

  expect((await other.post('/authorize', fields)).status).toBe(403);
  expect(await statusOf('/authorize', { ...fields, proof: 'guess' })).toBe(403);
  expect(await statusOf('/authorize', fields, { origin: 'https://evil.example' })).toBe(403);
  expect(await statusOf('/authorize', fields, { 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusOf('/authorize', { ...fields, scope: 'everything' })).toBe(400);
  expect(await statusOf('/authorize', { ...fields, threads: 'a/b' })).toBe(400);
  expect(await statusOf('/authorize', fields)).toBe(302);
  expect(await statusOf('/authorize', fields)).toBe(400);
});

test('a client may have several connections, and a second one ends none', async () => {
  const first = await connectClient();
  const browser = openBrowser();
  await signIn(browser);
  await answerConsent(browser, await authorizePath(ORIGIN, { client_id: first.clientId }));

  expect((await callMcp(first.access_token)).status).toBe(200);
});

test('a right passphrase makes a session whose cookie no script and no other site can use', async () => {
  const response = await signIn(openBrowser());

  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/settings');
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^__Host-skein-session=[\w-]{43};/);
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) {
    expect(cookie).toContain(attribute);
  }
  expect(cookie).not.toContain('Domain');
});

test.each(['', 'wrong', `${PASSPHRASE} `, PASSPHRASE.toUpperCase(), PASSPHRASE.slice(1)])(
  'the passphrase %j makes no session, and is neither logged nor shown',
  async (passphrase) => {
    const lines: string[] = [];
    using _ = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));

    const response = await openBrowser().post('/sign-in', { passphrase, next: '/settings' });

    const page = await response.text();
    expect(response.status).toBe(403);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(lines).toEqual([JSON.stringify({ event: 'sign_in', outcome: 'wrong' })]);
    if (passphrase !== '' && passphrase !== 'wrong') expect(page).not.toContain(passphrase);
  },
);

test('attempts are limited, the right one too, and nobody can try where they are not counted', async () => {
  for (const SIGN_IN_LIMIT of [EXHAUSTED, undefined]) {
    const browser = openBrowser(ORIGIN, { ...OAUTH_MODE, SIGN_IN_LIMIT } as typeof OAUTH_MODE);

    const response = await signIn(browser);

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(response.headers.get('set-cookie')).toBeNull();
  }
});

test('the limit of attempts is of an address, and the platform counts it', async () => {
  const { SIGN_IN_LIMIT } = env;
  const browser = openBrowser(ORIGIN, { ...OAUTH_MODE, SIGN_IN_LIMIT });
  const attempt = async (address: string) =>
    (
      await browser.post(
        '/sign-in',
        { passphrase: 'wrong' },
        { origin: ORIGIN, 'cf-connecting-ip': address },
      )
    ).status;
  const statuses = [];
  for (let i = 0; i < 8; i++) statuses.push(await attempt('2001:db8:1:2::7'));

  expect(statuses).toContain(403);
  expect(statuses.at(-1)).toBe(429);
  expect(await attempt('2001:db8:1:2:ffff::9')).toBe(429);
  expect(await attempt('2001:db8:1:3::7')).toBe(403);
});

test('another passphrase ends every session, and so does signing out', async () => {
  const bindings = { ...OAUTH_MODE };
  const browser = openBrowser(ORIGIN, bindings);
  await signIn(browser);
  const page = await (await browser.get('/settings')).text();
  expect(page).toContain('API tokens');

  bindings.OWNER_PASSPHRASE = 'another passphrase';
  expect(await (await browser.get('/settings')).text()).toContain("The owner's passphrase");
  bindings.OWNER_PASSPHRASE = PASSPHRASE;
  expect(await (await browser.get('/settings')).text()).toContain('API tokens');

  await browser.post('/sign-out', { proof: hiddenField(page, 'proof') });
  expect(await (await browser.get('/settings')).text()).toContain("The owner's passphrase");
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/authorize?a\r\nSet-Cookie: a=b',
  '/authorize?é',
  '/mcp',
  '',
])('signing in leads to no other place than our pages: %j', async (next) => {
  expect((await signIn(openBrowser(), next)).headers.get('location')).toBe('/settings');
});

test('nothing secret is stored: no token, no cookie, no passphrase', async () => {
  const { access_token, refresh_token } = await connectClient();
  const cookie = (await signIn(openBrowser())).headers.get('set-cookie') ?? '';
  const session = /session=([\w-]+)/.exec(cookie)?.[1] ?? '';
  const secrets = [access_token, refresh_token, session, PASSPHRASE];

  const { keys } = await env.OAUTH_KV.list();
  const stored = await Promise.all(
    keys.map(async ({ name, metadata }) => {
      return `${name} ${JSON.stringify(metadata)} ${await env.OAUTH_KV.get(name)}`;
    }),
  );

  expect(stored.length).toBeGreaterThan(3);
  expect(stored.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  expect(secrets.every((secret) => secret.length > 20)).toBe(true);
});

async function actorsOf(threadId: string): Promise<string[]> {
  const stub = env.THREAD.getByName(threadObjectName({ subject: 'owner', threadId }));
  const rows = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec<{ actor: string }>('SELECT DISTINCT actor FROM revision').toArray(),
  );
  return rows.map(({ actor }) => actor);
}
