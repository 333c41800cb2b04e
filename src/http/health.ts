/** How the search of one thread stands: what its embedder has still to do. */
import type { Context } from 'hono';
import { authenticate } from '#auth/principal.ts';
import type { Env } from '#env.ts';
import { parseThreadId, readHealth } from '#thread/thread-client.ts';
import { errorResponse } from './error-response.ts';

/** `status` is `ok` when every text has its vector, and `catching_up` while some wait for theirs. */
export async function serveHealth(context: Context<{ Bindings: Env }>): Promise<Response> {
  const { subject } = authenticate(context.req.raw);
  const threadId = parseThreadId(context.req.param('threadId'));
  const outcome = await readHealth(context.env, { subject, threadId });
  if (!outcome.ok) return errorResponse(context, outcome.error);
  const { ok: _, ...health } = outcome;
  const status = health.embeddingBacklog === 0 ? 'ok' : 'catching_up';
  return context.json({ status, threadId, ...health });
}
