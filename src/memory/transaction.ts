/** The one way to change a thread: a transaction with a revision, which is dropped if nothing changed. */
import { enforceCaps, enforceTotals } from './capacity.ts';
import { refuseWhenStopped } from './stop-switch.ts';
import type { World } from './world.ts';

export interface Writer {
  /** All of `work` or nothing of it. A throw undoes it and reaches the caller. */
  write<Result>(work: () => Result): Result;
  /** As `write`, for work that inserts entities, facts and relations by `store.additions` alone. */
  writeAdditions<Result>(work: () => Result): Result;
  /**
   * All of `work` or nothing of it, where `work` puts another history in the place of what it writes:
   * a thread that held nothing becomes what another was.
   */
  restore<Result>(work: () => Result): Result;
  /**
   * All of `work` or nothing of it, where `work` takes its own changes out of the history: the revision stays
   * without them, as a mark. `work` is told its id, and gives the nodes that are gone; undefined if it did nothing.
   */
  forget(work: (revision: number) => readonly number[] | undefined): void;
  /** The revision that this call made; null while it has changed nothing. */
  readonly revision: number | null;
}

export function openWriter(world: World): Writer {
  const { store, semantics, searches, now, caller, tool } = world;
  let revision: number | null = null;

  function write<Result>(work: () => Result, countsItself: boolean): Result {
    const { id, result, isKept } = store.transaction(() => {
      refuseWhenStopped(store);
      const opened = store.revisions.open(now, caller.actor, tool, countsItself);
      const made = work();
      const isChanged = store.revisions.close(opened);
      if (isChanged) enforceCaps(world, opened);
      return { id: opened, result: made, isKept: isChanged };
    });
    // Also when nothing of the graph changed: indexes may have been repaired.
    searches?.clear();
    if (isKept) {
      revision = id;
      semantics.follow(() => store.revisions.touchedNodes(id));
    }
    return result;
  }

  return {
    get revision() {
      return revision;
    },
    write: (work) => write(work, false),
    writeAdditions: (work) => write(work, true),
    forget(work) {
      const { id, gone } = store.transaction(() => {
        refuseWhenStopped(store);
        const opened = store.revisions.open(now, caller.actor, tool);
        const nodeIds = work(opened);
        if (nodeIds === undefined) store.revisions.close(opened);
        return { id: opened, gone: nodeIds };
      });
      searches?.clear();
      if (gone === undefined) return;
      revision = id;
      semantics.follow(() => gone);
    },
    restore(work) {
      const { result, latest } = store.transaction(() => {
        refuseWhenStopped(store);
        store.revisions.open(now, caller.actor, tool);
        const made = work();
        enforceTotals(world);
        return { result: made, latest: store.revisions.last()?.id ?? null };
      });
      revision = latest;
      // What is new waits for its vector: no index in memory knows any of it.
      searches?.clear();
      return result;
    },
  };
}
