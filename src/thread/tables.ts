/**
 * The tables of a thread's object. They are made for the first call that may write, and taken away again
 * if it writes nothing. A read of a thread without tables gets empty ones in a transaction that is
 * rolled back, so that reading an invented thread id stores nothing.
 */
import type { MemoryError } from '#errors.ts';
import { hasTables } from '#store/schema/migrate.ts';
import { isSettled, isStaging } from '#store/schema/settled.ts';
import type { Sql } from '#store/sql.ts';
import { openTables } from './opening.ts';

/** Asks whether a new thread may be begun; the error with which the call is refused, undefined for yes. */
export type Admit = () => Promise<MemoryError | undefined>;

export interface ThreadTables {
  /** Set when the thread cannot be opened. */
  readonly defect: MemoryError | undefined;
  /** True for a thread that nothing was ever written to, also while empty tables are lent to a read. */
  isBlank(): boolean;
  /** Runs a call that only reads. */
  forReading<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Runs a call that may write. Throws what `admit` gives for a thread that has no tables yet. */
  forWriting<Value>(work: () => Promise<Value>, admit?: Admit): Promise<Value>;
  /** Deletes everything. The call that asks for it runs in one of the two above. */
  clear(): Promise<void>;
}

/** To be called where no other event of the object is let in, as in its constructor. */
export function openThreadTables(ctx: DurableObjectState, sql: Sql, object: string): ThreadTables {
  const { storage } = ctx;
  let defect: MemoryError | undefined;
  let isMade = hasTables(sql);
  let isLent = false;
  // Calls and alarms: what waits for something must find the tables that it began with.
  let running = 0;
  if (isMade) defect = openTables(sql, object);
  /** Whether the tables may have to go again: nothing was written to them, or a file is staged alone. */
  let mayGo = isMade && defect === undefined && !isSettled(sql);

  function isBlank(): boolean {
    if (isLent) return true;
    return !(isMade ||= hasTables(sql));
  }

  /** `work` on empty tables; undefined if tables were made while this waited for its turn. */
  function lend<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    return rollBack(storage, async () => {
      if (!isBlank()) return undefined;
      openTables(sql, object);
      isLent = true;
      try {
        return await work();
      } finally {
        isLent = false;
      }
    });
  }

  async function make(admit: Admit | undefined): Promise<MemoryError | undefined> {
    return storage.transaction(async (transaction) => {
      if (!isBlank()) return undefined;
      // The question is under way while the tables are made.
      const admitted = admit?.();
      const failed = openTables(sql, object);
      const refused = failed ?? (await admitted);
      if (refused !== undefined) transaction.rollback();
      else mayGo = true;
      return refused;
    });
  }

  async function leaveBlank(): Promise<void> {
    await ctx.blockConcurrencyWhile(async () => {
      if (running > 0 || !mayGo || isBlank()) return;
      if (isSettled(sql)) mayGo = false;
      else if (!isStaging(sql)) await erase();
    });
  }

  async function erase(): Promise<void> {
    await Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
    [isMade, defect] = [false, undefined];
  }

  async function counted<Value>(work: () => Promise<Value>): Promise<Value> {
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      if (mayGo && running === 0) await leaveBlank();
    }
  }

  return {
    get defect() {
      return defect;
    },
    isBlank,
    forReading: (work) => counted(async () => (isBlank() ? await lend(work) : undefined) ?? work()),
    forWriting: (work, admit) =>
      counted(async () => {
        const refused = isBlank() ? await make(admit) : undefined;
        if (refused !== undefined) throw refused;
        return work();
      }),
    async clear() {
      await ctx.blockConcurrencyWhile(async () => {
        await erase();
        // Others have begun, and go on with what there is: nothing.
        mayGo = running > 1;
        if (mayGo) openTables(sql, object);
      });
    },
  };
}

/** Runs `work` in a transaction of which nothing is kept. No other event of the object comes in before its end. */
async function rollBack<Value>(
  storage: DurableObjectStorage,
  work: () => Promise<Value>,
): Promise<Value> {
  const [outcome] = await storage.transaction(async (transaction) => {
    // What is thrown out of a transaction would reset the object.
    const settled = await Promise.allSettled([work()]);
    transaction.rollback();
    return settled;
  });
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
