/** Deletes a whole thread: the graph, its history, and what others know of it. Only a file brings it back. */
import { MemoryError, quote } from '#errors.ts';
import type { Erased, World } from './world.ts';

export function erasureUseCases({ caller, surroundings }: World) {
  return {
    /** Throws `invalid_input` unless `confirm` is the thread's own id. */
    async deleteThread(confirm: string, withFiles: boolean): Promise<Erased> {
      if (confirm.normalize('NFC') !== caller.threadId) {
        throw new MemoryError(
          'invalid_input',
          `confirm is ${quote(confirm)}, not this thread's id.`,
          {
            hint: `Pass confirm: ${quote(caller.threadId)} to delete the thread with its whole history; it cannot be undone. Nothing was deleted.`,
          },
        );
      }
      if (surroundings === undefined) {
        throw new MemoryError('unavailable', 'This thread cannot be deleted here.');
      }
      return surroundings.erase(withFiles);
    },
  };
}
