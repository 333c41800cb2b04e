import * as z from 'zod';
import { MEMORY_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { unit } from '../params.ts';
import { memoryFailure } from './failure.ts';
import { exampleMemory, memoryShape, toMemory } from './memory-shape.ts';

export const storeMemory = defineTool({
  name: 'store_memory',
  title: 'Store memory',
  description:
    'Store a fact that stands alone, and learn which older ones it may have made outdated. It is stored in any case: look at action_required each time. For facts about things with names prefer save_memory.',
  effect: 'add',
  input: () => ({
    content: z
      .string()
      .min(1)
      .max(MEMORY_CHARS_MAX)
      .describe('The fact to remember: a clear, standalone statement.'),
    confidence: unit().default(1).describe('0 to 1; 1 for explicit facts.'),
    source: z
      .enum(['explicit', 'extracted'])
      .default('extracted')
      .describe('Whether the user asked to remember it, or it was extracted from conversation.'),
  }),
  output: () => ({
    created: memoryShape().describe('The new memory.'),
    similar: z
      .array(memoryShape())
      .describe('Existing memories that might be outdated, likeliest first, at most 5.'),
    action_required: z.string().nullable().describe('What to do about them; null for nothing.'),
  }),
  example: {
    given: [{ tool: 'store_memory', input: { content: 'User lives in Seattle' } }],
    input: { content: 'User moved to Austin', source: 'explicit' },
    output: {
      created: {
        ...exampleMemory({ id: 'mem_2', content: 'User moved to Austin' }),
        source: 'explicit',
      },
      similar: [exampleMemory({ id: 'mem_1', content: 'User lives in Seattle' })],
      action_required:
        'Call supersede_memory("mem_1", "mem_2") to mark the old memory as outdated.',
    },
  },
  failure: memoryFailure,
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
