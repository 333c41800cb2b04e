/** That a name of a thread reaches one object, of one subject, whatever anyone writes into it. */
import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { LOCAL, OWNER_SUBJECT, requireThread } from '#auth/principal.ts';
import { parseThreadAccess, reachesThread } from '#auth/thread-access.ts';
import { bearer, EXHAUSTED, makeToken, OAUTH_MODE, ORIGIN, TOKEN_MODE } from '#test/auth.ts';
import { countThreads, fetchWorker, mcpRequest, readMessage } from '#test/mcp.ts';
import { directoryOf } from '#thread/directory-client.ts';
import { parseThreadId, threadObjectName } from '#thread/thread-address.ts';
import { addressKey } from '#http/guards/rate-limit.ts';

/** Signs that separate something somewhere, beside all others. */
const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '/', '%', '2', 'F', '.', ':', '\\', ' ', '\0', 'é') }),
  fc.string({ unit: 'grapheme' }),
);
const address = fc.record({
  subject: part,
  threadId: part,
  owner: fc.option(part, { nil: undefined }),
});

test('no two of subject, thread and owner share an object', () => {
  fc.assert(
    fc.property(address, address, (left, right) => {
      const isSame =
        left.subject === right.subject &&
        left.threadId === right.threadId &&
        left.owner === right.owner;

      expect(threadObjectName(left) === threadObjectName(right)).toBe(isSame);
    }),
    { numRuns: 2_000 },
  );
});

test('parts that are cut elsewhere make another name', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 3, maxLength: 3 }), ([a = '', b = '', c = '']) => {
      const names = [
        threadObjectName({ subject: a, threadId: b, owner: c }),
        threadObjectName({ subject: `${a}/${b}`, threadId: c }),
        threadObjectName({ subject: a, threadId: `${b}/${c}` }),
        threadObjectName({ subject: a, threadId: b }),
      ];

      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

test('no name of a thread, however it is made, leaves its subject', () => {
  const crafted = fc.oneof(
    part,
    part.map((text) => `../${text}`),
    part.map((text) => `owner/${text}`),
    part.map((text) => `x%2F..%2Flocal%2F${text}`),
  );
  fc.assert(
    fc.property(crafted, (text) => {
      let threadId: string;
      try {
        threadId = parseThreadId(text);
      } catch {
        return;
      }
      const name = threadObjectName({ subject: 'owner', threadId });

      expect(name.split('/').map(decodeURIComponent)).toEqual(['owner', threadId]);
    }),
    { numRuns: 2_000 },
  );
});

test('no path that is crafted reaches a memory but under its subject', async () => {
  const token = await makeToken({ threads: ['mine'] });
  for (const path of [
    '/mcp/..%2Flocal%2Fatlas',
    '/mcp/%2e%2e/local/atlas',
    '/mcp/mine%2F..%2Fother',
    '/mcp/mine%00',
    '/mcp/mine%20',
    '/mcp/Mine',
    '/mcp/mine%2A',
    '/api/threads/local%2Fatlas/export',
    '/api/threads/mine%2Fother/health',
    '/api/threads/*/health',
  ]) {
    const init = path.startsWith('/mcp')
      ? mcpRequest('legacy', 'tools/list', {}, bearer(token))
      : { headers: bearer(token) };
    const response = await fetchWorker(ORIGIN + path, init, TOKEN_MODE);
    await response.text();

    expect([path, response.status >= 400 && response.status < 500]).toEqual([path, true]);
  }
});

test('a credential reaches the threads that it names, and those that begin as its prefixes do', () => {
  const id = fc.stringMatching(/^[a-c][a-c.-]{0,4}$/);
  fc.assert(
    fc.property(
      fc.array(id, { minLength: 1, maxLength: 3 }),
      id,
      fc.boolean(),
      (names, thread, isPrefix) => {
        const access = parseThreadAccess(
          names.map((name) => (isPrefix ? `${name}*` : name)).join(),
        );
        const isReached = names.some((name) =>
          isPrefix ? thread.startsWith(name) : thread === name,
        );

        expect(reachesThread(access, thread)).toBe(isReached);
        const reach = () => requireThread({ ...LOCAL, threads: access }, thread);
        if (isReached) reach();
        else expect(reach).toThrow('does not reach');
      },
    ),
  );
});

test('a text without any thread stands for all of them, and none is reached by the empty name', () => {
  expect(parseThreadAccess(' , ')).toBeNull();
  expect(reachesThread(null, 'any')).toBe(true);
  expect(reachesThread(['a*'], '')).toBe(false);
});

/** Of the owner: what each thread would report of itself. */
async function reportThreads(...threadIds: string[]): Promise<void> {
  const directory = directoryOf(env, OWNER_SUBJECT);
  for (const [i, threadId] of threadIds.entries()) {
    const counts = { entities: i, observations: i, relations: i };
    const times = { firstChangeAt: 1_000 + i, lastChangeAt: 1_000 + i };
    await directory.report({ threadId, owner: '', ...counts, ...times });
  }
  await directory.report({
    threadId: threadIds[0] ?? '',
    owner: 'ada',
    entities: 1,
    observations: 0,
    relations: 0,
    firstChangeAt: 1,
    lastChangeAt: 1,
  });
}

const LISTED = [
  'list-b',
  'list-red',
  'list-reds',
  'LIST-RED',
  'list_red',
  'lisт-red',
  'list-é',
  'list-e',
];

test.each([
  [['list-red'], ['list-red']],
  [['list-red*'], ['list-red', 'list-reds']],
  [
    ['list-r*', 'list-red*', 'list-red'],
    ['list-red', 'list-reds'],
  ],
  [['list_red'], ['list_red']],
  [['LIST*'], ['LIST-RED']],
  [['list-e*'], ['list-e']],
  [
    ['lisт*', 'list-é*'],
    ['lisт-red', 'list-é'],
  ],
  [['list-b'], ['list-b', 'list-b']],
  [['nothing-of-the-kind'], []],
])('a credential for %j is told of the threads %j and of no other', async (threads, expected) => {
  await reportThreads(...LISTED);
  const token = await makeToken({ threads: parseThreadAccess(threads.join()) });
  const bound = threads[0]?.replace('*', '') ?? '';
  const ask = async (cursor?: string) => {
    const args = { limit: 1, ...(cursor !== undefined && { cursor }) };
    const answers = [];
    for (const path of ['/mcp', `/mcp/${bound}`]) {
      const call = mcpRequest(
        'legacy',
        'tools/call',
        { name: 'list_threads', arguments: args },
        bearer(token),
      );
      const answer = await fetchWorker(`${ORIGIN}${path}?toolsets=threads`, call, TOKEN_MODE);
      answers.push((await readMessage(answer)).result.structuredContent);
    }
    const http = await fetchWorker(
      `${ORIGIN}/api/threads/${bound}/tools/list_threads`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(token) },
        body: JSON.stringify(args),
      },
      TOKEN_MODE,
    );
    expect([...answers, await http.json()]).toEqual([answers[0], answers[0], answers[0]]);
    return answers[0];
  };

  const seen: string[] = [];
  let page = await ask();
  for (;;) {
    expect(page.total).toBe(expected.length);
    seen.push(...page.threads.map((one: any) => one.threadId));
    if (page.nextCursor === null) break;
    page = await ask(page.nextCursor);
  }

  expect(seen.toSorted()).toEqual(expected.toSorted());
});

test('a cursor from elsewhere shows no thread that is not reached', async () => {
  await reportThreads(...LISTED);
  const token = await makeToken({ threads: ['list-b'] });
  const cursor = btoa(`thread:999999:list-red:`).replace(/=+$/, '');
  const call = mcpRequest(
    'legacy',
    'tools/call',
    { name: 'list_threads', arguments: { cursor, limit: 100 } },
    bearer(token),
  );

  const answer = await fetchWorker(`${ORIGIN}/mcp?toolsets=threads`, call, TOKEN_MODE);

  const { result } = await readMessage(answer);
  expect(new Set(result.structuredContent.threads.map((one: any) => one.threadId))).toEqual(
    new Set(['list-b']),
  );
});

test('what is told of a thread that is not reached is the same whether it is there or not', async () => {
  const owner = await makeToken();
  const token = await makeToken({ threads: ['mine'] });
  const store = { name: 'store_memory', arguments: { content: 'Secret of the other thread.' } };
  const path = (thread: string) => `${ORIGIN}/mcp/${thread}?toolsets=all`;
  const kept = mcpRequest('legacy', 'tools/call', store, bearer(owner));
  await (await fetchWorker(path('there-0'), kept, TOKEN_MODE)).text();
  const asks: ((thread: string) => [string, RequestInit])[] = [
    (thread) => [path(thread), mcpRequest('legacy', 'tools/list', {}, bearer(token))],
    ...['read_graph', 'health_check', 'delete_thread', 'import_database', 'get_recent_changes'].map(
      (name) =>
        (thread: string): [string, RequestInit] => [
          `${ORIGIN}/mcp?toolsets=all`,
          mcpRequest(
            'legacy',
            'tools/call',
            { name, arguments: { threadId: thread } },
            bearer(token),
          ),
        ],
    ),
    (thread) => [
      `${ORIGIN}/mcp`,
      mcpRequest('legacy', 'resources/read', { uri: `memory://${thread}/graph` }, bearer(token)),
    ],
    ...['health', 'verify', 'export', 'files/none.jsonl'].map(
      (last) =>
        (thread: string): [string, RequestInit] => [
          `${ORIGIN}/api/threads/${thread}/${last}`,
          { headers: bearer(token) },
        ],
    ),
    (thread) => [
      `${ORIGIN}/api/threads/${thread}/import`,
      { method: 'POST', headers: bearer(token), body: '\n' },
    ],
  ];
  const before = await countThreads();
  for (const ask of asks) {
    const answers = [];
    for (const thread of ['there-0', 'there-1']) {
      const [target, init] = ask(thread);
      const response = await fetchWorker(target, init, TOKEN_MODE);
      const text = (await response.text()).replaceAll(thread, 'X');
      expect(text).toContain('does not reach');
      answers.push([response.status, text]);
    }
    expect(answers[0]).toEqual(answers[1]);
  }
  expect(await countThreads()).toBe(before);
});

test.each(['ADDRESS_LIMIT', 'CREDENTIAL_LIMIT', 'SUBJECT_LIMIT'] as const)(
  'a caller beyond the %s waits, and no thread is asked',
  async (limit) => {
    const token = await makeToken();
    const before = await countThreads();
    const call = mcpRequest('legacy', 'tools/call', { name: 'read_graph' }, bearer(token));
    const rest = { method: 'POST', headers: bearer(token) };
    const asks: [string, RequestInit][] = [
      ['/mcp/limited', call],
      ['/api/threads/limited/tools/read_graph', rest],
      ['/api/threads/limited/import', { ...rest, body: '\n' }],
      ...['export', 'health', 'verify', 'files/x.jsonl'].map((resource): [string, RequestInit] => [
        `/api/threads/limited/${resource}`,
        { headers: bearer(token) },
      ]),
    ];

    for (const [path, init] of asks) {
      const response = await fetchWorker(ORIGIN + path, init, {
        ...TOKEN_MODE,
        [limit]: EXHAUSTED,
      });

      expect([path, response.status]).toEqual([path, 429]);
      expect(response.headers.get('retry-after')).toBe('60');
      expect(await response.json()).toMatchObject({ error: { code: 'limit_exceeded' } });
    }
    expect(await countThreads()).toBe(before);
  },
);

/** Counts by key, and lets a certain number of them pass. */
function counter(limit: number): RateLimit & { readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  return {
    counts,
    async limit({ key }) {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { success: count <= limit };
    },
  };
}

test('what is refused to one credential takes nothing from the others of the owner', async () => {
  const SUBJECT_LIMIT = counter(10);
  const CREDENTIAL_LIMIT = counter(5);
  const bindings = { ...TOKEN_MODE, CREDENTIAL_LIMIT, SUBJECT_LIMIT };
  const other = await makeToken({ threads: ['team-*'], scopes: ['memory:read'] });
  const send = async (path: string, init: RequestInit) => {
    const response = await fetchWorker(ORIGIN + path, init, bindings);
    await response.text();
    return response.status;
  };
  const call = (token: string, name: string, threadId: string) =>
    send(
      '/mcp',
      mcpRequest('legacy', 'tools/call', { name, arguments: { threadId } }, bearer(token)),
    );

  const statuses = [
    await call(other, 'save_memory', 'team-a'),
    await call(other, 'read_graph', 'elsewhere'),
    await send('/api/threads/elsewhere/health', { headers: bearer(other) }),
    await send('/api/threads/team-a/tools/save_memory', {
      method: 'POST',
      headers: bearer(other),
    }),
    await send('/api/threads/elsewhere/import', {
      method: 'POST',
      headers: bearer(other),
      body: '',
    }),
    await call(other, 'read_graph', 'elsewhere'),
  ];

  expect(statuses).toEqual([403, 200, 403, 403, 403, 429]);
  expect(SUBJECT_LIMIT.counts.size).toBe(0);
  expect(await call(await makeToken(), 'read_graph', 'team-a')).toBe(200);
});

test('each call of a batch counts, for the credential and for the owner', async () => {
  const SUBJECT_LIMIT = counter(100);
  const CREDENTIAL_LIMIT = counter(8);
  const token = await makeToken();
  const message = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'read_graph', arguments: {} },
  });
  const sendBatch = async (size: number) => {
    const init = mcpRequest('legacy', 'ping', {}, bearer(token));
    const body = JSON.stringify(Array.from({ length: size }, (_, i) => message(i)));
    const bindings = { ...TOKEN_MODE, CREDENTIAL_LIMIT, SUBJECT_LIMIT };
    const response = await fetchWorker(`${ORIGIN}/mcp/batched`, { ...init, body }, bindings);
    await response.text();
    return response.status;
  };

  expect(await sendBatch(6)).toBe(200);
  expect([...SUBJECT_LIMIT.counts.values()]).toEqual([6]);
  expect([...CREDENTIAL_LIMIT.counts.values()]).toEqual([6]);
  expect(await sendBatch(3)).toBe(429);
});

test('limits count nobody on localhost without credentials', async () => {
  const response = await fetchWorker('/mcp', mcpRequest('legacy', 'tools/list'), {
    ADDRESS_LIMIT: EXHAUSTED,
    CREDENTIAL_LIMIT: EXHAUSTED,
    SUBJECT_LIMIT: EXHAUSTED,
  });

  expect(response.status).toBe(200);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('the address %s counts as %s', (address, key) => {
  const headers = { 'cf-connecting-ip': address };

  expect(addressKey(new Request('http://localhost', { headers }))).toBe(key);
});

test('nobody gets in while credentials cannot be looked up, and the failure tells nothing', async () => {
  using log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const token = await makeToken();
  const before = await countThreads();
  const OAUTH_KV = {
    get: () => Promise.reject(new Error(`KV GET failed for ${token}`)),
  } as unknown as KVNamespace;
  const init = mcpRequest('legacy', 'tools/call', { name: 'read_graph' }, bearer(token));

  const response = await fetchWorker(`${ORIGIN}/mcp/unseen`, init, { ...TOKEN_MODE, OAUTH_KV });

  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain(token);
  expect(log.mock.calls.join()).not.toContain(token);
  expect(await countThreads()).toBe(before);
});

test('registrations are limited as attempts to sign in are', async () => {
  for (const SIGN_IN_LIMIT of [EXHAUSTED, undefined]) {
    const response = await fetchWorker(
      `${ORIGIN}/oauth/register`,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
      { ...OAUTH_MODE, SIGN_IN_LIMIT } as typeof OAUTH_MODE,
    );

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
  }
});
