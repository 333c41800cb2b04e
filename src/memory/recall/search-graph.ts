/** Search as the graph tools want it: facts found are folded into the entities they are about. */
import type { Fact } from '#graph/fact.ts';
import {
  hybrid,
  lexical,
  type Closeness,
  type Found,
  type Hit,
  type Reason,
  type SearchSize,
} from '#search/hybrid.ts';
import type { Detail, EntityView } from '#memory/reading/answer-size.ts';
import { readingUseCases, type GraphView } from '#memory/reading/read-graph.ts';
import type { World } from '#memory/world.ts';

export type { Closeness } from '#search/hit.ts';

export interface FoundGraph extends GraphView {
  readonly closeness: Closeness;
  /** Entities of the page that match closely; they come first. */
  readonly closeCount: number;
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
    /** Entities, those that match first, with every relation that touches these. */
    async search(
      query: string,
      entityType: string | undefined,
      slice: FoundSlice,
    ): Promise<FoundGraph> {
      return showFound(
        world,
        await hybrid(world, query, filterOf(entityType), sizeOf(slice)),
        slice,
      );
    },

    /** The same by words and names alone, which waits for nothing: vectors are of the present. */
    searchWords(query: string, entityType: string | undefined, slice: FoundSlice): FoundGraph {
      return showFound(
        world,
        lexical(world.store, query, filterOf(entityType), sizeOf(slice)),
        slice,
      );
    },
  };
}

interface FoundSlice {
  readonly limit: number;
  readonly offset: number;
  readonly detail: Detail;
}

/**
 * The same candidates for every page of a size, so that none repeats or loses what another ranks
 * otherwise. One entity more than the page has tells whether there is a next one.
 */
function sizeOf({ limit, offset }: FoundSlice): SearchSize {
  return {
    limit: Infinity,
    wanted: Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_ENTITY),
    atLeast: { count: offset + limit + 1, of: 'entities' },
  };
}

function filterOf(entityType: string | undefined) {
  return { ...OF_GRAPH, entityType: entityType ?? null };
}

function showFound(
  world: World,
  { hits, closeness }: Found,
  { limit, offset, detail }: FoundSlice,
): FoundGraph {
  const ranked = rankEntities(hits);
  const onPage = ranked.slice(offset, offset + limit);
  const close = new Set(hits.flatMap((hit) => (hit.isClose ? (hit.entityId ?? []) : [])));
  const isMain = (entityId: number) => closeness !== 'close' || close.has(entityId);
  const { openIds } = readingUseCases(world);
  const page = openIds(onPage, { detail, relationsOf: onPage.filter(isMain) });
  return {
    ...page,
    entities: leadWithMatches(world, page.entities, hits, isMain),
    closeness,
    closeCount: onPage.filter((entityId) => close.has(entityId)).length,
    nextOffset: ranked.length > offset + limit ? offset + limit : null,
    matches: detail === 'full' ? describeMatches(world, page, hits) : [],
  };
}

/**
 * The entities with the facts that were found among those shown, and first where not all are. Those
 * beside the main ones have nothing else: they are shown in case that one of them is meant.
 */
function leadWithMatches(
  { store }: World,
  views: readonly EntityView[],
  hits: readonly Hit[],
  isMain: (entityId: number) => boolean,
): EntityView[] {
  const found = Map.groupBy(hits, ({ entityId }) => entityId);
  const leadingOf = ({ entity }: EntityView) =>
    (found.get(entity.nodeId) ?? [])
      .map(({ nodeId }) => nodeId)
      .filter((nodeId) => nodeId !== entity.nodeId)
      .slice(0, MATCHES_PER_ENTITY);
  const isShown = new Set(views.flatMap(({ facts }) => facts.map(({ nodeId }) => nodeId)));
  const hidden = views.flatMap(leadingOf).filter((nodeId) => !isShown.has(nodeId));
  const further = Map.groupBy(store.facts.findByIds(hidden), ({ entityId }) => entityId);
  return views.map((view) => {
    const leading = leadingOf(view);
    const facts = [...view.facts, ...(further.get(view.entity.nodeId) ?? [])]
      .filter(({ nodeId }) => isMain(view.entity.nodeId) || leading.includes(nodeId))
      .toSorted((a, b) => a.nodeId - b.nodeId);
    return { entity: view.entity, facts, leading };
  });
}

/** The hits of the entities on a page. */
function describeMatches(
  { store }: World,
  { entities }: GraphView,
  hits: readonly Hit[],
): GraphMatch[] {
  const names = new Map(entities.map(({ entity }) => [entity.nodeId, entity.name]));
  const shown = hits.filter(
    ({ entityId, reasons }) => entityId !== null && names.has(entityId) && reasons.length > 0,
  );
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

/**
 * Entity ids, best first: the best hit decides, a few further ones add a share of their score if they
 * match. The order of those that do not match is that of their hits, on every page.
 */
function rankEntities(hits: readonly Hit[]): number[] {
  const found = new Map<number, { score: number; hits: number }>();
  for (const { entityId, score, isClose } of hits) {
    if (entityId === null) continue;
    const before = found.get(entityId);
    if (before === undefined) found.set(entityId, { score, hits: 1 });
    else if (before.hits < MATCHES_PER_ENTITY && isClose) {
      found.set(entityId, {
        score: before.score + FURTHER_FACT_SHARE * score,
        hits: before.hits + 1,
      });
    }
  }
  return [...found].toSorted((a, b) => b[1].score - a[1].score).map(([entityId]) => entityId);
}
