/** The object of a thread as the Worker calls it. Each call is one RPC, and so one billed request. */
import type { Env } from '#env.ts';
import { MemoryError, type ErrorData } from '#errors.ts';
import type { ExportPage, ExportRequest } from '#memory/files/stream-graph.ts';
import type { Imported, ImportOptions, ImportStand } from '#memory/files/import-thread.ts';
import type { Caller } from '#memory/world.ts';
import type { DumpCursor, DumpPage } from '#store/bulk/dump.ts';
import type { InvariantFault } from '#store/derived/invariants.ts';
import { logBug } from './log.ts';
import type { Outcome, OutcomeOf, Suggestions } from './outcome.ts';
import { threadObjectName, type ThreadAddress } from './thread-address.ts';

export interface ThreadHealth {
  readonly embeddingModel: string;
  /** Texts that are found by their words alone until the embedder gets to them. */
  readonly embeddingBacklog: number;
  /** Vectors in memory; null before the first question since the object woke. */
  readonly indexedVectors: number | null;
}

/** The size of the file in bytes; null for an empty thread, of which no file is written. */
export interface BackupWritten {
  readonly bytes: number | null;
  /** Whether an import would take it; null where that was not judged. */
  readonly isReadable: boolean | null;
}

/** What is broken in a thread; nothing in a sound one. */
export interface Verification {
  readonly faults: readonly InvariantFault[];
}

/** The object behind a stub. Its types are spelled out, since RPC types cannot express `unknown`. */
interface ThreadStub {
  call(tool: string, input: Record<string, unknown>, caller: Caller): Promise<Outcome>;
  health(caller: Caller): Promise<OutcomeOf<ThreadHealth>>;
  verify(caller: Caller): Promise<OutcomeOf<Verification>>;
  dumpPage(cursor: DumpCursor | null): Promise<OutcomeOf<DumpPage>>;
  completeEntities(prefix: string, caller: Caller): Promise<OutcomeOf<Suggestions>>;
  exportPage(request: ExportRequest, caller: Caller): Promise<OutcomeOf<ExportPage>>;
  stageImport(id: string, piece: Uint8Array, caller: Caller): Promise<OutcomeOf<ImportStand>>;
  applyImport(id: string, options: ImportOptions, caller: Caller): Promise<OutcomeOf<Imported>>;
  dropImport(id: string, caller: Caller): Promise<OutcomeOf<object>>;
  backUp(at: number, caller: Caller): Promise<OutcomeOf<BackupWritten>>;
}

/** The object itself, whose calls throw when it cannot be reached. */
export function threadStub(env: Env, address: ThreadAddress): ThreadStub {
  return env.THREAD.getByName(threadObjectName(address)) as unknown as ThreadStub;
}

/** As data, also an object that is overloaded, reset by a deployment or refused by its migrations. Never throws. */
export async function reach<Value>(
  call: () => Promise<OutcomeOf<Value>>,
): Promise<OutcomeOf<Value>> {
  try {
    return await call();
  } catch (error) {
    const data = error instanceof MemoryError ? error.toData() : hideFailure(error);
    return { ok: false, error: data };
  }
}

/** The platform's own words stay in the log: they speak of objects, not of memories. */
function hideFailure(error: unknown): ErrorData {
  const reference = crypto.randomUUID().slice(0, 8);
  logBug(reference, error);
  return {
    code: 'unavailable',
    message: `This thread cannot be reached just now (reference ${reference}).`,
    hint: 'Try again in a moment. A write may have been made: read before you repeat it.',
  };
}
