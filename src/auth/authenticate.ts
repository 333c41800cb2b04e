/**
 * The one place that turns a request into a principal. A credential is looked up in KV and then
 * known to the isolate for some seconds: no Durable Object is asked, and most calls read nothing.
 */
import { LRUCache } from 'lru-cache';
import {
  BEARER_CHARS_MAX,
  CREDENTIAL_CACHE_MS,
  CREDENTIALS_CACHED_MAX,
  UNKNOWN_CREDENTIALS_CACHED_MAX,
} from './limits.ts';
import { isApiToken, TOKEN_PREFIX } from './api-token.ts';
import {
  authorizationServer,
  resourceMetadataUrl,
  resourceOf,
  type GrantProps,
} from './authorization-server.ts';
import { sha256 } from './digest.ts';
import type { AuthMode } from './mode.ts';
import { LOCAL, OWNER_SUBJECT, type Principal } from './principal.ts';
import { BASELINE_SCOPES, knownScopes } from './scopes.ts';
import { findToken } from './token-store.ts';

/** Why nobody was let in: no credential was sent, or what was sent is not good here. */
export type Refusal = 'missing' | 'invalid';

export type Verdict =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly refusal: Refusal };

/** A mode in which somebody may come in. */
export type ServedMode = Exclude<AuthMode, { mode: 'closed' }>;

/** Throws what KV throws: then nobody gets in. */
export async function authenticate(request: Request, mode: ServedMode): Promise<Verdict> {
  if (mode.mode === 'open') return { ok: true, principal: LOCAL };
  const header = request.headers.get('authorization');
  if (header === null) return { ok: false, refusal: 'missing' };
  const token = readBearer(header);
  const found = token === undefined ? undefined : await lookUp(token, request, mode);
  return found === undefined ? { ok: false, refusal: 'invalid' } : { ok: true, principal: found };
}

/** Lets a revocation take effect at once in this isolate; others follow within seconds. */
export function forgetCredentials(): void {
  CREDENTIALS.clear();
  UNKNOWN.clear();
}

/** What a refused client is told, so that it finds out by itself how to come in (RFC 6750, RFC 9728). */
export function challenge(
  mode: ServedMode,
  url: URL,
  refusal: Refusal | { readonly scope: string },
): string {
  const parts = ['realm="skein"'];
  if (mode.mode === 'oauth') parts.push(`resource_metadata="${resourceMetadataUrl(url)}"`);
  const scope = typeof refusal === 'object' ? refusal.scope : BASELINE_SCOPES.join(' ');
  if (mode.mode === 'oauth' || typeof refusal === 'object') parts.push(`scope="${scope}"`);
  if (refusal === 'invalid') parts.push('error="invalid_token"');
  if (typeof refusal === 'object') parts.push('error="insufficient_scope"');
  return `Bearer ${parts.join(', ')}`;
}

interface Credential {
  readonly principal: Omit<Principal, 'credential'>;
  /** Epoch milliseconds. */
  readonly expiresAt: number | null;
}

interface Cached extends Credential {
  readonly until: number;
}

/** By a hash of the mode, the origin and the token, so that a token is not kept as it is. */
const CREDENTIALS = new LRUCache<string, Cached>({ max: CREDENTIALS_CACHED_MAX });

/**
 * Until when (epoch milliseconds) a token that was not found is not looked up again, by the same
 * hash. A map of its own, so that a flood of wrong tokens pushes out no good one.
 */
const UNKNOWN = new LRUCache<string, number>({ max: UNKNOWN_CREDENTIALS_CACHED_MAX });

async function lookUp(
  token: string,
  request: Request,
  mode: ServedMode,
): Promise<Principal | undefined> {
  const { origin } = new URL(request.url);
  const key = await sha256(`${mode.mode} ${origin} ${token}`);
  const now = Date.now();
  const cached = CREDENTIALS.get(key);
  const isFresh = cached !== undefined && cached.until > now;
  if (!isFresh && (UNKNOWN.get(key) ?? 0) > now) return undefined;
  const credential = isFresh ? cached : await readCredential(token, origin, mode);
  if (credential === undefined || isExpired(credential, now)) {
    CREDENTIALS.delete(key);
    UNKNOWN.set(key, now + CREDENTIAL_CACHE_MS);
    return undefined;
  }
  if (!isFresh) CREDENTIALS.set(key, { ...credential, until: now + CREDENTIAL_CACHE_MS });
  return { ...credential.principal, credential: key };
}

function isExpired({ expiresAt }: Credential, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

async function readCredential(
  token: string,
  origin: string,
  mode: ServedMode,
): Promise<Credential | undefined> {
  if (mode.mode === 'open') return undefined;
  if (token.startsWith(TOKEN_PREFIX)) return readApiToken(token, mode.kv);
  return mode.mode === 'oauth' ? readGrant(token, origin, mode.kv) : undefined;
}

async function readApiToken(token: string, kv: KVNamespace): Promise<Credential | undefined> {
  const record = isApiToken(token) ? await findToken(kv, token) : undefined;
  if (record === undefined) return undefined;
  const { name, scopes, threads, expiresAt } = record;
  return { principal: { subject: OWNER_SUBJECT, actor: name, scopes, threads }, expiresAt };
}

async function readGrant(
  token: string,
  origin: string,
  kv: KVNamespace,
): Promise<Credential | undefined> {
  const found = await authorizationServer(origin).validateToken(resourceOf(origin), token, {
    OAUTH_KV: kv,
  });
  if (found === null) return undefined;
  const { client, threads } = found.props as GrantProps;
  const scopes = knownScopes(found.scope);
  return {
    principal: { subject: found.userId, actor: client, scopes, threads },
    expiresAt: found.expiresAt * 1_000,
  };
}

/** Undefined for another scheme and for what could be no token. */
function readBearer(header: string): string | undefined {
  if (header.length > BEARER_CHARS_MAX) return undefined;
  return /^bearer +([\w.~+/:-]+=*)$/i.exec(header)?.[1];
}
