/** What the calls in an MCP message need. */
import type { Principal } from '#auth/principal.ts';
import { widestScope, type Scope } from '#auth/scopes.ts';
import { reachesThread } from '#auth/thread-access.ts';
import { missingScopeOf } from '#thread/tool-access.ts';
import type { Tool } from '#tools/define.ts';

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

/** A call of a tool as it came: nothing of it is checked. */
export interface NamedCall {
  readonly name: unknown;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls of tools in one message, or in a batch of several. */
export function callsIn(body: unknown): NamedCall[] {
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
