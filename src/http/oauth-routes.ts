/**
 * What an OAuth client asks for by itself: metadata, registration, tokens, revocation. The provider
 * answers; the guards before it are ours. In other modes none of it exists.
 */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { forgetCredentials } from '#auth/authenticate.ts';
import {
  authorizationServer,
  generaliseResources,
  namesGrant,
  REGISTER_PATH,
  resourceMetadata,
  RESOURCE_METADATA_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
} from '#auth/authorization-server.ts';
import type { Env } from '#env.ts';
import { answerClosed, authModeOf, refusePlainText } from './auth-guard.ts';
import type { GuardedContext } from './context.ts';
import { formBodyGuard } from './form-guards.ts';
import { hostGuard } from './guards.ts';
import { limitAddress, mayAttempt, refuseRate } from './rate-limit.ts';

/** Metadata of the resource, where clients look for it: by the endpoint they were given, or at the root. */
const RESOURCE_METADATA_PATHS = [
  RESOURCE_METADATA_PATH,
  `${RESOURCE_METADATA_PATH}/mcp`,
  `${RESOURCE_METADATA_PATH}/mcp/:threadId`,
];

export function addOAuthRoutes(app: Hono<GuardedContext>): void {
  const paths = [SERVER_METADATA_PATH, ...RESOURCE_METADATA_PATHS, TOKEN_PATH, REGISTER_PATH];
  for (const path of paths) app.use(path, hostGuard(), oauthGuard(), formBodyGuard());
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

/** Whoever registers writes to the deployment's namespace, and need not sign in before. */
function registrationGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const { env, req } = context;
    if (req.method !== 'POST' || (await mayAttempt(env, req.raw, 'register'))) return next();
    return refuseRate(context);
  };
}

/**
 * Whoever names the address of a document as client id has it fetched by the provider, before
 * anything else is looked at. So only who has something of a grant gets as far as that.
 */
function grantGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const { env, req } = context;
    if (req.method !== 'POST') return next();
    const body = await req.raw.clone().arrayBuffer();
    const form = new URLSearchParams(new TextDecoder().decode(body));
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
  const { origin } = new URL(req.url);
  const server = authorizationServer(origin);
  const response = await server.fetch(
    req.path === TOKEN_PATH ? await toTokenRequest(origin, req.raw) : req.raw,
    withNamespace(env),
    context.executionCtx as ExecutionContext,
  );
  // It may have been a revocation.
  if (req.path === TOKEN_PATH && response.ok) forgetCredentials();
  return response;
}

/** The same request for tokens, for the resource that the provider knows. */
async function toTokenRequest(origin: string, request: Request): Promise<Request> {
  if (request.method !== 'POST') return request;
  const form = new URLSearchParams(await request.clone().text());
  if (!generaliseResources(origin, form)) return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, { method: 'POST', headers, body: form.toString() });
}

/** The guard has seen that it is there. */
export function withNamespace({ OAUTH_KV }: Env): { readonly OAUTH_KV: KVNamespace } {
  if (OAUTH_KV === undefined) throw new Error('OAUTH_KV is not bound.');
  return { OAUTH_KV };
}
