/** How the search of one thread stands: what its embedder has still to do. */
import type { Context } from 'hono';
import { readHealth } from '#thread/thread-client.ts';
import { addressOf, admitCalls } from './guards/auth-guard.ts';
import type { GuardedContext } from './context.ts';
import { errorResponse } from './error-response.ts';

/** `status` is `ok` when every text has its vector, and `catching_up` while some wait for theirs. */
export async function serveHealth(context: Context<GuardedContext>): Promise<Response> {
  const address = addressOf(context, context.req.param('threadId'));
  await admitCalls(context);
  const outcome = await readHealth(context.env, address);
  if (!outcome.ok) return errorResponse(context, outcome.error);
  const { ok: _, ...health } = outcome;
  const status = health.embeddingBacklog === 0 ? 'ok' : 'catching_up';
  return context.json({ status, threadId: address.threadId, ...health });
}
