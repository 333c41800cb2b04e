/**
 * Answers of the server by key, shared by all components. A write, and later what another page or an agent
 * wrote, marks answers as stale; components that show one ask again and keep the old one until then.
 */

/** The first part is the thread, the others what is asked: `['atlas', 'card', 'Ada', '']`. */
export type QueryKey = readonly string[];

export interface QueryState<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

interface Entry {
  state: QueryState<unknown>;
  fetcher: (() => Promise<unknown>) | undefined;
  isStale: boolean;
  run: number;
  readonly listeners: Set<() => void>;
}

const EMPTY: QueryState<never> = { value: undefined, error: undefined, isLoading: true };

export class QueryCache {
  readonly #entries = new Map<string, Entry>();

  /** Calls `listener` after each change of the state, until the returned function is called. */
  subscribe(key: QueryKey, fetcher: () => Promise<unknown>, listener: () => void): () => void {
    const entry = this.#entryOf(key);
    entry.fetcher = fetcher;
    entry.listeners.add(listener);
    if (entry.isStale) void this.#load(entry);
    return () => entry.listeners.delete(listener);
  }

  read<Value>(key: QueryKey): QueryState<Value> {
    return (this.#entries.get(textOf(key))?.state ?? EMPTY) as QueryState<Value>;
  }

  /** Replaces an answer by what is already known of it. Does nothing for one that was never asked. */
  patch<Value>(key: QueryKey, change: (value: Value) => Value): void {
    const entry = this.#entries.get(textOf(key));
    if (entry?.state.value === undefined) return;
    this.#set(entry, { ...entry.state, value: change(entry.state.value as Value) });
  }

  /** Marks as stale every answer whose key begins so; those that are shown are asked for again. */
  invalidate(prefix: QueryKey, isKept: (key: QueryKey) => boolean = () => false): void {
    for (const [text, entry] of this.#entries) {
      const key = JSON.parse(text) as string[];
      if (!prefix.every((part, i) => key[i] === part) || isKept(key)) continue;
      entry.isStale = true;
      if (entry.listeners.size > 0) void this.#load(entry);
    }
  }

  #entryOf(key: QueryKey): Entry {
    const text = textOf(key);
    let entry = this.#entries.get(text);
    if (entry === undefined) {
      entry = { state: EMPTY, fetcher: undefined, isStale: true, run: 0, listeners: new Set() };
      this.#entries.set(text, entry);
    }
    return entry;
  }

  /** Of two that run at once, the later one counts. */
  async #load(entry: Entry): Promise<void> {
    if (entry.fetcher === undefined) return;
    entry.isStale = false;
    const run = ++entry.run;
    this.#set(entry, { ...entry.state, isLoading: true });
    try {
      const value = await entry.fetcher();
      if (run === entry.run) this.#set(entry, { value, error: undefined, isLoading: false });
    } catch (error) {
      if (run !== entry.run) return;
      entry.isStale = true;
      const fault = error instanceof Error ? error : new Error(String(error));
      this.#set(entry, { ...entry.state, error: fault, isLoading: false });
    }
  }

  #set(entry: Entry, state: QueryState<unknown>): void {
    entry.state = state;
    for (const listener of entry.listeners) listener();
  }
}

function textOf(key: QueryKey): string {
  return JSON.stringify(key);
}
