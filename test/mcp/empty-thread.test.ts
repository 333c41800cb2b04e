/** What a client is told that reads a thread in which nothing is: most likely it meant another one. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { OWNER_SUBJECT } from '#auth/principal.ts';
import type { Env } from '#env.ts';
import { bearer, makeToken, ORIGIN, TOKEN_MODE } from '#test/auth.ts';
import { cluster } from '#test/builders.ts';
import { inputOf } from '#test/examples.ts';
import { ERAS, fetchWorker, mcpRequest, readMessage, speakMcp } from '#test/mcp.ts';
import { directoryOf } from '#thread/directory-client.ts';
import { TOOLSETS } from '#tools/catalog.ts';

const readers = [
  ...new Set(TOOLSETS.flatMap(({ tools }) => tools).filter(({ tellsContent }) => tellsContent)),
].filter(({ host }) => host === 'thread');

/** Has the directory of a subject know of threads, the first changed last. */
async function report(subject: string, ...keys: (string | [string, string])[]): Promise<void> {
  for (const [index, key] of keys.entries()) {
    const [threadId, owner = ''] = [key].flat() as [string, string?];
    const counts = { entities: 1, observations: 1, relations: 0 };
    const at = Date.parse('2026-01-20T10:00:00Z') - index;
    const entry = { threadId, owner, ...counts, firstChangeAt: at, lastChangeAt: at };
    await directoryOf(env, subject).report(entry);
  }
}

/** The threads of the local principal in this file. */
const EMPTY = 'empty-kestrel';
const KNOWN = ['empty-demo', 'Empty-Kestrel', 'empty-other'];
/** The one most alike first. */
const SENTENCE = `Thread '${EMPTY}' is empty; you have 'Empty-Kestrel', `;

/** How often a request asks the directory; the thread has its own way to it. */
function countingDirectory(): { bindings: Partial<Env>; asked(): number } {
  let asked = 0;
  const real = env.DIRECTORY!;
  const counting = {
    getByName: (name: string) => {
      asked += 1;
      return real.getByName(name);
    },
  };
  return { bindings: { DIRECTORY: counting as unknown as typeof real }, asked: () => asked };
}

async function callTool(
  path: string,
  name: string,
  args: Record<string, unknown>,
  bindings: Partial<Env> = {},
  headers: Record<string, string> = {},
): Promise<Record<string, any>> {
  const params = { name, arguments: args };
  const request = mcpRequest('legacy', 'tools/call', params, headers);
  const { result, error } = await readMessage(await fetchWorker(path, request, bindings));
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

test('every tool that reads is tried here, the exports too', () => {
  const names = readers.map(({ name }) => name);

  expect(names.length).toBeGreaterThan(40);
  expect(names).toEqual(expect.arrayContaining(['recall', 'export_graph', 'export_database']));
});

test.each(readers.map((tool) => [tool.name, tool] as const))(
  '%s says that the thread is empty and which threads there are, in its text and in its structure',
  async (name, tool) => {
    await report('local', ...KNOWN);
    const { bindings, asked } = countingDirectory();
    const path = `/mcp/${EMPTY}?toolsets=all`;

    const answer = await callTool(path, name, inputOf(tool, EMPTY), bindings);

    const text = answer['content'].map((part: { text: string }) => part.text).join('\n');
    expect(text).toContain(SENTENCE);
    if (answer['isError'] !== true) expect(answer['structuredContent'].note).toContain(SENTENCE);
    expect(asked()).toBe(1);
  },
);

test('the same is said by plain HTTP, and in a resource', async () => {
  await report('local', ...KNOWN);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

  const response = await fetchWorker(`/api/threads/${EMPTY}/tools/read_graph`, init);
  const resource = await speakMcp('modern').ask('resources/read', {
    uri: `memory://${EMPTY}/graph`,
  });

  expect((await response.json<any>()).note).toContain(SENTENCE);
  expect(resource['contents'][0].text).toContain(SENTENCE);
});

test('a thread that holds something is read by one request, and so is a write', async () => {
  const { bindings, asked } = countingDirectory();
  const path = '/mcp/empty-not';
  await callTool(path, 'save_memory', { entities: cluster('Ada') }, bindings);

  const answer = await callTool(path, 'read_graph', {}, bindings);

  expect(answer['structuredContent'].note).toBeUndefined();
  expect(asked()).toBe(0);
});

test.each([
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['Likes tea'] }] }],
  ['update_observation', { entityName: 'Ada', observationId: 'obs_1', newContent: 'Likes tea' }],
  ['merge_entities', { source: 'Ada', target: 'Bob' }],
  [
    'save_memory',
    {
      entities: [
        {
          name: 'Ada',
          entityType: 'Person',
          observations: ['Likes tea'],
          relations: [{ targetEntity: 'Acme', relationType: 'works at' }],
        },
      ],
    },
  ],
])('a refused %s in an empty thread names the others, and is told once', async (name, args) => {
  await report('local', ...KNOWN);

  const { isError, content } = await callTool(`/mcp/${EMPTY}`, name, args);

  const text = content.map((part: { text: string }) => part.text).join('\n');
  expect(isError).toBe(true);
  expect(text.split(SENTENCE)).toHaveLength(2);
});

test('a refused save where there is no other thread speaks of none', async () => {
  const token = await makeToken({ threads: ['empty-first'] });
  const args = { observations: [{ entityName: 'Ada', contents: ['Likes tea'] }] };

  const { content } = await callTool(
    `${ORIGIN}/mcp/empty-first`,
    'add_observations',
    args,
    TOKEN_MODE,
    bearer(token),
  );

  expect(content[0].text).toContain("No entity named 'Ada'");
  expect(content[0].text).not.toContain('is empty');
});

test('a thread of which everything was deleted says where that can be seen', async () => {
  const path = '/mcp/empty-again';
  await callTool(path, 'save_memory', { entities: cluster('Ada') });
  const entityNames = cluster('Ada').map(({ name }) => name);
  await callTool(path, 'delete_entities', { entityNames });

  const { structuredContent } = await callTool(path, 'list_entities', {});

  expect(structuredContent.note).toBe(
    "Thread 'empty-again' is empty now: everything was deleted; get_recent_changes shows by which calls.",
  );
});

test('a credential is told of the threads that it reaches, and of no other', async () => {
  await report(OWNER_SUBJECT, 'empty-red', 'empty-blue', 'empty-green');
  const token = await makeToken({ threads: ['empty-b*', 'empty-new'] });
  const read = (headers: Record<string, string>) =>
    callTool(`${ORIGIN}/mcp/empty-new`, 'recall', { query: 'x' }, TOKEN_MODE, headers);

  const { structuredContent } = await read(bearer(token));

  expect(structuredContent.note).toContain("Thread 'empty-new' is empty; you have 'empty-blue'.");
});

test('a caller without any other thread is told so', async () => {
  const token = await makeToken({ threads: ['empty-lonely'] });

  const { structuredContent } = await callTool(
    `${ORIGIN}/mcp/empty-lonely`,
    'list_entities',
    {},
    TOKEN_MODE,
    bearer(token),
  );

  expect(structuredContent.note).toBe("Thread 'empty-lonely' is empty, and you have no other.");
});

test('the memory of an owner is told from the memory of the thread', async () => {
  await report(OWNER_SUBJECT, 'empty-shared', ['empty-shared', 'alice']);
  const token = await makeToken({ threads: ['empty-shared'] });
  const read = async (args: Record<string, unknown>) => {
    const path = `${ORIGIN}/mcp/empty-shared?toolsets=nodes`;
    const answer = await callTool(path, 'get_stats', args, TOKEN_MODE, bearer(token));
    return answer['structuredContent'].note;
  };

  expect(await read({})).toBe(
    "Thread 'empty-shared' is empty; you have 'empty-shared' (owner_id 'alice').",
  );
  expect(await read({ owner_id: 'bob' })).toBe(
    "The memory of owner_id 'bob' in 'empty-shared' is empty; you have 'empty-shared', 'empty-shared' (owner_id 'alice').",
  );
});

test('a long list of threads is cut, and a directory that cannot tell is not waited for', async () => {
  const names = Array.from({ length: 15 }, (_, index) => `crowd-${index}`);
  await report(OWNER_SUBJECT, ...names);
  const token = await makeToken({ threads: ['crowd-*'] });
  const path = `${ORIGIN}/mcp/crowd-new`;

  const cut = await callTool(path, 'list_entities', {}, TOKEN_MODE, bearer(token));
  const without = { ...TOKEN_MODE, DIRECTORY: undefined } as unknown as Partial<Env>;
  const alone = await callTool(path, 'list_entities', {}, without, bearer(token));

  expect(cut['structuredContent'].note).toMatch(/ and 5 more\.$/);
  expect(alone['structuredContent'].note).toBe("Thread 'crowd-new' is empty.");
});

test.each(ERAS)(
  'where the URL names no thread the instructions tell which there are, in the %s era',
  async (era) => {
    await report('local', ...KNOWN);
    const ask = async (path: string) => {
      const method = era === 'legacy' ? 'initialize' : 'server/discover';
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT };
      const { instructions } = await speakMcp(era, path).ask(method, params);
      return String(instructions);
    };

    const any = await ask('/mcp');
    const one = await ask(`/mcp/${EMPTY}`);

    expect(any).toMatch(/There are, changed last first: .*'Empty-Kestrel'/);
    expect(one).not.toContain('Empty-Kestrel');
  },
);

test('instructions name the threads that the credential reaches, and only when they are asked for', async () => {
  await report(OWNER_SUBJECT, 'empty-red', 'empty-blue');
  const { bindings, asked } = countingDirectory();
  const vars = { ...TOKEN_MODE, ...bindings };
  const token = await makeToken({ threads: ['empty-blue'] });
  const ask = async (method: string) => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT };
    const request = mcpRequest('legacy', method, params, bearer(token));
    return (await readMessage(await fetchWorker(`${ORIGIN}/mcp`, request, vars))).result;
  };

  await ask('tools/list');
  const before = asked();
  const { instructions } = await ask('initialize');

  expect(before).toBe(0);
  expect(asked()).toBe(1);
  expect(instructions).toContain("There are, changed last first: 'empty-blue'.");
});

const CLIENT = { name: 'skein-tests', version: '1.0.0' };
