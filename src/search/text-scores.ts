/** What the two text indexes say of a query, brought to 0 to 1. */
import type { Match, MatchFilter } from '#store/fulltext.ts';
import type { Store } from '#store/store.ts';
import { anyOf, type ParsedQuery } from './query.ts';
import { stemWord } from './stem.ts';

export interface TextScores {
  readonly matches: readonly Match[];
  /** 0 to 1 by node id. */
  readonly scores: ReadonlyMap<number, number>;
  /** What the best match has of what a match could have at all, 0 to 1. */
  readonly greatestShare: number;
}

const NO_MATCHES: TextScores = { matches: [], scores: new Map(), greatestShare: 0 };

/** Completions of a one- or two-character text that are looked up. */
const COMPLETIONS_MAX = 64;

/** bm25's k1 in FTS5 is 1.2: a term adds at most its weight times k1 + 1. */
const BM25_TERM_MAX = 2.2;

/** Half of the score compares with the best match, half with what a match could reach at all. */
export function scoreWords(
  store: Store,
  query: ParsedQuery,
  filter: MatchFilter,
  limit: number,
): TextScores {
  const expression = anyOf(query.words);
  if (expression === undefined) return NO_MATCHES;
  const matches = store.fulltext.matchWords(expression, filter, limit);
  if (matches.length === 0) return NO_MATCHES;
  const best = bestOf(matches);
  const possible = Math.max(greatestRank(store, query), best);
  return {
    matches,
    scores: new Map(
      matches.map(({ nodeId, rank }) => [nodeId, (-rank / best + -rank / possible) / 2]),
    ),
    greatestShare: best / possible,
  };
}

/** Parts of words, identifiers, and scripts without spaces. */
export function scoreSubstrings(
  store: Store,
  { substrings, shorts }: ParsedQuery,
  filter: MatchFilter,
  limit: number,
): TextScores {
  const completions = shorts.flatMap((start) =>
    store.fulltext.trigramsStartingWith(start.toLowerCase(), COMPLETIONS_MAX),
  );
  const expression = anyOf([...substrings, ...completions]);
  if (expression === undefined) return NO_MATCHES;
  const matches = store.fulltext.matchTrigrams(expression, filter, limit);
  if (matches.length === 0) return NO_MATCHES;
  const best = bestOf(matches);
  const scores = new Map(matches.map(({ nodeId, rank }) => [nodeId, -rank / best]));
  return { matches, scores, greatestShare: 1 };
}

/** FTS5's bm25 is negative, and the better the smaller. */
function bestOf(matches: readonly Match[]): number {
  return matches.reduce((best, { rank }) => Math.max(best, -rank), 1e-6);
}

/** What bm25 would give a text that is all about every word of the query. */
function greatestRank(store: Store, { words }: ParsedQuery): number {
  const stems = [...new Set(words.filter((word) => !word.includes(' ')).map(stemWord))];
  const frequencies = store.fulltext.documentFrequencies(stems);
  const documents = Math.max(store.nodes.greatestId(), 1);
  return stems.reduce((sum, stem) => {
    const containing = Math.min(frequencies.get(stem) ?? 0, documents);
    const weight = Math.log((documents - containing + 0.5) / (containing + 0.5));
    return sum + BM25_TERM_MAX * Math.max(weight, 1e-6);
  }, 0);
}
