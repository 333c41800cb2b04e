/** The Worker's side of a thread: its name, and the one call that crosses to its object. */
import type { Env } from '#env.ts';
import { MemoryError, quote, type ErrorData } from '#errors.ts';
import { THREAD_ID_CHARS_MAX } from '#limits.ts';
import type { Caller } from '#memory/world.ts';
import type { ToolValue } from '#tools/define.ts';

/** What comes back over the RPC boundary. Expected failures are data: classes do not survive it. */
export type Outcome =
  | ({ readonly ok: true } & ToolValue)
  | { readonly ok: false; readonly error: ErrorData };

export interface ThreadAddress {
  /** The authenticated principal, `local` in local development. */
  readonly subject: string;
  readonly threadId: string;
}

/** The object behind a stub. Its types are spelled out, since RPC types cannot express `unknown`. */
interface ThreadStub {
  call(tool: string, input: Record<string, unknown>, caller: Caller): Promise<Outcome>;
}

export type ThreadClient = (
  tool: string,
  input: Record<string, unknown>,
  caller: Caller,
) => Promise<Outcome>;

/** One RPC, and so one billed request, for each call. */
export function openThread(env: Env, address: ThreadAddress): ThreadClient {
  const stub = env.THREAD.getByName(threadObjectName(address)) as unknown as ThreadStub;
  return (tool, input, caller) => stub.call(tool, input, caller);
}

/** Each part percent-encoded, so that no two addresses share a name and none reaches another's. */
export function threadObjectName({ subject, threadId }: ThreadAddress): string {
  return [subject, threadId].map(encodeURIComponent).join('/');
}

/** Letters and digits of any script first; then also these signs, which are safe in a URL. */
const THREAD_ID = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:@~+-]*$/u;

/** The id in Unicode NFC. Throws `invalid_input` that says what is allowed. */
export function parseThreadId(value: unknown): string {
  const threadId = typeof value === 'string' ? value.normalize('NFC') : '';
  if (threadId.length <= THREAD_ID_CHARS_MAX && THREAD_ID.test(threadId)) return threadId;
  const found = value === undefined ? 'threadId is missing.' : `Invalid threadId ${quote(value)}.`;
  throw new MemoryError('invalid_input', found, {
    hint: `A threadId is 1-${THREAD_ID_CHARS_MAX} letters, digits and . _ - : @ ~ + and begins with a letter or digit, such as 'portfolio-update-2026'. Spaces and slashes are not allowed.`,
  });
}
