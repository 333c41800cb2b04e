/** The files of a thread: a list of them, and each as it was written. */
import type { Context } from 'hono';
import { ADMIN, includesScope } from '#auth/scopes.ts';
import { MemoryError, quote } from '#errors.ts';
import { FILES_LIMIT_DEFAULT, FILES_LIMIT_MAX } from '#limits.ts';
import { downloadPath, isBackup, listFiles, readFile } from '#thread/thread-client.ts';
import { toIsoTime } from '#tools/shapes.ts';
import { admitCalls, memoryAddressOf, principalOf, refuseScope } from '#http/guards/auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';

export async function serveFile(context: Context<GuardedContext>): Promise<Response> {
  const address = memoryAddressOf(context, context.req.param('threadId'));
  const name = context.req.param('file') ?? '';
  const isAdmin = includesScope(principalOf(context).scopes, ADMIN);
  if (isBackup(name) && !isAdmin) return refuseScope(context, ADMIN);
  await admitCalls(context);
  const body = await readFile(context.env, address, name, isAdmin);
  return context.body(body, 200, {
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': `attachment; filename="${name}"`,
    'X-Content-Type-Options': 'nosniff',
  });
}

/** Newest first, without waking the thread. */
export async function serveFileList(context: Context<GuardedContext>): Promise<Response> {
  const address = memoryAddressOf(context, context.req.param('threadId'));
  const { threadId, owner } = address;
  const limit = parseLimit(context.req.query('limit'));
  await admitCalls(context);
  const { files, total } = await listFiles(
    context.env,
    address,
    limit,
    includesScope(principalOf(context).scopes, ADMIN),
  );
  return context.json({
    threadId,
    files: files.map(({ name, bytes, at }) => ({
      file: name,
      sizeBytes: bytes,
      writtenAt: toIsoTime(at),
      download: downloadPath(threadId, name, owner),
    })),
    total,
  });
}

function parseLimit(value = String(FILES_LIMIT_DEFAULT)): number {
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= FILES_LIMIT_MAX) return limit;
  throw new MemoryError('invalid_input', `limit is ${quote(value)}.`, {
    hint: `Use ?limit= with a number from 1 to ${FILES_LIMIT_MAX}, or leave it out for ${FILES_LIMIT_DEFAULT}.`,
  });
}
