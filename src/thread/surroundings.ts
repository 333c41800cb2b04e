/** What a thread's object does to the objects around it. */
import type { Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import { OWNERS_PER_DELETION_MAX } from '#limits.ts';
import type { Erased, Surroundings } from '#memory/world.ts';
import { directoryOf } from './directory-client.ts';
import { parseObjectName, threadStub, type ThreadAddress } from './thread-client.ts';

/**
 * `name` is the object's own; undefined where the platform does not tell it, as when an alarm wakes
 * an object that had been thrown out of memory: then the next call sees to what was left undone.
 * `clear` deletes everything in the object.
 */
export function openSurroundings(
  env: Env,
  name: string | undefined,
  clear: () => Promise<void>,
): Surroundings | undefined {
  const address = name === undefined ? undefined : parseObjectName(name);
  if (address === undefined || env.DIRECTORY === undefined) return undefined;
  const key = { threadId: address.threadId, owner: address.owner ?? '' };
  const directory = () => directoryOf(env, address.subject);
  return {
    report: (report) => directory().report({ ...key, ...report }),
    async erase() {
      const owners =
        address.owner === undefined
          ? await directory().ownersOf(address.threadId, OWNERS_PER_DELETION_MAX + 1)
          : [];
      const taken = owners.slice(0, OWNERS_PER_DELETION_MAX);
      for (const owner of taken) {
        // One after the other: nothing may be left half-known if one of them fails.
        // oxlint-disable-next-line no-await-in-loop
        await eraseOwner(env, { ...address, owner });
      }
      if (taken.length < owners.length) return { owners: taken.length, isDone: false };
      await clear();
      await forget(() => directory().forget(key));
      return { owners: taken.length, isDone: true } satisfies Erased;
    },
  };
}

async function eraseOwner(env: Env, address: ThreadAddress): Promise<void> {
  const caller = { threadId: address.threadId, actor: address.subject };
  const input = { confirm: address.threadId };
  const outcome = await threadStub(env, address).call('delete_thread', input, caller);
  if (!outcome.ok) {
    throw new MemoryError('unavailable', 'The memory of an owner could not be deleted just now.', {
      hint: 'Call delete_thread again: it goes on with what is left.',
    });
  }
}

async function forget(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (cause) {
    throw new MemoryError('unavailable', 'The thread is deleted, but still listed.', {
      hint: 'Call delete_thread again in a moment to take it off the list.',
      cause,
    });
  }
}
