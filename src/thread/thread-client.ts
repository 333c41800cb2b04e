/** The Worker's side of a thread: its name, and the one call that crosses to its object. */
import type { Env } from '#env.ts';
import { addHint, MemoryError, quote, type ErrorData } from '#errors.ts';
import { OWNER_ID_CHARS_MAX, THREAD_ID_CHARS_MAX } from '#limits.ts';
import type { ExportPage, ExportRequest } from '#memory/files/stream-graph.ts';
import type { Imported, ImportOptions, ImportStand } from '#memory/files/import-thread.ts';
import { nameNewestFiles, requireFiles, type FileListing } from '#memory/files/file-store.ts';
import type { Caller } from '#memory/world.ts';
import type { InvariantFault } from '#store/derived/invariants.ts';
import { findTool } from '#tools/catalog.ts';
import {
  DEFAULT_OWNER,
  OWNER_FIELD,
  type Emptiness,
  type Tool,
  type ToolValue,
} from '#tools/define.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { readArguments } from '#tools/read-arguments.ts';
import { directoryOf, type ThreadScope } from './directory-client.ts';
import { addNote, describeEmptyThread, type ListedThread } from '#tools/empty-thread.ts';
import { openFiles } from './files.ts';
import { logBug } from './log.ts';

export { downloadPath, isBackup } from '#memory/files/file-store.ts';
export type { Caller, Imported, ImportOptions, ImportStand };

/** What comes back over the RPC boundary. Expected failures are data: classes do not survive it. */
export type OutcomeOf<Value> =
  | ({ readonly ok: true } & Value)
  | { readonly ok: false; readonly error: ErrorData };

export type Outcome = OutcomeOf<ToolValue> & {
  /** Set where the tool tells what there is, and the thread holds nothing. */
  readonly emptiness?: Emptiness;
};

export interface ThreadAddress {
  /** The authenticated principal, `local` in local development. */
  readonly subject: string;
  readonly threadId: string;
  /** Whose of the thread's memories; undefined for the thread's own. */
  readonly owner?: string | undefined;
}

export interface ThreadHealth {
  readonly embeddingModel: string;
  /** Texts that are found by their words alone until the embedder gets to them. */
  readonly embeddingBacklog: number;
  /** Vectors in memory; null before the first question since the object woke. */
  readonly indexedVectors: number | null;
}

/** A file of so many bytes; null for a thread that holds nothing, of which none is written. */
export interface BackupWritten {
  readonly bytes: number | null;
  /** Whether an import would take it; null where that was not judged. */
  readonly isReadable: boolean | null;
}

/** Names that begin with what was asked for, sorted: `COMPLETIONS_MAX` and one more at most. */
export interface Suggestions {
  readonly names: readonly string[];
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
  completeEntities(prefix: string, caller: Caller): Promise<OutcomeOf<Suggestions>>;
  exportPage(request: ExportRequest, caller: Caller): Promise<OutcomeOf<ExportPage>>;
  stageImport(id: string, piece: Uint8Array, caller: Caller): Promise<OutcomeOf<ImportStand>>;
  applyImport(id: string, options: ImportOptions, caller: Caller): Promise<OutcomeOf<Imported>>;
  dropImport(id: string, caller: Caller): Promise<OutcomeOf<object>>;
  backUp(at: number, caller: Caller): Promise<OutcomeOf<BackupWritten>>;
}

export type ThreadClient = (
  tool: string,
  input: Record<string, unknown>,
  caller: Caller,
) => Promise<Outcome>;

/**
 * One RPC, and so one billed request, for each call. Never throws: an object that is overloaded,
 * reset by a deployment or refused by its migrations is an outcome too. The memory of another owner
 * is another object, so that nothing inside of one could reach it.
 */
export function openThread(env: Env, address: ThreadAddress): ThreadClient {
  return (tool, input, caller) =>
    reach(() => {
      const owner = readOwner(tool, input) ?? address.owner;
      return threadStub(env, { ...address, owner }).call(tool, input, caller);
    });
}

/** The same for tools about all threads of a subject: they tell of those that `scope` names. */
export function openDirectory(env: Env, subject: string, scope: ThreadScope): ThreadClient {
  return (tool, input) => reach(() => directoryOf(env, subject).call(tool, input, scope));
}

/** Names of the thread's entities that begin with a text, whatever its case and accents. */
export function completeEntities(
  env: Env,
  address: ThreadAddress,
  prefix: string,
): Promise<OutcomeOf<Suggestions>> {
  const caller: Caller = { threadId: address.threadId, actor: address.subject };
  return reach(() => threadStub(env, address).completeEntities(prefix, caller));
}

/** Names of the subject's threads, of those that `scope` names, that begin with a text. */
export function completeThreads(
  env: Env,
  subject: string,
  scope: ThreadScope,
  prefix: string,
): Promise<OutcomeOf<Suggestions>> {
  return reach(() => directoryOf(env, subject).completeThreads(prefix, scope));
}

/** A call of a tool, by whatever protocol it came. */
export interface ToolCall {
  readonly tool: Tool;
  /** As they arrived, `threadId` among them. */
  readonly args: Record<string, unknown>;
  /** The thread that the URL names; undefined where an argument does. */
  readonly boundThreadId: string | undefined;
  /** Who stands in the history. */
  readonly actor: string;
  /** What the caller may do. */
  readonly access: ToolAccess;
}

/** What a caller may do with tools. Nothing is asked of an object before it has agreed. */
export interface ToolAccess {
  /** Whether backups are named to the caller. */
  readonly seesBackups: boolean;
  /** Throws `forbidden` for a call that the caller may not make. */
  permit(tool: Tool, args: Readonly<Record<string, unknown>>): void;
  /** Throws `forbidden` for a thread that the caller does not reach. */
  openThread(threadId: string): ThreadClient;
  /** Tells of the threads that the caller reaches, and of no other. */
  openDirectory(): ThreadClient;
  /** Names of entities. Throws `forbidden` for a thread that the caller does not reach. */
  completeEntities(threadId: string, prefix: string): Promise<OutcomeOf<Suggestions>>;
  /** Threads that the caller reaches. */
  completeThreads(prefix: string): Promise<OutcomeOf<Suggestions>>;
}

export interface ToolReply {
  /** Undefined for a call that named no thread, and so reached none, and for a tool about all of them. */
  readonly threadId: string | undefined;
  readonly outcome: Outcome;
}

/**
 * What every protocol does with a call: finds out which thread it means, and makes one RPC. Where
 * the thread turns out to be empty, a second one asks which threads there are. Never throws.
 */
export async function callTool(call: ToolCall): Promise<ToolReply> {
  const { args, renamed } = readArguments(threadFields(call.boundThreadId), call.args);
  const { threadId: given, ...input } = args;
  let threadId: string | undefined;
  let client: ThreadClient;
  try {
    call.access.permit(call.tool, input);
    threadId = call.tool.host === 'thread' ? resolveThread(given, call.boundThreadId) : undefined;
    client =
      threadId === undefined ? call.access.openDirectory() : call.access.openThread(threadId);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return { threadId: undefined, outcome: { ok: false, error: error.toData() } };
  }
  const { seesBackups } = call.access;
  const caller: Caller = { threadId: threadId ?? '', actor: call.actor, seesBackups };
  const outcome = await client(call.tool.name, input, caller);
  const told: Outcome = outcome.ok
    ? { ...outcome, renamed: [...renamed, ...outcome.renamed] }
    : outcome;
  const { emptiness } = outcome;
  if (threadId === undefined || emptiness === undefined) return { threadId, outcome: told };
  const owner = readOwner(call.tool.name, input);
  const reached = emptiness === 'new' ? await listThreads(call.access) : undefined;
  const { threads, total } = reached ?? {};
  // The first thread of all is filled by writes, which have nothing else to mean.
  if (!call.tool.tellsContent && (threads === undefined || threads.length === 0)) {
    return { threadId, outcome: told };
  }
  const sentence = describeEmptyThread(threadId, owner, emptiness, threads, total);
  return { threadId, outcome: withSentence(told, sentence) };
}

function withSentence(outcome: Outcome, sentence: string): Outcome {
  return outcome.ok
    ? { ...outcome, value: addNote(outcome.value, sentence) }
    : { ...outcome, error: addHint(outcome.error, sentence) };
}

/** The threads that a caller reaches, changed last first; undefined when the directory cannot tell. */
export async function listThreads(
  access: ToolAccess,
): Promise<{ threads: readonly ListedThread[]; total: number } | undefined> {
  const outcome = await access.openDirectory()('list_threads', {}, { threadId: '', actor: '' });
  if (!outcome.ok) return undefined;
  return outcome.value as unknown as { threads: readonly ListedThread[]; total: number };
}

/** The argument that every tool of a thread has beside its own, none of which is called much like it. */
function threadFields(bound: string | undefined): JsonSchema {
  return {
    properties: { threadId: { type: 'string' } },
    required: bound === undefined ? ['threadId'] : [],
  };
}

/** The URL's thread wins, and an argument that names another one is never written elsewhere. */
function resolveThread(given: unknown, bound: string | undefined): string {
  if (bound === undefined) return parseThreadId(given);
  if (given === undefined || (typeof given === 'string' && given.normalize('NFC') === bound)) {
    return bound;
  }
  throw new MemoryError(
    'invalid_input',
    `This connection works on the thread '${bound}', but threadId names another one.`,
    { hint: `Leave threadId out, or connect to the endpoint of that thread. Nothing was changed.` },
  );
}

/** Reads a page of the whole graph, as `openThread` calls a tool. */
export function openExport(env: Env, address: ThreadAddress) {
  const stub = threadStub(env, address);
  const caller: Caller = { threadId: address.threadId, actor: address.subject };
  return (request: ExportRequest) => reach(() => stub.exportPage(request, caller));
}

/** The steps of one import, as `openThread` calls a tool. */
export function openImport(
  env: Env,
  address: ThreadAddress,
  { actor, countedAs }: Omit<Caller, 'threadId'>,
) {
  const stub = threadStub(env, address);
  const caller: Caller = { threadId: address.threadId, actor, countedAs };
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

/** Of a thread's files in R2: the id of its object, which is a hash of its name. */
export function filePrefix(env: Env, address: ThreadAddress): string {
  return env.THREAD.idFromName(threadObjectName(address)).toString();
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

/** The object itself, whose calls throw when it cannot be reached. */
export function threadStub(env: Env, address: ThreadAddress): ThreadStub {
  return env.THREAD.getByName(threadObjectName(address)) as unknown as ThreadStub;
}

async function reach<Value>(call: () => Promise<OutcomeOf<Value>>): Promise<OutcomeOf<Value>> {
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

/** Each part percent-encoded, so that no two addresses share a name and none reaches another's. */
export function threadObjectName({ subject, threadId, owner }: ThreadAddress): string {
  const parts = owner === undefined ? [subject, threadId] : [subject, threadId, owner];
  return parts.map(encodeURIComponent).join('/');
}

/** Undefined where the platform does not tell an object its name. */
export function addressOfObject({ name }: DurableObjectId): ThreadAddress | undefined {
  return name === undefined ? undefined : parseObjectName(name);
}

/** The address that an object's name tells; undefined for a name that `threadObjectName` did not make. */
export function parseObjectName(name: string): ThreadAddress | undefined {
  const [subject, threadId, owner, ...more] = name.split('/').map(decodeURIComponent);
  if (subject === undefined || threadId === undefined || more.length > 0) return undefined;
  return { subject, threadId, owner };
}

const OWNER_ID = /^[A-Za-z0-9_@-]+$/;

/** Undefined for the thread's own memory. Throws `invalid_input` for what is no owner. */
function readOwner(toolName: string, input: Record<string, unknown>): string | undefined {
  const tool = findTool(toolName);
  return tool?.hasOwner === true ? parseOwner(tool.read(input).args[OWNER_FIELD]) : undefined;
}

/** Undefined for the thread's own memory. Throws `invalid_input` for what is no owner. */
export function parseOwner(value: unknown): string | undefined {
  if (value === undefined || value === DEFAULT_OWNER) return undefined;
  if (typeof value === 'string' && value.length <= OWNER_ID_CHARS_MAX && OWNER_ID.test(value)) {
    return value;
  }
  throw new MemoryError(
    'invalid_input',
    `Invalid owner_id ${quote(value)} (only letters, digits and - _ @, 1-${OWNER_ID_CHARS_MAX} chars)`,
    { hint: "Leave owner_id out for the thread's own memory. Nothing was changed." },
  );
}

/** Letters and digits of any script first; then also these signs, which are safe in a URL. */
const THREAD_ID = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:@~+-]*$/u;

/** The id in Unicode NFC. Throws `invalid_input` that says what is allowed. */
export function parseThreadId(value: unknown): string {
  const threadId = typeof value === 'string' ? value.normalize('NFC') : '';
  if (threadId.length <= THREAD_ID_CHARS_MAX && THREAD_ID.test(threadId)) return threadId;
  const found = value === undefined ? 'threadId is missing.' : `Invalid threadId ${quote(value)}.`;
  throw new MemoryError('invalid_input', found, {
    hint: `A threadId is 1-${THREAD_ID_CHARS_MAX} letters, digits and . _ - : @ ~ + and begins with a letter or digit, such as 'portfolio-update-2026'. Spaces and slashes are not allowed.`,
  });
}
