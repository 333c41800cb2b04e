/** Search as the graph tools want it: facts found are folded into the entities they are about. */
import type { Fact } from '#graph/fact.ts';
import { hybrid, lexical, type Hit, type Reason } from '#search/hybrid.ts';
import type { Detail } from './budget.ts';
import { readingUseCases, type GraphView } from './reading.ts';
import type { World } from './world.ts';

export interface FoundGraph extends GraphView {
  /** Where the next page begins; null when this was the last. */
  readonly nextOffset: number | null;
  /** What matched, best first; none in a brief answer. */
  readonly matches: readonly GraphMatch[];
}

/** An entity's name, or a fact about it, that matched. */
export interface GraphMatch {
  readonly nodeId: number;
  readonly entityName: string;
  /** Null when it is the entity itself that matched. */
  readonly fact: Fact | null;
  readonly reasons: readonly Reason[];
  readonly score: number;
}

/** Matches of one entity that are looked at: the best decides, the others only add a little. */
const MATCHES_PER_ENTITY = 4;
const OF_GRAPH = {
  kinds: ['entity', 'fact'],
  isOfGraph: true,
  perEntity: MATCHES_PER_ENTITY,
} as const;

/**
 * Matches of each kind that are ranked, at least and for each entity of a page: what comes after them
 * is found by asking more narrowly.
 */
const CANDIDATES_MIN = 200;
const CANDIDATES_PER_ENTITY = MATCHES_PER_ENTITY;

/** Further matching facts add a little; they cannot outweigh one better match. */
const FURTHER_FACT_SHARE = 0.1;

export function findingUseCases(world: World) {
  return {
    /** Entities that match, best first, with every relation that touches them. */
    async search(
      query: string,
      entityType: string | undefined,
      slice: FoundSlice,
    ): Promise<FoundGraph> {
      const hits = await hybrid(world, query, filterOf(entityType), Infinity, candidatesOf(slice));
      return showFound(world, hits, slice);
    },

    /** The same by words and names alone, which waits for nothing: vectors are of the present. */
    searchWords(query: string, entityType: string | undefined, slice: FoundSlice): FoundGraph {
      const candidates = candidatesOf(slice);
      const hits = lexical(world.store, query, filterOf(entityType), Infinity, candidates);
      return showFound(world, hits, slice);
    },
  };
}

interface FoundSlice {
  readonly limit: number;
  readonly offset: number;
  readonly detail: Detail;
}

/** The same for every page of a size, so that none repeats or loses what another ranks otherwise. */
function candidatesOf({ limit }: FoundSlice): number {
  return Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_ENTITY);
}

function filterOf(entityType: string | undefined) {
  return { ...OF_GRAPH, entityType: entityType ?? null };
}

function showFound(
  world: World,
  hits: readonly Hit[],
  { limit, offset, detail }: FoundSlice,
): FoundGraph {
  const ranked = rankEntities(hits);
  const page = readingUseCases(world).openIds(ranked.slice(offset, offset + limit), { detail });
  return {
    ...page,
    nextOffset: ranked.length > offset + limit ? offset + limit : null,
    matches: detail === 'full' ? describeMatches(world, page, hits) : [],
  };
}

/** The hits of the entities on a page. */
function describeMatches(
  { store }: World,
  { entities }: GraphView,
  hits: readonly Hit[],
): GraphMatch[] {
  const names = new Map(entities.map(({ entity }) => [entity.nodeId, entity.name]));
  const shown = hits.filter(({ entityId }) => entityId !== null && names.has(entityId));
  const facts = new Map(
    store.facts.findByIds(shown.map(({ nodeId }) => nodeId)).map((fact) => [fact.nodeId, fact]),
  );
  return shown.map(({ nodeId, entityId, reasons, score }) => ({
    nodeId,
    entityName: names.get(entityId ?? nodeId) ?? '',
    fact: facts.get(nodeId) ?? null,
    reasons,
    score,
  }));
}

/** Entity ids, best first: the best hit decides, a few further ones add a share of their score. */
function rankEntities(hits: readonly Hit[]): number[] {
  const found = new Map<number, { score: number; hits: number }>();
  for (const { entityId, score } of hits) {
    if (entityId === null) continue;
    const before = found.get(entityId);
    if (before === undefined) found.set(entityId, { score, hits: 1 });
    else if (before.hits < MATCHES_PER_ENTITY) {
      found.set(entityId, {
        score: before.score + FURTHER_FACT_SHARE * score,
        hits: before.hits + 1,
      });
    }
  }
  return [...found]
    .toSorted((a, b) => b[1].score - a[1].score || a[0] - b[0])
    .map(([entityId]) => entityId);
}
