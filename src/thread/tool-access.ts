/** Which tools a principal may call, and on whose account. */
import { ADMIN, includesScope, scopeOfEffect, widestScope, type Scope } from '#auth/scopes.ts';
import { LOCAL, type Principal } from '#auth/principal.ts';
import type { Caller } from '#memory/world.ts';
import type { Tool } from '#tools/define.ts';

/** Whether there are arguments with which the tool may be called. */
export function permitsTool({ scopes }: Principal): (tool: Tool) => boolean {
  return (tool) => includesScope(scopes, scopeOfEffect(tool.effect));
}

/** The scope that a call needs and the principal does not have; undefined if the call may be made. */
export function missingScopeOf(
  { scopes }: Principal,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Scope | undefined {
  const needed = widestScope([scopeOfEffect(tool.effect), scopeOfEffect(tool.effectOf(args))]);
  return needed === undefined || includesScope(scopes, needed) ? undefined : needed;
}

/** How the nodes and the threads that a call adds are counted. */
export function countingOf(
  principal: Principal,
  tool: Pick<Tool, 'restores'>,
): Pick<Caller, 'countedAs' | 'isLocal'> {
  return {
    countedAs: quotaOf(principal, tool),
    isLocal: principal.credential === LOCAL.credential,
  };
}

/**
 * The credential whose quota of new nodes a call uses. Undefined for a call without a quota: one from the
 * machine itself, and one by which an admin restores something.
 */
export function quotaOf(
  { credential, scopes }: Principal,
  { restores }: Pick<Tool, 'restores'>,
): string | undefined {
  if (credential === LOCAL.credential) return undefined;
  return restores && includesScope(scopes, ADMIN) ? undefined : credential;
}
