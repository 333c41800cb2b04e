/** A thread whose every look into the tables is counted, called as its object calls tools. */
import { DEFAULT_LIMITS } from '#limits.ts';
import { openMemory } from '#memory/memory.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { openSemantics } from '#search/semantics.ts';
import { migrate } from '#store/schema/migrate.ts';
import { openSql, type Meter } from '#store/sql.ts';
import { extractiveSummarizer } from '#summarise/extractive-summarizer.ts';
import { openStore, type Store } from '#store/store.ts';
import { findTool } from '#tools/catalog.ts';
import type { ToolValue } from '#tools/define.ts';

/** One call of a function of `Store`. */
export interface StoreCall extends Meter {
  /** Table and function, such as `fulltext.matchWords`. */
  readonly name: string;
  readonly result: unknown;
  readonly ms: number;
}

export interface MeasuredCall extends Meter, ToolValue {
  readonly storeCalls: readonly StoreCall[];
  readonly ms: number;
}

export interface BenchThread {
  readonly store: Store;
  /** Forgets what is kept in memory, as an eviction does: the next question loads the vectors. */
  evict(): void;
  call(tool: string, input: Record<string, unknown>): Promise<MeasuredCall>;
}

export function openBenchThread(storage: DurableObjectStorage, embedder: Embedder): BenchThread {
  const sql = openSql(storage);
  migrate(sql);
  const calls: StoreCall[] = [];
  const store = countCalls(openStore(sql), sql.meter, calls);
  let semantics = openSemantics(store, embedder);

  return {
    store,
    evict() {
      semantics = openSemantics(store, embedder);
    },
    async call(name, input) {
      const tool = findTool(name);
      if (tool?.host !== 'thread') throw new Error(`There is no tool ${name}.`);
      const caller = { threadId: 'bench', actor: 'bench' };
      const now = Date.now();
      const world = {
        store,
        semantics,
        summarizer: extractiveSummarizer(),
        limits: DEFAULT_LIMITS,
        wokeAt: now,
        caller,
        tool: name,
        now,
      };
      const before = { ...sql.meter };
      calls.length = 0;
      const startedAt = performance.now();
      const answer = await tool.call(input, openMemory(world));
      return {
        ...answer,
        ms: performance.now() - startedAt,
        rowsRead: sql.meter.rowsRead - before.rowsRead,
        rowsWritten: sql.meter.rowsWritten - before.rowsWritten,
        storeCalls: [...calls],
      };
    },
  };
}

type AnyFunction = (...parameters: unknown[]) => unknown;

/** The same store, telling `calls` of each function of a table that is called and what it cost. */
function countCalls(store: Store, meter: Meter, calls: StoreCall[]): Store {
  const counted = (name: string, run: AnyFunction): AnyFunction => {
    return (...parameters) => {
      const { rowsRead, rowsWritten } = meter;
      const startedAt = performance.now();
      const result = run(...parameters);
      calls.push({
        name,
        result,
        ms: performance.now() - startedAt,
        rowsRead: meter.rowsRead - rowsRead,
        rowsWritten: meter.rowsWritten - rowsWritten,
      });
      return result;
    };
  };
  const tables = Object.entries(store).map(([table, functions]) => {
    if (typeof functions === 'function') return [table, functions];
    const pairs = Object.entries(functions).map(([name, run]) => [
      name,
      counted(`${table}.${name}`, run as AnyFunction),
    ]);
    return [table, Object.fromEntries(pairs)];
  });
  // The same names over the same functions: only what is told besides is new.
  return Object.fromEntries(tables) as Store;
}
