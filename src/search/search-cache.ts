/**
 * Answers of `hybrid` that are still true. Whoever changes what may be found clears it; what changes
 * by time alone, an expiry, ends an answer's life by itself.
 */
import { LRUCache } from 'lru-cache';
import type { Found } from './hit.ts';

export interface SearchCache {
  find(key: string): Found | undefined;
  /** Until its time is over, or `until` (epoch milliseconds), whichever is first. */
  keep(key: string, found: Found, until: number): void;
  clear(): void;
  /** Keeps no answer for longer than this from now on: some nodes got their vectors, more will. */
  shorten(ms: number): void;
  /** Another one after each `clear`: an answer that was begun under an earlier one is not to be kept. */
  readonly era: number;
  /** Answers that would be given. */
  readonly size: number;
}

export function openSearchCache(
  { itemsMax, ttlSeconds }: { readonly itemsMax: number; readonly ttlSeconds: number },
  now: () => number = Date.now,
): SearchCache {
  const answers = new LRUCache<string, Found>({
    max: itemsMax,
    // The clock that `expires_at` is compared with. A resolution would set a timer.
    perf: { now },
    ttl: ttlSeconds * 1000,
    ttlResolution: 0,
  });
  let era = 0;
  return {
    get era() {
      return era;
    },
    find: (key) => answers.get(key),
    keep(key, found, until) {
      // The cache still gives what is as old as its time; at that moment the node has expired.
      const ttl = Math.min(ttlSeconds * 1000, until - now() - 1);
      if (ttl > 0) answers.set(key, found, { ttl });
    },
    clear() {
      era += 1;
      answers.clear();
    },
    shorten(ms) {
      era += 1;
      // A copy, oldest first: setting one makes it the newest.
      for (const [key, { value }] of answers.dump()) {
        const left = answers.getRemainingTTL(key);
        if (left > 0) answers.set(key, value, { ttl: Math.min(left, ms) });
      }
    },
    get size() {
      answers.purgeStale();
      return answers.size;
    },
  };
}
