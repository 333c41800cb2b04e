/**
 * The one search behind every search tool: names, stemmed words, substrings and meaning, joined by
 * their scores. Why scores and these weights: docs/contributing/search.md has the measurements.
 */
import { foldName } from '#graph/names.ts';
import { ACTIVE_ALONE, type Match, type MatchFilter } from '#store/search/fulltext.ts';
import { scopeOf } from '#store/search/session-scope.ts';
import type { Store } from '#store/store.ts';
import { widen } from '#store/search/widening.ts';
import { meetConstraints } from './constraints.ts';
import { isAnswered, questionsWithoutAbsentWords, readMeaning, type Meaning } from './floor.ts';
import type { Found, Hit, Reason } from './hit.ts';
import { foremost, nearestOthers, type AtLeast } from './nearest-others.ts';
import { asksForEverything } from './overview.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import type { SearchCache } from './search-cache.ts';
import type { SemanticQuery, Semantics } from './semantics.ts';
import {
  isSingle,
  namesWhatIsThere,
  readVocabulary,
  scoreSubstrings,
  scoreWords,
  type TextScores,
  type Vocabulary,
} from './text-scores.ts';

export type { Closeness, Found, Hit, Reason } from './hit.ts';

export interface SearchEngine {
  readonly store: Store;
  readonly semantics: Semantics;
  /** Left out where every question is to be answered anew. */
  readonly searches?: SearchCache | undefined;
}

/** Matches of each kind that are looked at, at least; a few times what is wanted beyond that. */
const CANDIDATES_MIN = 200;
const CANDIDATES_PER_RESULT = 4;

/** Meaning and words count the same; each is brought to 0 to 1 first. */
const MEANING_WEIGHT = 0.5;
/** A substring is weaker evidence than a word, and a longer word contains many. */
const SUBSTRING_WEIGHT = 0.2;
/** What was said just before or after often answers what this one asks. */
const NEIGHBOUR_WEIGHT = 0.35;
const NEIGHBOURED_MAX = 100;
/** Among fewer texts each stands next to some good one, and standing there says nothing. */
const NEIGHBOURS_FROM = 100;
/** An entity of exactly that name comes before everything that merely mentions it. */
const NAME_BONUS = 2;
/** A node that shares no word must be nearer to the question than the thread's mean by this much. */
const NEARNESS_MIN = 0.1;
/** One word alone is a keyword: its vector says little, and who types it looks for the word. */
const KEYWORD_NEARNESS_MIN = 0.25;

export interface SearchSize {
  /** Hits at most. */
  readonly limit: number;
  /**
   * How many matches of each kind are considered: callers that page through an answer must keep it
   * the same.
   */
  readonly wanted?: number;
  /** What is shown even if it does not match; `limit` nodes when it is left out. */
  readonly atLeast?: AtLeast;
}

/**
 * Best first. What does not match follows what does, nearest first. A text without anything to look
 * for finds the most important nodes.
 */
export async function hybrid(
  engine: SearchEngine,
  text: string,
  filter: MatchFilter,
  size: SearchSize,
): Promise<Found> {
  const { store, semantics, searches } = engine;
  const key = JSON.stringify([text, filter, size]);
  const known = searches?.find(key);
  if (known !== undefined) return known;
  const era = searches?.era;
  const query = parseQuery(text);
  const vocabulary = readVocabulary(store, query);
  const variants = questionsWithoutAbsentWords(query, vocabulary);
  const hasMeaning = query.words.length > 0 && !isSpeltWord(semantics, query, vocabulary);
  // The only wait: what follows reads one state of the thread.
  const asked = hasMeaning
    ? await semantics.ask(
        [query.text, ...variants],
        filter.statuses ?? ACTIVE_ALONE,
        scopeOf(filter),
      )
    : undefined;
  const found = findHits({ store, query, vocabulary, filter }, asked, size);
  // While the embedder fails the words answer alone, which is for this once.
  const isWhole = asked !== undefined || !hasMeaning;
  // Who wrote during the wait must find what it wrote, and the vocabulary was read before.
  if (isWhole && searches?.era === era) {
    searches?.keep(key, found, store.expiry.firstAfter(Date.now()) ?? Infinity);
  }
  return found;
}

/** A hash, an error code or a made-up name, which some text has: only its letters can be meant. */
function isSpeltWord(
  semantics: Semantics,
  { words }: ParsedQuery,
  vocabulary: Vocabulary,
): boolean {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0 || vocabulary.frequencyOf(word) === 0) return false;
  return semantics.spells(word);
}

/** What `hybrid` finds by names, words and substrings alone. Waits for nothing and keeps nothing. */
export function lexical(store: Store, text: string, filter: MatchFilter, size: SearchSize): Found {
  const query = parseQuery(text);
  const vocabulary = readVocabulary(store, query);
  return findHits({ store, query, vocabulary, filter }, undefined, size);
}

function findHits(
  search: Search,
  asked: readonly SemanticQuery[] | undefined,
  { limit, wanted = candidatesOf(limit), atLeast = { count: limit, of: 'nodes' } }: SearchSize,
): Found {
  const evidence = gatherEvidence(search, wanted, asked);
  const named = matchName(search);
  const isAboutAll = named.length === 0 && asksForEverything(search.query.given);
  const isClose = isAboutAll || named.length > 0 || hasAnswer(search, evidence);
  for (const match of named) evidence.candidates.set(match.nodeId, match);
  const scores = addNeighbours(search, evidence);
  for (const { nodeId } of named) scores.set(nodeId, (scores.get(nodeId) ?? 0) + NAME_BONUS);
  if (isAboutAll) lead(search, evidence, scores, atLeast.count);
  const isNamed = new Set(named.map(({ nodeId }) => nodeId));
  const matching = [...scores]
    .map(([nodeId, score]) => ({ nodeId, score }))
    .toSorted((a, b) => b.score - a.score || a.nodeId - b.nodeId)
    .slice(0, limit)
    .map(({ nodeId, score }) => ({
      nodeId,
      entityId: evidence.candidates.get(nodeId)?.entityId ?? null,
      score,
      similarity: isNamed.has(nodeId) ? 1 : similarityOf(evidence, nodeId),
      reasons: explain(evidence, nodeId, isNamed.has(nodeId)),
      isClose,
    }));
  const hits = [...matching, ...addOthers(search, evidence, matching, atLeast)].slice(0, limit);
  return { hits, closeness: hits.length === 0 ? 'none' : isClose ? 'close' : 'weak' };
}

function candidatesOf(limit: number): number {
  return Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT);
}

/** To a question about everything the most important nodes are the best answer. */
function lead(
  search: Search,
  { candidates }: Evidence,
  scores: Map<number, number>,
  count: number,
) {
  for (const [place, match] of foremost(search, count).entries()) {
    candidates.set(match.nodeId, match);
    scores.set(match.nodeId, NAME_BONUS * (1 - place / count) + 1);
  }
}

/** What is shown though it does not match. None of it scores more than what does. */
function addOthers(
  search: Search,
  evidence: Evidence,
  matching: readonly Hit[],
  atLeast: AtLeast,
): Hit[] {
  const found = matching.flatMap(({ nodeId }) => evidence.candidates.get(nodeId) ?? []);
  const others = nearestOthers(search, evidence.meaning?.scan, found, atLeast);
  let least = matching.at(-1)?.score ?? 1;
  return others.map(({ nodeId, entityId }) => {
    least = Math.min(least, Math.max(scoreMeaning(evidence, nodeId), 0));
    const similarity = similarityOf(evidence, nodeId);
    return { nodeId, entityId, score: least, similarity, reasons: [], isClose: false };
  });
}

/** One question to one thread. */
interface Search {
  readonly store: Store;
  readonly query: ParsedQuery;
  readonly vocabulary: Vocabulary;
  readonly filter: MatchFilter;
}

/** Everything that speaks for or against a node. */
interface Evidence {
  /** What the filter and the operators of the query let through, by node id. */
  readonly candidates: Map<number, Match>;
  readonly words: TextScores;
  readonly substrings: TextScores;
  /** Undefined when the embedder cannot answer. */
  readonly meaning: Meaning | undefined;
  /** How much nearer than what is unrelated a node must be that shares no word. */
  readonly nearnessMin: number;
}

function gatherEvidence(
  { store, query, vocabulary, filter }: Search,
  wanted: number,
  asked: readonly SemanticQuery[] | undefined,
): Evidence {
  const words = scoreWords(store, query, vocabulary, filter, wanted);
  const substrings = scoreSubstrings(store, query, vocabulary, filter, wanted, words.matches);
  const textual = new Map(
    [...words.matches, ...substrings.matches].map((match) => [match.nodeId, match]),
  );
  const [first, ...variants] = asked ?? [];
  const question = first && comparedOnce(first);
  const meaning = question && readMeaning(question, variants, question.scan(wanted));
  const nearnessMin = query.words.length === 1 ? KEYWORD_NEARNESS_MIN : NEARNESS_MIN;
  const resolved = meaning ? resolveNear(store, filter, meaning, nearnessMin, textual, wanted) : [];
  const allowed = meetConstraints(store, query, [...textual.values(), ...resolved]);
  return {
    candidates: new Map(allowed.map((match) => [match.nodeId, match])),
    words,
    substrings,
    meaning,
    nearnessMin,
  };
}

/** The same question, which compares itself with a node once, however often it is asked to. */
function comparedOnce(question: SemanticQuery): SemanticQuery {
  const known = new Map<number, number | undefined>();
  return {
    size: question.size,
    scan: (limit) => question.scan(limit),
    similarityTo(nodeId) {
      if (!known.has(nodeId)) known.set(nodeId, question.similarityTo(nodeId));
      return known.get(nodeId);
    },
  };
}

/** The nearest nodes that pass the filter, but for the `known`. What is not near is not worth a row. */
function resolveNear(
  store: Store,
  filter: MatchFilter,
  { question, scan, unrelated }: Meaning,
  nearnessMin: number,
  known: ReadonlyMap<number, Match>,
  wanted: number,
): Match[] {
  const kept: Match[] = [];
  let looked = 0;
  return widen(wanted, (hits) => {
    const { neighbours } = hits === wanted ? scan : question.scan(hits);
    const near = neighbours.filter(({ similarity }) => similarity - unrelated >= nearnessMin);
    const fresh = near.slice(looked).filter(({ nodeId }) => !known.has(nodeId));
    looked = near.length;
    const nodeIds = fresh.map(({ nodeId }) => nodeId);
    kept.push(...store.fulltext.resolve(nodeIds, filter));
    // When words found all of these already, no filter stands in the way.
    return { examined: fresh.length > 0 ? near.length : 0, kept };
  });
}

/** So few words are not a sentence: who types them may mean parts of words. */
const KEYWORDS_MAX = 2;

/** False when nothing found is sure to be what was asked for. */
function hasAnswer(
  { store, query, vocabulary, filter }: Search,
  { candidates, words, substrings, meaning }: Evidence,
): boolean {
  if (meaning === undefined || candidates.size === 0) return candidates.size > 0;
  const isKeyword = query.words.filter(isSingle).length <= KEYWORDS_MAX;
  if (isKeyword && words.matches.length === 0 && substrings.matches.length > 0) return true;
  if (query.phrases.length > 0) return candidates.size > 0;
  return isAnswered(meaning, words) || namesWhatIsThere(store, query, vocabulary, filter);
}

/** 0 to 1; undefined for a node that neither shares a text nor comes near in meaning. */
function scoreNode(evidence: Evidence, nodeId: number): number | undefined {
  const textual = scoreText(evidence, nodeId);
  const { meaning } = evidence;
  if (meaning === undefined) return textual > 0 ? textual : undefined;
  if (textual === 0 && !isNear(evidence, nodeId)) return undefined;
  return scoreMeaning(evidence, nodeId) + (1 - MEANING_WEIGHT) * textual;
}

/** 0 for what is as far as the furthest, or cannot be compared. */
function scoreMeaning({ meaning }: Evidence, nodeId: number): number {
  const similarity = meaning?.question.similarityTo(nodeId);
  if (meaning === undefined || similarity === undefined) return 0;
  const furthest = Math.min(meaning.scan.lowest, meaning.unrelated);
  const spread = Math.max(meaning.scan.highest - furthest, 1e-6);
  return MEANING_WEIGHT * ((similarity - furthest) / spread);
}

function scoreText({ words, substrings }: Evidence, nodeId: number): number {
  const weight = words.matches.length > 0 ? SUBSTRING_WEIGHT : 1;
  return Math.max(words.scores.get(nodeId) ?? 0, weight * (substrings.scores.get(nodeId) ?? 0));
}

/**
 * Cosine with the question, or what it has of the question's words, whichever is greater. Where no
 * word matches, as in scripts without spaces, substrings stand for them.
 */
function similarityOf({ words, substrings, meaning }: Evidence, nodeId: number): number {
  const cosine = meaning?.question.similarityTo(nodeId) ?? 0;
  const { shares } = words.matches.length > 0 ? words : substrings;
  return Math.min(1, Math.max(cosine, shares.get(nodeId) ?? 0, 0));
}

function isNear({ meaning, nearnessMin }: Evidence, nodeId: number): boolean {
  if (meaning === undefined) return false;
  return (meaning.question.similarityTo(nodeId) ?? 0) - meaning.unrelated >= nearnessMin;
}

function explain(evidence: Evidence, nodeId: number, isNamed: boolean): Reason[] {
  const isEntity = evidence.candidates.get(nodeId)?.kind === 'entity';
  const isTextual = scoreText(evidence, nodeId) > 0;
  return [
    ...(isNamed || (isEntity && isTextual) ? (['name'] as const) : []),
    ...(isTextual && !isEntity ? (['full text'] as const) : []),
    ...(isNear(evidence, nodeId) ? (['meaning'] as const) : []),
  ];
}

/** Scores of all candidates; the best lend a share of theirs to what was stored next to them. */
function addNeighbours({ store, query, vocabulary, filter }: Search, evidence: Evidence) {
  const { candidates } = evidence;
  const scores = new Map<number, number>();
  for (const nodeId of candidates.keys()) {
    const score = scoreNode(evidence, nodeId);
    if (score !== undefined) scores.set(nodeId, score);
  }
  if (vocabulary.documents < NEIGHBOURS_FROM) return scores;
  const lent = lendToNeighbours(store, scores);
  const strangers = new Map<number, number>();
  for (const nodeId of lent.keys()) {
    const score = candidates.has(nodeId) ? undefined : scoreNode(evidence, nodeId);
    if (score !== undefined) strangers.set(nodeId, score);
  }
  const found = store.fulltext.resolve([...strangers.keys()], filter);
  for (const match of meetConstraints(store, query, found)) candidates.set(match.nodeId, match);
  const total = new Map(scores);
  for (const [nodeId, share] of lent) {
    const own = scores.get(nodeId) ?? (candidates.has(nodeId) ? strangers.get(nodeId) : undefined);
    if (own !== undefined) total.set(nodeId, own + NEIGHBOUR_WEIGHT * share);
  }
  return total;
}

/** The greatest score beside each node, divided by the distance in places. */
function lendToNeighbours(store: Store, scores: ReadonlyMap<number, number>): Map<number, number> {
  const best = [...scores].toSorted((a, b) => b[1] - a[1]).slice(0, NEIGHBOURED_MAX);
  const lent = new Map<number, number>();
  for (const pair of store.facts.neighbours(best.map(([nodeId]) => nodeId))) {
    const distance = Math.abs(pair.nodeId - pair.neighbourId);
    const share = (scores.get(pair.nodeId) ?? 0) / distance;
    lent.set(pair.neighbourId, Math.max(lent.get(pair.neighbourId) ?? 0, share));
  }
  return lent;
}

/** Quotes may be part of a name, or stand around it. */
function matchName({ store, query, filter }: Search): Match[] {
  const { kinds, entityType, statuses = ACTIVE_ALONE } = filter;
  if (!kinds.includes('entity') || !statuses.includes('active')) return [];
  const names = query.excluded.length > 0 ? [query.given] : [query.given, query.text];
  return store.entities
    .findFolded([...new Set(names.map(foldName))])
    .filter((entity) => entityType === null || entity.entityType === entityType)
    .map(({ nodeId }) => ({ nodeId, entityId: nodeId, kind: 'entity', rank: 0 }));
}
