/**
 * The owner's session in a browser. The cookie is random; KV has its hash, and a proof made from
 * the cookie and the passphrase, so that another passphrase ends every session.
 */
import { SESSION_SECONDS } from './limits.ts';
import { isSameSecret, makeSecret, sha256, sign } from './digest.ts';

export const SESSION_COOKIE = '__Host-skein-session';
const KEY_PREFIX = 'session:';

export interface Session {
  readonly secret: string;
}

/** The value for the cookie. */
export async function startSession(kv: KVNamespace, passphrase: string): Promise<string> {
  const secret = makeSecret();
  await kv.put(await keyOf(secret), await sign(secret, passphrase), {
    expirationTtl: SESSION_SECONDS,
  });
  return secret;
}

/** Undefined without a cookie, and for one that ended or was made for another passphrase. */
export async function findSession(
  kv: KVNamespace,
  passphrase: string,
  cookie: string | undefined,
): Promise<Session | undefined> {
  if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined;
  const proof = await kv.get(await keyOf(cookie));
  if (proof === null) return undefined;
  return (await isSameSecret(proof, await sign(cookie, passphrase)))
    ? { secret: cookie }
    : undefined;
}

export async function endSession(kv: KVNamespace, { secret }: Session): Promise<void> {
  await kv.delete(await keyOf(secret));
}

/** Stands in every form of the session: another site cannot know it. */
export function formProof({ secret }: Session): Promise<string> {
  return sign(secret, 'form');
}

export async function isFormProof(session: Session, value: string): Promise<boolean> {
  return isSameSecret(value, await formProof(session));
}

/** A text with a mark of the session, so that what comes back in a cookie is what this server put there. */
export async function sealText({ secret }: Session, text: string): Promise<string> {
  return `${text}.${await sign(secret, `sealed ${text}`)}`;
}

/** Undefined for anything that `sealText` did not make for the same session. */
export async function openSealed(session: Session, sealed: string): Promise<string | undefined> {
  const text = sealed.slice(0, Math.max(0, sealed.lastIndexOf('.')));
  return (await isSameSecret(sealed, await sealText(session, text))) ? text : undefined;
}

async function keyOf(secret: string): Promise<string> {
  return KEY_PREFIX + (await sha256(secret));
}
