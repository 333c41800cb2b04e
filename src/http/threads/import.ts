/**
 * Reads a file of any size into a thread. The answer is the result, or an error with its status. With
 * `?progress=1` it tells how far it has come: one JSON object a line, the last of which is the result or
 * the error, and the status is 200 then. Nothing has changed before the result.
 */
import type { Context } from 'hono';
import { ADMIN, includesScope, WRITE } from '#auth/scopes.ts';
import { assert, MemoryError, quote, type ErrorData } from '#errors.ts';
import {
  openImport,
  type Imported,
  type ImportOptions,
  type ImportStand,
} from '#thread/thread-client.ts';
import { toLinePieces } from '#transfer/line-pieces.ts';
import { toRecordLines } from '#transfer/record-lines.ts';
import { logBug } from '#thread/log.ts';
import { admitCalls, memoryAddressOf, principalOf, refuseScope } from '#http/guards/auth-guard.ts';
import { chunksOf } from '#http/guards/body-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { toByteStream } from './byte-stream.ts';
import { countingOf } from '#thread/tool-access.ts';
import { errorResponse } from '#http/error-response.ts';
import { isSwitchedOn } from '#http/guards/switches.ts';

export type ImportLine =
  | { readonly progress: ImportStand }
  | { readonly result: Imported }
  | { readonly error: ErrorData };

export async function serveImport(context: Context<GuardedContext>): Promise<Response> {
  const address = memoryAddressOf(context, context.req.param('threadId'));
  const mode = parseMode(context.req.query('mode'));
  const skip = isSwitchedOn('skip', context.req.query('skip'));
  const tellsProgress = isSwitchedOn('progress', context.req.query('progress'));
  const needed = mode === 'replace' ? ADMIN : WRITE;
  if (!includesScope(principalOf(context).scopes, needed)) return refuseScope(context, needed);
  await admitCalls(context);
  const { body } = context.req.raw;
  if (body === null) {
    throw new MemoryError('invalid_input', 'The request has no body.', {
      hint: 'Send the lines of the file as the body, such as with curl --data-binary @file.',
    });
  }
  const principal = principalOf(context);
  const counting = countingOf(principal, { restores: true });
  const steps = openImport(context.env, address, { actor: principal.actor, ...counting });
  const lines = readInto(steps, body, { mode, skip });
  if (!tellsProgress) return answerOnce(context, lines);
  return context.body(toByteStream(writeLines(lines)), 200, {
    'Content-Type': 'application/x-ndjson',
    'X-Content-Type-Options': 'nosniff',
  });
}

/** The last line decides the status. */
async function answerOnce(
  context: Context<GuardedContext>,
  lines: AsyncIterable<ImportLine>,
): Promise<Response> {
  let last: ImportLine | undefined;
  for await (const line of lines) last = line;
  assert(last !== undefined && !('progress' in last), 'an import ends with a result or an error');
  if ('error' in last) return errorResponse(context, last.error);
  return context.json({ result: last.result });
}

function parseMode(value = 'merge'): ImportOptions['mode'] {
  if (value === 'merge' || value === 'replace') return value;
  throw new MemoryError('invalid_input', `Unknown import mode ${quote(value)}.`, {
    hint: 'Use ?mode=merge or ?mode=replace.',
  });
}

async function* readInto(
  steps: ReturnType<typeof openImport>,
  body: ReadableStream<Uint8Array>,
  options: ImportOptions,
): AsyncGenerator<ImportLine, void, undefined> {
  let isDone = false;
  try {
    for await (const piece of toLinePieces(toRecordLines(chunksOf(body)))) {
      const staged = await steps.stage(piece);
      if (!staged.ok) {
        isDone = true;
        return yield { error: staged.error };
      }
      yield { progress: { lines: staged.lines, bytes: staged.bytes } };
    }
    const applied = await steps.apply(options);
    isDone = true;
    if (!applied.ok) return yield { error: applied.error };
    const { ok: _, ...result } = applied;
    yield { result };
  } catch (error) {
    yield { error: describe(error) };
  } finally {
    // Also when the client has gone.
    if (!isDone) await steps.drop();
  }
}

function describe(error: unknown): ErrorData {
  if (error instanceof MemoryError) return error.toData();
  const reference = crypto.randomUUID().slice(0, 8);
  logBug(reference, error);
  return {
    code: 'unavailable',
    message: `The file could not be read to its end (reference ${reference}).`,
    hint: 'Nothing was changed. Send it again.',
  };
}

async function* writeLines(
  lines: AsyncGenerator<ImportLine, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}
