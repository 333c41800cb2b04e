/** Which threads a credential reaches: all, or those that match one of a few patterns. */
import { MemoryError, quote } from '#errors.ts';
import { THREAD_PATTERNS_MAX } from './limits.ts';
import { THREAD_ID_CHARS_MAX } from '#limits.ts';

/**
 * Null for all threads. A pattern is the name of a thread, or the beginning of names before a `*`,
 * which no name of a thread contains.
 */
export type ThreadAccess = readonly string[] | null;

export function reachesThread(access: ThreadAccess, threadId: string): boolean {
  if (access === null) return true;
  return access.some((pattern) =>
    pattern.endsWith('*')
      ? threadId !== '' && threadId.startsWith(pattern.slice(0, -1))
      : threadId === pattern,
  );
}

/** The letters of a thread's name, and at the end perhaps a star. */
const PATTERN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:@~+-]*\*?$/u;

/**
 * Patterns as a person writes them, with commas or white space between. An empty text stands for
 * all threads. Throws `invalid_input` for anything that is no pattern: a credential must not reach
 * more than its owner meant.
 */
export function parseThreadAccess(text: string): ThreadAccess {
  const patterns = text
    .normalize('NFC')
    .split(/[\s,]+/)
    .filter((pattern) => pattern !== '');
  if (patterns.length === 0) return null;
  const wrong = patterns.find(
    (pattern) => !PATTERN.test(pattern) || pattern.length > THREAD_ID_CHARS_MAX,
  );
  if (wrong !== undefined) {
    throw new MemoryError('invalid_input', `${quote(wrong)} is no thread and no prefix.`, {
      hint: "Name threads, such as 'atlas', or prefixes with a star, such as 'team-*', with commas between. Leave it empty for all threads.",
    });
  }
  if (patterns.length > THREAD_PATTERNS_MAX) {
    throw new MemoryError('limit_exceeded', `There are ${patterns.length} threads and prefixes.`, {
      hint: `Name at most ${THREAD_PATTERNS_MAX}; a prefix with a star stands for many.`,
    });
  }
  return [...new Set(patterns)];
}

export function describeThreadAccess(access: ThreadAccess): string {
  return access === null ? 'all threads' : access.join(', ');
}
