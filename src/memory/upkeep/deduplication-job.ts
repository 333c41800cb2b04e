/**
 * Marks new facts that say the same as an older one (seed 002). The oldest stays and takes over
 * their edges; they stay readable as outdated, each with the reason. It goes through the facts by
 * their ids, so that each is compared once with all that are older.
 */
import { assert } from '#errors.ts';
import { formatId } from '#graph/ids.ts';
import { foldName } from '#graph/names.ts';
import { DEDUPLICATE_FACTS_MAX, DUPLICATE_CANDIDATES_MAX } from '#limits.ts';
import type { ComparedFact } from '#store/graph/duplicates.ts';
import type { Job } from './job.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

const NAME = 'deduplication';

/** What was there before the first run is left alone, but for the last day of it. */
const LOOK_BACK_MS = 24 * 60 * 60 * 1000;
/** Facts come in groups: one alarm sees to an hour of them. */
const DELAY_MS = 60 * 60 * 1000;

export function deduplicationJob(world: World, { write }: Writer): Job {
  const { store, limits, now } = world;
  const similarityMin = limits.duplicateSimilarityMin;
  return {
    name: NAME,
    isEnabled: similarityMin !== null,

    dueAt() {
      if (similarityMin === null) return undefined;
      const cursor = store.jobs.find(NAME)?.cursor ?? null;
      const [first] = store.duplicates.unseen(cursor ?? 0, 1);
      if (first === undefined) return undefined;
      return cursor === null ? now : first.createdAt + DELAY_MS;
    },

    run() {
      assert(similarityMin !== null, 'a job that is off is never due');
      const cursor =
        store.jobs.find(NAME)?.cursor ?? store.duplicates.lastBefore(now - LOOK_BACK_MS);
      const unseen = store.duplicates.unseen(cursor, DEDUPLICATE_FACTS_MAX);
      write(() => {
        for (const { nodeId } of unseen) mergeIntoOldest(world, nodeId, similarityMin);
        store.jobs.moveCursor(NAME, unseen.at(-1)?.nodeId ?? cursor);
      });
    },
  };
}

function mergeIntoOldest(world: World, nodeId: number, similarityMin: number): void {
  const { store, semantics, now } = world;
  const [fact] = store.duplicates.compared([nodeId]);
  if (fact === undefined) return;
  const near = (semantics.nearNode(nodeId, DUPLICATE_CANDIDATES_MAX) ?? [])
    .filter(({ similarity }) => similarity >= similarityMin)
    .map((neighbour) => neighbour.nodeId);
  const [oldest] = store.duplicates
    .compared(near)
    .filter((other) => isBefore(other, fact) && saysTheSame(other, fact))
    .toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  if (oldest === undefined) return;
  store.edges.redirect(fact.nodeId, oldest.nodeId);
  store.edges.removeAllOf(fact.nodeId);
  store.duplicates.markOutdated(fact.nodeId, `Duplicate of ${idOf(oldest)}.`, now);
  // What is said twice is remembered for as long as either was meant to be.
  const expiresAt = laterOf(oldest.expiresAt, fact.expiresAt);
  if (expiresAt !== oldest.expiresAt) store.duplicates.expireAt(oldest.nodeId, expiresAt);
}

function isBefore(a: ComparedFact, b: ComparedFact): boolean {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.nodeId < b.nodeId);
}

/**
 * About the same entity, or both about none, and in the same words. A vector alone cannot tell: to
 * the embedded model 'on Tuesday' and 'on Thursday' are 0.985 alike, 'rejects' and 'accepts' 0.97.
 */
function saysTheSame(a: ComparedFact, b: ComparedFact): boolean {
  return a.entityId === b.entityId && wordsOf(a.content) === wordsOf(b.content);
}

const ARTICLES = new Set(['a', 'an', 'the']);

/** In their order, without case, diacritics, punctuation and articles. */
function wordsOf(content: string): string {
  const words = foldName(content).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !ARTICLES.has(word)).join(' ');
}

function laterOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b);
}

function idOf({ nodeId, entityId }: ComparedFact): string {
  return formatId(entityId === null ? 'memory' : 'observation', nodeId);
}
