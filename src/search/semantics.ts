/**
 * Meaning as vectors: embeds what is written and asked, keeps the vectors of the thread in memory,
 * and catches up on what the embedder failed at. Nothing here ever makes a write or a search fail.
 */
import { writePassage, type Passage } from '#graph/passage.ts';
import type { Store } from '#store/store.ts';
import type { Embedder } from './embed/embedder.ts';
import {
  dequantise,
  quantise,
  VectorIndex,
  type Neighbour,
  type QuantisedVector,
  type Scan,
} from './vector-index.ts';

/** Passages that a write waits for; the rest of a large save follows by job. */
const INLINE_MAX = 32;
/** Passages embedded at a time by the job: some tenths of a second of one core. */
const BACKLOG_CHUNK = 32;
const LOAD_CHUNK = 2_000;

export type PreparedVectors = ReadonlyMap<string, QuantisedVector>;

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
  /** Vectors of passages about to be written, by passage text; those that failed are missing. */
  prepare(passages: readonly Passage[]): Promise<PreparedVectors>;
  /** Stores a prepared vector with a node of the open transaction, before the node's text. */
  attach(nodeId: number, passage: Passage, prepared: PreparedVectors): void;
  /** Brings the index up to date on nodes that a revision touched, once it is committed. */
  follow(touched: () => readonly number[]): void;
  /** Nodes whose meaning is nearest to a passage that was prepared; none when it was not. */
  near(passage: Passage, prepared: PreparedVectors, limit: number): readonly Neighbour[];
  /**
   * The texts as they are compared, embedded together. Undefined when the embedder cannot answer or
   * does not understand the first: the search goes on without.
   */
  ask(texts: readonly [string, ...string[]]): Promise<readonly SemanticQuery[] | undefined>;
  /** Embeds some of what waits. Returns whether more waits. Rejects when the embedder does. */
  catchUp(): Promise<boolean>;
  readonly backlogSize: number;
  /** Vectors in memory; null before the first question of an object's life. */
  readonly indexSize: number | null;
}

export function openSemantics(store: Store, embedder: Embedder): Semantics {
  const { model, dimensions } = embedder;
  let index: VectorIndex | undefined;

  /**
   * Loaded on the first question of an object's life, and kept current from then on. The same pass
   * finds what another model left.
   */
  function loadIndex(): VectorIndex {
    if (index) return index;
    const loaded = new VectorIndex(dimensions);
    let hasOthers = false;
    for (let afterId = 0; ;) {
      const page = store.vectors.list(afterId, LOAD_CHUNK);
      for (const { nodeId, vector, model: madeBy } of page) {
        if (madeBy === model) loaded.set(nodeId, vector);
        else hasOthers = true;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < LOAD_CHUNK) break;
      afterId = last.nodeId;
    }
    if (hasOthers) store.transaction(() => store.vectors.retireOthers(model));
    index = loaded;
    return loaded;
  }

  return {
    model,
    get backlogSize() {
      return store.vectors.backlogSize();
    },
    get indexSize() {
      return index?.size ?? null;
    },

    async prepare(passages) {
      const written = passages.map(writePassage).filter((text) => embedder.understands(text));
      const texts = [...new Set(written)].slice(0, INLINE_MAX);
      if (texts.length === 0) return new Map();
      try {
        const vectors = await embedder.embed(texts, 'passage');
        return new Map(vectors.map((vector, i) => [texts[i] ?? '', quantise(vector)]));
      } catch {
        return new Map();
      }
    },

    attach(nodeId, passage, prepared) {
      const vector = prepared.get(writePassage(passage));
      if (vector === undefined) return;
      store.vectors.insert(nodeId, model, vector);
    },

    follow(touched) {
      // Before the first question there is nothing to bring up to date, and nothing to read.
      if (index === undefined) return;
      const nodeIds = touched();
      const current = new Map(
        store.vectors.find(model, nodeIds).map(({ nodeId, vector }) => [nodeId, vector]),
      );
      for (const nodeId of nodeIds) {
        const vector = current.get(nodeId);
        if (vector === undefined) index.delete(nodeId);
        else index.set(nodeId, vector);
      }
    },

    near(passage, prepared, limit) {
      const vector = prepared.get(writePassage(passage));
      if (vector === undefined) return [];
      return loadIndex().scan(dequantise(vector), limit).neighbours;
    },

    async ask(texts) {
      if (!embedder.understands(texts[0])) return undefined;
      try {
        const embedded = await embedder.embed([...texts], 'query');
        const vectors = loadIndex();
        return embedded.map((query) => ({
          size: vectors.size,
          scan: (limit) => vectors.scan(query, limit),
          similarityTo: (nodeId) => vectors.similarityTo(query, nodeId),
        }));
      } catch {
        return undefined;
      }
    },

    async catchUp() {
      const waiting = store.vectors.backlog(BACKLOG_CHUNK);
      if (waiting.length === 0) return false;
      const texts = waiting.map(({ passage }) => writePassage(passage));
      const understood = texts.filter((text) => embedder.understands(text));
      const embedded = await embedder.embed(understood, 'passage');
      const vectorOf = new Map(understood.map((text, i) => [text, embedded[i]]));
      // Others may have written meanwhile: only what still waits and still says the same is settled.
      const current = new Map(
        store.vectors.backlog(BACKLOG_CHUNK * 2).map(({ nodeId, passage }) => [nodeId, passage]),
      );
      const settled = store.transaction(() =>
        waiting.flatMap(({ nodeId }, i) => {
          const passage = current.get(nodeId);
          const text = texts[i];
          if (text === undefined || !passage || writePassage(passage) !== text) return [];
          // Without a direction it is near nothing, and it waits no longer.
          const quantised = quantise(vectorOf.get(text) ?? new Float32Array(dimensions));
          return store.vectors.settle(nodeId, model, quantised) ? [{ nodeId, quantised }] : [];
        }),
      );
      for (const { nodeId, quantised } of settled) index?.set(nodeId, quantised);
      return store.vectors.hasBacklog();
    },
  };
}
