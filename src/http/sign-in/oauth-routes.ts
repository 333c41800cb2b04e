/**
 * What an OAuth client asks for by itself: metadata, registration, tokens, revocation. The provider
 * answers; the guards before it are ours. In other modes none of it exists.
 */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { forgetCredentials } from '#auth/authenticate.ts';
import {
  authorizationServer,
  generaliseResources,
  isRegistrationFull,
  namesGrant,
  REGISTER_PATH,
  resourceMetadata,
  RESOURCE_METADATA_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
  type ClientPolicy,
} from '#auth/authorization-server.ts';
import { readRegistrationEnabled, type Env } from '#env.ts';
import { RATE_LIMIT_SECONDS, REGISTRATION_BYTES_MAX } from '#auth/limits.ts';
import { answerClosed, authModeOf, refusePlainText } from '#http/guards/auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { formBodyGuard } from '#http/guards/form-guards.ts';
import { hostGuard } from '#http/guards/guards.ts';
import { limitAddress, mayAttempt, refuseRate } from '#http/guards/rate-limit.ts';

/** Metadata of the resource, where clients look for it: by the endpoint they were given, or at the root. */
const RESOURCE_METADATA_PATHS = [
  RESOURCE_METADATA_PATH,
  `${RESOURCE_METADATA_PATH}/mcp`,
  `${RESOURCE_METADATA_PATH}/mcp/:threadId`,
];

export function addOAuthRoutes(app: Hono<GuardedContext>): void {
  const paths = [SERVER_METADATA_PATH, ...RESOURCE_METADATA_PATHS, TOKEN_PATH];
  for (const path of paths) app.use(path, hostGuard(), oauthGuard(), formBodyGuard());
  app.use(REGISTER_PATH, hostGuard(), oauthGuard(), formBodyGuard(REGISTRATION_BYTES_MAX));
  app.use(REGISTER_PATH, registrationGuard());
  app.use(TOKEN_PATH, grantGuard());
  for (const path of RESOURCE_METADATA_PATHS) app.get(path, serveResourceMetadata);
  app.all(SERVER_METADATA_PATH, serveProvider);
  app.all(TOKEN_PATH, serveProvider);
  app.all(REGISTER_PATH, serveProvider);
}

/** Some clients that find OAuth anywhere leave the token unused that they were given. */
export function oauthGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const mode = authModeOf(context);
    if (mode.mode === 'closed') return answerClosed(context, mode);
    if (mode.mode !== 'oauth') return context.notFound();
    return refusePlainText(context) ?? (await limitAddress(context)) ?? next();
  };
}

/** A client that registers writes to the deployment's namespace before anybody has signed in. */
function registrationGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const { env, req } = context;
    if (!readRegistrationEnabled(env)) return context.notFound();
    if (req.method !== 'POST') return next();
    if (!(await mayAttempt(env, req.raw, 'register'))) return refuseRate(context);
    const { OAUTH_KV } = withNamespace(env);
    const now = Date.now();
    if (now < registrationsFullUntil) return refuseRate(context);
    if (!(await isRegistrationFull(OAUTH_KV, now))) return next();
    registrationsFullUntil = now + RATE_LIMIT_SECONDS * 1_000;
    return refuseRate(context);
  };
}

/**
 * Epoch milliseconds. While registrations are full, this isolate does not ask KV for each attempt:
 * its lists are counted too.
 */
let registrationsFullUntil = 0;

/**
 * Whoever names the address of a document as client id has it fetched by the provider, before
 * anything else is looked at. So only who has something of a grant gets as far as that.
 */
function grantGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const { env, req } = context;
    if (req.method !== 'POST') return next();
    const form = await readTokenForm(req.raw);
    const mayFetch =
      req.header('authorization') !== undefined ||
      form.has('client_assertion') ||
      form.getAll('client_id').some((id) => id.includes(':'));
    if (!mayFetch || (await namesGrant(withNamespace(env).OAUTH_KV, form))) return next();
    const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' };
    // To revoke what is gone is no error (RFC 7009).
    if (form.has('token') && !form.has('grant_type')) return context.body(null, 200, headers);
    return context.json({ error: 'invalid_grant' }, 400, headers);
  };
}

/** Public, so any page may read it. */
function serveResourceMetadata(context: Context<GuardedContext>): Response {
  return context.json(resourceMetadata(new URL(context.req.url)), 200, {
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-store',
  });
}

async function serveProvider(context: Context<GuardedContext>): Promise<Response> {
  const { req, env } = context;
  const bindings = withNamespace(env);
  const { origin } = new URL(req.url);
  const server = authorizationServer(origin, policyFor(context));
  const bringsCode = req.path === TOKEN_PATH && (await bringsCodeOfGrant(context));
  const response = await server.fetch(
    req.path === TOKEN_PATH ? await toTokenRequest(origin, req.raw) : req.raw,
    bindings,
    context.executionCtx as ExecutionContext,
  );
  // It may have been a revocation, or a code that was used before, which ends its grant.
  if (req.path === TOKEN_PATH && (response.ok || bringsCode)) forgetCredentials();
  return response;
}

/** A stranger cannot bring one, so that nobody makes this isolate forget credentials at will. */
async function bringsCodeOfGrant({ req, env }: Context<GuardedContext>): Promise<boolean> {
  if (req.method !== 'POST') return false;
  const form = await readTokenForm(req.raw);
  return form.has('code') && namesGrant(withNamespace(env).OAUTH_KV, form);
}

async function readTokenForm(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(await request.clone().text());
}

/** The same request for tokens, for the resource that the provider knows. */
async function toTokenRequest(origin: string, request: Request): Promise<Request> {
  if (request.method !== 'POST') return request;
  const form = await readTokenForm(request);
  if (!generaliseResources(origin, form)) return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, { method: 'POST', headers, body: form.toString() });
}

function policyFor({ req, env }: Context<GuardedContext>): ClientPolicy {
  if (!readRegistrationEnabled(env)) return 'documents';
  return req.path === REGISTER_PATH ? 'register' : 'serve';
}

/** The guard has seen that it is there. */
export function withNamespace({ OAUTH_KV }: Env): { readonly OAUTH_KV: KVNamespace } {
  if (OAUTH_KV === undefined) throw new Error('OAUTH_KV is not bound.');
  return { OAUTH_KV };
}
