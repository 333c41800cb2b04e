/** Which tools a principal may call, and what a request asks for beyond that. */
import { requireThread, type Principal } from '#auth/principal.ts';
import {
  ADMIN,
  includesScope,
  lackOfScope,
  scopeOfEffect,
  widestScope,
  type Scope,
} from '#auth/scopes.ts';
import type { Env } from '#env.ts';
import {
  completeEntities,
  completeThreads,
  openDirectory,
  openThread,
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
  const { subject, threads } = principal;
  return {
    permit(tool, args) {
      const missing = missingScopeOf(principal, tool, args);
      if (missing !== undefined) throw lackOfScope(missing);
    },
    openThread(threadId) {
      requireThread(principal, threadId);
      return openThread(env, { subject, threadId });
    },
    openDirectory: () => openDirectory(env, subject, threads),
    completeEntities(threadId, prefix) {
      requireThread(principal, threadId);
      return completeEntities(env, { subject, threadId }, prefix);
    },
    completeThreads: (prefix) => completeThreads(env, subject, threads, prefix),
  };
}

/**
 * The scope that a message of MCP needs and the principal does not have; undefined if it may be
 * served. Reads a copy of the body, and none for a principal who may do everything.
 */
export async function findMissingScope(
  request: Request,
  principal: Principal,
  tools: readonly Tool[],
): Promise<Scope | undefined> {
  if (includesScope(principal.scopes, ADMIN)) return undefined;
  const calls = callsIn(await readJson(request.clone()));
  const missing = tools.flatMap((tool) =>
    calls
      .filter(({ name }) => name === tool.name)
      .flatMap(({ args }) => missingScopeOf(principal, tool, args) ?? []),
  );
  return widestScope(missing);
}

/** What is no JSON is left to the protocol to refuse. */
async function readJson(body: Body): Promise<unknown> {
  try {
    return await body.json();
  } catch {
    return undefined;
  }
}

interface NamedCall {
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
