/** The one way to change a thread: a transaction with a revision, which is dropped if nothing changed. */
import { refuseWhenStopped } from './stopping.ts';
import type { World } from './world.ts';

export interface Writer {
  /** All of `work` or nothing of it. A throw undoes it and reaches the caller. */
  write<Result>(work: () => Result): Result;
  /** The revision that this call made; null while it has changed nothing. */
  readonly revision: number | null;
}

export function openWriter({ store, semantics, searches, now, caller, tool }: World): Writer {
  let revision: number | null = null;
  return {
    get revision() {
      return revision;
    },
    write(work) {
      const { id, result, isKept } = store.transaction(() => {
        refuseWhenStopped(store);
        const opened = store.revisions.open(now, caller.actor, tool);
        const made = work();
        return { id: opened, result: made, isKept: store.revisions.close(opened) };
      });
      // Also when nothing of the graph changed: indexes may have been mended.
      searches?.clear();
      if (isKept) {
        revision = id;
        semantics.follow(() => store.revisions.touchedNodes(id));
      }
      return result;
    },
  };
}
