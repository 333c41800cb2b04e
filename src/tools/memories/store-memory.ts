import { z } from 'zod';
import { MEMORY_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { unit } from '../params.ts';
import { memoryShape, toMemory } from './memory-shape.ts';

const stored = {
  confidence: 1,
  created_at: '2026-01-20T10:00:00.000Z',
  updated_at: '2026-01-20T10:00:00.000Z',
  accessed_at: '2026-01-20T10:00:00.000Z',
} as const;

export const storeMemory = defineTool({
  name: 'store_memory',
  title: 'Store memory',
  description:
    'Store a new memory. Always succeeds, and returns similar memories that might be outdated: always look at action_required.',
  effect: 'add',
  input: z.object({
    content: z
      .string()
      .min(1)
      .max(MEMORY_CHARS_MAX)
      .describe('The fact to remember: a clear, standalone statement.'),
    confidence: unit.default(1).describe('0 to 1; 1 for explicit facts.'),
    source: z
      .enum(['explicit', 'extracted'])
      .default('extracted')
      .describe('Whether the user asked to remember it, or it was extracted from conversation.'),
  }),
  output: z.object({
    created: memoryShape.describe('The new memory.'),
    similar: z.array(memoryShape).describe('Existing memories that might be outdated.'),
    action_required: z.string().nullable().describe('What to do about them; null for nothing.'),
  }),
  example: {
    input: { content: 'User moved to Austin', source: 'explicit' },
    output: {
      created: { id: 'mem_1', content: 'User moved to Austin', source: 'explicit', ...stored },
      similar: [],
      action_required: null,
    },
  },
  async run(memory, { memories }) {
    const { created, similar } = await memories.store(memory);
    const newer = toMemory(created);
    const older = similar.map(toMemory);
    return {
      created: newer,
      similar: older,
      action_required:
        older.length === 0
          ? null
          : older.map(({ id }) => suggestSuperseding(id, newer.id)).join(' '),
    };
  },
});

function suggestSuperseding(oldId: string, newId: string): string {
  return `Call supersede_memory("${oldId}", "${newId}") to mark the old memory as outdated.`;
}
