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
 * than this share. Its texts are counted where they need not be many; a more frequent word is looked for
 * unless words alone have found enough.
 */
const FURTHER_SHARE = 0.25;
const COUNTED_TEXTS_MAX = 500;

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
  const asked = substringQuery(store, query, vocabulary, known.length >= limit);
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
  isFull: boolean,
): TextQuery | undefined {
  const completions = query.shorts.flatMap((start) =>
    store.fulltext.trigramsStartingWith(start.toLowerCase(), COMPLETIONS_MAX),
  );
  const wanted = [...query.substrings, ...completions];
  const { texts, isCommon } =
    vocabulary.documents <= RANKED_TEXTS_MAX
      ? { texts: wanted, isCommon: false }
      : takeRarestSubstrings(store, query, vocabulary, wanted, isFull);
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
 * `isFull` tells that words have found as many texts as are ranked.
 */
function takeRarestSubstrings(
  store: Store,
  { words }: ParsedQuery,
  { frequencyOf }: Vocabulary,
  wanted: readonly string[],
  isFull: boolean,
): { texts: string[]; isCommon: boolean } {
  const isWord = new Set(words.filter(isSingle));
  const isFrequent = (word: string) => frequencyOf(word) > COUNTED_TEXTS_MAX;
  const open = wanted.filter((text) => {
    if (!isWord.has(text)) return true;
    if (isFrequent(text)) return !isFull;
    return isInMoreThan(store, text, Math.floor(frequencyOf(text) * (1 + FURTHER_SHARE)));
  });
  const mostTextsWith = countRarestTrigrams(store, open);
  const telling = open.filter(
    (text) => !isWord.has(text) || mostTextsWith(text) > frequencyOf(text) * (1 + FURTHER_SHARE),
  );
  return takeRarest(telling, mostTextsWith);
}

/**
 * Whether more texts than `most` may have the text. Of a long one the trigrams that are sampled must be in
 * so many texts: all of them would be many lists to go through, to no other end.
 */
function isInMoreThan(store: Store, text: string, most: number): boolean {
  const sampled = sampleTrigrams(text);
  const expression = allOf(sampled.length < SAMPLED_TRIGRAMS_MAX ? [text] : sampled);
  return store.fulltext.countTrigrams(expression, most + 1) > most;
}

/** In how many texts the rarest trigram of each text is: no text has it that lacks one of them. */
function countRarestTrigrams(store: Store, texts: readonly string[]): (text: string) => number {
  const sampled = new Map(texts.map((text) => [text, sampleTrigrams(text)]));
  const distinct = new Set([...sampled.values()].flat());
  if (distinct.size === 0) return () => 0;
  const frequencies = store.fulltext.trigramFrequencies([...distinct]);
  return (text) =>
    (sampled.get(text) ?? []).reduce(
      (least, trigram) => Math.min(least, frequencies.get(trigram) ?? 0),
      Infinity,
    );
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
