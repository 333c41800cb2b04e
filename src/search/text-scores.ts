/** What the two text indexes say of a query, brought to 0 to 1. */
import { foldName } from '#graph/names.ts';
import type { Match, MatchFilter, TextQuery } from '#store/search/fulltext.ts';
import type { Store } from '#store/store.ts';
import {
  allOf,
  substringExpression,
  trigramsOf,
  wordExpression,
  type ParsedQuery,
} from './query.ts';
import { stemWord } from './stem.ts';

export interface TextScores {
  readonly matches: readonly Match[];
  /** 0 to 1 by node id. */
  readonly scores: ReadonlyMap<number, number>;
  /** What each match has of what a match could have at all, 0 to 1 by node id. */
  readonly shares: ReadonlyMap<number, number>;
  /** What the best match has of what a match could have at all, 0 to 1. */
  readonly greatestShare: number;
}

/** How often the words of a query stand in the thread. */
export interface Vocabulary {
  /** Texts that there are, about. */
  readonly documents: number;
  /** Texts with a word or, for several words, with the rarest of them. */
  frequencyOf(word: string): number;
}

const NO_MATCHES: TextScores = {
  matches: [],
  scores: new Map(),
  shares: new Map(),
  greatestShare: 0,
};

/** Completions of a one- or two-character text that are looked up. */
const COMPLETIONS_MAX = 64;

/** bm25's k1 in FTS5 is 1.2: a term adds at most its weight times k1 + 1. */
const BM25_TERM_MAX = 2.2;

/** Texts that a query may rank. A word beyond that adds little weight and most of the work. */
const RANKED_TEXTS_MAX = 10_000;

/** Trigrams of a text whose frequency is read: to count one is to go through all texts that have it. */
const SAMPLED_TRIGRAMS_MAX = 6;
/**
 * A word is looked for within others when that may find more texts than it found as a word, by more
 * than this share. Its trigrams say how many texts there can be: the rarest alone, or the rarest few
 * together where these are in few enough texts to be counted.
 */
const FURTHER_SHARE = 0.25;
const COUNTED_TEXTS_MAX = 500;
const COUNTED_TRIGRAMS = 3;

export function readVocabulary(store: Store, { words }: ParsedQuery): Vocabulary {
  const stemsOf = (word: string) => word.split(' ').map(stemWord);
  const frequencies = store.fulltext.stemFrequencies([...new Set(words.flatMap(stemsOf))]);
  return {
    documents: Math.max(store.nodes.greatestId(), 1),
    frequencyOf: (word) => Math.min(...stemsOf(word).map((stem) => frequencies.get(stem) ?? 0)),
  };
}

/** Half of the score compares with the best match, half with what a match could reach at all. */
export function scoreWords(
  store: Store,
  query: ParsedQuery,
  vocabulary: Vocabulary,
  filter: MatchFilter,
  limit: number,
): TextScores {
  const { texts, isCommon } = takeRarest(query.words, vocabulary.frequencyOf);
  const expression = wordExpression(texts, query);
  if (expression === undefined) return NO_MATCHES;
  const matches = store.fulltext.matchWords({ expression, isCommon }, filter, limit);
  if (matches.length === 0) return NO_MATCHES;
  const best = bestOf(matches);
  const possible = Math.max(greatestRank(query, vocabulary), best);
  return {
    matches,
    scores: new Map(
      matches.map(({ nodeId, rank }) => [nodeId, (-rank / best + -rank / possible) / 2]),
    ),
    shares: new Map(matches.map(({ nodeId, rank }) => [nodeId, -rank / possible])),
    greatestShare: best / possible,
  };
}

/** Parts of words, identifiers, and scripts without spaces. `known` are the matches there are. */
export function scoreSubstrings(
  store: Store,
  query: ParsedQuery,
  vocabulary: Vocabulary,
  filter: MatchFilter,
  limit: number,
  known: readonly Match[],
): TextScores {
  const asked = substringQuery(store, query, vocabulary);
  if (asked === undefined) return NO_MATCHES;
  const matches = store.fulltext.matchTrigrams(asked, filter, limit, known);
  if (matches.length === 0) return NO_MATCHES;
  const best = bestOf(matches);
  const scores = new Map(matches.map(({ nodeId, rank }) => [nodeId, -rank / best]));
  return { matches, scores, shares: scores, greatestShare: 1 };
}

function substringQuery(
  store: Store,
  query: ParsedQuery,
  vocabulary: Vocabulary,
): TextQuery | undefined {
  const completions = query.shorts.flatMap((start) =>
    store.fulltext.trigramsStartingWith(start.toLowerCase(), COMPLETIONS_MAX),
  );
  const wanted = [...query.substrings, ...completions];
  const { texts, isCommon } =
    vocabulary.documents <= RANKED_TEXTS_MAX
      ? { texts: wanted, isCommon: false }
      : takeRarestSubstrings(store, query, vocabulary, wanted);
  const expression = substringExpression(texts, query);
  return expression === undefined ? undefined : { expression, isCommon };
}

/** A name stands in few texts: in so many at most, or in this share of them. */
const NAME_TEXTS_MAX = 3;
const NAME_SHARE_MAX = 0.05;

/** Capitals, and digits beside letters, mark what has a name: `Redis`, `E1017`, `portfolio_v4`. */
const NAME = /\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u;

/** Whether the query names something that a text which passes the filter names too. */
export function namesWhatIsThere(
  store: Store,
  query: ParsedQuery,
  { documents, frequencyOf }: Vocabulary,
  filter: MatchFilter,
): boolean {
  const most = Math.max(NAME_TEXTS_MAX, documents * NAME_SHARE_MAX);
  const names = query.words.filter(
    (word) =>
      NAME.test(word) && isSingle(word) && frequencyOf(word) > 0 && frequencyOf(word) <= most,
  );
  const expression = wordExpression(names, query);
  if (expression === undefined) return false;
  return store.fulltext.matchWords({ expression, isCommon: false }, filter, 1).length > 0;
}

/**
 * Of a large thread: the substrings that may be found in more texts than the words were, the rarest of
 * them. A long text is looked for by all its trigrams, each a list as long as the thread is large.
 */
function takeRarestSubstrings(
  store: Store,
  { words }: ParsedQuery,
  vocabulary: Vocabulary,
  wanted: readonly string[],
): { texts: string[]; isCommon: boolean } {
  const rarestOf = readTrigrams(store, wanted);
  const mostTextsWith = (text: string) => rarestOf(text)[0]?.frequency ?? 0;
  const isWord = new Set(words.filter(isSingle));
  const telling = wanted.filter((text) => {
    if (!isWord.has(text)) return true;
    const most = vocabulary.frequencyOf(text) * (1 + FURTHER_SHARE);
    if (mostTextsWith(text) <= most) return false;
    if (mostTextsWith(text) > COUNTED_TEXTS_MAX) return true;
    const trigrams = rarestOf(text).slice(0, COUNTED_TRIGRAMS);
    const expression = allOf(trigrams.map(({ trigram }) => trigram));
    return store.fulltext.countTrigrams(expression, Math.floor(most) + 1) > most;
  });
  return takeRarest(telling, mostTextsWith);
}

interface TrigramCount {
  readonly trigram: string;
  /** Texts that have it. */
  readonly frequency: number;
}

/** The trigrams of a text that were looked at, rarest first: no text has it that lacks one of them. */
function readTrigrams(
  store: Store,
  texts: readonly string[],
): (text: string) => readonly TrigramCount[] {
  const sampled = new Map(texts.map((text) => [text, sampleTrigrams(text)]));
  const distinct = new Set([...sampled.values()].flat());
  const frequencies = store.fulltext.trigramFrequencies([...distinct]);
  return (text) =>
    (sampled.get(text) ?? [])
      .map((trigram) => ({ trigram, frequency: frequencies.get(trigram) ?? 0 }))
      .toSorted((a, b) => a.frequency - b.frequency);
}

/** Evenly over the text, its first and its last one among them. */
function sampleTrigrams(text: string): string[] {
  const trigrams = trigramsOf(foldName(text));
  if (trigrams.length <= SAMPLED_TRIGRAMS_MAX) return trigrams;
  const step = (trigrams.length - 1) / (SAMPLED_TRIGRAMS_MAX - 1);
  return trigrams.filter((_, place) => Math.round(Math.round(place / step) * step) === place);
}

/** The rarest texts, as many as can be ranked; when even the rarest is too common, that one alone. */
function takeRarest(
  texts: readonly string[],
  frequencyOf: (text: string) => number,
): { texts: string[]; isCommon: boolean } {
  const sorted = texts
    .map((text) => ({ text, frequency: frequencyOf(text) }))
    .toSorted((a, b) => a.frequency - b.frequency);
  let sum = 0;
  const taken = sorted.filter(({ frequency }) => (sum += frequency) <= RANKED_TEXTS_MAX);
  const isCommon = taken.length === 0 && sorted.length > 0;
  return { texts: (isCommon ? sorted.slice(0, 1) : taken).map(({ text }) => text), isCommon };
}

/** FTS5's bm25 is negative, and the better the smaller. */
function bestOf(matches: readonly Match[]): number {
  return matches.reduce((best, { rank }) => Math.max(best, -rank), 1e-6);
}

/** What bm25 would give a text that is all about every word of the query. */
function greatestRank({ words }: ParsedQuery, { documents, frequencyOf }: Vocabulary): number {
  const single = new Map(words.filter(isSingle).map((word) => [stemWord(word), word]));
  return [...single.values()].reduce((sum, word) => {
    const containing = Math.min(frequencyOf(word), documents);
    const weight = Math.log((documents - containing + 0.5) / (containing + 0.5));
    return sum + BM25_TERM_MAX * Math.max(weight, 1e-6);
  }, 0);
}

/** `update portfolio`, from `update_portfolio`, is one text to look for and no word. */
export function isSingle(word: string): boolean {
  return !word.includes(' ');
}
