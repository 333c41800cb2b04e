/** How much two statements say in the same words. */
import { foldName } from './names.ts';

/**
 * Shared words of the shorter statement's words (the overlap coefficient), 0 to 1. Words of one or
 * two letters do not count: they are what every sentence shares.
 */
export function sharedWords(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const fewer = Math.min(left.size, right.size);
  if (fewer === 0) return 0;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  return shared / fewer;
}

function wordsOf(text: string): Set<string> {
  return new Set(foldName(text).match(/[\p{L}\p{N}][\p{L}\p{N}.-]{2,}/gu) ?? []);
}
