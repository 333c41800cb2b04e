/** What the words of a text are, for whoever compares and counts them. */

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;

/** Every word, in small letters. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** Words that say what a text is about. */
export function contentWordsOf(text: string): string[] {
  return wordsOf(text).filter((word) => word.length > 1 && !FUNCTION_WORDS.has(word));
}

const FUNCTION_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does ' +
    'doing don done down each for from get go had has have having he her here him his how i if in into is it ' +
    "it's its just let like me more most my no nor not now of off ok on once only or other our out over own " +
    'please same she should so some such than that the their them then there these they this those through to ' +
    'too up us very was we were what when where which while who why will with would yes you your'
  ).split(' '),
);

/** Places where the pattern, which must be global, stands. */
export function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
