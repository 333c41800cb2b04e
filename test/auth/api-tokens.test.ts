/** API tokens: made and revoked in the settings, and what each scope may do. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { keyOfToken } from '#auth/api-token.ts';
import {
  bearer,
  deleteToken,
  hiddenField,
  makeToken,
  OAUTH_MODE,
  openBrowser,
  ORIGIN,
  signIn,
  TOKEN_MODE,
  type Browser,
} from '#test/auth.ts';
import { ERAS, fetchWorker, mcpRequest, readMessage } from '#test/mcp.ts';
import { CREDENTIAL_CACHE_MS } from '#limits.ts';
import { threadObjectName } from '#thread/thread-client.ts';
import { TOOLSETS } from '#tools/catalog.ts';

const TOOLS = [...new Set(TOOLSETS.flatMap(({ tools }) => tools))];

async function openSettings(): Promise<{ browser: Browser; page: string; proof: string }> {
  const browser = openBrowser();
  await signIn(browser);
  const page = await (await browser.get('/settings')).text();
  return { browser, page, proof: hiddenField(page, 'proof') };
}

const statusOf = async (token: string, thread = 'tokens') => {
  const path = `${ORIGIN}/api/threads/${thread}/health`;
  const response = await fetchWorker(path, { headers: bearer(token) }, OAUTH_MODE);
  await response.text();
  return response.status;
};

test('a token made in the settings is shown once, works, and is revoked there at once', async () => {
  const { browser, proof } = await openSettings();
  const fields = { proof, name: 'ci bot', scope: 'memory:read', threads: 'tok*', days: '7' };

  const shown = await (await browser.post('/settings/tokens', fields)).text();
  const [token = ''] = /skn_[\w-]{43}/.exec(shown) ?? [];
  const later = await (await browser.get('/settings')).text();

  expect(later).not.toContain(token);
  expect(later).toContain('ci bot');
  expect([await statusOf(token), await statusOf(token, 'other')]).toEqual([200, 403]);
  const card = later.slice(later.indexOf('ci bot')).replaceAll(/\s+/g, ' ');
  expect(card).toContain('memory:read · tok* · expires');
  await browser.post('/settings/tokens/revoke', { proof, id: hiddenField(card, 'id') });
  expect(await statusOf(token)).toBe(401);
});

test.each([
  [{ name: '' }, 'no name for a token'],
  [{ name: '<b>' }, 'no name for a token'],
  [{ name: 'x'.repeat(61) }, 'no name for a token'],
  [{ scope: 'everything' }, 'no scope'],
  [{ threads: '*' }, 'no thread and no prefix'],
  [{ threads: 'a/b' }, 'no thread and no prefix'],
  [{ threads: 'a*b' }, 'no thread and no prefix'],
  [{ threads: Array.from({ length: 51 }, (_, i) => `t${i}`).join() }, '51 threads'],
  [{ days: '0' }, 'no number of days'],
  [{ days: 'soon' }, 'no number of days'],
  [{ days: '99999' }, 'no number of days'],
])(
  'a request for a token with %j is refused with the reason, and nothing is made',
  async (wrong, reason) => {
    const { browser, proof } = await openSettings();
    const before = await countTokens();
    const right = { proof, name: 'right', scope: 'memory:read', threads: '', days: '' };

    const response = await browser.post('/settings/tokens', { ...right, ...wrong });

    expect(response.status).toBe(400);
    expect(await response.text()).toContain(reason);
    expect(await countTokens()).toBe(before);
  },
);

test.each(['/settings/tokens', '/settings/tokens/revoke', '/settings/clients/revoke', '/sign-out'])(
  'a form to %s from another site or without its proof changes nothing',
  async (path) => {
    const { browser, proof } = await openSettings();
    const token = await makeToken();
    const id = (await keysOfTokens())[0]?.slice('api-token:'.length).slice(0, 12) ?? '';
    const before = await countTokens();
    const fields = { name: 'evil', scope: 'memory:admin', threads: '', days: '', id };

    const answers = [
      await browser.post(path, { ...fields, proof }, { origin: 'https://evil.example' }),
      await browser.post(path, { ...fields, proof }, { origin: 'null' }),
      await browser.post(path, { ...fields, proof }, {}),
      await browser.post(path, { ...fields, proof: '' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(await countTokens()).toBe(before);
    expect(await statusOf(token)).toBe(200);
    expect(await (await browser.get('/settings')).text()).toContain('API tokens');
  },
);

test('a credential that passed is known to the isolate for some seconds and no longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const token = await makeToken();
    expect(await statusOf(token)).toBe(200);
    await deleteToken(token);

    expect(await statusOf(token)).toBe(200);
    vi.setSystemTime(Date.now() + CREDENTIAL_CACHE_MS);
    expect(await statusOf(token)).toBe(401);
  } finally {
    vi.useRealTimers();
  }
});

test('a token expires to the second, whether it is known to the isolate or not', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const token = await makeToken({ expiresAt: Date.now() + 5_000 });
    expect(await statusOf(token)).toBe(200);
    vi.setSystemTime(Date.now() + 5_000);
    expect(await statusOf(token)).toBe(401);
  } finally {
    vi.useRealTimers();
  }
});

test.each(['not json', '{}', '[]', 'null', '{"name":"x","scopes":["root"],"threads":null}'])(
  'what is stored as %s is no credential',
  async (stored) => {
    const token = await makeToken();
    await env.OAUTH_KV.put(await keyOfToken(token), stored);

    expect(await statusOf(token)).toBe(401);
  },
);

const EFFECTS = {
  'memory:read': ['read'],
  'memory:write': ['read', 'add', 'change'],
  'memory:admin': ['read', 'add', 'change', 'remove'],
} as const;

test.each(Object.entries(EFFECTS))(
  'a token of %s sees the tools it may call, and no other is called in its name',
  async (scope, effects) => {
    const token = await makeToken({ scopes: [scope as keyof typeof EFFECTS] });
    const permitted = TOOLS.filter(({ effect }) => (effects as readonly string[]).includes(effect));
    const refused = TOOLS.filter((tool) => !permitted.includes(tool));
    for (const era of ERAS) {
      const list = mcpRequest(era, 'tools/list', {}, bearer(token));
      const { result } = await readMessage(
        await fetchWorker(`${ORIGIN}/mcp/scopes?toolsets=all`, list, TOKEN_MODE),
      );
      expect(result.tools.map(({ name }: any) => name)).toEqual(permitted.map(({ name }) => name));
    }
    for (const tool of refused) {
      const scopeNeeded = tool.effect === 'remove' ? 'memory:admin' : 'memory:write';
      const call = { name: tool.name, arguments: tool.example.input };
      const answers = await Promise.all([
        ...ERAS.map((era) =>
          fetchWorker(
            `${ORIGIN}/mcp/scopes?toolsets=all`,
            mcpRequest(era, 'tools/call', call, bearer(token)),
            OAUTH_MODE,
          ),
        ),
        fetchWorker(
          `${ORIGIN}/api/threads/scopes/tools/${tool.name}`,
          { method: 'POST', headers: bearer(token) },
          OAUTH_MODE,
        ),
      ]);
      for (const answer of answers) {
        expect(answer.status).toBe(403);
        const challenge = answer.headers.get('www-authenticate');
        expect(challenge).toContain('error="insufficient_scope"');
        expect(challenge).toContain(`scope="${scopeNeeded}"`);
        expect(challenge).toContain('resource_metadata="');
        expect(await answer.json()).toMatchObject({ error: { code: 'forbidden' } });
      }
    }
    expect(TOOLS.length).toBe(permitted.length + refused.length);
  },
);

test('a batch with one call too much is refused whole', async () => {
  const token = await makeToken({ scopes: ['memory:read'] });
  const call = (id: number, name: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: {} },
  });
  const init = mcpRequest('legacy', 'tools/call', {}, bearer(token));
  const body = JSON.stringify([call(1, 'read_graph'), call(2, 'save_memory')]);

  const response = await fetchWorker(`${ORIGIN}/mcp/scopes`, { ...init, body }, TOKEN_MODE);

  expect(response.status).toBe(403);
});

test('what a token writes stands in the history under its name', async () => {
  const token = await makeToken({ name: 'night build' });
  const call = { name: 'store_memory', arguments: { content: 'The build takes nine minutes.' } };
  const path = `${ORIGIN}/mcp/actors?toolsets=memories`;
  for (const era of ERAS) {
    const text = { ...call, arguments: { content: `${call.arguments.content} ${era}` } };
    await fetchWorker(path, mcpRequest(era, 'tools/call', text, bearer(token)), TOKEN_MODE);
  }

  const stub = env.THREAD.getByName(threadObjectName({ subject: 'owner', threadId: 'actors' }));
  const actors = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ actor: string }>('SELECT actor FROM revision ORDER BY id')
      .toArray()
      .map(({ actor }) => actor),
  );
  expect(actors).toEqual(['night build', 'night build']);
});

test('authentication asks no Durable Object: a call is one request to its thread, and no read of KV once known', async () => {
  const token = await makeToken();
  const counts = { objects: 0, reads: 0 };
  const THREAD = new Proxy(env.THREAD, {
    get(target, property) {
      if (property === 'getByName') {
        return (name: string) => {
          counts.objects++;
          return target.getByName(name);
        };
      }
      throw new Error(`Nothing but getByName is used, and not ${String(property)}.`);
    },
  });
  const OAUTH_KV = new Proxy(env.OAUTH_KV, {
    get(target, property) {
      counts.reads++;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const call = () =>
    fetchWorker(
      `${ORIGIN}/mcp/counted`,
      mcpRequest('legacy', 'tools/call', { name: 'read_graph', arguments: {} }, bearer(token)),
      { ...TOKEN_MODE, THREAD, OAUTH_KV },
    );

  for (let i = 0; i < 5; i++) {
    const { result } = await readMessage(await call());
    expect(result.isError).toBeUndefined();
  }

  expect(counts).toEqual({ objects: 5, reads: 1 });
});

async function keysOfTokens(): Promise<string[]> {
  const { keys } = await env.OAUTH_KV.list({ prefix: 'api-token:' });
  return keys.map(({ name }) => name);
}

async function countTokens(): Promise<number> {
  return (await keysOfTokens()).length;
}
