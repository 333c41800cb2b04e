/** Who asks, for the explorer: what the credential that came with the request may do, if any came. */
import type { Context } from 'hono';
import { authenticate } from '#auth/authenticate.ts';
import { assert } from '#errors.ts';
import { readLimits } from '#env.ts';
import { authModeOf } from '#http/guards/auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { ownerAccess } from '#http/guards/owner.ts';
import { findSessionPrincipal } from '#http/guards/session-principal.ts';
import type { SessionAnswer } from '#http/wire.ts';

/** Never 401: a page that is not signed in asks this to find out how to. */
export async function serveSession(context: Context<GuardedContext>): Promise<Response> {
  const mode = authModeOf(context);
  assert(mode.mode !== 'closed', 'The guard answers where nobody is served.');
  const verdict = await authenticate(context.req.raw, mode);
  const principal = verdict.ok ? verdict.principal : await findSessionPrincipal(context);
  const { observationCharsMax, observationSentencesMax } = readLimits(context.env);
  const answer: SessionAnswer = {
    mode: mode.mode,
    canSignIn: ownerAccess(context) !== undefined,
    principal: principal && {
      actor: principal.actor,
      scopes: principal.scopes,
      threads: principal.threads,
    },
    limits: { observationCharsMax, observationSentencesMax },
  };
  return context.json(answer);
}
