/** Signing in and out. */
import type { Context, Hono } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { isSameSecret } from '#auth/digest.ts';
import { endSession, SESSION_COOKIE, startSession } from '#auth/session.ts';
import { RATE_LIMIT_SECONDS, SESSION_SECONDS } from '#auth/limits.ts';
import { logSignIn } from '#thread/log.ts';
import type { GuardedContext } from '#http/context.ts';
import { readForm } from '#http/guards/form-guards.ts';
import {
  fieldOf,
  ownerAccess,
  ownerGuards,
  requireFormProof,
  requireOwnForm,
  safeNext,
  sessionOf,
  signInPage,
  toSettings,
  type OwnerAccess,
} from '#http/guards/owner.ts';
import { mayAttempt } from '#http/guards/rate-limit.ts';

export function addSignInRoutes(app: Hono<GuardedContext>): void {
  for (const path of ['/sign-in', '/sign-out']) app.use(path, ...ownerGuards());
  app.post('/sign-in', signIn);
  app.post('/sign-out', signOut);
  // What a form has answered stands at its address, where a browser may ask again.
  app.get('/sign-in', toSettings);
  app.get('/sign-out', toSettings);
}

/** One attempt, right or wrong, counts. */
async function signIn(context: Context<GuardedContext>): Promise<Response> {
  const access = ownerAccess(context);
  if (access === undefined) return context.notFound();
  requireOwnForm(context);
  const form = await readForm(context);
  const next = safeNext(fieldOf(form, 'next'));
  if (!(await mayAttempt(context.env, context.req.raw, 'sign-in'))) {
    logSignIn('limited');
    context.header('Retry-After', String(RATE_LIMIT_SECONDS));
    const text = `Too many attempts. Wait ${RATE_LIMIT_SECONDS} seconds, then try again.`;
    return signInPage(context, next, { text, status: 429 });
  }
  const isRight = await isSameSecret(fieldOf(form, 'passphrase'), access.passphrase);
  logSignIn(isRight ? 'ok' : 'wrong');
  if (!isRight) {
    return signInPage(context, next, { text: 'That is not the passphrase.', status: 403 });
  }
  await startOwnerSession(context, access);
  return context.redirect(next, 303);
}

async function startOwnerSession(
  context: Context<GuardedContext>,
  { kv, passphrase }: OwnerAccess,
): Promise<void> {
  setCookie(context, SESSION_COOKIE, await startSession(kv, passphrase), {
    ...COOKIE,
    maxAge: SESSION_SECONDS,
  });
}

async function signOut(context: Context<GuardedContext>): Promise<Response> {
  const access = ownerAccess(context);
  const session = await sessionOf(context);
  if (access === undefined || session === undefined) return context.redirect('/settings', 303);
  requireOwnForm(context);
  await requireFormProof(session, fieldOf(await readForm(context), 'proof'));
  await endSession(access.kv, session);
  deleteCookie(context, SESSION_COOKIE, COOKIE);
  return context.redirect('/settings', 303);
}

/** `Lax` rather than `Strict`: a client leads the browser here from another site. */
const COOKIE = { path: '/', secure: true, httpOnly: true, sameSite: 'Lax' } as const;
