/** Sends a file that a thread has exported. */
import type { Context } from 'hono';
import { readFile } from '#thread/thread-client.ts';
import { admitCalls, memoryAddressOf } from './auth-guard.ts';
import type { GuardedContext } from './context.ts';

export async function serveFile(context: Context<GuardedContext>): Promise<Response> {
  const address = memoryAddressOf(context, context.req.param('threadId'));
  const name = context.req.param('file') ?? '';
  await admitCalls(context);
  const body = await readFile(context.env, address, name);
  return context.body(body, 200, {
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
}
