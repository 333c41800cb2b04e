/** A thread can be stopped: it then answers nothing but how it is, and loses nothing. */
import { MemoryError } from '#errors.ts';
import { toIsoTime } from '#graph/moment.ts';
import type { Store } from '#store/store.ts';
import type { World } from './world.ts';

export interface Switched {
  /** False when it was so before. */
  readonly isChanged: boolean;
  /** Epoch milliseconds; undefined while it runs. */
  readonly stoppedAt: number | undefined;
}

export function stopUseCases({ store, now }: World) {
  return {
    /** Stopping does not stand in the history: there is nothing to undo. */
    stop(): Switched {
      const isChanged = store.transaction(() => store.stops.stop(now));
      return { isChanged, stoppedAt: store.stops.stoppedAt() };
    },

    start(): Switched {
      const isChanged = store.transaction(() => store.stops.start());
      return { isChanged, stoppedAt: undefined };
    },

    /** Throws `unavailable` while the thread is stopped. */
    refuseWhenStopped: () => refuseWhenStopped(store),
  };
}

/** Throws `unavailable`. What waited for something when the thread was stopped must not write either. */
export function refuseWhenStopped(store: Store): void {
  const stoppedAt = store.stops.stoppedAt();
  if (stoppedAt === undefined) return;
  throw new MemoryError(
    'unavailable',
    `This thread was stopped at ${toIsoTime(stoppedAt)}: it answers nothing and changes nothing.`,
    { hint: 'Call start_database (toolset sessions) to go on. Everything stored is still there.' },
  );
}
