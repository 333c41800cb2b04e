/**
 * Whether a question has an answer here at all. What was measured, on which questions, and why
 * these limits: docs/contributing/search.md.
 */
import type { SemanticQuery } from './semantics.ts';
import type { ParsedQuery } from './query.ts';
import { withoutWord } from './query.ts';
import { isSingle, type TextScores, type Vocabulary } from './text-scores.ts';
import type { Scan } from './vector-index.ts';

/** Among fewer texts than this a word that none of them has says little. */
const HAYSTACK_MIN = 25;

/** The best match must be nearer to the question than the thread's mean by this much … */
const NEAR_ENOUGH = 0.17;
/** … or have this share of what the question asks for in words … */
const SHARED_ENOUGH = 0.2;
/** … so much of it that nothing else matters … */
const SHARED_BY_FAR = 0.4;
/** … and else in either case be near by itself; what it shares in words counts by a fifth. */
const SIMILAR_ENOUGH = 0.2;
const SHARE_WEIGHT = 0.2;

/** Of few vectors the mean says little; it begins at what unrelated texts have, as if of so many. */
const MEAN_PRIOR = { similarity: 0.1, vectors: 10 };

/** Words of a question that no text has and that are tried for what they add, at most. */
const ABSENT_WORDS_MAX = 6;
/** A word without which the question is hardly further from the best match adds nothing there … */
const SUPPORT_MIN = 0.02;
/** … and one without which it is nearer by this much is about something else. */
const FOREIGN_MIN = 0.05;
const UNSUPPORTED_COST = 0.06;
const FOREIGN_COST = 0.06;

/** A question's meaning, and what speaks against an answer. */
export interface Meaning {
  readonly question: SemanticQuery;
  readonly scan: Scan;
  /** The similarity of what has nothing to do with the question. */
  readonly unrelated: number;
  /** Words that the thread lacks and that the best match does not stand for either. */
  readonly unsupported: number;
  /** True when one of them leads away from the best match. */
  readonly isForeign: boolean;
}

/**
 * The question without each word that no text of the thread has. Compared with the best match they
 * tell a synonym ("loss" for what was deleted) from a thing that is not there ("Kubernetes").
 */
export function questionsWithoutAbsentWords(
  { text, words }: ParsedQuery,
  { documents, frequencyOf }: Vocabulary,
): string[] {
  const single = words.filter(isSingle);
  // Without its only word a question asks for nothing.
  if (documents < HAYSTACK_MIN || single.length < 2) return [];
  const absent = single.filter((word) => frequencyOf(word) === 0);
  return absent.slice(0, ABSENT_WORDS_MAX).map((word) => withoutWord(text, word));
}

/** `variants` are the questions of `questionsWithoutAbsentWords`. */
export function readMeaning(
  question: SemanticQuery,
  variants: readonly SemanticQuery[],
  scan: Scan,
): Meaning {
  const best = scan.neighbours[0];
  const support = best
    ? variants.map((variant) => best.similarity - (variant.similarityTo(best.nodeId) ?? 0))
    : [];
  return {
    question,
    scan,
    unrelated: meanOf(scan, question.size),
    unsupported: support.filter((added) => added <= SUPPORT_MIN).length,
    isForeign: support.some((added) => added <= -FOREIGN_MIN),
  };
}

/** `share` is what the best match has of the words that the question asks for, 0 to 1. */
export function isAnswered(meaning: Meaning, { greatestShare: share }: TextScores): boolean {
  const { scan, unrelated, unsupported, isForeign } = meaning;
  const nearness = scan.highest - unrelated - (isForeign ? FOREIGN_COST : 0);
  const similarity = scan.highest + SHARE_WEIGHT * share - UNSUPPORTED_COST * unsupported;
  const isPromising = nearness >= NEAR_ENOUGH || share >= SHARED_ENOUGH;
  return share >= SHARED_BY_FAR || (isPromising && similarity >= SIMILAR_ENOUGH);
}

function meanOf({ mean }: Scan, vectors: number): number {
  const { similarity, vectors: prior } = MEAN_PRIOR;
  return (mean * vectors + similarity * prior) / (vectors + prior);
}
