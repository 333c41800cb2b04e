/** API tokens: made and revoked in the settings, and what each scope may do. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test, vi } from 'vitest';
import { keyOfToken } from '#auth/api-token.ts';
import {
  bearer,
  connectClient,
  countedNamespace,
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
import { createToken, listTokens, revokeToken } from '#auth/token-store.ts';
import { API_TOKENS_MAX, CREDENTIAL_CACHE_MS } from '#auth/limits.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { findTool, TOOLSETS } from '#tools/catalog.ts';
import { cluster } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';

const OTHER_GRAPH = '{"type":"entity","name":"Eve","entityType":"Person","observations":[]}';
const TOOLS = [...new Set(TOOLSETS.flatMap(({ tools }) => tools))];

// Files share their storage, and a deployment has room for so many tokens.
beforeAll(async () => {
  for (const key of await keysOfTokens()) await env.OAUTH_KV.delete(key);
});

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

  const made = await browser.post('/settings/tokens', fields);
  const shown = await (await browser.get('/settings')).text();
  const [token = ''] = /skn_[\w-]{43}/.exec(shown) ?? [];
  const count = await countTokens();
  const later = await (await browser.get('/settings')).text();

  // A browser that reads the page again asks for the page, and sends no form.
  expect([made.status, made.headers.get('location')]).toEqual([303, '/settings']);
  expect(await made.text()).not.toContain(token);
  expect(await countTokens()).toBe(count);
  const lines = shown.replaceAll('&quot;', '"');
  expect(lines).toContain(
    `claude mcp add --transport http skein ${ORIGIN}/mcp --header "Authorization: Bearer ${token}"`,
  );
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
  [{ name: 'Skein' }, 'no name for a token'],
  [{ name: 'local' }, 'no name for a token'],
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

test('a new token is shown to the session that made it, and no other text comes by its cookie', async () => {
  const { browser, proof } = await openSettings();
  const fields = { proof, name: 'mine', scope: 'memory:read', threads: '', days: '' };
  const made = await browser.post('/settings/tokens', fields);
  const line = made.headers.getSetCookie().find((one) => one.includes('new-token')) ?? '';
  const cookie = line.split(';')[0] ?? '';
  expect(line).toMatch(/Path=\/settings; HttpOnly; Secure; SameSite=Strict/i);
  expect(cookie).toContain('skn_');

  const { browser: other } = await openSettings();
  const session = (await signIn(other)).headers.getSetCookie()[0]?.split(';')[0];
  const forged = cookie.replace(/skn_.{43}/, `skn_${'A'.repeat(43)}`);
  for (const sent of [cookie, forged, '__Secure-skein-new-token=.', cookie.split('.')[0]]) {
    const headers = { accept: 'text/html', cookie: `${session}; ${sent}` };
    const page = await (await fetchWorker(`${ORIGIN}/settings`, { headers }, OAUTH_MODE)).text();

    expect(page).toContain('API tokens');
    expect(page).not.toContain('skn_');
  }
});

test('a form that is refused keeps what was written into it, as text', async () => {
  const { browser, proof } = await openSettings();
  const fields = { name: 'my "laptop"', scope: 'memory:read', threads: 'atlas', days: '<7>' };

  const page = await (await browser.post('/settings/tokens', { proof, ...fields })).text();

  expect(page).toContain('value="my &quot;laptop&quot;"');
  expect(page).toMatch(/value="memory:read" selected/);
  expect(page).toContain('value="atlas"');
  expect(page).toContain('value="&lt;7&gt;"');
  const fresh = await (await browser.get('/settings')).text();
  expect(fresh).toMatch(/value="memory:write" selected/);
});

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

test('tokens that expired do not count, are listed for some weeks, and then the namespace forgets them', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const request = { name: 'for a day', scope: 'read', threads: '', days: '1' };
    const start = Date.now();
    const others = await countTokens();
    for (let i = others; i < API_TOKENS_MAX; i++) await createToken(env.OAUTH_KV, request, start);
    const oneMore = () => createToken(env.OAUTH_KV, { ...request, name: 'late' }, Date.now());
    await expect(oneMore()).rejects.toThrow(`There are ${API_TOKENS_MAX} tokens already.`);

    vi.setSystemTime(start + 2 * 86_400_000);
    await oneMore();

    const { keys } = await env.OAUTH_KV.list({ prefix: 'api-token:' });
    const ends = keys.flatMap(({ expiration = 0 }) => (expiration === 0 ? [] : [expiration]));
    expect(Math.min(...ends)).toBeGreaterThan(start / 1_000 + 30 * 86_400);
    expect(Math.max(...ends)).toBeLessThan(start / 1_000 + 34 * 86_400);
    expect((await listTokens(env.OAUTH_KV)).some(({ name }) => name === 'for a day')).toBe(true);
  } finally {
    vi.useRealTimers();
    for (const { id } of await listTokens(env.OAUTH_KV)) await revokeToken(env.OAUTH_KV, id);
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

/** Written down here, so that a tool that needs less than it did is seen. All others read. */
const WRITING_TOOLS = [
  'add_memory',
  'add_observations',
  'create_entities',
  'create_node',
  'create_relation',
  'create_relations',
  'create_summary_fact',
  'create_triplet',
  'export_database',
  'import_database',
  'mark_outdated',
  'rename_entity',
  'save_memory',
  'store_memory',
  'summarize_sessions',
  'supersede_memory',
  'update_node',
  'update_observation',
  'upsert_entities',
];
const ADMIN_TOOLS = [
  'compact',
  'delete_all_summaries',
  'delete_entities',
  'delete_node',
  'delete_observations',
  'delete_relation',
  'delete_relations',
  'delete_thread',
  'forget',
  'merge_entities',
  'start_database',
  'stop_database',
  'undo_actor',
  'undo_revision',
];
const READING_TOOLS = TOOLS.map(({ name }) => name).filter(
  (name) => ![...WRITING_TOOLS, ...ADMIN_TOOLS].includes(name),
);

type CallBy = (token: string, thread: string, name: string, args: object) => Promise<Response>;

/** Over MCP in both eras, and by plain HTTP. */
const WAYS: readonly CallBy[] = [
  ...ERAS.map(
    (era): CallBy =>
      (token, thread, name, args) =>
        fetchWorker(
          `${ORIGIN}/mcp/${thread}?toolsets=all`,
          mcpRequest(era, 'tools/call', { name, arguments: args }, bearer(token)),
          OAUTH_MODE,
        ),
  ),
  (token, thread, name, args) => {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    return fetchWorker(
      `${ORIGIN}/api/threads/${thread}/tools/${name}`,
      { method: 'POST', headers, body: JSON.stringify(args) },
      OAUTH_MODE,
    );
  },
];

const callEverywhere = (...call: Parameters<CallBy>): Promise<Response[]> =>
  Promise.all(WAYS.map((callBy) => callBy(...call)));

async function expectRefusal(answer: Response, scope: string): Promise<void> {
  expect(answer.status).toBe(403);
  const challenge = answer.headers.get('www-authenticate');
  expect(challenge).toContain('error="insufficient_scope"');
  expect(challenge).toContain(`scope="${scope}"`);
  expect(challenge).toContain('resource_metadata="');
  expect(await answer.json()).toMatchObject({ error: { code: 'forbidden' } });
}

test.each([
  ['memory:read', READING_TOOLS],
  ['memory:write', [...READING_TOOLS, ...WRITING_TOOLS]],
  ['memory:admin', [...READING_TOOLS, ...WRITING_TOOLS, ...ADMIN_TOOLS]],
] as const)(
  'a token of %s sees the tools it may call, calls them, and no other is called in its name',
  async (scope, names) => {
    const token = await makeToken({ scopes: [scope] });
    const thread = `scopes-of-${scope.slice('memory:'.length)}`;
    for (const era of ERAS) {
      const list = mcpRequest(era, 'tools/list', {}, bearer(token));
      const { result } = await readMessage(
        await fetchWorker(`${ORIGIN}/mcp/${thread}?toolsets=all`, list, TOKEN_MODE),
      );
      expect(result.tools.map((tool: any) => tool.name).toSorted()).toEqual(names.toSorted());
    }
    for (const [index, { name }] of TOOLS.entries()) {
      const args = { confirm: 'no', owner_id: 'a b' };
      if (!names.includes(name)) {
        const needed = ADMIN_TOOLS.includes(name) ? 'memory:admin' : 'memory:write';
        for (const answer of await callEverywhere(token, thread, name, args)) {
          await expectRefusal(answer, needed);
        }
        continue;
      }
      // What is refused is refused in every way; what is let in comes in each way in turn.
      const answer = await WAYS[index % WAYS.length]!(token, thread, name, args);
      expect([name, answer.status]).not.toEqual([name, 403]);
      expect(await answer.text()).not.toMatch(/"forbidden"|scope memory:/);
    }
  },
);

test.each([
  ['memory:read', []],
  ['memory:write', []],
  ['memory:admin', ['merge_entities', 'undo_revision']],
] as const)(
  'of the tools of core a token of %s is shown %j of those that take back',
  async (scope, shown) => {
    const token = await makeToken({ scopes: [scope] });
    const list = mcpRequest('modern', 'tools/list', {}, bearer(token));

    const { result } = await readMessage(await fetchWorker(`${ORIGIN}/mcp`, list, TOKEN_MODE));

    const names = result.tools.map((tool: any) => tool.name);
    expect(names.filter((name: string) => /^(?:merge|undo)_/.test(name))).toEqual(shown);
    expect(names).toEqual(expect.arrayContaining(['list_threads', 'get_recent_changes']));
  },
);

test.each([
  { mode: 'replace' },
  { mode: 'Replace' },
  { mode: ['replace'] },
  { mode: 1 },
  { mode: true },
  { Mode: 'replace' },
])(
  'an import with %j needs what removing needs, and one that merges what adding needs',
  async (given) => {
    const token = await makeToken({ scopes: ['memory:write'] });
    const content = OTHER_GRAPH;

    const refused = await callEverywhere(token, 'import-scopes', 'import_database', {
      content,
      ...given,
    });
    const merged = await callEverywhere(token, 'import-scopes', 'import_database', { content });
    const emptied = await Promise.all(
      [null, '', []].map((mode) =>
        callEverywhere(token, 'import-scopes', 'import_database', { content, mode }),
      ),
    );

    for (const answer of refused) await expectRefusal(answer, 'memory:admin');
    for (const answer of [...merged, ...emptied.flat()]) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('"mode":"merge"');
    }
  },
);

test('an import of a stream that replaces needs what removing needs', async () => {
  const token = await makeToken({ scopes: ['memory:write'] });
  const post = (query: string) =>
    fetchWorker(
      `${ORIGIN}/api/threads/import-stream/import${query}`,
      { method: 'POST', headers: bearer(token), body: OTHER_GRAPH },
      OAUTH_MODE,
    );

  await expectRefusal(await post('?mode=replace'), 'memory:admin');
  for (const query of ['', '?mode=merge']) {
    const answer = await post(query);
    await answer.text();
    expect(answer.status).toBe(200);
  }
});

test.each([
  ['undo_revision', { revision: 1 }, 'delete_entities'],
  ['merge_entities', { source: 'Ada', target: 'Bob' }, 'delete_entities'],
  ['import_database', { content: OTHER_GRAPH, mode: 'replace' }, 'delete_entities'],
])('%s can take away as much as deleting does', async (name, input, like) => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Bob') });

  await memory.call(name, input);

  const taken = await memory.query('SELECT 1 FROM change WHERE revision_id > 1 AND after IS NULL');
  expect(taken.length).toBeGreaterThan(0);
  const effects = [name, like].map((tool) => findTool(tool)?.effectOf(input));
  expect(new Set(effects)).toEqual(new Set(['remove']));
});

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

test.each([
  ['an API token', makeToken],
  ['a grant', async () => (await connectClient()).access_token],
])(
  'with %s a call is one request to its thread and none to another object, and no read of KV once known',
  async (_, makeCredential) => {
    const token = await makeCredential();
    const counts = { threads: 0, requests: 0, directories: 0 };
    const THREAD = countObjects(
      env.THREAD,
      () => counts.threads++,
      () => counts.requests++,
    );
    const DIRECTORY = countObjects(
      env.DIRECTORY,
      () => counts.directories++,
      () => counts.requests++,
    );
    const namespace = countedNamespace();
    const call = () =>
      fetchWorker(
        `${ORIGIN}/mcp/counted`,
        mcpRequest('legacy', 'tools/call', { name: 'read_graph', arguments: {} }, bearer(token)),
        { ...OAUTH_MODE, THREAD, DIRECTORY, OAUTH_KV: namespace.kv },
      );

    // Only of an empty thread the directory is asked.
    const save = { name: 'save_memory', arguments: { entities: cluster('Ada') } };
    const request = mcpRequest('legacy', 'tools/call', save, bearer(await makeToken()));
    await fetchWorker(`${ORIGIN}/mcp/counted`, request, TOKEN_MODE);
    for (let i = 0; i < 5; i++) {
      const { result } = await readMessage(await call());
      expect(result.isError).toBeUndefined();
    }

    expect({ ...counts, reads: namespace.requests }).toEqual({
      threads: 5,
      requests: 5,
      directories: 0,
      reads: 1,
    });
  },
);

/** Counts the objects that are opened, and what they are asked. */
function countObjects(
  namespace: { getByName(name: string): any },
  onOpen: () => void,
  onRequest: () => void,
): any {
  const open = (name: string) => {
    onOpen();
    return new Proxy(namespace.getByName(name), {
      get(stub, method) {
        onRequest();
        return (...args: unknown[]) => stub[method](...args);
      },
    });
  };
  return new Proxy(namespace, {
    get(_, property) {
      if (property === 'getByName') return open;
      throw new Error(`Nothing but getByName is used, and not ${String(property)}.`);
    },
  });
}

async function keysOfTokens(): Promise<string[]> {
  const { keys } = await env.OAUTH_KV.list({ prefix: 'api-token:' });
  return keys.map(({ name }) => name);
}

async function countTokens(): Promise<number> {
  return (await keysOfTokens()).length;
}
