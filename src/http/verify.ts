/** Whether everything in one thread is as it must be: for operators, after a crash or a restore. */
import type { Context } from 'hono';
import { authenticate } from '#auth/principal.ts';
import type { Env } from '#env.ts';
import { parseThreadId, verifyThread } from '#thread/thread-client.ts';
import { errorResponse } from './error-response.ts';

/** `status` is `sound`, or `broken` with each rule that does not hold and some of the rows that break it. */
export async function serveVerify(context: Context<{ Bindings: Env }>): Promise<Response> {
  const { subject } = authenticate(context.req.raw);
  const threadId = parseThreadId(context.req.param('threadId'));
  const outcome = await verifyThread(context.env, { subject, threadId });
  if (!outcome.ok) return errorResponse(context, outcome.error);
  const { faults } = outcome;
  return context.json({ status: faults.length === 0 ? 'sound' : 'broken', threadId, faults });
}
