/**
 * What is shown where a question finds nothing, or asks for everything: the most important nodes of
 * each kind. Every query reads a limited number of rows, however large the thread is.
 */
import { LIVE } from './live.ts';
import { IS_IMPORTANT, IS_WELL_CONNECTED } from './entities.ts';
import type { Sql } from '#store/sql.ts';

/** Facts of one entity among which the important ones are looked for. */
const FACTS_LOOKED_AT = 20;
/** Equally important facts of one entity that come before those of the next. */
const FACTS_PER_ROUND = 3;

const FROM_ENTITIES = 'entity CROSS JOIN node ON node.id = entity.node_id';
const FROM_NODES =
  'node INDEXED BY node_entity_important CROSS JOIN entity ON entity.node_id = node.id';

interface RankedEntity {
  readonly id: number;
  readonly importance: number;
  readonly relation_count: number;
}

export function foremostStore(sql: Sql) {
  const idsOf = (query: string, ...values: (string | number)[]): number[] =>
    sql.all<{ id: number }>(query, ...values).map(({ id }) => id);

  function readEntities(from: string, which: string, ...values: (string | number)[]) {
    return sql.all<RankedEntity>(
      /* sql */ `
      SELECT node.id, node.importance, entity.relation_count FROM ${from} ${which} LIMIT ?`,
      ...values,
    );
  }

  return {
    /** The most important active entities, then the best connected, then the oldest. */
    entities(entityType: string | null, limit: number): number[] {
      const found =
        entityType === null
          ? [
              ...readEntities(
                FROM_NODES,
                `WHERE node.kind = 'entity' AND ${IS_IMPORTANT} AND ${LIVE} ORDER BY node.importance DESC`,
                limit,
              ),
              ...readEntities(
                FROM_ENTITIES,
                `WHERE ${IS_WELL_CONNECTED} AND ${LIVE} ORDER BY entity.relation_count DESC`,
                limit,
              ),
              ...readEntities(FROM_ENTITIES, `WHERE ${LIVE} ORDER BY entity.node_id`, limit),
            ]
          : readEntities(
              FROM_ENTITIES,
              `WHERE entity.type = ? AND ${LIVE} ORDER BY entity.node_id`,
              entityType,
              limit,
            );
      return [...new Map(found.map((entity) => [entity.id, entity])).values()]
        .toSorted(
          (a, b) =>
            b.importance - a.importance || b.relation_count - a.relation_count || a.id - b.id,
        )
        .slice(0, limit)
        .map(({ id }) => id);
    },

    /** Current facts of entities: the important ones first, then some of each entity in turn. */
    facts(entityIds: readonly number[], perEntity: number): number[] {
      // A query each: within a join SQLite would read every fact of an entity.
      const found = entityIds.flatMap((entityId, rank) =>
        sql
          .all<{ id: number; importance: number }>(
            /* sql */ `
            SELECT node.id, node.importance FROM (
              SELECT node_id FROM fact WHERE entity_id = ? AND superseded_by IS NULL LIMIT ?)
            CROSS JOIN node ON node.id = node_id WHERE ${LIVE}
            ORDER BY node.importance DESC, node.id LIMIT ?`,
            entityId,
            FACTS_LOOKED_AT,
            perEntity,
          )
          .map((fact, place) => ({ ...fact, rank, round: Math.floor(place / FACTS_PER_ROUND) })),
      );
      return found
        .toSorted(
          (a, b) =>
            b.importance - a.importance || a.round - b.round || a.rank - b.rank || a.id - b.id,
        )
        .map(({ id }) => id);
    },

    /** Facts, last stored first, whatever they are about. */
    newestFacts: (limit: number) =>
      idsOf('SELECT node_id AS id FROM fact ORDER BY node_id DESC LIMIT ?', limit),

    /** Turns, last stored first: of a session, or of all for null. */
    turns: (sessionId: string | null, limit: number) =>
      sessionId === null
        ? idsOf('SELECT node_id AS id FROM turn ORDER BY node_id DESC LIMIT ?', limit)
        : idsOf(
            'SELECT node_id AS id FROM turn WHERE session_id = ? ORDER BY node_id DESC LIMIT ?',
            sessionId,
            limit,
          ),

    /** Summaries, last written first: of a category, or of all for null. */
    summaries(category: string | null, limit: number): number[] {
      const from = 'SELECT summary_id AS id FROM session WHERE summary_id IS NOT NULL';
      return category === null
        ? idsOf(`${from} ORDER BY summarised_at DESC LIMIT ?`, limit)
        : idsOf(`${from} AND category = ? ORDER BY summarised_at DESC LIMIT ?`, category, limit);
    },

    /** Nodes of any kind that are outdated, last stored first. */
    outdated: (limit: number) =>
      idsOf("SELECT id FROM node WHERE status = 'outdated' ORDER BY id DESC LIMIT ?", limit),
  };
}
