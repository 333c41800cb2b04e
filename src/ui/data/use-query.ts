/** Answers of the server in components. */
import { createContext } from 'preact';
import { useContext, useEffect, useReducer, useRef } from 'preact/hooks';
import { QueryCache, type QueryKey, type QueryState } from './cache.ts';

export const CacheContext = createContext(new QueryCache());

export interface Query<Value> extends QueryState<Value> {
  readonly retry: () => void;
}

/** Asks once for all components with the same key, and again when a write has made the answer stale. */
export function useQuery<Value>(key: QueryKey, fetcher: () => Promise<Value>): Query<Value> {
  const cache = useContext(CacheContext);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(fetcher);
  latest.current = fetcher;
  const text = JSON.stringify(key);
  useEffect(
    () =>
      cache.subscribe(
        key,
        () => latest.current(),
        () => rerender(undefined),
      ),
    [cache, text],
  );
  return { ...cache.read<Value>(key), retry: () => cache.invalidate(key) };
}
