/** Failures as seed 003 has them: `{ error: { code, message } }` in a result that says `isError`. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Vars } from '#env.ts';
import { MemoryError } from '#errors.ts';
import { DEFAULT_LIMITS } from '#limits.ts';
import { openMemory } from '#memory/memory.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { openSemantics } from '#search/semantics.ts';
import { openStore } from '#store/store.ts';
import { openSummarizer } from '#thread/summarizer.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { findTool } from '#tools/catalog.ts';
import { ERAS, speakMcp, threadStub } from '#test/mcp.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { openTables } from '#test/tables.ts';

const WRONG: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['store_memory', { content: ' ' }, 'Text is empty'],
  ['store_memory', { content: 'a', confidence: 2 }, "confidence: '2' is out of range. At most 1."],
  ['supersede_memory', { old_memory_id: 'mem_1' }, 'new_memory_id: Missing.'],
  ['search_memories', { query: 'a', limit: 21 }, "limit: '21' is out of range. At most 20."],
  ['search_memories', { query: 'a', limit: 0 }, "limit: '0' is out of range. At least 1."],
  ['list_recent_memories', { limit: 51 }, "limit: '51' is out of range. At most 50."],
  ['list_recent_memories', { limit: 1.5 }, 'limit'],
];

test.each(WRONG)('%s answers %j with INVALID_PARAMETER', async (tool, input, problem) => {
  for (const era of ERAS) {
    const result = await speakMcp(era, '/mcp/wrong?toolsets=memories').callTool(tool, input);

    expectError(result, 'INVALID_PARAMETER', expect.stringContaining(problem));
  }
});

test('two wrong arguments are both named in the message', async () => {
  const { callTool } = speakMcp('modern', '/mcp/wrong?toolsets=memories');

  const result = await callTool('store_memory', { content: 1, confidence: 2 });

  expectError(result, 'INVALID_PARAMETER', expect.stringMatching(/content: .+\nconfidence: /s));
});

test('an unknown memory is MEMORY_NOT_FOUND in the words of the seed, with advice beside it', async () => {
  const { callTool } = speakMcp('modern', '/mcp/unknown?toolsets=memories');
  await callTool('store_memory', { content: 'User lives in Seattle' });

  const result = await callTool('supersede_memory', {
    old_memory_id: 'mem_xyz789',
    new_memory_id: 'mem_1',
  });

  expectError(result, 'MEMORY_NOT_FOUND', 'Memory with ID mem_xyz789 not found');
  expect(result['content'][1].text).toContain('list_recent_memories');
});

test('a superseded memory is INVALID_PARAMETER', async () => {
  const { callTool } = speakMcp('modern', '/mcp/twice?toolsets=memories');
  for (const content of ['One', 'Two']) await callTool('store_memory', { content });
  const ids = { old_memory_id: 'mem_1', new_memory_id: 'mem_2' };
  await callTool('supersede_memory', ids);

  const result = await callTool('supersede_memory', ids);

  expectError(result, 'INVALID_PARAMETER', 'Memory mem_1 has already been superseded by mem_2.');
});

const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['store_memory', { content: 'User lives in Seattle' }],
  ['supersede_memory', { old_memory_id: 'mem_1', new_memory_id: 'mem_2' }],
  ['search_memories', { query: 'Seattle' }],
  ['list_recent_memories', {}],
];

test.each(CALLS)(
  '%s answers a broken database with STORAGE_ERROR and no word of it',
  async (tool, input) => {
    const threadId = `broken-${tool}`;
    const { callTool } = speakMcp('modern', `/mcp/${threadId}?toolsets=memories`);
    await callTool('store_memory', { content: 'One' });
    await runInDurableObject(threadStub(threadId), (_, { storage }) =>
      openTables(storage).script('ALTER TABLE fact RENAME TO fact_gone'),
    );

    const result = await callTool(tool, input);

    expectError(
      result,
      'STORAGE_ERROR',
      expect.stringMatching(/^Internal error \(reference \w+\)\.$/),
    );
  },
);

test.each(CALLS)(
  '%s answers with STORAGE_ERROR when the thread cannot be reached',
  async (tool, input) => {
    const getByName = () => ({
      call: () => Promise.reject(new Error('Network connection lost.')),
    });
    const vars = { THREAD: { getByName } } as unknown as Vars;

    const result = await speakMcp('modern', '/mcp/away?toolsets=memories', vars).callTool(
      tool,
      input,
    );

    expectError(result, 'STORAGE_ERROR', expect.stringContaining('cannot be reached'));
  },
);

test('a search that finds nothing because the embedder is down is EMBEDDING_ERROR', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'User lives in Seattle' });

  const error = await withoutEmbedder(memory, 'search_memories', { query: 'Wohnort?' });

  expect(findTool('search_memories')?.failure(error as any)).toEqual({
    error: { code: 'EMBEDDING_ERROR', message: expect.stringContaining('embedder') },
  });
});

test('without an embedder words are still found, an empty memory is empty, and a store succeeds', async () => {
  await using memory = await openTestMemory();
  expect(await withoutEmbedder(memory, 'search_memories', { query: 'Seattle' })).toEqual({
    memories: [],
    closeness: 'none',
  });

  const stored = await withoutEmbedder(memory, 'store_memory', {
    content: 'User lives in Seattle',
  });
  const found = await withoutEmbedder(memory, 'search_memories', { query: 'Seattle' });

  expect(stored).toMatchObject({ created: { content: 'User lives in Seattle' } });
  expect(found['memories']).toMatchObject([{ content: 'User lives in Seattle' }]);
});

function expectError(result: Record<string, any>, code: string, message: unknown): void {
  expect(result['isError']).toBe(true);
  expect(result['structuredContent']).toEqual({ error: { code, message } });
  expect(JSON.parse(result['content'][0].text)).toEqual(result['structuredContent']);
}

/** The value of a call, or the error of a failed one, in a thread whose embedder never answers. */
async function withoutEmbedder(
  { threadId }: TestMemory,
  name: string,
  input: Record<string, unknown>,
): Promise<Record<string, any>> {
  const embedder: Embedder = {
    model: 'down@1',
    dimensions: 4,
    understands: () => true,
    embed: () => Promise.reject(new Error('down')),
  };
  const stub = env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
  return runInDurableObject(stub, async (_, { storage }) => {
    const store = openStore(openTables(storage));
    const memory = openMemory({
      store,
      semantics: openSemantics(store, embedder),
      limits: DEFAULT_LIMITS,
      caller: { threadId, actor: 'tester' },
      tool: name,
      now: Date.now(),
      summarizer: openSummarizer(env),
      wokeAt: Date.now(),
    });
    const tool = findTool(name);
    if (tool?.host !== 'thread') throw new Error(`${name} is no tool of a thread.`);
    try {
      return (await tool.call(input, memory)).value;
    } catch (error) {
      if (error instanceof MemoryError) return error.toData();
      throw error;
    }
  });
}
