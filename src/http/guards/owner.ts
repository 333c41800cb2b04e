/** The owner at the pages: signing in, and what every form must bring. */
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { findSession, isFormProof, SESSION_COOKIE, type Session } from '#auth/session.ts';
import { readPassphrase } from '#auth/mode.ts';
import { MemoryError } from '#errors.ts';
import { answerClosed, authModeOf, refusePlainText } from './auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';
import { formBodyGuard } from './form-guards.ts';
import { hostGuard } from './guards.ts';
import { answerPage, wantsPage } from '#http/pages/page.ts';
import { problemPage } from '#http/pages/page-problem.ts';
import { limitAddress } from './rate-limit.ts';

/** Where an owner can sign in: a namespace for sessions, and a passphrase. */
export interface OwnerAccess {
  readonly kv: KVNamespace;
  readonly passphrase: string;
}

/** Undefined where nobody can sign in. */
export function ownerAccess({ env }: Context<GuardedContext>): OwnerAccess | undefined {
  const passphrase = readPassphrase(env);
  const kv = env.OAUTH_KV;
  return passphrase === undefined || kv === undefined ? undefined : { kv, passphrase };
}

/** Before the handlers of every page that wants a session, and of signing in. */
export function ownerGuards(): MiddlewareHandler<GuardedContext>[] {
  return [hostGuard(), ownerGuard(), formBodyGuard()];
}

/** Pages exist where an owner can sign in. Elsewhere they say how to get there. */
function ownerGuard(): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const mode = authModeOf(context);
    if (mode.mode === 'closed') return answerClosed(context, mode);
    if (ownerAccess(context) !== undefined) {
      return refusePlainText(context) ?? (await limitAddress(context)) ?? next();
    }
    return wantsPage(context)
      ? problemPage(context, NO_PASSPHRASE)
      : errorResponse(context, NO_PASSPHRASE);
  };
}

const NO_PASSPHRASE = {
  code: 'not_found',
  message: 'This server has no passphrase, so nobody can sign in.',
  hint: "For a deployment run: npx wrangler secret put OWNER_PASSPHRASE --env production. On your own machine run: echo 'OWNER_PASSPHRASE=<12 characters or more>' >> .dev.vars, then start the server again. An API token needs no passphrase: npm run token -- create --name laptop makes one for this machine, and with --env production for a deployment.",
} as const;

/** Undefined without a session, or where nobody can have one. */
export async function sessionOf(context: Context<GuardedContext>): Promise<Session | undefined> {
  const access = ownerAccess(context);
  if (access === undefined) return undefined;
  return findSession(access.kv, access.passphrase, getCookie(context, SESSION_COOKIE));
}

/** The page to sign in; afterwards the browser goes on to `next`, a path of ours. */
export function signInPage(
  context: Context<GuardedContext>,
  next: string,
  problem?: { readonly text: string; readonly status: 403 | 429 },
): Promise<Response> {
  return answerPage(context, {
    title: 'Sign in to Skein',
    ...(problem !== undefined && { status: problem.status }),
    body: html`${problem === undefined ? '' : html`<p class="warning" role="alert">${problem.text}</p>`}
      <form method="post" action="/sign-in">
        <input type="hidden" name="next" value="${next}" />
        <label
          >The owner's passphrase
          <input
            type="password"
            name="passphrase"
            autocomplete="current-password"
            required
            autofocus
        /></label>
        <button>Sign in</button>
      </form>
      <p class="note">It is the secret OWNER_PASSPHRASE of this deployment.</p>`,
  });
}

/** A path of ours to go on to. Anything else, such as another site's address, leads to the settings. */
export function safeNext(value: string): string {
  return /^\/(?:authorize\?[!-~]*|settings|t\/[!-~]*|)$/.test(value) ? value : '/settings';
}

export function toSettings(context: Context<GuardedContext>): Response {
  return context.redirect('/settings', 303);
}

/** Refuses a form that another site sent, by what browsers tell of it. Throws `forbidden`. */
export function requireOwnForm({ req }: Context<GuardedContext>): void {
  const { origin } = new URL(req.url);
  const site = req.header('sec-fetch-site');
  const isOwn =
    req.header('origin') === origin || (site === 'same-origin' && !req.header('origin'));
  if (!isOwn) throw new MemoryError('forbidden', 'This form was not sent from its own page.');
}

/** Refuses a form that does not bring what the session's own pages put into it. Throws `forbidden`. */
export async function requireFormProof(session: Session, value: string): Promise<void> {
  if (await isFormProof(session, value)) return;
  throw new MemoryError('forbidden', 'This form is not of this session.', {
    hint: 'Open the page again.',
  });
}

/** A field of a form as text; empty if it is not there. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
