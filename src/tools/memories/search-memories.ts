import { z } from 'zod';
import { QUERY_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { memoryShape, toMemory } from './memory-shape.ts';

export const searchMemories = defineTool({
  name: 'search_memories',
  title: 'Search memories',
  description:
    'Search for relevant memories, by meaning and by words, best first. Superseded memories are left out.',
  effect: 'read',
  input: z.object({
    query: z.string().min(1).max(QUERY_CHARS_MAX).describe('Natural language search query.'),
    limit: z.int().min(1).max(20).default(5).describe('Results at most.'),
  }),
  output: z.object({
    memories: z.array(memoryShape).describe('Relevant memories.'),
  }),
  example: {
    given: [{ tool: 'store_memory', input: { content: 'User moved to Austin' } }],
    input: { query: 'Where did the user move?', limit: 3 },
    output: {
      memories: [
        {
          id: 'mem_1',
          content: 'User moved to Austin',
          confidence: 1,
          source: 'extracted',
          created_at: '2026-01-20T10:00:00.000Z',
          updated_at: '2026-01-20T10:00:00.000Z',
          accessed_at: '2026-01-20T10:00:00.000Z',
          relevance_score: 0.664,
        },
      ],
    },
  },
  async run({ query, limit }, { memories }) {
    const found = await memories.search(query, limit);
    return {
      memories: found.map(({ fact, relevance }) => ({
        ...toMemory(fact),
        relevance_score: Math.round(relevance * 1000) / 1000,
      })),
    };
  },
});
