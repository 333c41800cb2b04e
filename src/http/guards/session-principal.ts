/**
 * The owner in a browser as a principal: by the cookie of a session, on routes of the API that say so. A
 * browser sends the cookie by itself, so it counts only where the browser says that our own page asks.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { sha256 } from '#auth/digest.ts';
import { readPassphrase } from '#auth/mode.ts';
import { OWNER_SUBJECT, type Principal } from '#auth/principal.ts';
import { ADMIN } from '#auth/scopes.ts';
import { findSession, SESSION_COOKIE } from '#auth/session.ts';
import type { GuardedContext } from '#http/context.ts';

/** What the history calls the owner. */
const ACTOR = 'owner';

/** Undefined without a session, and for a request that a page of another origin has made. */
export async function findSessionPrincipal(
  context: Context<GuardedContext>,
): Promise<Principal | undefined> {
  const { OAUTH_KV: kv } = context.env;
  const passphrase = readPassphrase(context.env);
  if (kv === undefined || passphrase === undefined || !isOwnPage(context)) return undefined;
  const session = await findSession(kv, passphrase, getCookie(context, SESSION_COOKIE));
  if (session === undefined) return undefined;
  return {
    credential: await sha256(`session ${session.secret}`),
    subject: OWNER_SUBJECT,
    actor: ACTOR,
    scopes: [ADMIN],
    threads: null,
  };
}

/** Browsers send `Sec-Fetch-Site` with every request to a trustworthy address, and `Origin` with each POST. */
function isOwnPage({ req }: Context): boolean {
  const origin = req.header('origin');
  if (origin !== undefined && origin !== new URL(req.url).origin) return false;
  return req.header('sec-fetch-site') === 'same-origin';
}
