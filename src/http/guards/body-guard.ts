/** Bodies of requests: one that is too large, or whose sender goes away half-way, is the sender's mistake. */
import type { MiddlewareHandler } from 'hono';
import { MemoryError } from '#errors.ts';
import { JSON_DEPTH_MAX, REQUEST_BODY_BYTES_MAX } from '#limits.ts';
import type { GuardedContext } from '#http/context.ts';

export interface BodyLimit {
  readonly bytesMax: number;
  /** What to do with a larger one. */
  readonly hint: string;
}

const MEMORY_BODY: BodyLimit = {
  bytesMax: REQUEST_BODY_BYTES_MAX,
  hint: 'Split the call: save_memory takes up to 100 entities, and later calls may refer to earlier ones.',
};

/**
 * Reads a body to its end before anything is done with it. Whoever reads it after this reads it from
 * memory, so that no read of it fails.
 */
export function bodyGuard(limit: BodyLimit = MEMORY_BODY): MiddlewareHandler<GuardedContext> {
  return async (context, next) => {
    const { raw } = context.req;
    // Nobody reads the body of a GET, and no copy of such a request may have one.
    if (raw.body === null || raw.method === 'GET' || raw.method === 'HEAD') return next();
    // Most clients tell, so that no byte of what is too large is read.
    if (Number(raw.headers.get('content-length')) > limit.bytesMax) throw tooLarge(limit);
    const body = await readWhole(raw.body, limit);
    requireShallowJson(raw, body);
    context.req.raw = fromMemory(new Request(raw, { method: raw.method, body }), body);
    return next();
  };
}

/** The bytes of a body as they come. Throws `invalid_input` when it breaks off, which is no bug of ours. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (cause) {
    throw new MemoryError('invalid_input', 'The body of the request broke off.', {
      hint: 'Nothing was changed. Send it again.',
      cause,
    });
  }
}

/**
 * Gives the body without another turn of the event loop, which a stream takes even from memory: so
 * requests that come together go on in the order in which they came, and facts that were stored one
 * after another stand next to each other, which search minds.
 */
function fromMemory(request: Request, body: Uint8Array<ArrayBuffer>): Request {
  const text = () => new TextDecoder().decode(body);
  return Object.defineProperties(request, {
    text: { value: async () => text() },
    json: { value: async () => JSON.parse(text()) as unknown },
    clone: {
      value: () => fromMemory(new Request(request, { method: request.method, body }), body),
    },
  });
}

async function readWhole(
  body: ReadableStream<Uint8Array>,
  limit: BodyLimit,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(body)) {
    size += chunk.length;
    if (size > limit.bytesMax) throw tooLarge(limit);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** Throws `invalid_input` for JSON so deep that what walks it would exhaust the stack. */
function requireShallowJson(request: Request, body: Uint8Array): void {
  if (!/json/i.test(request.headers.get('content-type') ?? '')) return;
  if (jsonDepth(body) <= JSON_DEPTH_MAX) return;
  throw new MemoryError(
    'invalid_input',
    `The JSON is nested more than ${JSON_DEPTH_MAX} levels deep.`,
    { hint: 'Nothing was changed. Send flatter values.' },
  );
}

/** The most brackets that are open at once, outside of strings; of text that may be no JSON at all. */
function jsonDepth(body: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString && byte === BACKSLASH) i++;
    else if (isInString) continue;
    else if (byte === BRACKET_OPEN || byte === BRACE_OPEN) deepest = Math.max(deepest, ++depth);
    else if (byte === BRACKET_CLOSE || byte === BRACE_CLOSE) depth--;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

function tooLarge({ bytesMax, hint }: BodyLimit): MemoryError {
  const size = bytesMax < MIB ? `${bytesMax / 1024} KiB` : `${bytesMax / MIB} MiB`;
  return new MemoryError('limit_exceeded', `The request body is larger than ${size}.`, { hint });
}

const MIB = 1024 * 1024;
