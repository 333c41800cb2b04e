/** API tokens as the Worker and `npm run token` know them. The token itself is never stored. */
import { MemoryError, quote } from '#errors.ts';
import { EXPIRED_TOKEN_SECONDS, TOKEN_DAYS_MAX, TOKEN_NAME_CHARS_MAX } from './limits.ts';
import { isReservedActor } from './actor.ts';
import { makeSecret, sha256 } from './digest.ts';
import { knownScopes, SCOPES, type Scope } from './scopes.ts';
import { parseThreadAccess, type ThreadAccess } from './thread-access.ts';

/** What is stored under the hash of a token. */
export interface ApiToken {
  /** Stands in the history of every thread that the token writes to. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly threads: ThreadAccess;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; null for a token that lasts until it is revoked. */
  readonly expiresAt: number | null;
}

/** As a person writes it, in a form or on a command line; absent fields may be empty. */
export interface ApiTokenRequest {
  readonly name: string;
  /** `read`, `write` or `admin`; each includes the ones before it. */
  readonly scope: string;
  /** Threads and prefixes, with commas; empty for all. */
  readonly threads: string;
  /** Days until it expires; empty for never. */
  readonly days: string;
}

/** A new token and how it is stored. */
export interface MintedToken {
  /** To be shown once. */
  readonly token: string;
  readonly key: string;
  readonly record: ApiToken;
  /** Epoch seconds at which the namespace forgets it; left out for a token that does not expire. */
  readonly expiration?: number;
}

export const TOKEN_PREFIX = 'skn_';
/** Where tokens stand in the namespace, apart from what the OAuth provider keeps there. */
export const TOKEN_KEY_PREFIX = 'api-token:';
/** Digits of the hash by which a token is named and revoked. */
const TOKEN_ID_CHARS = 12;

const TOKEN = /^skn_[\w-]{43}$/;
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@-]*$/u;
const DAY_MS = 86_400_000;

export function isApiToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The key under which a token is found; its first digits after the prefix are the token's id. */
export async function keyOfToken(token: string): Promise<string> {
  return TOKEN_KEY_PREFIX + (await sha256(token));
}

export function idOfKey(key: string): string {
  return key.slice(TOKEN_KEY_PREFIX.length, TOKEN_KEY_PREFIX.length + TOKEN_ID_CHARS);
}

/** Throws `invalid_input` for what is no id, so that no key is looked for by a shorter prefix. */
export function keyPrefixOfId(id: string): string {
  if (/^[0-9a-f]{12}$/.test(id)) return TOKEN_KEY_PREFIX + id;
  throw new MemoryError('invalid_input', `${quote(id)} is no id of a token.`, {
    hint: 'Ids have 12 digits. To list them run: npm run token -- list, with --env production for a deployment.',
  });
}

/** A new token, to be shown once, and what to store of it. Throws `invalid_input` that says what to write. */
export async function mintToken(request: ApiTokenRequest, now: number): Promise<MintedToken> {
  const record: ApiToken = {
    name: parseName(request.name),
    scopes: [parseScope(request.scope)],
    threads: parseThreadAccess(request.threads),
    createdAt: now,
    expiresAt: parseExpiry(request.days, now),
  };
  const token = TOKEN_PREFIX + makeSecret();
  return { token, key: await keyOfToken(token), record, ...leavesAt(record) };
}

/** When the namespace forgets a token, in epoch seconds: some weeks after it expired, so that the list can say so. */
function leavesAt({ expiresAt }: ApiToken): { readonly expiration?: number } {
  if (expiresAt === null) return {};
  return { expiration: Math.ceil(expiresAt / 1_000) + EXPIRED_TOKEN_SECONDS };
}

/** Whether a key of the namespace is that of a token that has not expired; `now` in epoch milliseconds. */
export function isGoodAt({ expiration }: { readonly expiration?: number }, now: number): boolean {
  return expiration === undefined || expiration - EXPIRED_TOKEN_SECONDS > now / 1_000;
}

/** What was stored, or undefined if it is no token of ours: whatever is unclear is no credential. */
export function readToken(text: string | null): ApiToken | undefined {
  if (text === null) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is ApiToken {
  if (typeof value !== 'object' || value === null) return false;
  const { name, scopes, threads, createdAt, expiresAt } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    isTexts(scopes) &&
    knownScopes(scopes).length === scopes.length &&
    (threads === null || isTexts(threads)) &&
    typeof createdAt === 'number' &&
    (expiresAt === null || typeof expiresAt === 'number')
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parseName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (name.length <= TOKEN_NAME_CHARS_MAX && NAME.test(name) && !isReservedActor(name)) {
    return name;
  }
  throw new MemoryError('invalid_input', `${quote(text)} is no name for a token.`, {
    hint: `Use 1-${TOKEN_NAME_CHARS_MAX} letters, digits, spaces and . _ @ - beginning with a letter or digit, such as 'claude-code laptop'. It stands in the history of what the token writes.`,
  });
}

function parseScope(text: string): Scope {
  const name = text.trim().replace(/^memory:/, '');
  const scope = SCOPES.find((known) => known === `memory:${name}`);
  if (scope !== undefined) return scope;
  throw new MemoryError('invalid_input', `${quote(text)} is no scope.`, {
    hint: 'Use read, write (reads too) or admin (deletes too).',
  });
}

function parseExpiry(text: string, now: number): number | null {
  if (text.trim() === '') return null;
  const days = Number(text);
  if (days > 0 && days <= TOKEN_DAYS_MAX) return now + Math.round(days * DAY_MS);
  throw new MemoryError('invalid_input', `${quote(text)} is no number of days.`, {
    hint: `Use more than 0 and at most ${TOKEN_DAYS_MAX} days, or leave it out for a token that lasts until it is revoked.`,
  });
}
