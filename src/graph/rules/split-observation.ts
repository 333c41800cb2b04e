/** Shows how a text that is too much for one observation could be several: by its sentences, else by its clauses. */
import { OBSERVATION_CHARS_MIN, type Limits } from '#limits.ts';
import { findQuotations } from './quotations.ts';
import { splitSentences } from './sentences.ts';
import { countChars } from './text-rules.ts';

/** The parts, each acceptable by its length; undefined where neither sentences nor clauses give any. */
export function splitObservation(
  content: string,
  { observationCharsMax: charsMax }: Limits,
): string[] | undefined {
  const parts = splitSentences(content).flatMap((sentence) =>
    countChars(sentence) <= charsMax ? [sentence] : splitClauses(sentence, charsMax),
  );
  const fit = parts.every((part) => {
    const chars = countChars(part);
    return chars >= OBSERVATION_CHARS_MIN && chars <= charsMax;
  });
  return parts.length > 1 && fit ? parts : undefined;
}

/** Where one clause may end and another begin. What joins them belongs to neither. */
const JOINTS =
  /(?:\s*[;；]\s*|\s+[—–-]+\s+|\s*[,，、]\s*(?:(?:and|but|or|so|yet|then|while|und|aber|et|mais|y|pero|та|і|але)\s+)?|\s+(?:and|but|while|whereas|und|aber|et|mais|y|pero|та|але)\s+)(?=\S)/giu;

/** Clauses joined again as far as they fit, so that there are as few parts as can be; `sentence` where one is too long. */
function splitClauses(sentence: string, charsMax: number): string[] {
  const joints = findJoints(sentence);
  const parts: string[] = [];
  let start = 0;
  let end = 0;
  let next = 0;
  for (const { from, to } of [...joints, { from: sentence.length, to: sentence.length }]) {
    const isTooLong = countChars(sentence.slice(start, from)) > charsMax;
    if (isTooLong && end > start) {
      parts.push(sentence.slice(start, end));
      start = next;
    }
    end = from;
    next = to;
  }
  return [...parts, sentence.slice(start)].map((part) => part.trim());
}

/** Outside of quotation marks and brackets. */
function findJoints(sentence: string): { from: number; to: number }[] {
  const closed = [
    ...findQuotations(sentence),
    ...[...sentence.matchAll(/[([{（][^()[\]{}（）]*[)\]}）]/gu)].map(({ index, 0: text }) => ({
      start: index,
      end: index + text.length,
    })),
  ].toSorted((a, b) => a.start - b.start);
  let at = 0;
  return [...sentence.matchAll(JOINTS)].flatMap(({ index, 0: joint }) => {
    while ((closed[at]?.end ?? Infinity) <= index) at += 1;
    const isInside = (closed[at]?.start ?? Infinity) <= index;
    return isInside ? [] : [{ from: index, to: index + joint.length }];
  });
}
