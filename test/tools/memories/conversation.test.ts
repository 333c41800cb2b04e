/** The example conversation of seed 003, spoken to the Worker as a client does. */
import { expect, test } from 'vitest';
import { ERAS, speakMcp } from '#test/mcp.ts';

test.each(ERAS)('the move to Austin goes as the seed tells it, for %s clients', async (era) => {
  const { callTool } = speakMcp(era, `/mcp/austin-${era}?toolsets=memories`);
  const call = async (name: string, args: Record<string, unknown>) =>
    (await callTool(name, args))['structuredContent'];
  const { created: old } = await call('store_memory', {
    content: 'User lives in Seattle',
    confidence: 0.9,
  });

  const stored = await call('store_memory', {
    content: 'User moved to Austin last month',
    confidence: 1.0,
    source: 'explicit',
  });
  expect(stored).toEqual({
    created: {
      id: 'mem_2',
      content: 'User moved to Austin last month',
      confidence: 1,
      source: 'explicit',
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
      updated_at: stored.created.created_at,
      accessed_at: stored.created.created_at,
    },
    similar: [old],
    action_required: 'Call supersede_memory("mem_1", "mem_2") to mark the old memory as outdated.',
  });

  const superseded = await call('supersede_memory', {
    old_memory_id: 'mem_1',
    new_memory_id: 'mem_2',
  });
  expect(superseded).toEqual({
    success: true,
    message: 'Memory mem_1 marked as superseded by mem_2',
  });

  const found = await call('search_memories', { query: 'Where does the user live?', limit: 3 });
  const recent = await call('list_recent_memories', {});
  expect(found.memories).toEqual([
    { ...stored.created, supersedes: 'mem_1', relevance_score: expect.any(Number) },
  ]);
  expect(recent.memories).toEqual([{ ...stored.created, supersedes: 'mem_1' }]);
});

test('the instructions of the toolset name its four tools and what to do about conflicts', async () => {
  const { ask } = speakMcp('modern', '/mcp?toolsets=memories');

  const { instructions } = await ask('server/discover');
  const { tools } = await ask('tools/list');

  expect(tools.map(({ name }: any) => name)).toEqual([
    'store_memory',
    'supersede_memory',
    'search_memories',
    'list_recent_memories',
  ]);
  for (const { name } of tools) expect(instructions).toContain(name);
  expect(instructions).toContain('action_required');
});
