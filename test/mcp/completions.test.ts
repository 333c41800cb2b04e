/** What a client is offered while a person fills in a prompt or a resource's address. */
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { bearer, makeToken, TOKEN_MODE, ORIGIN } from '#test/auth.ts';
import {
  connectV2Client,
  countThreads,
  ERAS,
  fetchWorker,
  mcpRequest,
  readMessage,
  speakMcp,
} from '#test/mcp.ts';
import { directoryOf } from '#thread/directory-client.ts';
import { OWNER_SUBJECT } from '#auth/principal.ts';

const RECALL = { type: 'ref/prompt', name: 'recall' };
const ENTITY = { type: 'ref/resource', uri: 'memory://{threadId}/entities/{name}' };

const ask = (ref: object, name: string, value: string, args: Record<string, string> = {}) => ({
  ref,
  argument: { name, value },
  context: { arguments: args },
});

async function save(threadId: string, names: readonly string[]): Promise<void> {
  const entities = names.map((name) => ({ name, entityType: 'Person', observations: ['Sings'] }));
  const path = `/mcp/${threadId}?toolsets=graph`;
  const result = await speakMcp('modern', path).callTool('create_entities', { entities });
  expect(result['isError']).toBeUndefined();
}

/** As threads report themselves by alarm. */
async function report(subject: string, threadIds: readonly string[]): Promise<void> {
  for (const threadId of threadIds) {
    await directoryOf(env, subject).report({
      threadId,
      owner: '',
      entities: 1,
      observations: 1,
      relations: 0,
      firstChangeAt: 1,
      lastChangeAt: 1,
    });
  }
}

test.each(ERAS)('entities are offered by how their name begins (%s)', async (era) => {
  const threadId = `complete-names-${era}`;
  await save(threadId, ['Élodie', 'elena', 'Emil', 'Ada']);
  const bound = speakMcp(era, `/mcp/${threadId}`);
  const template = {
    type: 'ref/resource',
    uri: `memory://${threadId}/entities/{name}`,
  };

  const found = await bound.ask('completion/complete', ask(template, 'name', 'EL'));
  const topic = await bound.ask('completion/complete', ask(RECALL, 'topic', 'a'));
  const any = await speakMcp(era).ask(
    'completion/complete',
    ask(ENTITY, 'name', 'e', { threadId }),
  );

  expect(found['completion']).toEqual({ values: ['elena', 'Élodie'], hasMore: false });
  expect(topic['completion'].values).toEqual(['Ada']);
  expect(any['completion'].values).toEqual(['elena', 'Élodie', 'Emil']);
});

test('threads are offered where the address names none', async () => {
  await report('local', ['complete-a', 'complete-b', 'completer']);
  await using client = await connectV2Client('modern');

  expect(client.getServerCapabilities()?.completions).toEqual({});
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'threadId', value: 'complete-' },
  });
  expect(completion.values.filter((name) => /^complete-[ab]$/.test(name))).toEqual([
    'complete-a',
    'complete-b',
  ]);
  expect(completion.values).not.toContain('completer');
  const resource = await client.complete({
    ref: { type: 'ref/resource', uri: 'memory://{threadId}/graph' },
    argument: { name: 'threadId', value: 'completer' },
  });
  expect(resource.completion.values).toEqual(['completer']);
});

test('a client is sent a hundred at most, and told that there are more', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `Node ${String(i).padStart(3, '0')}`);
  await save('complete-many', names);
  await save('complete-many', ['Node 100', 'Nod']);
  const bound = speakMcp('modern', '/mcp/complete-many');

  const all = await bound.ask('completion/complete', ask(RECALL, 'topic', ''));
  const some = await bound.ask('completion/complete', ask(RECALL, 'topic', 'node 09'));

  expect(all['completion']).toMatchObject({ hasMore: true });
  expect(all['completion'].values).toHaveLength(100);
  expect(some['completion']).toEqual({ values: names.slice(90, 100), hasMore: false });
});

test('one request reads as many rows as it offers, however large the thread is', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    for (const part of [0, 1, 2]) {
      const names = Array.from({ length: 100 }, (_, i) => `Row ${part}-${i}`);
      await save('complete-rows', names);
    }
    await save('complete-rows', ['Zoe', 'Zora']);
    log.mockClear();

    const bound = speakMcp('modern', '/mcp/complete-rows');
    const { completion } = await bound.ask('completion/complete', ask(RECALL, 'topic', 'z'));

    expect(completion.values).toEqual(['Zoe', 'Zora']);
    const calls = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(calls).toEqual([
      expect.objectContaining({ event: 'tool_call', tool: 'completion', rowsWritten: 0 }),
    ]);
    expect(calls[0].rowsRead).toBeLessThan(20);
    expect(JSON.stringify(calls)).not.toContain('Zo');
  } finally {
    log.mockRestore();
  }
});

test('a credential is offered what it reaches and nothing else', async () => {
  await report(OWNER_SUBJECT, ['complete-mine', 'complete-theirs']);
  const before = await countThreads();
  const token = await makeToken({ threads: ['complete-mine'], scopes: ['memory:read'] });
  const completed = async (params: object) => {
    const request = mcpRequest('modern', 'completion/complete', { ...params }, bearer(token));
    const response = await fetchWorker(`${ORIGIN}/mcp`, request, TOKEN_MODE);
    return (await readMessage(response)).result?.completion.values;
  };

  expect(await completed(ask(RECALL, 'threadId', 'complete'))).toEqual(['complete-mine']);
  const theirs = { threadId: 'complete-theirs' };
  expect(await completed(ask(ENTITY, 'name', '', theirs))).toEqual([]);
  expect(await countThreads()).toBe(before);
});

test.each([
  ['text that is free', ask({ type: 'ref/prompt', name: 'remember' }, 'text', 'a')],
  ['a name without a thread', ask(ENTITY, 'name', 'a')],
  ['a name in what is no thread', ask(ENTITY, 'name', 'a', { threadId: '../x' })],
  ['a text that is longer than any name', ask(RECALL, 'threadId', 'a'.repeat(5_000))],
])('%s offers nothing', async (_, params) => {
  const { completion } = await speakMcp('modern').ask('completion/complete', params);

  expect(completion).toEqual({ values: [], hasMore: false });
});

test.each([
  ['prompt', { type: 'ref/prompt', name: 'forget' }, 'remember, recall, review'],
  [
    'resource template',
    { type: 'ref/resource', uri: 'file:///{path}' },
    'memory://{threadId}/graph',
  ],
])('an unknown %s is refused with those that there are', async (what, ref, known) => {
  const { error } = await speakMcp('legacy').request(
    'completion/complete',
    ask(ref, 'threadId', ''),
  );

  expect(error?.code).toBe(-32_602);
  expect(error?.message).toContain(`Unknown ${what}`);
  expect(error?.message).toContain(known);
});
