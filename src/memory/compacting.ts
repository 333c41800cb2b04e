/** Upkeep: forgets old history and rebuilds what follows from the graph. It changes no answer. */
import { COMPACT_CHANGES_MAX, COMPACT_NODES_MAX } from '#limits.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

export interface Compacted {
  readonly revisions: number;
  readonly changes: number;
  /** Texts that were indexed anew, and those of them that had been indexed wrongly or not at all. */
  readonly texts: number;
  readonly strayTexts: number;
  /** Vectors of what is gone. */
  readonly vectors: number;
  /** Counts that were wrong. */
  readonly counts: number;
  readonly bytes: number;
  /** False when old history or part of the graph is left for the next call. */
  readonly isDone: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function compactionUseCases(world: World, { write }: Writer) {
  const { store, limits, now } = world;
  return {
    /** Does as much as one call should and remembers where to go on. */
    compact(): Compacted {
      const bytesBefore = store.sizeBytes();
      const done = write(() => {
        const stand = store.compactions.read();
        const before = now - limits.historyRetentionDays * DAY_MS;
        const pruned = store.revisions.prune(before, COMPACT_CHANGES_MAX);
        const range = store.derived.nextRange(stand.rebuiltTo, COMPACT_NODES_MAX);
        const isLast = store.derived.isLastRange(range);
        const { texts, strays } = store.derived.rebuildText(range);
        store.derived.mergeText();
        const vectors = store.derived.mendVectors(range);
        const entities = store.derived.recountEntities(range);
        const counters = isLast ? store.sessions.recount() + store.derived.recount() : 0;
        store.compactions.write({
          horizon: pruned.horizon?.id ?? stand.horizon,
          horizonAt: pruned.horizon?.at ?? stand.horizonAt,
          rebuiltTo: isLast ? 0 : range.toId,
        });
        return {
          revisions: pruned.revisions,
          changes: pruned.changes,
          texts,
          strayTexts: strays,
          vectors,
          counts: entities + counters,
          isDone: isLast && !pruned.isCut,
        };
      });
      return { ...done, bytes: Math.max(0, bytesBefore - store.sizeBytes()) };
    },
  };
}
