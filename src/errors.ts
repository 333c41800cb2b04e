/** The one error that a caller is meant to see, and the closed set of its codes. */

export type ErrorCode =
  | 'invalid_input'
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'limit_exceeded'
  | 'forbidden'
  | 'unavailable';

/** One thing wrong with one item of a request. A refused batch names all of them. */
export interface Fault {
  /** Where the value stands in the arguments, such as `entities[2].observations[0]`. */
  readonly path: string;
  /** What is wrong, with the value quoted (cut at 80 characters). */
  readonly problem: string;
  /** What to do about it. */
  readonly suggestion?: string | undefined;
}

/** A `MemoryError` as plain data: classes do not survive the RPC boundary. */
export interface ErrorData {
  readonly code: ErrorCode | 'internal';
  readonly message: string;
  readonly hint?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
}

interface MemoryErrorOptions {
  hint?: string | undefined;
  faults?: readonly Fault[] | undefined;
  cause?: unknown;
}

/** Thrown inside a thread, caught once in `Thread.call`. Anything else that is thrown is a bug. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';
  readonly code: ErrorCode;
  /** What the caller should do next, as a full sentence. */
  readonly hint: string | undefined;
  readonly faults: readonly Fault[] | undefined;

  constructor(code: ErrorCode, message: string, options: MemoryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.faults = options.faults;
  }

  toData(): ErrorData {
    return { code: this.code, message: this.message, hint: this.hint, faults: this.faults };
  }
}

/** Refuses a request for all its faults at once; does nothing when there are none. */
export function refuseFaults(faults: readonly Fault[], hint?: string): void {
  if (faults.length === 0) return;
  throw new MemoryError('invalid_input', describeFaults(faults), { faults, hint });
}

function describeFaults(faults: readonly Fault[]): string {
  const [first] = faults;
  if (faults.length === 1 && first) return `${first.path}: ${first.problem}`;
  return `${faults.length} problems; nothing was changed.`;
}

/** The error with the sentence after its advice, which for a single fault may be that of the fault. */
export function addHint(error: ErrorData, sentence: string): ErrorData {
  const { hint, faults = [] } = error;
  const advice = hint ?? (faults.length === 1 ? faults[0]?.suggestion : undefined);
  return { ...error, hint: advice === undefined ? sentence : `${advice} ${sentence}` };
}

/** The status that an HTTP route answers for a code. */
export function httpStatus(code: ErrorData['code']): 400 | 403 | 404 | 409 | 413 | 500 | 503 {
  switch (code) {
    case 'invalid_input':
      return 400;
    case 'forbidden':
      return 403;
    case 'not_found':
      return 404;
    case 'already_exists':
    case 'conflict':
      return 409;
    case 'limit_exceeded':
      return 413;
    case 'unavailable':
      return 503;
    case 'internal':
      return 500;
  }
}

const QUOTE_CHARS_MAX = 80;

/** A caller's value as it may stand in a message: quoted, and cut so that it cannot flood it. */
export function quote(value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number';
  const text = isPlain ? String(value) : (JSON.stringify(value) ?? String(value));
  const chars = Array.from(text.toWellFormed());
  const cut = chars.length > QUOTE_CHARS_MAX;
  return `'${chars.slice(0, QUOTE_CHARS_MAX).join('')}${cut ? '…' : ''}'`;
}

/** For states that no input can bring about: a failure here is a bug of ours. */
export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${sentence}`);
}
