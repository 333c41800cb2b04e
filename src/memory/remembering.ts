/** Memories: facts that stand alone (seed 003). A memory and an observation are found by one search. */
import { assert } from '#errors.ts';
import { normaliseContent, type Fact } from '#graph/fact.ts';
import { hybrid } from '#search/hybrid.ts';
import type { PreparedVectors } from '#search/semantics.ts';
import { addFact, factPassage } from './observing.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

export interface NewMemory {
  readonly content: string;
  readonly confidence: number;
  readonly source: string;
}

export interface StoredMemory {
  readonly created: Fact;
  /** Current facts that say much the same, most alike first. */
  readonly similar: readonly Fact[];
}

export interface FoundMemory {
  readonly fact: Fact;
  /** 0 to 1; comparable within one answer only. */
  readonly relevance: number;
}

/** Facts of the whole thread, whatever they are about. */
const ANY_FACT = {
  kinds: ['fact'],
  entityType: null,
  isOfGraph: false,
  perEntity: 1_000,
} as const;

const SIMILAR_MAX = 5;
/** Cosine from which two statements are worth comparing. A first guess, not yet set on data. */
const SIMILARITY_MIN = 0.55;

/** The best possible score without the bonus of a name: both halves, and a neighbour as good. */
const SCORE_MAX = 1.3;

export function memoryUseCases(world: World, { write }: Writer) {
  const { store, semantics } = world;
  return {
    /** Always stores; what it resembles is for the caller to judge. */
    async store({ content: given, confidence, source }: NewMemory): Promise<StoredMemory> {
      const content = normaliseContent(given);
      const passage = factPassage(undefined, content);
      const prepared: PreparedVectors = await semantics.prepare([passage]);
      const nodeId = write(() =>
        addFact(world, { entity: null, content, confidence, source }, prepared),
      );
      const near = semantics
        .near(passage, prepared, SIMILAR_MAX + 1)
        .filter(({ similarity }) => similarity >= SIMILARITY_MIN)
        .map((neighbour) => neighbour.nodeId)
        .filter((id) => id !== nodeId);
      const [created] = store.facts.findByIds([nodeId]);
      assert(created !== undefined, 'a memory just stored is there');
      const similar = store.facts
        .findByIds(near)
        .filter(({ supersededBy }) => supersededBy === null)
        .slice(0, SIMILAR_MAX);
      return { created, similar };
    },

    /** Current facts that match, best first. */
    async search(query: string, limit: number): Promise<FoundMemory[]> {
      const hits = await hybrid(world, query, ANY_FACT, limit);
      const scores = new Map(hits.map(({ nodeId, score }) => [nodeId, score]));
      return store.facts.findByIds([...scores.keys()]).map((fact) => ({
        fact,
        relevance: Math.min(1, (scores.get(fact.nodeId) ?? 0) / SCORE_MAX),
      }));
    },
  };
}
