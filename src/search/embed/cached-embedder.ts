/**
 * Keeps the vectors of texts that were embedded lately. One for each object: what one thread asked
 * must not make another's answer faster. Vectors are shared: nobody writes into one.
 */
import { LRUCache } from 'lru-cache';
import { EMBEDDINGS_CACHE_BYTES_MAX } from '#limits.ts';
import type { Embedder, Pause, TextKind } from './embedder.ts';

export interface CachedEmbedder extends Embedder {
  /** Vectors that are kept. */
  readonly cacheSize: number;
  /** Keeps none of the texts and vectors of before. */
  clear(): void;
}

/** Keeps `itemsMax` vectors at most, and fewer where their texts are long. */
export function cachedEmbedder(embedder: Embedder, itemsMax: number): CachedEmbedder {
  const { model, dimensions } = embedder;
  const vectors = new LRUCache<string, Float32Array>({
    max: itemsMax,
    maxSize: EMBEDDINGS_CACHE_BYTES_MAX,
    sizeCalculation: (vector, key) => vector.byteLength + key.length * BYTES_PER_CHAR,
  });

  async function embedMissing(
    texts: readonly string[],
    kind: TextKind,
    pause?: Pause,
  ): Promise<Float32Array[]> {
    const found = texts.map((text) => vectors.get(keyOf(text, kind)));
    const missing = [...new Set(texts.filter((_, i) => found[i] === undefined))];
    const made = missing.length === 0 ? [] : await embedder.embed(missing, kind, pause);
    const fresh = new Map(made.map((vector, i) => [missing[i] ?? '', vector]));
    for (const [text, vector] of fresh) vectors.set(keyOf(text, kind), vector);
    return texts.flatMap((text, i) => found[i] ?? fresh.get(text) ?? []);
  }

  return {
    model,
    dimensions,
    uncached: embedder,
    understands: (text) => embedder.understands(text),
    spells: (word) => embedder.spells?.(word) ?? false,
    embed: embedMissing,
    clear: () => vectors.clear(),
    get cacheSize() {
      return vectors.size;
    },
  };

  function keyOf(text: string, kind: TextKind): string {
    return `${model}\n${kind}\n${text}`;
  }
}

const BYTES_PER_CHAR = 2;
