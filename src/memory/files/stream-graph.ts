/**
 * The whole graph, a page at a time: entities in order of creation with all their observations,
 * then relations. Pages are calls of their own, and others may write between them: what was there
 * when the export began and stays unchanged is in it exactly once, what is made later is not.
 */
import { MemoryError } from '#errors.ts';
import type { Edge } from '#graph/edge.ts';
import {
  EXPORT_CHARS_PER_PAGE,
  EXPORT_ENTITIES_PER_PAGE,
  EXPORT_OBSERVATIONS_PER_PAGE,
  EXPORT_PAGES_MAX,
  EXPORT_RELATIONS_PER_PAGE,
} from '#limits.ts';
import type { BulkFact, BulkRelation, FactKey } from '#store/bulk/bulk.ts';
import { takeFitting } from '#memory/reading/answer-size.ts';
import type { World } from '#memory/world.ts';

export interface ExportedEntity {
  readonly id: number;
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

export interface ExportedRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
  readonly fromId: number;
  readonly toId: number;
}

/** Where a page begins. `untilId` is the newest entity of the time when the export began. */
export type ExportCursor = { readonly untilId: number } & (
  | ({ readonly part: 'entities' } & FactKey)
  | ({ readonly part: 'relations' } & Edge)
);

export interface ExportRequest {
  /** Undefined for the first page. */
  readonly cursor: ExportCursor | undefined;
  /** Observations are most of a graph, and not every format has room for them. */
  readonly hasObservations: boolean;
}

/** Entities on the first pages, relations on the last ones. */
export type ExportPage = { readonly next: ExportCursor | null } & (
  | {
      readonly part: 'entities';
      /** The first may be the last of the page before, with more of its observations. */
      readonly entities: readonly ExportedEntity[];
    }
  | { readonly part: 'relations'; readonly relations: readonly ExportedRelation[] }
);

/** Beyond the last fact of an entity. */
const NO_MORE_FACTS = Number.MAX_SAFE_INTEGER;

export function exportUseCases({ store }: World) {
  return {
    /** Throws `limit_exceeded` at the first page of an export that would have too many. */
    page({ cursor, hasObservations }: ExportRequest): ExportPage {
      if (cursor === undefined && countPages(hasObservations) > EXPORT_PAGES_MAX) {
        refuseTooLarge(hasObservations && countPages(false) <= EXPORT_PAGES_MAX);
      }
      const at = cursor ?? {
        part: 'entities',
        untilId: store.bulk.lastEntityId(),
        entityId: 0,
        factId: NO_MORE_FACTS,
      };
      return at.part === 'entities' ? entitiesFrom(at, hasObservations) : relationsFrom(at);
    },
  };

  /** At most so many. The texts are measured only where the whole database is larger than allowed. */
  function countPages(hasObservations: boolean): number {
    const { entities, relations, observations } = store.counters.totals();
    const few = 2 + entities / EXPORT_ENTITIES_PER_PAGE + relations / EXPORT_RELATIONS_PER_PAGE;
    if (!hasObservations) return few;
    const some = few + observations / EXPORT_OBSERVATIONS_PER_PAGE;
    const pagesOf = (bytes: number) => some + bytes / EXPORT_CHARS_PER_PAGE;
    const most = pagesOf(store.sizeBytes());
    return most <= EXPORT_PAGES_MAX ? most : pagesOf(store.bulk.factBytes());
  }

  function entitiesFrom(at: FactKey & { untilId: number }, hasObservations: boolean): ExportPage {
    const { untilId } = at;
    const slice = { afterId: at.entityId, offset: 0, limit: EXPORT_ENTITIES_PER_PAGE };
    const found = store.entities.list(slice).filter(({ nodeId }) => nodeId <= untilId);
    const lastId = found.at(-1)?.nodeId ?? at.entityId;
    const facts = hasObservations
      ? store.bulk.factsAfter(at, lastId, EXPORT_OBSERVATIONS_PER_PAGE + 1)
      : [];
    const few = facts.slice(0, EXPORT_OBSERVATIONS_PER_PAGE);
    const charsOf = ({ content }: BulkFact) => content.length;
    const fitting = takeFitting(few, EXPORT_CHARS_PER_PAGE, charsOf, 1);
    const cut = fitting.length < facts.length ? fitting.at(-1) : undefined;
    const reached = cut ?? { entityId: lastId, factId: NO_MORE_FACTS };
    const isLast =
      cut === undefined && (lastId >= untilId || found.length < EXPORT_ENTITIES_PER_PAGE);
    const byEntity = Map.groupBy(fitting, ({ entityId }) => entityId);
    const begun = byEntity.has(at.entityId) ? store.entities.findByIds([at.entityId]) : [];
    return {
      part: 'entities',
      entities: [...begun, ...found.filter(({ nodeId }) => nodeId <= reached.entityId)].map(
        ({ nodeId, name, entityType }) => ({
          id: nodeId,
          name,
          entityType,
          observations: (byEntity.get(nodeId) ?? []).map(({ content }) => content),
        }),
      ),
      next: isLast
        ? { part: 'relations', untilId, fromId: 0, toId: 0, type: '' }
        : { part: 'entities', untilId, entityId: reached.entityId, factId: reached.factId },
    };
  }

  function relationsFrom(at: Edge & { untilId: number }): ExportPage {
    const { untilId } = at;
    const found = store.bulk.relationsAfter(at, untilId, EXPORT_RELATIONS_PER_PAGE);
    const last = found.length === EXPORT_RELATIONS_PER_PAGE ? found.at(-1) : undefined;
    return {
      part: 'relations',
      relations: found.map(toExported),
      next: last
        ? { part: 'relations', untilId, fromId: last.fromId, toId: last.toId, type: last.type }
        : null,
    };
  }
}

function refuseTooLarge(isForObservations: boolean): never {
  const narrower = isForObservations
    ? 'Ask for format=mermaid or format=dot, which leave out observations, or'
    : 'Delete what is not needed, or';
  throw new MemoryError(
    'limit_exceeded',
    `This graph is too large for one export: it would take more than ${EXPORT_PAGES_MAX} pages.`,
    { hint: `${narrower} read it by read_graph, which goes on from its nextCursor without end.` },
  );
}

function toExported({ from, to, type, fromId, toId }: BulkRelation): ExportedRelation {
  return { from, to, relationType: type, fromId, toId };
}
