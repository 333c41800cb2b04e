/** Reads of the graph, every one bounded: what is left out is counted and can be asked for. */
import type { Relation } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import { foldName, normaliseName } from '#graph/names.ts';
import {
  LIST_LIMIT_DEFAULT,
  PAGE_SIZE_MAX,
  READ_CHARS_DEFAULT,
  READ_CHARS_MAX,
  RELATIONS_SHOWN_MAX,
} from '#limits.ts';
import { anyTitleOf } from '#search/query.ts';
import type { EntityFilter, Slice } from '#store/graph/entities.ts';
import type { Store } from '#store/store.ts';
import {
  fitRelations,
  measureRelation,
  measureView,
  RELATION_CHARS_MIN,
  showRelations,
  type Detail,
  type EntityView,
} from './answer-size.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { resolveNames } from '#memory/entities/entity-names.ts';
import { viewEntities } from './entity-views.ts';
import type { World } from '#memory/world.ts';

export interface GraphView {
  readonly entities: readonly EntityView[];
  readonly relations: readonly Relation[];
  /** True when there are more relations than are given. */
  readonly relationsCut: boolean;
}

/** What an answer will show, which decides how much of it fits. */
export interface ReadOptions {
  readonly detail: Detail;
}

export interface PageRequest extends ReadOptions {
  /** Undefined for a page of a size that a model can take in. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface GraphPage extends GraphView {
  /** Entities that match, on all pages together. */
  readonly total: number;
  readonly nextCursor: string | null;
}

export interface EntityPage {
  readonly entities: readonly Entity[];
  readonly total: number;
  readonly nextCursor: string | null;
}

export function readingUseCases({ store }: World) {
  return {
    totals: () => store.counters.totals(),

    /** The named entities in the order of `names`, with every relation that touches them. */
    open(names: readonly string[], options: ReadOptions): GraphView & { missing: string[] } {
      const found = resolveNames(store, names);
      const entities = [...new Map([...found.values()].map((e) => [e.nodeId, e])).values()];
      return {
        ...view(store, entities, options),
        missing: names.filter((name) => !found.has(name)),
      };
    },

    /** Entities by id, in that order, with every relation that touches some of them. */
    openIds(
      entityIds: readonly number[],
      { detail, relationsOf }: ReadOptions & { readonly relationsOf: readonly number[] },
    ): GraphView {
      return view(store, store.entities.findByIds(entityIds), { detail }, relationsOf);
    },

    /** A page of the graph in order of creation; each relation stands with the entity it starts at. */
    page(request: PageRequest & { entityType?: string | undefined }): GraphPage {
      const { entityType } = request;
      const slice = toSlice(request, LIST_LIMIT_DEFAULT);
      const found =
        entityType === undefined
          ? store.entities.list(slice)
          : store.entities.listOfType(entityType, slice);
      const page = fillPage(store, found, request, entityType === undefined ? 'leaving' : 'within');
      const total =
        entityType === undefined
          ? store.counters.totals().entities
          : store.counters.entitiesOfType(entityType);
      return { ...page, total, nextCursor: nextCursor(found, page.entities.length, slice.limit) };
    },

    /** Entities that match every given bound, in order of creation, with the relations among them. */
    query(filter: EntityFilter, request: PageRequest): GraphPage {
      const slice = toSlice(request, LIST_LIMIT_DEFAULT);
      const found = store.entities.query(filter, slice);
      const page = fillPage(store, found, request, 'leaving');
      return {
        ...page,
        total: store.entities.count(filter),
        nextCursor: nextCursor(found, page.entities.length, slice.limit),
      };
    },

    /** Names that begin with a text, whatever its case and accents; sorted, at most `limit`. */
    namesFrom(prefix: string, limit: number): string[] {
      return store.entities.namesFrom(foldName(prefix), limit);
    },

    /** Entities without their facts. `namePattern` is a substring, whatever its case and accents. */
    list(
      filter: { entityType?: string | undefined; namePattern?: string | undefined },
      request: Omit<PageRequest, 'detail'>,
    ): EntityPage {
      const slice = toSlice(request, LIST_LIMIT_DEFAULT);
      const { found, total } =
        filter.namePattern === undefined
          ? listByType(store, filter.entityType, slice)
          : listByPattern(store, filter.namePattern, filter.entityType, slice);
      return { entities: found, total, nextCursor: nextCursor(found, found.length, slice.limit) };
    },
  };
}

function view(
  store: Store,
  entities: readonly Entity[],
  { detail }: ReadOptions,
  relationsOf: readonly number[] = entities.map(({ nodeId }) => nodeId),
): GraphView {
  return {
    entities: viewEntities(store, entities),
    ...showRelations(store.edges.touching(relationsOf, RELATIONS_SHOWN_MAX + 1), detail),
  };
}

/** Takes entities with their facts and relations until the answer is as long as it may be. */
function fillPage(
  store: Store,
  found: readonly Entity[],
  request: PageRequest,
  relationsOf: 'leaving' | 'within',
): GraphView {
  const charsMax = request.limit === undefined ? READ_CHARS_DEFAULT : READ_CHARS_MAX;
  const ids = found.map(({ nodeId }) => nodeId);
  const { detail } = request;
  const relationsMax = Math.floor(charsMax / RELATION_CHARS_MIN);
  const candidates = store.edges[relationsOf](ids, relationsMax + 1);
  const relationsByName = Map.groupBy(candidates, ({ from }) => from);
  const entities: EntityView[] = [];
  const relations: Relation[] = [];
  let chars = 0;
  for (const own of viewEntities(store, found)) {
    const leaving = relationsByName.get(own.entity.name) ?? [];
    chars += measureView(own, detail);
    for (const relation of leaving) chars += measureRelation(relation, detail);
    if (chars > charsMax && entities.length > 0) break;
    entities.push(own);
    relations.push(...leaving);
  }
  const shown = fitRelations(relations, charsMax, detail);
  const kept = new Set(entities.map(({ entity }) => entity.name));
  return {
    entities,
    relations: relationsOf === 'within' ? shown.filter(({ to }) => kept.has(to)) : shown,
    relationsCut: shown.length < relations.length || candidates.length > relationsMax,
  };
}

function toSlice(
  { limit, offset = 0, cursor }: Omit<PageRequest, 'detail'>,
  limitDefault: number,
): Slice {
  return {
    afterId: cursor === undefined ? 0 : decodeCursor(cursor),
    offset,
    limit: Math.min(limit ?? limitDefault, PAGE_SIZE_MAX),
  };
}

/** A full slice may have a next one; a page that was cut short certainly has. */
function nextCursor(found: readonly Entity[], taken: number, limit: number): string | null {
  const last = found[taken - 1];
  return last !== undefined && (taken < found.length || found.length === limit)
    ? encodeCursor(last.nodeId)
    : null;
}

function listByType(store: Store, entityType: string | undefined, slice: Slice) {
  return entityType === undefined
    ? { found: store.entities.list(slice), total: store.counters.totals().entities }
    : {
        found: store.entities.listOfType(entityType, slice),
        total: store.counters.entitiesOfType(entityType),
      };
}

/** The trigram index finds the candidates; below three characters nearly every name is one. */
function listByPattern(
  store: Store,
  pattern: string,
  entityType: string | undefined,
  slice: Slice,
) {
  const part = foldName(normaliseName(pattern));
  const expression = Array.from(part).length >= 3 ? anyTitleOf([part]) : undefined;
  const candidates =
    expression === undefined ? store.entities.allIds() : store.fulltext.matchTitles(expression, -1);
  const matching = store.entities.listContaining(part, candidates, entityType ?? null);
  const rest = matching.filter(({ nodeId }) => nodeId > slice.afterId).slice(slice.offset);
  return { found: rest.slice(0, slice.limit), total: matching.length };
}
