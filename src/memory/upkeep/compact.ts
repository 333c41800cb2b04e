/**
 * Upkeep: forgets old history and rebuilds what follows from the graph, which changes no answer. Old
 * versions of facts go only when that is asked for, and can come back while their removal is history.
 */
import {
  COMPACT_CHANGES_MAX,
  COMPACT_FACTS_MAX,
  COMPACT_NODES_MAX,
  COMPACT_TEXT_BYTES_MAX,
} from '#limits.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface Compacted {
  readonly revisions: number;
  readonly changes: number;
  /** Superseded facts that were removed. */
  readonly versions: number;
  /** Texts that were indexed anew, and those of them that had been indexed wrongly or not at all. */
  readonly texts: number;
  readonly strayTexts: number;
  /** Vectors of what is gone. */
  readonly vectors: number;
  /** Counts that were wrong. */
  readonly counts: number;
  readonly bytes: number;
  /** False when old history, old versions or part of the graph is left for the next call. */
  readonly isDone: boolean;
}

export interface CompactOptions {
  readonly dropSuperseded?: boolean | undefined;
  /** How old a change must be to be forgotten; what the deployment keeps if it is left out. */
  readonly olderThanDays?: number | undefined;
}

/** What one call rebuilds. */
const RANGE = { nodesMax: COMPACT_NODES_MAX, bytesMax: COMPACT_TEXT_BYTES_MAX };

const DAY_MS = 24 * 60 * 60 * 1000;

export function compactionUseCases(world: World, { write }: Writer) {
  const { store, limits, now } = world;
  return {
    /** Does as much as one call should and remembers where to go on. */
    compact({
      dropSuperseded = false,
      olderThanDays = limits.historyRetentionDays,
    }: CompactOptions = {}): Compacted {
      const bytesBefore = store.sizeBytes();
      const done = write(() => {
        const stand = store.compactions.read();
        const before = now - olderThanDays * DAY_MS;
        const pruned = store.revisions.prune(before, COMPACT_CHANGES_MAX);
        const dropped = dropSuperseded ? dropVersions(world) : { versions: 0, isCut: false };
        const range = store.derived.nextRange(stand.rebuiltTo, RANGE);
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
          versions: dropped.versions,
          texts,
          strayTexts: strays,
          vectors,
          counts: entities + counters,
          isDone: isLast && !pruned.isCut && !dropped.isCut,
        };
      });
      return { ...done, bytes: Math.max(0, bytesBefore - store.sizeBytes()) };
    },
  };
}

/** Whole histories of facts, one at least: what is left of a chain is its last link. */
function dropVersions({ store }: World): { versions: number; isCut: boolean } {
  const found = store.facts.currentWithVersions(COMPACT_FACTS_MAX + 1);
  const current: number[] = [];
  const old: number[] = [];
  for (const nodeId of found) {
    const versions = store.facts.withEarlierVersions([nodeId]).filter((id) => id !== nodeId);
    if (old.length > 0 && old.length + versions.length > COMPACT_FACTS_MAX) break;
    current.push(nodeId);
    old.push(...versions);
  }
  store.facts.forgetVersions(current);
  store.nodes.removeFacts(old);
  return { versions: old.length, isCut: current.length < found.length };
}
