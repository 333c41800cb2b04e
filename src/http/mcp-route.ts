/** The MCP endpoint: finds out what a connection may use, and hands its message to the protocol. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { includesScope, WRITE } from '#auth/scopes.ts';
import { readLimits } from '#env.ts';
import { answerPlainCall } from '#mcp/plain-call.ts';
import type { McpSurface } from '#mcp/surface.ts';
import type { SurfaceOptions } from '#mcp/thread-surface.ts';
import { logProtocol } from '#thread/log.ts';
import { permitsTool } from '#thread/tool-access.ts';
import { openToolClient } from '#thread/tool-client.ts';
import { selectTools } from '#tools/catalog.ts';
import type { GuardedContext } from './context.ts';
import {
  addressOf,
  admitCalls,
  authModeOf,
  principalOf,
  refuseScope,
} from './guards/auth-guard.ts';
import { requireKnownParameters } from './guards/endpoint-parameters.ts';
import { allowedOriginHostnames } from './guards/guards.ts';
import { isSwitchedOn, readSchemaForm } from './guards/switches.ts';
import { callsIn, countReaching, findMissingScope } from './guards/tool-scopes.ts';

/** Makes the server of one request; the conformance suite adds its fixtures there. */
export type MakeServer = (surface: McpSurface) => McpServer;

export async function serveMcpRoute(
  context: Context<GuardedContext>,
  makeServer: MakeServer | undefined,
): Promise<Response> {
  const { env, req } = context;
  const principal = principalOf(context);
  const connection = readConnection(context);
  const { selection } = connection;
  const message = await readMessage(req.raw);
  // On the machine itself everything is allowed and nobody is counted.
  if (authModeOf(context).mode !== 'open') {
    const calls = callsIn(message);
    const missing = findMissingScope(calls, principal, selection.offered);
    if (missing !== undefined) return refuseScope(context, missing);
    await admitCalls(context, countReaching(calls, principal));
  }
  const surface: SurfaceOptions = { ...connection, client: openToolClient(env, principal) };
  const answer =
    makeServer === undefined ? await answerPlainCall(req.raw, message, surface) : undefined;
  if (answer !== undefined) return answer;
  // The first other message loads the SDK of the protocol: no other route and no thread needs it.
  const { answerMcp } = await import('#mcp/endpoint.ts');
  return answerMcp(req.raw, message, {
    surface,
    makeServer,
    route: connection.address.pathname,
    allowedOriginHostnames: allowedOriginHostnames(env),
    onError: logProtocol,
  });
}

/** What the URL of a connection and the credential choose. Throws `invalid_input` and `forbidden`. */
function readConnection(context: Context<GuardedContext>): Omit<SurfaceOptions, 'client'> {
  const { env, req } = context;
  const address = new URL(req.url);
  const { searchParams } = address;
  requireKnownParameters(searchParams);
  const principal = principalOf(context);
  const named = req.param('threadId');
  const threadId = named === undefined ? undefined : addressOf(context, named).threadId;
  const isReadonly = isSwitchedOn('readonly', searchParams.get('readonly') ?? undefined);
  return {
    threadId,
    isReadonly: isReadonly || !includesScope(principal.scopes, WRITE),
    selection: selectTools(searchParams.get('toolsets'), {
      isReadonly,
      isBound: threadId !== undefined,
      isPermitted: permitsTool(principal),
    }),
    address,
    limits: readLimits(env),
    schemaForm: readSchemaForm(searchParams.get('schema')),
  };
}

/**
 * The message as JSON; undefined for a body that is not JSON, which the protocol refuses. Behind the guard of
 * bodies it comes from memory, and may be read again.
 */
async function readMessage(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}
