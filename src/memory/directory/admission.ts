/** How many threads a deployment may have, and how fast they may come: asked once, when a thread is first written to. */
import { MemoryError, quote } from '#errors.ts';
import type { Limits } from '#limits.ts';
import type { DirectoryKey } from '#directory-store/directory.ts';
import type { OpeningStore } from '#directory-store/openings.ts';

const HOUR_MS = 3_600_000;

/** A credential that begins a memory. */
export interface Opener {
  readonly actor: string;
  /** Whether it is the owner on the machine itself, who may begin as many in an hour as there may be. */
  readonly isLocal: boolean;
}

/**
 * Notes that a credential begins a memory. Throws `limit_exceeded` where there are too many; one that is
 * there already, or was begun within the hour, is let through. The caller holds a transaction.
 */
export function admitThread(
  openings: OpeningStore,
  limits: Limits,
  key: DirectoryKey,
  { by: { actor, isLocal }, now }: { readonly by: Opener; readonly now: number },
): void {
  openings.forget(now - HOUR_MS);
  if (openings.isKnown(key)) return;
  const { memories, owners, byActor } = openings.count(key.threadId, actor);
  if (memories >= limits.threadsMax) {
    refuse(
      `There are ${limits.threadsMax} threads, which is the most (MAX_THREADS).`,
      'Store it in a thread that there is; list_threads shows them. Or have delete_thread delete one that is not needed any more.',
    );
  }
  if (key.owner !== '' && owners >= limits.ownersMax) {
    refuse(
      `The thread ${quote(key.threadId)} has the memories of ${limits.ownersMax} owners, which is the most (MAX_OWNERS).`,
      'Use an owner_id that there is, or none for the memory of the thread itself.',
    );
  }
  if (!isLocal && byActor >= limits.newThreadsPerHour) {
    refuse(
      `You have begun ${limits.newThreadsPerHour} threads within an hour, which is the most (MAX_NEW_THREADS_PER_HOUR).`,
      'Store it in a thread that there is: a thread is for a project or a person, not for one conversation. Or begin another one later.',
    );
  }
  openings.add(key, actor, now);
}

function refuse(message: string, advice: string): never {
  throw new MemoryError('limit_exceeded', message, { hint: `Nothing was changed. ${advice}` });
}
