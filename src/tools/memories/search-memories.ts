import * as z from 'zod';
import { QUERY_CHARS_MAX, SEARCH_MEMORIES_DEFAULT, SEARCH_MEMORIES_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { closeness } from '../shapes.ts';
import { memoryFailure } from './failure.ts';
import { exampleMemory, memoryShape, toMemory } from './memory-shape.ts';

const foundMemoryShape = () =>
  memoryShape().extend({
    relevance_score: z.number().describe('0 to 1, among these results.'),
  });

export const searchMemories = defineTool({
  name: 'search_memories',
  title: 'Search memories',
  description:
    'Search for relevant memories, by meaning and by words, best first; the nearest where none matches; superseded ones are left out. For users of store_memory; elsewhere prefer recall, which has relations and sessions too.',
  effect: 'read',
  input: () => ({
    query: z.string().min(1).max(QUERY_CHARS_MAX).describe('Natural language search query.'),
    limit: z
      .int()
      .min(1)
      .max(SEARCH_MEMORIES_MAX)
      .default(SEARCH_MEMORIES_DEFAULT)
      .describe('Results at most.'),
  }),
  output: () => ({
    memories: z.array(foundMemoryShape()).describe('Relevant memories.'),
    closeness: closeness(),
  }),
  example: {
    given: [{ tool: 'store_memory', input: { content: 'User moved to Austin' } }],
    input: { query: 'Where did the user move?', limit: 3 },
    output: {
      memories: [
        {
          ...exampleMemory({ id: 'mem_1', content: 'User moved to Austin' }),
          relevance_score: 0.664,
        },
      ],
      closeness: 'close',
    },
  },
  failure: memoryFailure,
  async run({ query, limit }, { memories }) {
    const found = await memories.search(query, limit);
    return {
      memories: found.memories.map(({ fact, relevance }) => ({
        ...toMemory(fact),
        relevance_score: Math.round(relevance * 1000) / 1000,
      })),
      closeness: found.closeness,
    };
  },
});
