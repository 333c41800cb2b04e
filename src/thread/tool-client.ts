/**
 * Calls tools for one principal, by any protocol: checks the scope and the thread, and makes one RPC to the
 * object that holds the memory.
 */
import { requireThread, type Principal } from '#auth/principal.ts';
import { ADMIN, includesScope, lackOfScope } from '#auth/scopes.ts';
import type { Env } from '#env.ts';
import { addHint, MemoryError } from '#errors.ts';
import type { Caller } from '#memory/world.ts';
import { OWNER_FIELD, type Tool } from '#tools/define.ts';
import { addNote, describeEmptyThread, type ListedThread } from '#tools/empty-thread.ts';
import type { JsonSchema } from '#tools/json-schema.ts';
import { readArguments } from '#tools/read-arguments.ts';
import { directoryOf } from './directory-client.ts';
import type { Outcome, OutcomeOf, Suggestions } from './outcome.ts';
import { parseOwner, parseThreadId, type ThreadAddress } from './thread-address.ts';
import { reach, threadStub } from './thread-stub.ts';
import { countingOf, missingScopeOf } from './tool-access.ts';

export interface ToolCall {
  readonly tool: Tool;
  /** As they arrived, `threadId` among them. */
  readonly args: Record<string, unknown>;
  /** The thread that the URL names; undefined where an argument does. */
  readonly boundThreadId: string | undefined;
}

export interface ToolReply {
  /** Undefined for a call that named no thread, and so reached none, and for a tool about all of them. */
  readonly threadId: string | undefined;
  readonly outcome: Outcome;
}

/** The threads that a principal reaches, changed last first; `total` also counts those that are not listed. */
export interface ReachedThreads {
  readonly threads: readonly ListedThread[];
  readonly total: number;
}

/** What a principal may ask of objects. No method throws `MemoryError`: a refusal is an outcome too. */
export interface ToolClient {
  /** One RPC. A second one asks which threads there are, if the thread turns out to be empty. */
  call(call: ToolCall): Promise<ToolReply>;
  /** Undefined when the directory cannot tell. */
  listThreads(): Promise<ReachedThreads | undefined>;
  /** Names of entities that begin with a text, in any case and with any accents. */
  completeEntities(threadId: string, prefix: string): Promise<OutcomeOf<Suggestions>>;
  /** Names of threads that begin with a text. */
  completeThreads(prefix: string): Promise<OutcomeOf<Suggestions>>;
}

export function openToolClient(env: Env, principal: Principal): ToolClient {
  const { subject, actor, scopes, threads } = principal;
  const seesBackups = includesScope(scopes, ADMIN);

  async function listThreads(): Promise<ReachedThreads | undefined> {
    const outcome = await callDirectory(env, principal, 'list_threads', {});
    return outcome.ok ? (outcome.value as unknown as ReachedThreads) : undefined;
  }

  return {
    listThreads,
    async call({ tool, args: given, boundThreadId }) {
      const { args, renamed } = readArguments(threadFields(boundThreadId), given);
      const { threadId: named, ...input } = args;
      let threadId: string | undefined;
      try {
        threadId = authoriseCall(principal, tool, input, { named, boundThreadId });
      } catch (error) {
        if (!(error instanceof MemoryError)) throw error;
        return { threadId: undefined, outcome: { ok: false, error: error.toData() } };
      }
      if (threadId === undefined) {
        const outcome = await callDirectory(env, principal, tool.name, input);
        return { threadId, outcome: withRenamed(outcome, renamed) };
      }
      const address = { subject, threadId };
      const caller = { threadId, actor, seesBackups, ...countingOf(principal, tool) };
      const outcome = withRenamed(await callThread(env, address, tool, input, caller), renamed);
      return {
        threadId,
        outcome: await explainEmptiness(outcome, tool, input, { threadId, listThreads }),
      };
    },
    completeEntities: (threadId, prefix) =>
      reach(async () => {
        const address = { subject, threadId: parseThreadId(threadId) };
        requireThread(principal, address.threadId);
        return threadStub(env, address).completeEntities(prefix, { threadId, actor: subject });
      }),
    completeThreads: (prefix) =>
      reach(() => directoryOf(env, subject).completeThreads(prefix, threads)),
  };
}

/**
 * The thread that a call means; undefined for a tool about all threads. Throws `forbidden` for a scope or a
 * thread that the principal does not have, and `invalid_input` for an invalid thread id.
 */
function authoriseCall(
  principal: Principal,
  tool: Tool,
  input: Record<string, unknown>,
  { named, boundThreadId }: { named: unknown; boundThreadId: string | undefined },
): string | undefined {
  const missing = missingScopeOf(principal, tool, input);
  if (missing !== undefined) throw lackOfScope(missing);
  if (tool.host === 'directory') return undefined;
  const threadId = resolveThread(named, boundThreadId);
  requireThread(principal, threadId);
  return threadId;
}

/** One RPC. The memory of another owner is another object, so nothing inside one can reach it. Never throws. */
export function callThread(
  env: Env,
  address: Pick<ThreadAddress, 'subject' | 'threadId'>,
  tool: Tool,
  input: Record<string, unknown>,
  caller: Caller,
): Promise<Outcome> {
  return reach(() =>
    threadStub(env, { ...address, owner: readOwner(tool, input) }).call(tool.name, input, caller),
  );
}

/** A tool about all threads of a subject tells of those that the principal reaches. Never throws. */
export function callDirectory(
  env: Env,
  { subject, threads }: Pick<Principal, 'subject' | 'threads'>,
  tool: string,
  input: Record<string, unknown>,
): Promise<Outcome> {
  return reach(() => directoryOf(env, subject).call(tool, input, threads));
}

function withRenamed(outcome: Outcome, renamed: readonly string[]): Outcome {
  return outcome.ok ? { ...outcome, renamed: [...renamed, ...outcome.renamed] } : outcome;
}

/** Says that the thread holds nothing, and which ones do. */
async function explainEmptiness(
  outcome: Outcome,
  tool: Tool,
  input: Record<string, unknown>,
  {
    threadId,
    listThreads,
  }: { threadId: string; listThreads: () => Promise<ReachedThreads | undefined> },
): Promise<Outcome> {
  const { emptiness } = outcome;
  if (emptiness === undefined) return outcome;
  const { threads, total } = (emptiness === 'new' ? await listThreads() : undefined) ?? {};
  // The first thread of all is filled by writes, which have nothing else to mean.
  if (!tool.tellsContent && (threads === undefined || threads.length === 0)) return outcome;
  const sentence = describeEmptyThread(threadId, readOwner(tool, input), emptiness, threads, total);
  return outcome.ok
    ? { ...outcome, value: addNote(outcome.value, sentence) }
    : { ...outcome, error: addHint(outcome.error, sentence) };
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

/** Undefined for the thread's own memory. Throws `invalid_input` for an invalid owner id. */
function readOwner(tool: Tool, input: Record<string, unknown>): string | undefined {
  return tool.hasOwner ? parseOwner(tool.read(input).args[OWNER_FIELD]) : undefined;
}
