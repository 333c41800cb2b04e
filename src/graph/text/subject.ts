/**
 * Whom or what a statement is about, read from how it begins. No grammar is known here: it is the
 * first word that tells something, with the name or the possession that goes on behind it.
 */
import { foldName } from '#graph/names.ts';

/** Words that may begin a statement and tell nothing of its subject. */
const OPENERS = new Set(
  (
    'a about after also an and as at because before by for from in it now of on since so that the ' +
    'there this to with'
  ).split(' '),
);

/** Forms of the one who speaks: `My home` is about the same as `I live`. */
const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ...["i'm", "i've", 'my'].map((word) => [word, 'i'] as const),
  ...["we're", "we've", 'our'].map((word) => [word, 'we'] as const),
]);
const OWN = new Set(['my', 'our']);

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}_@.'’-]*/gu;

interface Word {
  /** Folded, without a possessive ending. */
  readonly text: string;
  readonly isCapital: boolean;
  readonly isPossessive: boolean;
}

/**
 * How far two statements are about the same: 1 when each one's subject stands in the other, 0.5 when
 * only one's does, 0 when neither's does. A statement without words is about nothing.
 */
export function sharedSubject(a: string, b: string): number {
  const [left, right] = [readWords(a), readWords(b)];
  const hits = [isAmong(left, subjectOf(right)), isAmong(right, subjectOf(left))];
  return hits.filter(Boolean).length / 2;
}

function isAmong(words: readonly Word[], subject: readonly string[]): boolean {
  const texts = new Set(words.map(({ text }) => text));
  return subject.length > 0 && subject.every((text) => texts.has(text));
}

/** `Anna`, `Dr. Weber`, `The Johnson`, `User's manager`: as words of the text, folded. */
function subjectOf(words: readonly Word[]): string[] {
  const start = words.findIndex(({ text }) => !OPENERS.has(text));
  const [first, ...rest] = words.slice(Math.max(start, 0));
  if (first === undefined) return [];
  const nameEnd = rest.findIndex(({ isCapital }) => !isCapital);
  const name = rest.slice(0, nameEnd === -1 ? rest.length : nameEnd);
  const owned = first.isPossessive && name.length === 0 ? rest.slice(0, 1) : [];
  return [first, ...name, ...owned].map(({ text }) => text);
}

function readWords(text: string): Word[] {
  return (text.replaceAll('’', "'").match(WORD) ?? []).map((given) => {
    const folded = foldName(given.replace(/[.'-]+$/u, ''));
    return {
      text: SPEAKERS.get(folded) ?? folded.replace(/'s$/u, ''),
      isCapital: /^\p{Lu}/u.test(given),
      isPossessive: OWN.has(folded) || /'s?$/u.test(given),
    };
  });
}
