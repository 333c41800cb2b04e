/** Who gets in: what every route of memory has before its handler, and what the handler may ask of it. */
import type { Context, MiddlewareHandler } from 'hono';
import { authenticate, challenge, type ServedMode } from '#auth/authenticate.ts';
import { readAuthMode, type AuthMode } from '#auth/mode.ts';
import { isLoopback } from '#auth/local-request.ts';
import { requireThread, type Principal } from '#auth/principal.ts';
import { includesScope, lackOfScope, READ, type Scope } from '#auth/scopes.ts';
import { assert } from '#errors.ts';
import { parseOwner, parseThreadId, type ThreadAddress } from '#thread/thread-address.ts';
import { OWNER_FIELD } from '#tools/define.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';
import { wantsPage } from '#http/pages/page.ts';
import { closedPage } from '#http/pages/page-closed.ts';
import { countCalls, limitAddress, limitCredential } from './rate-limit.ts';
import { findSessionPrincipal } from './session-principal.ts';

/** The mode of the deployment for this request, which is read once. */
export function authModeOf(context: Context<GuardedContext>): AuthMode {
  const known = context.get('authMode');
  if (known !== undefined) return known;
  const mode = readAuthMode(context.env, context.req.raw);
  context.set('authMode', mode);
  return mode;
}

/** Answers 503 while nothing is configured, whatever is asked: a page for a browser, JSON for others. */
export function closedGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const mode = authModeOf(context);
    return mode.mode === 'closed' ? answerClosed(context, mode) : next();
  };
}

export function answerClosed(
  context: Context<GuardedContext>,
  { message, commands }: Extract<AuthMode, { mode: 'closed' }>,
): Response | Promise<Response> {
  if (wantsPage(context)) return closedPage(context, message, commands);
  const hint = `Run: ${commands.join(' && ')}. To serve API tokens alone, set AUTH_MODE to token and run: npm run token -- create --name laptop --env production. On your own machine, npm start needs neither.`;
  return errorResponse(context, { code: 'unavailable', message, hint });
}

export interface AuthGuardOptions {
  /** Whether the owner's session in a browser is a credential here: for what the explorer asks. */
  readonly admitsSession?: boolean;
}

/** Lets nobody through who may not even read. The handler finds out who it is by `principalOf`. */
export function authGuard({
  admitsSession = false,
}: AuthGuardOptions = {}): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const mode = authModeOf(context);
    if (mode.mode === 'closed') return answerClosed(context, mode);
    const refused = await refuseStranger(context);
    if (refused !== undefined) return refused;
    const verdict = await authenticate(context.req.raw, mode);
    const principal = verdict.ok
      ? verdict.principal
      : admitsSession && verdict.refusal === 'missing'
        ? await findSessionPrincipal(context)
        : undefined;
    if (principal === undefined) {
      return refuseCredential(context, mode, verdict.ok ? 'missing' : verdict.refusal);
    }
    if (!includesScope(principal.scopes, READ)) return refuseScope(context, READ);
    const limited = mode.mode === 'open' ? undefined : await limitCredential(context, principal);
    if (limited !== undefined) return limited;
    context.set('principal', principal);
    return next();
  };
}

/** For what strangers may ask: no credential in the clear, and no more than an address may ask. */
export function limitGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => (await refuseStranger(context)) ?? next();
}

/** Undefined for a request that may go on. On the machine itself nobody is a stranger. */
async function refuseStranger(context: Context<GuardedContext>): Promise<Response | undefined> {
  if (authModeOf(context).mode === 'open') return undefined;
  return refusePlainText(context) ?? limitAddress(context);
}

/** A handler without the guard is a bug, and serves nobody. */
export function principalOf(context: Context<GuardedContext>): Principal {
  const principal = context.get('principal');
  assert(principal !== undefined, 'Every route of memory has the guard before its handler.');
  return principal;
}

/** The thread that the URL names. Throws `invalid_input`, or `forbidden` if the principal does not reach it. */
export function addressOf(context: Context<GuardedContext>, threadId: unknown): ThreadAddress {
  const principal = principalOf(context);
  const parsed = parseThreadId(threadId);
  requireThread(principal, parsed);
  return { subject: principal.subject, threadId: parsed };
}

/** As `addressOf`, of the memory in the thread that `?owner_id=` names. */
export function memoryAddressOf(
  context: Context<GuardedContext>,
  threadId: unknown,
): ThreadAddress {
  return { ...addressOf(context, threadId), owner: parseOwner(context.req.query(OWNER_FIELD)) };
}

/**
 * Counts what the caller is about to ask of an object, once it is known to be allowed. On the machine
 * itself nobody is counted. Throws an answer of 429.
 */
export async function admitCalls(context: Context<GuardedContext>, calls = 1): Promise<void> {
  if (authModeOf(context).mode !== 'open') await countCalls(context, principalOf(context), calls);
}

/** What a credential may not do is answered as the MCP specification wants it, so that a client can ask for more. */
export function refuseScope(context: Context<GuardedContext>, scope: Scope): Response {
  const mode = authModeOf(context);
  assert(mode.mode !== 'closed', 'Nobody gets here while nothing is configured.');
  context.header('WWW-Authenticate', challenge(mode, new URL(context.req.url), { scope }));
  return errorResponse(context, lackOfScope(scope).toData());
}

function refuseCredential(
  context: Context<GuardedContext>,
  mode: ServedMode,
  refusal: 'missing' | 'invalid',
): Response {
  context.header('WWW-Authenticate', challenge(mode, new URL(context.req.url), refusal));
  const message =
    refusal === 'missing'
      ? 'No credential was sent.'
      : 'The credential is unknown, expired, revoked, or made for another address.';
  const hint =
    mode.mode === 'oauth'
      ? "Sign in, or send an API token as 'Authorization: Bearer skn_…'. Make one in /settings, or run: npm run token -- create --name laptop --env production (without --env for npm start)."
      : "Send an API token as 'Authorization: Bearer skn_…'. To make one run: npm run token -- create --name laptop --env production (without --env for npm start).";
  return errorResponse(context, { code: 'forbidden', message, hint }, 401);
}

/**
 * A credential that went over the wire in the clear is not to be used: a passphrase, a code or a
 * token. A browser that only asks for a page is led to where it is safe.
 */
export function refusePlainText(context: Context<GuardedContext>): Response | undefined {
  const url = new URL(context.req.url);
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined;
  if (context.req.method === 'GET' && wantsPage(context)) {
    url.protocol = 'https:';
    return context.redirect(url.href, 307);
  }
  return errorResponse(context, {
    code: 'forbidden',
    message: 'Credentials are not accepted over plain HTTP.',
    hint: 'Use https://. If a credential was sent, revoke it in /settings, or run: npm run token -- revoke <id> --env production',
  });
}
