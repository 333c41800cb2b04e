/** How much two statements say in the same words. */
import { foldName } from '#graph/names.ts';

/**
 * Shared words of the shorter statement's words (the overlap coefficient), 0 to 1. Words of one or
 * two letters do not count: they are what every sentence shares. Neither do dates: of two facts that
 * say the same of two days, one is mostly outdated.
 */
export function sharedWords(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const fewer = Math.min(left.size, right.size);
  if (fewer === 0) return 0;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  return shared / fewer;
}

/** A day such as 2026-12-17, a year, and the names of months, short ones too. */
const DATE =
  /^(?:\d{4}-\d\d(?:-\d\d)?|(?:19|20)\d\d|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/u;

/** A sign belongs to a word only inside it: "1.2.0" has two, and "tea." none. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}.-]+[\p{L}\p{N}]/gu;

function wordsOf(text: string): Set<string> {
  const words = foldName(text).match(WORD) ?? [];
  return new Set(words.filter((word) => !DATE.test(word)));
}
