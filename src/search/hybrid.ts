/**
 * The one search behind every search tool. Three ranked lists are fused: entities named so, words
 * (stemmed, diacritics removed), and substrings. Vectors join as a further list.
 */
import { foldName } from '#graph/names.ts';
import type { Match, MatchFilter } from '#store/fulltext.ts';
import type { Store } from '#store/store.ts';
import { fuse } from './fuse.ts';
import { anyOf, parseQuery, type ParsedQuery } from './query.ts';

export interface Hit {
  readonly nodeId: number;
  /** The entity itself, or the one that the fact found is about. */
  readonly entityId: number;
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
}

/** An entity of exactly that name comes before everything that merely mentions it. */
const NAME_WEIGHT = 4;
const WORD_WEIGHT = 1;
/** A substring is weaker evidence than a word, and a longer word contains many. */
const SUBSTRING_WEIGHT = 0.4;

/** Completions of a one- or two-character text that are looked up. */
const COMPLETIONS_MAX = 64;

/** Best first; at most `limit`. Text without a letter, digit or sign to look for finds nothing. */
export function hybrid(store: Store, text: string, filter: MatchFilter, limit: number): Hit[] {
  const query = parseQuery(text);
  const lists = [
    { weight: NAME_WEIGHT, items: matchName(store, text, filter) },
    { weight: WORD_WEIGHT, items: matchWords(store, query, filter, limit) },
    { weight: SUBSTRING_WEIGHT, items: matchSubstrings(store, query, filter, limit) },
  ];
  const entityOf = new Map<number, number>();
  for (const { items } of lists) {
    for (const { nodeId, entityId } of items) entityOf.set(nodeId, entityId ?? nodeId);
  }
  return [...fuse(lists, ({ nodeId }) => nodeId)]
    .map(([nodeId, score]) => ({ nodeId, entityId: entityOf.get(nodeId) ?? nodeId, score }))
    .toSorted((a, b) => b.score - a.score || a.nodeId - b.nodeId)
    .slice(0, limit);
}

function matchName(store: Store, text: string, { entityType }: MatchFilter): Match[] {
  return store.entities
    .findFolded([foldName(text)])
    .filter((entity) => entityType === null || entity.entityType === entityType)
    .map(({ nodeId }) => ({ nodeId, entityId: nodeId, rank: 0 }));
}

function matchWords(
  store: Store,
  { words }: ParsedQuery,
  filter: MatchFilter,
  limit: number,
): Match[] {
  const expression = anyOf(words);
  return expression === undefined ? [] : store.fulltext.matchWords(expression, filter, limit);
}

function matchSubstrings(
  store: Store,
  { substrings, shorts }: ParsedQuery,
  filter: MatchFilter,
  limit: number,
): Match[] {
  const completions = shorts.flatMap((start) =>
    store.fulltext.trigramsStartingWith(start.toLowerCase(), COMPLETIONS_MAX),
  );
  const expression = anyOf([...substrings, ...completions]);
  return expression === undefined ? [] : store.fulltext.matchTrigrams(expression, filter, limit);
}
