import { z } from 'zod';
import { OWNER_ID_CHARS_MAX, THREAD_ID_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR } from './shapes.ts';

export const deleteThread = defineTool({
  name: 'delete_thread',
  title: 'Delete thread',
  description:
    'Delete everything that a thread has, its history and the memories of its owners included. It cannot be undone: ask the user first. The id may be used again and begins empty.',
  effect: 'remove',
  input: z.object({
    confirm: z
      .string()
      .max(THREAD_ID_CHARS_MAX * 2)
      .describe("The thread's id once more."),
    owner_id: z
      .string()
      .max(OWNER_ID_CHARS_MAX)
      .optional()
      .describe('Delete the memory of this owner alone.'),
  }),
  output: z.object({
    deleted: z.boolean().describe('False when there is more to do: call it again.'),
    owners: z.number().describe('Memories of owners that were deleted with it.'),
    note,
  }),
  example: {
    given: GIVEN_PAIR,
    input: { confirm: 'example' },
    output: { deleted: true, owners: 0 },
  },
  async run({ confirm }, memory) {
    const { owners, isDone } = await memory.erasure.deleteThread(confirm);
    return {
      deleted: isDone,
      owners,
      ...noteOnCuts([
        !isDone && 'More owners have memories in it. Call delete_thread again to go on.',
      ]),
    };
  },
});
