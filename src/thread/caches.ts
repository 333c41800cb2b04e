/** What one object keeps of what it computed. All of it may be gone at any time. */
import type { CacheLimits } from '#limits.ts';
import type { CacheState } from '#memory/world.ts';
import { cachedEmbedder } from '#search/embed/cached-embedder.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { openSearchCache, type SearchCache } from '#search/search-cache.ts';

export interface Caches {
  /** The embedder, which asks its cache first. */
  readonly embedder: Embedder;
  /** Undefined when it is switched off. */
  readonly searches: SearchCache | undefined;
  state(): CacheState;
  clear(): void;
}

export function openCaches(limits: CacheLimits, embedder: Embedder): Caches {
  const { embeddingsMax, searchesMax, searchTtlSeconds } = limits;
  const cached = embeddingsMax > 0 ? cachedEmbedder(embedder, embeddingsMax) : undefined;
  const searches =
    searchesMax > 0
      ? openSearchCache({ itemsMax: searchesMax, ttlSeconds: searchTtlSeconds })
      : undefined;
  return {
    embedder: cached ?? embedder,
    searches,
    state: () => ({ limits, embeddings: cached?.cacheSize ?? 0, searches: searches?.size ?? 0 }),
    clear() {
      cached?.clear();
      searches?.clear();
    },
  };
}
