import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import { OWNER_ID_CHARS_MAX, THREAD_ID_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { KEEPS_EMPTY } from '../read-arguments.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR } from './shapes.ts';

export const deleteThread = defineTool({
  name: 'delete_thread',
  title: 'Delete thread',
  description:
    'Delete a thread with its history and the memories of its owners. No undo: ask the user first. Its backups stay for a time and its exported files for good, unless delete_files.',
  effect: 'remove',
  input: () => ({
    confirm: z
      .string()
      .max(THREAD_ID_CHARS_MAX * 2)
      .describe("The thread's id once more."),
    owner_id: z
      .string()
      .max(OWNER_ID_CHARS_MAX)
      .optional()
      .meta({ [KEEPS_EMPTY]: true })
      .describe('Delete the memory of this owner alone.'),
    delete_files: z.boolean().default(false).describe('Delete them too: nothing brings it back.'),
  }),
  output: () => ({
    deleted: z.boolean().describe('False when there is more to do: call it again.'),
    owners: z.number().describe('Memories of owners that were deleted with it.'),
    backup: z
      .object({
        file: z.string().describe('import_database brings it back.'),
        keptUntil: z.string().describe('ISO 8601.'),
      })
      .optional()
      .describe('Its newest backup, which stays.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PAIR,
    input: { confirm: 'example' },
    output: { deleted: true, owners: 0 },
  },
  async run({ confirm, delete_files }, memory) {
    const { owners, isDone, backup } = await memory.erasure.deleteThread(confirm, delete_files);
    return {
      deleted: isDone,
      owners,
      ...(backup && { backup: { file: backup.file, keptUntil: toIsoTime(backup.until) } }),
      ...noteOnCuts([
        !isDone &&
          'More owners have memories in it, or more files are left. Call delete_thread again to go on.',
      ]),
    };
  },
});
