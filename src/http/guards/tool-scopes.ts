/** Which tools a principal may call, and what a request asks for beyond that. */
import { LOCAL, requireThread, type Principal } from '#auth/principal.ts';
import {
  ADMIN,
  includesScope,
  lackOfScope,
  scopeOfEffect,
  widestScope,
  type Scope,
} from '#auth/scopes.ts';
import { reachesThread } from '#auth/thread-access.ts';
import type { Env } from '#env.ts';
import {
  completeEntities,
  completeThreads,
  openDirectory,
  openThread,
  type Caller,
  type ToolAccess,
} from '#thread/thread-client.ts';
import type { Tool } from '#tools/define.ts';

/** Whether there are arguments with which the tool may be called. */
export function permitsTool({ scopes }: Principal): (tool: Tool) => boolean {
  return (tool) => includesScope(scopes, scopeOfEffect(tool.effect));
}

/** The scope that a call needs and the principal does not have. */
export function missingScopeOf(
  { scopes }: Principal,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Scope | undefined {
  const needed = widestScope([scopeOfEffect(tool.effect), scopeOfEffect(tool.effectOf(args))]);
  return needed === undefined || includesScope(scopes, needed) ? undefined : needed;
}

/** What a principal may do with tools, by whatever protocol it calls them. */
export function accessOf(env: Env, principal: Principal): ToolAccess {
  const { subject, threads, scopes } = principal;
  return {
    seesBackups: includesScope(scopes, ADMIN),
    permit(tool, args) {
      const missing = missingScopeOf(principal, tool, args);
      if (missing !== undefined) throw lackOfScope(missing);
    },
    openThread(threadId) {
      requireThread(principal, threadId);
      const call = openThread(env, { subject, threadId });
      return (tool, input, caller) =>
        call(tool, input, { ...caller, ...countingOf(principal, tool) });
    },
    openDirectory: () => openDirectory(env, subject, threads),
    completeEntities(threadId, prefix) {
      requireThread(principal, threadId);
      return completeEntities(env, { subject, threadId }, prefix);
    },
    completeThreads: (prefix) => completeThreads(env, subject, threads, prefix),
  };
}

/** How the nodes and the threads are counted that a call adds. */
export function countingOf(
  principal: Principal,
  tool: string,
): Pick<Caller, 'countedAs' | 'isLocal'> {
  return {
    countedAs: quotaOf(principal, tool),
    isLocal: principal.credential === LOCAL.credential,
  };
}

/**
 * The credential to whose quota of new nodes a call counts; undefined for one that counts to none: on the
 * machine itself, and where the owner restores something.
 */
export function quotaOf({ credential, scopes }: Principal, tool: string): string | undefined {
  if (credential === LOCAL.credential) return undefined;
  const isRestoring =
    tool === 'import_database' || tool === 'undo_revision' || tool === 'undo_actor';
  return isRestoring && includesScope(scopes, ADMIN) ? undefined : credential;
}

/** The calls in a message of MCP, or in a batch of several. Reads a copy of the body. */
export async function readCalls(request: Request): Promise<NamedCall[]> {
  return callsIn(await readJson(request.clone()));
}

/** The scope that some of the calls need and the principal does not have; undefined if all may be served. */
export function findMissingScope(
  calls: readonly NamedCall[],
  principal: Principal,
  tools: readonly Tool[],
): Scope | undefined {
  const missing = tools.flatMap((tool) =>
    calls
      .filter(({ name }) => name === tool.name)
      .flatMap(({ args }) => missingScopeOf(principal, tool, args) ?? []),
  );
  return widestScope(missing);
}

/** How many of the calls are not refused for the thread that they name. */
export function countReaching(calls: readonly NamedCall[], { threads }: Principal): number {
  return calls.filter(
    ({ args: { threadId } }) => typeof threadId !== 'string' || reachesThread(threads, threadId),
  ).length;
}

/** What is no JSON is left to the protocol to refuse. */
async function readJson(body: Body): Promise<unknown> {
  try {
    return await body.json();
  } catch {
    return undefined;
  }
}

/** A call of a tool as it came: nothing of it is checked. */
export interface NamedCall {
  readonly name: unknown;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Of one message, or of several of the era that has batches. */
function callsIn(body: unknown): NamedCall[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    if (!isObject(message) || message['method'] !== 'tools/call') return [];
    const { params } = message;
    if (!isObject(params)) return [];
    const { name, arguments: args } = params;
    return [{ name, args: isObject(args) ? args : {} }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
