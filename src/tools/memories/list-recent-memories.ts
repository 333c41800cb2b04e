import * as z from 'zod';
import { RECENT_MEMORIES_DEFAULT, RECENT_MEMORIES_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { memoryFailure } from './failure.ts';
import { exampleMemory, memoryShape, toMemory } from './memory-shape.ts';

export const listRecentMemories = defineTool({
  name: 'list_recent_memories',
  title: 'List recent memories',
  description:
    'The memories stored last, newest first: to look over what store_memory just stored; superseded ones are left out. get_recent_changes has every change.',
  effect: 'read',
  input: () => ({
    limit: z
      .int()
      .min(1)
      .max(RECENT_MEMORIES_MAX)
      .default(RECENT_MEMORIES_DEFAULT)
      .describe('Memories at most.'),
  }),
  output: () => ({ memories: z.array(memoryShape()).describe('Recent memories.') }),
  example: {
    given: [
      { tool: 'store_memory', input: { content: 'User is planning a trip to Japan in March' } },
      { tool: 'store_memory', input: { content: 'User prefers window seats on flights' } },
    ],
    input: { limit: 1 },
    output: {
      memories: [exampleMemory({ id: 'mem_2', content: 'User prefers window seats on flights' })],
    },
  },
  failure: memoryFailure,
  run: ({ limit }, { memories }) => ({ memories: memories.listRecent(limit).map(toMemory) }),
});
