/**
 * The one search behind every search tool: names, stemmed words, substrings and meaning, joined by
 * their scores. Why scores and these weights: docs/search.md has the measurements.
 */
import { foldName } from '#graph/names.ts';
import type { Match, MatchFilter } from '#store/fulltext.ts';
import type { Store } from '#store/store.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import type { SemanticQuery, Semantics } from './semantics.ts';
import { scoreSubstrings, scoreWords, type TextScores } from './text-scores.ts';
import type { Scan } from './vector-index.ts';

export interface Hit {
  readonly nodeId: number;
  /** The entity itself, or the one that the fact found is about; null for what stands alone. */
  readonly entityId: number | null;
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
}

export interface SearchEngine {
  readonly store: Store;
  readonly semantics: Semantics;
}

/** Matches of each kind that are looked at, at least; a few times what is wanted beyond that. */
const CANDIDATES_MIN = 200;
const CANDIDATES_PER_RESULT = 4;

/** Meaning and words count the same; each is brought to 0 to 1 first. */
const MEANING_WEIGHT = 0.5;
/** A substring is weaker evidence than a word, and a longer word contains many. */
const SUBSTRING_WEIGHT = 0.4;
/** What was said just before or after often answers what this one asks. */
const NEIGHBOUR_WEIGHT = 0.3;
const NEIGHBOURED_MAX = 100;
/** An entity of exactly that name comes before everything that merely mentions it. */
const NAME_BONUS = 2;
/** A node that shares no word must be nearer to the question than the thread's mean by this much. */
const NEARNESS_MIN = 0.1;
/** One word alone is a keyword: its vector says little, and who types it looks for the word. */
const KEYWORD_NEARNESS_MIN = 0.25;

/**
 * A question without an answer finds nothing: the best match must be near, or share much of what
 * the question asks for, or some of both. Set on labelled questions: docs/search.md.
 */
const NEAR_ENOUGH = 0.19;
const SHARED_ENOUGH = 0.25;
const NEAR_AND_SHARED = { nearness: 0.16, share: 0.15 };

/** Among fewer vectors than this nothing is far to seek: what is found is shown. */
const HAYSTACK_MIN = 25;

/** Of few vectors the mean says little; it begins at what unrelated texts have, as if of so many. */
const MEAN_PRIOR = { similarity: 0.1, vectors: 10 };

/** Best first; at most `limit`. A text without anything to look for finds nothing. */
export async function hybrid(
  { store, semantics }: SearchEngine,
  text: string,
  filter: MatchFilter,
  limit: number,
): Promise<Hit[]> {
  const query = parseQuery(text);
  // The only wait: what follows reads one state of the thread.
  const question = query.words.length > 0 ? await semantics.ask(text) : undefined;
  const wanted = Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT);
  const evidence = gatherEvidence(store, query, filter, wanted, question);
  const named = matchName(store, text, filter);
  if (named.length === 0 && !hasAnswer(evidence)) return [];
  for (const match of named) evidence.candidates.set(match.nodeId, match);
  const scores = addNeighbours(store, filter, evidence);
  for (const { nodeId } of named) scores.set(nodeId, (scores.get(nodeId) ?? 0) + NAME_BONUS);
  return [...scores]
    .map(([nodeId, score]) => ({
      nodeId,
      entityId: evidence.candidates.get(nodeId)?.entityId ?? null,
      score,
    }))
    .toSorted((a, b) => b.score - a.score || a.nodeId - b.nodeId)
    .slice(0, limit);
}

/** Everything that speaks for or against a node. */
interface Evidence {
  /** What the filter lets through, by node id. */
  readonly candidates: Map<number, Match>;
  readonly words: TextScores;
  readonly substrings: TextScores;
  /** Undefined when the embedder cannot answer. */
  readonly meaning: Meaning | undefined;
}

interface Meaning {
  readonly question: SemanticQuery;
  readonly scan: Scan;
  /** The similarity of what has nothing to do with the question. */
  readonly unrelated: number;
  /** How much nearer than that a node must be that shares no word. */
  readonly nearnessMin: number;
}

function gatherEvidence(
  store: Store,
  query: ParsedQuery,
  filter: MatchFilter,
  wanted: number,
  question: SemanticQuery | undefined,
): Evidence {
  const words = scoreWords(store, query, filter, wanted);
  const substrings = scoreSubstrings(store, query, filter, wanted);
  const scan = question?.scan(wanted);
  const near = store.fulltext.resolve(scan?.neighbours.map(({ nodeId }) => nodeId) ?? [], filter);
  const matches = [...words.matches, ...substrings.matches, ...near];
  return {
    candidates: new Map(matches.map((match) => [match.nodeId, match])),
    words,
    substrings,
    meaning: question &&
      scan && {
        question,
        scan,
        unrelated: meanOf(scan, question.size),
        nearnessMin: query.words.length === 1 ? KEYWORD_NEARNESS_MIN : NEARNESS_MIN,
      },
  };
}

/** False when nothing found is worth showing. */
function hasAnswer({ candidates, words, substrings, meaning }: Evidence): boolean {
  if (meaning === undefined || meaning.question.size < HAYSTACK_MIN) return candidates.size > 0;
  if (words.matches.length === 0 && substrings.matches.length > 0) return true;
  const nearness = meaning.scan.highest - meaning.unrelated;
  const share = words.greatestShare;
  return (
    nearness >= NEAR_ENOUGH ||
    share >= SHARED_ENOUGH ||
    (nearness >= NEAR_AND_SHARED.nearness && share >= NEAR_AND_SHARED.share)
  );
}

/** 0 to 1; undefined for a node that neither shares a text nor comes near in meaning. */
function scoreNode(evidence: Evidence, nodeId: number): number | undefined {
  const textual = scoreText(evidence, nodeId);
  if (evidence.meaning === undefined) return textual > 0 ? textual : undefined;
  const { question, scan, unrelated, nearnessMin } = evidence.meaning;
  const similarity = question.similarityTo(nodeId);
  if (textual === 0 && (similarity ?? 0) - unrelated < nearnessMin) return undefined;
  const furthest = Math.min(scan.lowest, unrelated);
  const spread = Math.max(scan.highest - furthest, 1e-6);
  const near = similarity === undefined ? 0 : (similarity - furthest) / spread;
  return MEANING_WEIGHT * near + (1 - MEANING_WEIGHT) * textual;
}

function scoreText({ words, substrings }: Evidence, nodeId: number): number {
  const weight = words.matches.length > 0 ? SUBSTRING_WEIGHT : 1;
  return Math.max(words.scores.get(nodeId) ?? 0, weight * (substrings.scores.get(nodeId) ?? 0));
}

/** Scores of all candidates; the best lend a share of theirs to what was stored next to them. */
function addNeighbours(store: Store, filter: MatchFilter, evidence: Evidence): Map<number, number> {
  const { candidates } = evidence;
  const scores = new Map<number, number>();
  for (const nodeId of candidates.keys()) {
    const score = scoreNode(evidence, nodeId);
    if (score !== undefined) scores.set(nodeId, score);
  }
  const lent = lendToNeighbours(store, scores);
  const strangers = [...lent.keys()].filter((nodeId) => !candidates.has(nodeId));
  for (const match of store.fulltext.resolve(strangers, filter)) {
    candidates.set(match.nodeId, match);
  }
  const total = new Map(scores);
  for (const [nodeId, share] of lent) {
    const own = candidates.has(nodeId) ? scoreNode(evidence, nodeId) : undefined;
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

function meanOf({ mean }: Scan, vectors: number): number {
  const { similarity, vectors: prior } = MEAN_PRIOR;
  return (mean * vectors + similarity * prior) / (vectors + prior);
}

function matchName(store: Store, text: string, { entityType, kinds }: MatchFilter): Match[] {
  if (!kinds.includes('entity')) return [];
  return store.entities
    .findFolded([foldName(text)])
    .filter((entity) => entityType === null || entity.entityType === entityType)
    .map(({ nodeId }) => ({ nodeId, entityId: nodeId, rank: 0 }));
}
