/**
 * What a search shows beyond what it found: a memory never denies what it holds. The nearest nodes in
 * meaning come first, then the most important ones, as many as the caller has room for.
 */
import type { Match, MatchFilter } from '#store/search/fulltext.ts';
import type { Store } from '#store/store.ts';
import { meetConstraints } from './constraints.ts';
import type { ParsedQuery } from './query.ts';
import type { Scan } from './vector-index.ts';

/** How many results an answer has at least, where the thread has them. */
export interface AtLeast {
  readonly count: number;
  /** Whether an entity and its facts are one result, or one each. */
  readonly of: 'nodes' | 'entities';
}

/** Nodes that are looked up at a time. */
const LOOKED_UP = 50;
/** Important nodes of each kind, however many are wanted: so pages of an answer have one order. */
const FOREMOST_MAX = 100;
/** Important facts: of how many entities, and how many of each. */
const FOREMOST_FACTS = { entities: 20, perEntity: 10 };

interface Asked {
  readonly store: Store;
  readonly query: ParsedQuery;
  readonly filter: MatchFilter;
}

/** Nodes beside the `found` ones, best first, until there are `atLeast` results or nothing is left. */
export function nearestOthers(
  asked: Asked,
  scan: Scan | undefined,
  found: readonly Match[],
  atLeast: AtLeast,
): Match[] {
  const seen = new Set(found.map(({ nodeId }) => nodeId));
  const results = new Set(found.map((match) => resultOf(match, atLeast)));
  const others: Match[] = [];
  for (const nodeIds of inChunks(candidates(asked, scan))) {
    if (results.size >= atLeast.count) break;
    const fresh = nodeIds.filter((nodeId) => !seen.has(nodeId));
    for (const match of passing(asked, fresh)) {
      seen.add(match.nodeId);
      results.add(resultOf(match, atLeast));
      others.push(match);
    }
  }
  return others;
}

/** Lazily: what is important is read only where the neighbours do not suffice. */
function* candidates(asked: Asked, scan: Scan | undefined): Generator<number> {
  for (const { nodeId } of scan?.neighbours ?? []) yield nodeId;
  yield* foremostNodes(asked);
}

function* inChunks(nodeIds: Iterable<number>): Generator<number[]> {
  let chunk: number[] = [];
  for (const nodeId of nodeIds) {
    chunk.push(nodeId);
    if (chunk.length < LOOKED_UP) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function resultOf({ nodeId, entityId }: Match, { of }: AtLeast): number {
  return of === 'entities' ? (entityId ?? nodeId) : nodeId;
}

/** Those that the filter and the operators of the query let through, in the order given. */
function passing({ store, query, filter }: Asked, nodeIds: readonly number[]): Match[] {
  const resolved = store.fulltext.resolve(nodeIds, { ...filter, perEntity: Infinity });
  const allowed = new Map(
    meetConstraints(store, query, resolved).map((match) => [match.nodeId, match]),
  );
  return nodeIds.flatMap((nodeId) => allowed.get(nodeId) ?? []);
}

/** The most important nodes that pass, best first. */
export function foremost(asked: Asked, count: number): Match[] {
  return passing(asked, [...new Set(foremostNodes(asked))]).slice(0, count);
}

function* foremostNodes({ store, filter }: Asked): Generator<number> {
  const { kinds, entityType, isOfGraph, statuses, sessionId, category } = filter;
  const { entities, perEntity } = FOREMOST_FACTS;
  const isOfEntities = kinds.includes('entity') || kinds.includes('fact');
  const entityIds = isOfEntities ? store.foremost.entities(entityType, FOREMOST_MAX) : [];
  if (kinds.includes('entity')) yield* entityIds;
  if (kinds.includes('fact')) {
    yield* store.foremost.facts(entityIds.slice(0, entities), perEntity);
    if (!isOfGraph) yield* store.foremost.newestFacts(FOREMOST_MAX);
  }
  if (kinds.includes('summary')) yield* store.foremost.summaries(category ?? null, FOREMOST_MAX);
  if (kinds.includes('turn')) yield* store.foremost.turns(sessionId ?? null, FOREMOST_MAX);
  if (statuses?.includes('outdated')) yield* store.foremost.outdated(FOREMOST_MAX);
}
