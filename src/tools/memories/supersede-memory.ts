import * as z from 'zod';
import { defineTool } from '../define.ts';
import { memoryFailure } from './failure.ts';

const memoryId = () => z.string().min(1).max(32);

export const supersedeMemory = defineTool({
  name: 'supersede_memory',
  title: 'Supersede memory',
  description:
    'Mark an old memory as outdated because a newer one replaces it, as store_memory suggests. It leaves every search and stays in the history. Keep both where both are true.',
  effect: 'change',
  input: () => ({
    old_memory_id: memoryId().describe('Id of the outdated memory, such as mem_1 or obs_1.'),
    new_memory_id: memoryId().describe('Id of the memory that replaces it.'),
  }),
  output: () => ({
    success: z.boolean().describe('True; a refusal is an error.'),
    message: z.string().describe('What was done.'),
  }),
  example: {
    given: [
      { tool: 'store_memory', input: { content: 'User lives in Seattle' } },
      { tool: 'store_memory', input: { content: 'User moved to Austin' } },
    ],
    input: { old_memory_id: 'mem_1', new_memory_id: 'mem_2' },
    output: { success: true, message: 'Memory mem_1 marked as superseded by mem_2' },
  },
  failure: memoryFailure,
  run({ old_memory_id: oldId, new_memory_id: newId }, { memories }) {
    memories.supersede(oldId, newId);
    return { success: true, message: `Memory ${oldId} marked as superseded by ${newId}` };
  },
});
