/**
 * Meaning as vectors: embeds what is written and asked, keeps the vectors of the thread in memory,
 * and catches up on what the embedder failed at. Nothing here ever makes a write or a search fail.
 */
import { assert } from '#errors.ts';
import { writePassage, type Passage } from '#graph/text/passage.ts';
import type { FindableStatus } from '#graph/status.ts';
import type { Scope } from '#store/search/session-scope.ts';
import type { Store } from '#store/store.ts';
import type { Embedder, Pause } from './embed/embedder.ts';
import { workOffBacklog } from './embedding-backlog.ts';
import { isolateScanKernel } from './isolate-scan.ts';
import { openScopeIndex } from './scope-index.ts';
import {
  dequantise,
  quantise,
  VectorIndex,
  type Neighbour,
  type QuantisedVector,
  type Scan,
} from './vector-index.ts';

const LOAD_CHUNK = 2_000;

/** The vector of a passage that is about to be written. */
export type PreparedVector = QuantisedVector;

/** A question as it is compared: its vector, and the index to compare it with. */
export interface SemanticQuery {
  /** Vectors that there are to compare with. */
  readonly size: number;
  scan(limit: number): Scan;
  /** Cosine with one node; undefined when it has no vector. */
  similarityTo(nodeId: number): number | undefined;
}

export interface Semantics {
  readonly model: string;
  /**
   * The vector of a passage about to be written, for a write whose answer depends on it: every other
   * write leaves its passages to the job. Undefined when the embedder has none for it.
   */
  prepare(passage: Passage): Promise<PreparedVector | undefined>;
  /** Stores a prepared vector with a node of the open transaction, before the node's text. */
  attach(nodeId: number, vector: PreparedVector): void;
  /** Brings the index up to date on nodes that a revision touched, once it is committed. */
  follow(touched: () => readonly number[]): void;
  /** Active nodes whose meaning is nearest to a prepared vector. */
  near(vector: PreparedVector, limit: number): readonly Neighbour[];
  /** Active nodes nearest to a stored one, itself left out; undefined while it has no vector. */
  nearNode(nodeId: number, limit: number): readonly Neighbour[] | undefined;
  /**
   * The texts as they are compared with nodes of these statuses, and of a scope alone if there is
   * one, embedded together. Undefined when the embedder cannot answer or does not understand the
   * first: the search goes on without.
   */
  ask(
    texts: readonly [string, ...string[]],
    statuses: readonly FindableStatus[],
    scope?: Scope,
  ): Promise<readonly SemanticQuery[] | undefined>;
  /** True for a word whose vector would tell little: who asks for it looks for its letters. */
  spells(word: string): boolean;
  /**
   * Embeds some of what waits, oldest first, and stores it. Returns whether more waits. Rejects when
   * the embedder does. `pause` is awaited between slices of the work: others go on then.
   */
  catchUp(pause?: Pause): Promise<boolean>;
  readonly backlogSize: number;
  /** Whether the embedder answers at this moment: it is asked, past any cache. */
  isAnswering(): Promise<boolean>;
  /** Whether the vectors in memory are those that are stored. Loads them. */
  isIndexSound(): boolean;
  /** Vectors of active nodes in memory; null before the first question of an object's life. */
  readonly indexSize: number | null;
}

export function openSemantics(store: Store, embedder: Embedder): Semantics {
  const { model, dimensions } = embedder;
  let indexes: Readonly<Record<FindableStatus, VectorIndex>> | undefined;
  let scopes = openScopeIndex(store);

  /**
   * Loaded on the first question of an object's life, and kept current from then on. The same pass
   * finds what another model left.
   */
  function loadIndexes(): Readonly<Record<FindableStatus, VectorIndex>> {
    if (indexes) return indexes;
    // Apart, so that what is outdated neither crowds out nor outshines what is active.
    const openIndex = () => new VectorIndex(dimensions, isolateScanKernel());
    const loaded = { active: openIndex(), outdated: openIndex() };
    const outdated = new Set(store.vectors.outdatedNodes());
    let hasOthers = false;
    for (let afterId = 0; ;) {
      const page = store.vectors.list(afterId, LOAD_CHUNK);
      for (const { nodeId, vector, model: madeBy } of page) {
        const index = outdated.has(nodeId) ? loaded.outdated : loaded.active;
        if (madeBy === model) index.set(nodeId, vector);
        else hasOthers = true;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < LOAD_CHUNK) break;
      afterId = last.nodeId;
    }
    if (hasOthers) store.transaction(() => store.vectors.retireOthers(model));
    indexes = loaded;
    return loaded;
  }

  /** The write is committed: an index that cannot follow it is read again with the next question. */
  function follow(touched: () => readonly number[]): void {
    // Before the first question there is nothing to bring up to date, and nothing to read.
    if (indexes === undefined) return;
    try {
      const nodeIds = touched();
      scopes.follow(nodeIds);
      bringUpToDate(store, model, indexes, nodeIds);
    } catch {
      indexes = undefined;
      scopes = openScopeIndex(store);
    }
  }

  return {
    model,
    get backlogSize() {
      return store.vectors.backlogSize();
    },
    get indexSize() {
      return indexes?.active.size ?? null;
    },

    async prepare(passage) {
      const text = writePassage(passage);
      if (!embedder.understands(text)) return undefined;
      try {
        const [vector] = await embedder.embed([text], 'passage');
        return vector && quantise(vector);
      } catch {
        return undefined;
      }
    },

    attach: (nodeId, vector) => store.vectors.attach(nodeId, model, vector),

    follow,

    near(vector, limit) {
      return loadIndexes().active.scan(dequantise(vector), limit).neighbours;
    },

    nearNode(nodeId, limit) {
      const [stored] = store.vectors.find(model, [nodeId]);
      if (stored === undefined) return undefined;
      const { neighbours } = loadIndexes().active.scan(dequantise(stored.vector), limit + 1);
      return neighbours.filter((neighbour) => neighbour.nodeId !== nodeId).slice(0, limit);
    },

    async ask(texts, statuses, scope) {
      if (!embedder.understands(texts[0])) return undefined;
      try {
        const embedded = await embedder.embed([...texts], 'query');
        const loaded = loadIndexes();
        const vectors = statuses.map((status) => loaded[status]);
        const questions = embedded.map((query) => compareWith(vectors, query));
        if (scope === undefined) return questions;
        const members = [...scopes.members(scope)];
        return questions.map((question) => compareWithin(question, members));
      } catch {
        return undefined;
      }
    },

    spells: (word) => embedder.spells?.(word) ?? false,

    async catchUp(pause) {
      const { settled, isMoreWaiting } = await workOffBacklog(store, embedder, pause);
      follow(() => settled);
      return isMoreWaiting;
    },

    async isAnswering() {
      const { embed } = embedder.uncached ?? embedder;
      return embed(['Does it answer?'], 'query').then(
        ([vector]) => vector?.length === dimensions,
        () => false,
      );
    },

    isIndexSound() {
      const { active, outdated } = loadIndexes();
      return active.size + outdated.size === store.vectors.size(model);
    },
  };
}

/** Reads the vectors of nodes again. */
function bringUpToDate(
  store: Store,
  model: string,
  { active, outdated }: Readonly<Record<FindableStatus, VectorIndex>>,
  nodeIds: readonly number[],
): void {
  const current = new Map(store.vectors.find(model, nodeIds).map((found) => [found.nodeId, found]));
  for (const nodeId of nodeIds) {
    const found = current.get(nodeId);
    // Most of what a revision touches keeps its vector: an index that is left alone is compared faster.
    if (found?.status !== 'active') active.delete(nodeId);
    if (found?.status !== 'outdated') outdated.delete(nodeId);
    if (found) (found.status === 'active' ? active : outdated).set(nodeId, found.vector);
  }
}

/** A question to some of the nodes is answered as if there were no others. */
function compareWithin(question: SemanticQuery, members: readonly number[]): SemanticQuery {
  const compared = members.flatMap((nodeId) => {
    const similarity = question.similarityTo(nodeId);
    return similarity === undefined ? [] : [{ nodeId, similarity }];
  });
  const ranked = compared.toSorted((a, b) => b.similarity - a.similarity || a.nodeId - b.nodeId);
  const sum = ranked.reduce((total, { similarity }) => total + similarity, 0);
  return {
    size: ranked.length,
    scan: (limit) => ({
      neighbours: ranked.slice(0, limit),
      highest: ranked[0]?.similarity ?? -1,
      lowest: ranked.at(-1)?.similarity ?? 1,
      mean: ranked.length === 0 ? 0 : sum / ranked.length,
    }),
    similarityTo: (nodeId) => question.similarityTo(nodeId),
  };
}

/** One question to several indexes is answered as if they were one. */
function compareWith(indexes: readonly VectorIndex[], query: Float32Array): SemanticQuery {
  const [first, ...more] = indexes;
  assert(first !== undefined, 'a question is compared with some index');
  if (more.length === 0) {
    return {
      size: first.size,
      scan: (limit) => first.scan(query, limit),
      similarityTo: (nodeId) => first.similarityTo(query, nodeId),
    };
  }
  const size = indexes.reduce((sum, index) => sum + index.size, 0);
  return {
    size,
    scan(limit) {
      const scans = indexes.map((index) => ({
        ...index.scan(query, limit),
        share: index.size / (size || 1),
      }));
      return {
        neighbours: scans
          .flatMap(({ neighbours }) => neighbours)
          .toSorted((a, b) => b.similarity - a.similarity || a.nodeId - b.nodeId)
          .slice(0, limit),
        highest: Math.max(...scans.map(({ highest }) => highest)),
        lowest: Math.min(...scans.map(({ lowest }) => lowest)),
        mean: scans.reduce((sum, { mean, share }) => sum + mean * share, 0),
      };
    },
    similarityTo(nodeId) {
      for (const index of indexes) {
        const similarity = index.similarityTo(query, nodeId);
        if (similarity !== undefined) return similarity;
      }
      return undefined;
    },
  };
}
