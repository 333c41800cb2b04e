/** Sends a file that a thread has exported. */
import type { Context } from 'hono';
import { authenticate } from '#auth/principal.ts';
import type { Env } from '#env.ts';
import { parseThreadId, readFile } from '#thread/thread-client.ts';

export async function serveFile(context: Context<{ Bindings: Env }>): Promise<Response> {
  const { subject } = authenticate(context.req.raw);
  const threadId = parseThreadId(context.req.param('threadId'));
  const name = context.req.param('file') ?? '';
  const body = await readFile(context.env, { subject, threadId }, name);
  return context.body(body, 200, {
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
}
