/** The Worker's calls to a thread that are not tools: exports, imports, files and health. */
import type { Env } from '#env.ts';
import { MemoryError, quote } from '#errors.ts';
import type { ExportRequest } from '#memory/files/stream-graph.ts';
import type { Imported, ImportOptions, ImportStand } from '#memory/files/import-thread.ts';
import { nameNewestFiles, requireFiles } from '#memory/files/file-store.ts';
import type { FileListing } from '#memory/ports.ts';
import type { Caller } from '#memory/world.ts';
import type { DumpCursor } from '#store/bulk/dump.ts';
import { openFiles } from './files.ts';
import type { OutcomeOf } from './outcome.ts';
import { filePrefix, type ThreadAddress } from './thread-address.ts';
import { reach, threadStub, type ThreadHealth, type Verification } from './thread-stub.ts';

export { downloadPath, isBackup } from '#memory/files/file-store.ts';
export type { Caller, Imported, ImportOptions, ImportStand };

/** Reads a page of the whole graph. */
export function openExport(env: Env, address: ThreadAddress) {
  const stub = threadStub(env, address);
  const caller: Caller = { threadId: address.threadId, actor: address.subject };
  return (request: ExportRequest) => reach(() => stub.exportPage(request, caller));
}

/** The steps of one import. */
export function openImport(env: Env, address: ThreadAddress, from: Omit<Caller, 'threadId'>) {
  const stub = threadStub(env, address);
  const caller: Caller = { ...from, threadId: address.threadId };
  const id = crypto.randomUUID();
  return {
    /** Whole lines. Those that cannot be read at all end the import. */
    stage: (piece: Uint8Array) => reach(() => stub.stageImport(id, piece, caller)),
    apply: (options: ImportOptions) => reach(() => stub.applyImport(id, options, caller)),
    /** For an import that was broken off. */
    drop: () => reach(() => stub.dropImport(id, caller)),
  };
}

/** A file of a thread, read without waking it. Throws `not_found`, which names what the caller may have. */
export async function readFile(
  env: Env,
  address: ThreadAddress,
  name: string,
  seesBackups: boolean,
): Promise<ReadableStream<Uint8Array>> {
  const files = openFiles(env, filePrefix(env, address));
  const file = FILE_NAME.test(name) ? await files?.read(name, seesBackups) : undefined;
  if (file !== undefined) return file;
  throw new MemoryError('not_found', `This thread has no file ${quote(name)}.`, {
    hint: files && (await nameNewestFiles(files, seesBackups)),
  });
}

/** The files of a thread, newest first, without waking it. Throws `unavailable` where there is no place for files. */
export function listFiles(
  env: Env,
  address: ThreadAddress,
  limit: number,
  seesBackups: boolean,
): Promise<FileListing> {
  return requireFiles({ files: openFiles(env, filePrefix(env, address)) }).newest(
    limit,
    seesBackups,
  );
}

/** Nothing that a path could mean more by. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** How the search of a thread stands. */
export function readHealth(env: Env, address: ThreadAddress): Promise<OutcomeOf<ThreadHealth>> {
  const stub = threadStub(env, address);
  return reach(() => stub.health({ threadId: address.threadId, actor: address.subject }));
}

/** Holds the whole thread against its invariants: for operators, since it reads everything. */
export function verifyThread(env: Env, address: ThreadAddress): Promise<OutcomeOf<Verification>> {
  const stub = threadStub(env, address);
  return reach(() => stub.verify({ threadId: address.threadId, actor: address.subject }));
}

/** Pages of the tables as they are, also of a thread that cannot be opened; null for the first. */
export function openDump(env: Env, address: ThreadAddress) {
  const stub = threadStub(env, address);
  return (cursor: DumpCursor | null) => reach(() => stub.dumpPage(cursor));
}
