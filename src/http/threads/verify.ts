/** Whether everything in one thread is as it must be: for operators, after a crash or a restore. */
import type { Context } from 'hono';
import { verifyThread } from '#thread/thread-client.ts';
import { addressOf, admitCalls } from '#http/guards/auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';

/** `status` is `sound`, or `broken` with each rule that does not hold and some of the rows that break it. */
export async function serveVerify(context: Context<GuardedContext>): Promise<Response> {
  const address = addressOf(context, context.req.param('threadId'));
  const { threadId } = address;
  await admitCalls(context);
  const outcome = await verifyThread(context.env, address);
  if (!outcome.ok) return errorResponse(context, outcome.error);
  const { faults } = outcome;
  return context.json({ status: faults.length === 0 ? 'sound' : 'broken', threadId, faults });
}
