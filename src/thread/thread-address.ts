/** Which object holds a memory: subject, thread and owner, and the ids in which a caller names them. */
import type { Env } from '#env.ts';
import { MemoryError, quote } from '#errors.ts';
import { OWNER_ID_CHARS_MAX, THREAD_ID_CHARS_MAX } from '#limits.ts';
import { DEFAULT_OWNER } from '#tools/define.ts';

export interface ThreadAddress {
  /** The authenticated principal, `local` in local development. */
  readonly subject: string;
  readonly threadId: string;
  /** Whose of the thread's memories; undefined for the thread's own. */
  readonly owner?: string | undefined;
}

/** Each part percent-encoded, so that no two addresses share a name and none reaches another's. */
export function threadObjectName({ subject, threadId, owner }: ThreadAddress): string {
  const parts = owner === undefined ? [subject, threadId] : [subject, threadId, owner];
  return parts.map(encodeURIComponent).join('/');
}

/** Undefined where the platform does not tell an object its name. */
export function addressOfObject({ name }: DurableObjectId): ThreadAddress | undefined {
  return name === undefined ? undefined : parseObjectName(name);
}

/** The address that an object's name tells; undefined for a name that `threadObjectName` did not make. */
export function parseObjectName(name: string): ThreadAddress | undefined {
  const [subject, threadId, owner, ...more] = name.split('/').map(decodeURIComponent);
  if (subject === undefined || threadId === undefined || more.length > 0) return undefined;
  return { subject, threadId, owner };
}

/** Of a thread's files in R2: the id of its object, which is a hash of its name. */
export function filePrefix(env: Env, address: ThreadAddress): string {
  return env.THREAD.idFromName(threadObjectName(address)).toString();
}

const OWNER_ID = /^[A-Za-z0-9_@-]+$/;

/** Undefined for the thread's own memory. Throws `invalid_input` for an invalid owner id. */
export function parseOwner(value: unknown): string | undefined {
  if (value === undefined || value === DEFAULT_OWNER) return undefined;
  if (typeof value === 'string' && value.length <= OWNER_ID_CHARS_MAX && OWNER_ID.test(value)) {
    return value;
  }
  throw new MemoryError(
    'invalid_input',
    `Invalid owner_id ${quote(value)} (only letters, digits and - _ @, 1-${OWNER_ID_CHARS_MAX} chars)`,
    { hint: "Leave owner_id out for the thread's own memory. Nothing was changed." },
  );
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
