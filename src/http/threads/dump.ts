/** Streams the tables of a thread as they are, a page at a time: also of one that this version cannot open. */
import type { Context } from 'hono';
import { ADMIN, includesScope } from '#auth/scopes.ts';
import { openDump } from '#thread/thread-client.ts';
import { admitCalls, memoryAddressOf, principalOf, refuseScope } from '#http/guards/auth-guard.ts';
import { toByteStream } from './byte-stream.ts';
import type { GuardedContext } from '#http/context.ts';
import { errorResponse } from '#http/error-response.ts';

/** For `memory:admin`. What fails after the first page breaks the stream off. */
export async function serveDump(context: Context<GuardedContext>): Promise<Response> {
  const address = memoryAddressOf(context, context.req.param('threadId'));
  if (!includesScope(principalOf(context).scopes, ADMIN)) return refuseScope(context, ADMIN);
  await admitCalls(context);
  const readPage = openDump(context.env, address);
  const first = await readPage(null);
  if (!first.ok) return errorResponse(context, first.error);

  async function* readLines() {
    let page = first;
    while (page.ok) {
      if (page.lines !== '') yield page.lines;
      if (page.next === null) return;
      // eslint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
      page = await readPage(page.next);
    }
    throw new Error(`The dump broke off: ${page.error.message}`);
  }

  return context.body(toByteStream(readLines()), 200, {
    'Content-Type': 'application/jsonl; charset=utf-8',
    'Content-Disposition': 'attachment; filename="dump.jsonl"',
    'X-Content-Type-Options': 'nosniff',
  });
}
