/** Memories: facts that stand alone (seed 003). A memory and an observation are found by one search. */
import { assert, MemoryError } from '#errors.ts';
import { normaliseContent, type Fact } from '#graph/fact.ts';
import { findFactTextProblem, refuseProblems } from '#graph/rules/node-rules.ts';
import { ACCESS_RECORDED_EVERY_MS } from '#limits.ts';
import { hybrid, type Closeness } from '#search/hybrid.ts';
import { findLikelyOutdated } from './likely-outdated.ts';
import { addFact, factPassage } from './observations.ts';
import { supersedeFact } from './supersede-memory.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface NewMemory {
  readonly content: string;
  readonly confidence: number;
  readonly source: string;
}

export interface StoredMemory {
  readonly created: Fact;
  /** Current facts that it may have made outdated, likeliest first. */
  readonly similar: readonly Fact[];
}

export interface FoundMemory {
  readonly fact: Fact;
  /** 0 to 1; comparable within one answer only. */
  readonly relevance: number;
}

export interface FoundMemories {
  readonly memories: readonly FoundMemory[];
  readonly closeness: Closeness;
}

/** Facts of the whole thread, whatever they are about. */
const ANY_FACT = {
  kinds: ['fact'],
  entityType: null,
  isOfGraph: false,
  perEntity: 1_000,
} as const;

/** The best possible score without the bonus of a name: both halves, and a neighbour as good. */
const SCORE_MAX = 1.3;

export function memoryUseCases(world: World, { write }: Writer) {
  const { store, semantics, limits } = world;
  return {
    /** Always stores what may be stored at all; what it resembles is for the caller to judge. */
    async store({ content: given, confidence, source }: NewMemory): Promise<StoredMemory> {
      refuseProblems([findFactTextProblem(given, { ...limits, textCharsMax: Infinity })]);
      const content = normaliseContent(given);
      const vector = await semantics.prepare(factPassage(undefined, content));
      const { nodeId, same } = write(() => ({
        same: store.facts.findCurrent(null, content),
        nodeId: addFact(world, { entity: null, content, confidence, source }, vector),
      }));
      const [created] = store.facts.findByIds([nodeId]);
      assert(created !== undefined, 'a memory just stored is there');
      return { created, similar: findLikelyOutdated(world, created, same, vector) };
    },

    /** Throws `not_found`, and `conflict` or `invalid_input` for what cannot be superseded so. */
    supersede(oldId: string, newId: string): void {
      write(() => supersedeFact(world, oldId, newId));
    },

    /**
     * The best current facts, those that match first. Throws `unavailable` where nothing was found because the
     * embedder does not answer: to say that nothing is remembered could be wrong.
     */
    async search(query: string, limit: number): Promise<FoundMemories> {
      const { hits, closeness } = await hybrid(world, query, ANY_FACT, { limit });
      if (closeness !== 'close') await refuseIfUnasked(world, query);
      const scores = new Map(hits.map(({ nodeId, score }) => [nodeId, score]));
      const facts = recordAccess(world, store.facts.findByIds([...scores.keys()]));
      const memories = facts.map((fact) => ({
        fact,
        relevance: Math.min(1, (scores.get(fact.nodeId) ?? 0) / SCORE_MAX),
      }));
      return { memories, closeness };
    },

    /** Current facts, last stored first. */
    listRecent: (limit: number): Fact[] => store.facts.listRecent(limit),
  };
}

/**
 * Notes when facts were last returned, in one statement and once in a while each: a search that is
 * asked often writes nothing. To be read is no change, so it makes no revision and clears no cache.
 */
function recordAccess({ store, now }: World, facts: readonly Fact[]): Fact[] {
  const isDue = ({ accessedAt, createdAt }: Fact) =>
    (accessedAt ?? createdAt) <= now - ACCESS_RECORDED_EVERY_MS;
  const due = facts.filter(isDue).map(({ nodeId }) => nodeId);
  if (due.length > 0) store.nodes.recordAccess(due, now);
  return facts.map((fact) => (isDue(fact) ? { ...fact, accessedAt: now } : fact));
}

/** Asks once more: the question is in the cache when it was understood the first time. */
async function refuseIfUnasked({ store, semantics }: World, query: string): Promise<void> {
  if (store.nodes.greatestId() === 0) return;
  if ((await semantics.ask([query], ['active'])) !== undefined) return;
  // A script that the model never learnt is no failure.
  if (await semantics.isAnswering()) return;
  const problem = 'The embedder does not answer, and no memory shares a word with the query.';
  throw new MemoryError('unavailable', problem, {
    hint: 'Try again in a moment, or search with words that the memory may contain.',
    faults: [{ path: 'query', problem }],
  });
}
