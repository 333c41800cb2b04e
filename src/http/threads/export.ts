/** Streams all of a thread's graph as a file, a page at a time. */
import type { Context } from 'hono';
import { MemoryError, quote, type ErrorData } from '#errors.ts';
import { openExport } from '#thread/thread-client.ts';
import { writeExport } from '#transfer/export-stream.ts';
import {
  EXPORT_FORMATS,
  fileTypeOf,
  showsObservations,
  type ExportFormat,
} from '#transfer/graph-formats.ts';
import { addressOf, admitCalls } from '#http/guards/auth-guard.ts';
import type { GuardedContext } from '#http/context.ts';
import { toByteStream } from './byte-stream.ts';
import { errorResponse } from '#http/error-response.ts';
import { NOTE_HEADER, toHeaderText } from '#http/headers.ts';

/** What the thread answers to a first page decides the status; what fails later breaks the stream off. */
export async function serveExport(context: Context<GuardedContext>): Promise<Response> {
  const address = addressOf(context, context.req.param('threadId'));
  const { threadId } = address;
  const format = parseFormat(context.req.query('format'));
  await admitCalls(context);
  const readPage = openExport(context.env, address);
  const hasObservations = showsObservations(format);
  const first = await readPage({ cursor: undefined, hasObservations });
  if (!first.ok) return errorResponse(context, first.error);

  async function* readPages() {
    let page = first;
    while (page.ok) {
      yield page;
      if (page.next === null) return;
      // eslint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
      page = await readPage({ cursor: page.next, hasObservations });
    }
    throw new BrokenExport(page.error);
  }

  const isEmpty =
    first.part === 'entities' && first.entities.length === 0 && first.next?.part === 'relations';
  const { mediaType, extension } = fileTypeOf(format);
  return context.body(toByteStream(writeExport(format, readPages())), 200, {
    'Content-Type': mediaType,
    'Content-Disposition': attachment(threadId, extension),
    'X-Content-Type-Options': 'nosniff',
    ...(isEmpty && { [NOTE_HEADER]: toHeaderText(noteOnEmpty(threadId)) }),
  });
}

/** A name that was misspelt looks like this too. */
function noteOnEmpty(threadId: string): string {
  return `The thread '${threadId}' has no entities: this export is empty.`;
}

class BrokenExport extends Error {
  constructor({ message }: ErrorData) {
    super(`The export broke off: ${message}`);
  }
}

function parseFormat(value = 'json'): ExportFormat {
  const format = EXPORT_FORMATS.find((known) => known === value);
  if (format !== undefined) return format;
  throw new MemoryError('invalid_input', `Unknown export format ${quote(value)}.`, {
    hint: `Use ?format= with one of ${EXPORT_FORMATS.join(', ')}.`,
  });
}

/** The plain name for clients that know no other, then the whole one (RFC 6266). */
function attachment(threadId: string, extension: string): string {
  const plain = threadId.replaceAll(/[^\w.-]/g, '_');
  const whole = encodeURIComponent(threadId);
  return `attachment; filename="${plain}.${extension}"; filename*=UTF-8''${whole}.${extension}`;
}
