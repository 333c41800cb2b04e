/** Which tools a principal may call, and what a request asks for beyond that. */
import type { Principal } from '#auth/principal.ts';
import { ADMIN, includesScope, scopeOfEffect, widestScope, type Scope } from '#auth/scopes.ts';
import type { Tool } from '#tools/define.ts';

export function permitsTool({ scopes }: Principal): (tool: Tool) => boolean {
  return (tool) => includesScope(scopes, scopeOfEffect(tool.effect));
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
  const isPermitted = permitsTool(principal);
  const called = namesOfCalls(await readJson(request.clone()));
  const refused = tools.filter((tool) => called.has(tool.name) && !isPermitted(tool));
  return widestScope(refused.map(({ effect }) => scopeOfEffect(effect)));
}

/** What is no JSON is left to the protocol to refuse. */
async function readJson(body: Body): Promise<unknown> {
  try {
    return await body.json();
  } catch {
    return undefined;
  }
}

/** One message, or several of the era that has batches. */
function namesOfCalls(body: unknown): Set<unknown> {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return new Set(messages.map(nameOfCall));
}

function nameOfCall(message: unknown): unknown {
  if (!isObject(message) || message['method'] !== 'tools/call') return undefined;
  const { params } = message;
  return isObject(params) ? params['name'] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
