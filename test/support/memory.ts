/** A fresh thread for one test, called as a client's tools call it, and checked when it is let go. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { ErrorData } from '#errors.ts';
import { openDirectory, openThread } from '#test/open-thread.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import type { Outcome } from '#thread/outcome.ts';
import { checkInvariants } from '#store/derived/invariants.ts';
import { hasTables } from '#store/schema/migrate.ts';
import { findTool } from '#tools/catalog.ts';
import { openSql, type Meter, type SqlValue } from '#store/sql.ts';
import { openTables } from './tables.ts';
import { until } from './until.ts';
import { NOTHING_WAITS } from './waiting.ts';

export interface TestMemory extends AsyncDisposable {
  readonly threadId: string;
  /** The tool's value; throws when the call fails with an error. */
  call(tool: string, input?: Record<string, unknown>): Promise<Record<string, any>>;
  /** The error of a call that must fail. */
  fail(tool: string, input?: Record<string, unknown>): Promise<ErrorData>;
  outcome(tool: string, input?: Record<string, unknown>): Promise<Outcome>;
  /** Throws the object out of memory, as the platform does at any time. */
  evict(): Promise<void>;
  /** Waits until everything that may be found by its meaning has its vector. */
  embedAll(): Promise<void>;
  /** Waits until the directory of the subject knows of the first write. */
  register(): Promise<void>;
  /** Sets off the alarm, if one is set. */
  runAlarm(): Promise<void>;
  /** Rows of a query against the thread's own database. */
  query<Row = Record<string, any>>(query: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Rows read and written by one call. */
  measure(tool: string, input?: Record<string, unknown>): Promise<Meter>;
}

type ThreadStub = ReturnType<typeof env.THREAD.getByName>;

/** Sets off the alarm, if one is set, until something holds. */
function runAlarmUntil(stub: ThreadStub, isSo: () => Promise<boolean>): Promise<void> {
  return until(async () => {
    if (await isSo()) return true;
    await runDurableObjectAlarm(stub);
    return isSo();
  });
}

/** Sets off the alarm of a thread's object, or waits for the platform's, until nothing waits for a vector. */
export async function embedAll(stub: ThreadStub): Promise<void> {
  const isWaiting = () =>
    runInDurableObject(
      stub,
      (_, { storage }) =>
        hasTables(openSql(storage)) &&
        storage.sql.exec('SELECT 1 FROM awaiting_vector LIMIT 1').toArray().length > 0,
    );
  await runAlarmUntil(stub, async () => !(await isWaiting()));
}

/** A thread of its own, or the memory of one of its owners. */
export async function openTestMemory(
  // Test files share their storage.
  {
    subject = 'test',
    threadId = `test-${crypto.randomUUID()}`,
    owner,
  }: { subject?: string; threadId?: string; owner?: string } = {},
): Promise<TestMemory> {
  const address = { subject, threadId, owner };
  const stub = env.THREAD.getByName(threadObjectName(address));
  const caller = { threadId, actor: 'tester', seesBackups: true };
  const outcome = (tool: string, input: Record<string, unknown> = {}) =>
    findTool(tool)?.host === 'directory'
      ? openDirectory(env, subject, null)(tool, input, caller)
      : openThread(env, address)(tool, input, caller);

  const isRegistered = () =>
    runInDurableObject(
      stub,
      (_, { storage }) =>
        hasTables(openSql(storage)) &&
        storage.sql
          .exec("SELECT 1 FROM job WHERE name = 'directory' AND cursor IS NOT NULL")
          .toArray().length > 0,
    );

  return {
    threadId,
    outcome,
    async call(tool, input) {
      const result = await outcome(tool, input);
      if (!result.ok) throw new Error(`${tool}: ${JSON.stringify(result.error)}`);
      return result.value;
    },
    async fail(tool, input) {
      const result = await outcome(tool, input);
      if (result.ok) throw new Error(`${tool} did not fail: ${JSON.stringify(result.value)}`);
      return result.error;
    },
    evict: () => evictDurableObject(stub),
    embedAll: () => embedAll(stub),
    async register() {
      // The platform may have set the alarm off itself, and be at it.
      await runAlarmUntil(stub, isRegistered);
    },
    async runAlarm() {
      await runDurableObjectAlarm(stub);
    },
    query: <Row>(query: string, ...values: SqlValue[]) =>
      runInDurableObject(stub, (_, { storage }) => {
        // A thread that was never written to has none, as one that was deleted.
        openTables(storage);
        return storage.sql.exec(query, ...values).toArray() as Row[];
      }),
    async measure(tool, input) {
      // What an alarm reads meanwhile would count as the call's.
      await runInDurableObject(stub, (_, state) => state.storage.deleteAlarm());
      const lines: string[] = [];
      const log = console.log;
      console.log = (line: string) => void lines.push(line);
      try {
        await outcome(tool, input);
      } finally {
        console.log = log;
      }
      // An alarm may have logged something in between.
      const calls = lines
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === 'tool_call');
      const { rowsRead, rowsWritten } = calls.at(-1) ?? {};
      return { rowsRead, rowsWritten };
    },
    async [Symbol.asyncDispose]() {
      const faults = await runInDurableObject(stub, async (_, state) => {
        const sql = openSql(state.storage);
        if (!hasTables(sql)) return [];
        const found = checkInvariants(sql);
        // Nobody will ask this thread anything again: its alarm need not embed what is left.
        state.storage.sql.exec(NOTHING_WAITS);
        await state.storage.deleteAlarm();
        return found;
      });
      if (faults.length > 0) throw new Error(`Not so: ${JSON.stringify(faults, null, 2)}`);
    },
  };
}
