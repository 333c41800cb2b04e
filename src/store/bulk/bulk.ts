/** Reads the whole graph in the order of its keys, each row once, for what leaves the thread in bulk. */
import type { Edge } from '#graph/edge.ts';
import { isShown, LIVE } from '#store/graph/live.ts';
import type { Sql } from '#store/sql.ts';

/** The fact after which to go on; facts go by their entity, oldest first. */
export interface FactKey {
  readonly entityId: number;
  readonly factId: number;
}

export interface BulkFact extends FactKey {
  readonly content: string;
}

export interface BulkRelation extends Edge {
  readonly from: string;
  readonly to: string;
}

export function bulkStore(sql: Sql) {
  return {
    /** Ids are never used again: whatever is made later has a higher one. 0 for no entity. */
    lastEntityId(): number {
      const query = 'SELECT max(node_id) AS id FROM entity';
      return sql.first<{ id: number | null }>(query)?.id ?? 0;
    },

    /** Bytes of all facts about entities, former versions included. Reads each of them. */
    factBytes(): number {
      const query =
        'SELECT sum(octet_length(content)) AS bytes FROM fact WHERE entity_id IS NOT NULL';
      return sql.first<{ bytes: number | null }>(query)?.bytes ?? 0;
    },

    /** Current facts about the entities up to `untilEntityId`. */
    factsAfter({ entityId, factId }: FactKey, untilEntityId: number, limit: number): BulkFact[] {
      return sql
        .all<{ entity_id: number; node_id: number; content: string }>(
          /* sql */ `
          SELECT fact.entity_id, fact.node_id, fact.content
          FROM fact JOIN node ON node.id = fact.node_id
          WHERE (fact.entity_id, fact.node_id) > (?1, ?2) AND fact.entity_id <= ?3
            AND fact.superseded_by IS NULL AND ${LIVE}
          ORDER BY fact.entity_id, fact.node_id LIMIT ?4`,
          entityId,
          factId,
          untilEntityId,
          limit,
        )
        .map((row) => ({ entityId: row.entity_id, factId: row.node_id, content: row.content }));
    },

    /** Relations between entities up to `untilEntityId`. */
    relationsAfter({ fromId, toId, type }: Edge, untilEntityId: number, limit: number) {
      return sql
        .all<{ from_id: number; to_id: number; type: string; source: string; target: string }>(
          /* sql */ `
          SELECT edge.from_id, edge.to_id, edge.type, source.name AS source, target.name AS target
          FROM edge CROSS JOIN entity AS source ON source.node_id = edge.from_id
            CROSS JOIN entity AS target ON target.node_id = edge.to_id
          WHERE (edge.from_id, edge.to_id, edge.type) > (?1, ?2, ?3)
            AND ${isShown('source')} AND ${isShown('target')}
            AND edge.from_id <= ?4 AND edge.to_id <= ?4
          ORDER BY edge.from_id, edge.to_id, edge.type LIMIT ?5`,
          fromId,
          toId,
          type,
          untilEntityId,
          limit,
        )
        .map((row): BulkRelation => ({
          fromId: row.from_id,
          toId: row.to_id,
          type: row.type,
          from: row.source,
          to: row.target,
        }));
    },
  };
}
