/**
 * Answers of `hybrid` that are still true. Whoever changes what may be found clears it; what changes
 * by time alone, an expiry, ends an answer's life by itself.
 */
import { LRUCache } from 'lru-cache';
import type { Hit } from './hit.ts';

export interface SearchCache {
  find(key: string): readonly Hit[] | undefined;
  /** Until its time is over, or `until` (epoch milliseconds), whichever is first. */
  keep(key: string, hits: readonly Hit[], until: number): void;
  clear(): void;
  /** Answers that would be given. */
  readonly size: number;
}

export function openSearchCache(
  { itemsMax, ttlSeconds }: { readonly itemsMax: number; readonly ttlSeconds: number },
  now: () => number = Date.now,
): SearchCache {
  const answers = new LRUCache<string, readonly Hit[]>({
    max: itemsMax,
    // The clock that `expires_at` is compared with. A resolution would set a timer.
    perf: { now },
    ttl: ttlSeconds * 1000,
    ttlResolution: 0,
  });
  return {
    find: (key) => answers.get(key),
    keep(key, hits, until) {
      const ttl = Math.min(ttlSeconds * 1000, until - now());
      if (ttl > 0) answers.set(key, hits, { ttl });
    },
    clear: () => answers.clear(),
    get size() {
      answers.purgeStale();
      return answers.size;
    },
  };
}
