/** What a thread's object does to the objects around it. */
import type { Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import { OWNERS_PER_DELETION_MAX } from '#limits.ts';
import type { Caller, Erased, Surroundings } from '#memory/world.ts';
import { directoryOf } from './directory-client.ts';
import { deleteAllFiles, leaveFiles } from './files.ts';
import { logBug } from './log.ts';
import { addressOfObject, type ThreadAddress } from './thread-address.ts';
import { threadStub } from './thread-stub.ts';

/**
 * Undefined where the platform does not tell the object's name, as when an alarm wakes one that had
 * been thrown out of memory: then the next call sees to what was left undone. `clear` deletes
 * everything in the object.
 */
export function openSurroundings(
  env: Env,
  id: DurableObjectId,
  clear: () => Promise<void>,
): Surroundings | undefined {
  const address = addressOfObject(id);
  if (address === undefined || env.DIRECTORY === undefined) return undefined;
  const key = { threadId: address.threadId, owner: address.owner ?? '' };
  const directory = () => directoryOf(env, address.subject);
  return {
    report: (report) => directory().report({ ...key, ...report }),
    async deleteFiles() {
      const isDone = await deleteAllFiles(env, id.toString());
      await directory().dropBackups(key);
      return isDone;
    },
    async erase(withFiles) {
      const owners =
        address.owner === undefined
          ? await directory().ownersOf(address.threadId, OWNERS_PER_DELETION_MAX + 1)
          : [];
      const taken = owners.slice(0, OWNERS_PER_DELETION_MAX);
      for (const owner of taken) {
        // One after the other: nothing may be left half-known if one of them fails.
        // oxlint-disable-next-line no-await-in-loop
        await eraseOwner(env, { ...address, owner }, withFiles);
      }
      if (taken.length < owners.length) return { owners: taken.length, isDone: false };
      const files = id.toString();
      // Before, since nothing may be deleted whose files stay open to all; and after, for a file that was under way.
      await leaveFiles(env, files);
      await clear();
      const isDone = !withFiles || (await deleteAllFiles(env, files));
      if (!withFiles || !isDone) await leaveFiles(env, files);
      const backup = await forget(() => directory().forget(key, withFiles));
      return { owners: taken.length, isDone, backup } satisfies Erased;
    },
  };
}

/**
 * Asks the directory whether this memory may be begun; the error with which the call is refused, undefined
 * for yes. A directory that cannot be reached stops no write.
 */
export async function admitNewThread(
  env: Env,
  id: DurableObjectId,
  { actor, isLocal = false }: Caller,
): Promise<MemoryError | undefined> {
  const address = addressOfObject(id);
  if (address === undefined || env.DIRECTORY === undefined) return undefined;
  const { subject, threadId, owner = '' } = address;
  try {
    const refused = await directoryOf(env, subject).admit({ threadId, owner }, { actor, isLocal });
    return refused && new MemoryError('limit_exceeded', refused.message, { hint: refused.hint });
  } catch (error) {
    logBug(crypto.randomUUID().slice(0, 8), error);
    return undefined;
  }
}

async function eraseOwner(env: Env, address: ThreadAddress, withFiles: boolean): Promise<void> {
  const caller = { threadId: address.threadId, actor: address.subject };
  const input = { confirm: address.threadId, delete_files: withFiles };
  const outcome = await threadStub(env, address).call('delete_thread', input, caller);
  if (!outcome.ok || outcome.value['deleted'] !== true) {
    throw new MemoryError('unavailable', 'The memory of an owner could not be deleted just now.', {
      hint: 'Call delete_thread again: it goes on with what is left.',
    });
  }
}

async function forget<Answer>(tell: () => Promise<Answer>): Promise<Answer> {
  try {
    return await tell();
  } catch (cause) {
    throw new MemoryError('unavailable', 'The thread is deleted, but still listed.', {
      hint: 'Call delete_thread again in a moment to take it off the list.',
      cause,
    });
  }
}
