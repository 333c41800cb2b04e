/** A thread that a test runs from inside of its object: with limits of its own, and an embedder that it holds back. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { readLimits } from '#env.ts';
import { MemoryError } from '#errors.ts';
import type { Limits } from '#limits.ts';
import { openMemory } from '#memory/memory.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { openSemantics } from '#search/semantics.ts';
import { checkInvariants } from '#store/derived/invariants.ts';
import type { Sql, SqlValue } from '#store/sql.ts';
import { openStore } from '#store/store.ts';
import { openEmbedder } from '#thread/embedder.ts';
import { openSummarizer } from '#thread/summarizer.ts';
import { findTool } from '#tools/catalog.ts';
import { openTables } from './tables.ts';
import { NOTHING_WAITS } from './waiting.ts';

export interface Call {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

export const call = (tool: string, input: Record<string, unknown> = {}): Call => ({ tool, input });

export interface InnerThread {
  /** The value of the tool, or the data of its error. */
  run(step: Call): Promise<any>;
  /** Holds back the next embedding until `open` is called; `reached` tells that it has begun. */
  pauseNextEmbedding(): { readonly reached: Promise<void>; open(): void };
  /** Nodes that wait for their vector. */
  countWaiting(): number;
  /** Makes the vectors of all that waits. */
  embedAll(): Promise<void>;
  dump(): Record<string, unknown>;
  /** Adds a piece to a file that is being imported. Throws as that does. */
  stageImport(id: string, piece: Uint8Array): void;
  /** Runs a statement past the tools, for what only time brings about. */
  execute(statement: string, ...values: SqlValue[]): void;
}

const TABLES = [
  'node',
  'entity',
  'fact',
  'edge',
  'revision',
  'change',
  'counter',
  'total',
  'node_version',
];
const NOW = Date.UTC(2026, 0, 20);

/** Runs inside of an object, past its own tools, so that the embedder can be held back. */
export function inNewThread<Result>(
  work: (thread: InnerThread) => Promise<Result>,
  limits: Partial<Limits> = {},
): Promise<Result> {
  const stub = env.THREAD.getByName(`pausable-${crypto.randomUUID()}`);
  return runInDurableObject(stub, async (_, state) => {
    const sql = openTables(state.storage);
    const result = await work(openInner(sql, { ...readLimits(env), ...limits }));
    const faults = checkInvariants(sql);
    if (faults.length > 0) throw new Error(`Not so: ${JSON.stringify(faults, null, 2)}`);
    sql.script(NOTHING_WAITS);
    await state.storage.deleteAlarm();
    return result;
  });
}

function openInner(sql: Sql, limits: Limits): InnerThread {
  const store = openStore(sql);
  const embedder = openEmbedder(env);
  let waiting: { reach(): void; readonly opened: Promise<void> } | undefined;
  const pausable: Embedder = {
    ...embedder,
    async embed(texts, kind) {
      const gate = waiting;
      waiting = undefined;
      gate?.reach();
      await gate?.opened;
      return embedder.embed(texts, kind);
    },
  };
  const semantics = openSemantics(store, pausable);

  const baseWorld = (tool: string) => ({
    store,
    semantics,
    limits,
    caller: { threadId: 'pausable', actor: 'tester' },
    tool,
    isRemoval: findTool(tool)?.effect === 'remove',
    now: NOW,
    summarizer: openSummarizer(env),
    wokeAt: NOW,
  });

  return {
    stageImport(id, piece) {
      openMemory(baseWorld('import_database')).importing.stage(id, piece);
    },
    execute: (statement, ...values) => void sql.run(statement, ...values),
    async run({ tool, input }) {
      const found = findTool(tool);
      if (found?.host !== 'thread') throw new Error(`${tool} is no tool of a thread.`);
      try {
        return await found.call(input, openMemory(baseWorld(tool)));
      } catch (error) {
        if (error instanceof MemoryError) return error.toData();
        throw error;
      }
    },
    pauseNextEmbedding() {
      const reached = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      waiting = { reach: reached.resolve, opened: opened.promise };
      return { reached: reached.promise, open: opened.resolve };
    },
    countWaiting: () => store.vectors.backlogSize(),
    async embedAll() {
      while (await semantics.catchUp()) continue;
    },
    dump: () =>
      Object.fromEntries(TABLES.map((table) => [table, sql.all(`SELECT * FROM ${table}`)])),
  };
}
