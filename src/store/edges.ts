/** Reads and writes the `edge` table, and the relations between entities that it holds. */
import type { Edge, Relation } from '#graph/edge.ts';
import type { Sql } from './sql.ts';

interface RelationRow {
  source: string;
  target: string;
  type: string;
  importance: number;
  created_at: number;
}

const COLUMNS = `source.name AS source, target.name AS target, edge.type, edge.importance, edge.created_at`;

const NAMED = `JOIN entity AS source ON source.node_id = edge.from_id
  JOIN entity AS target ON target.node_id = edge.to_id`;

function toRelation(row: RelationRow): Relation {
  return {
    from: row.source,
    to: row.target,
    relationType: row.type,
    importance: row.importance,
    createdAt: row.created_at,
  };
}

export function edgeStore(sql: Sql) {
  return {
    /** Returns false, and changes nothing, when the edge is there already. */
    insert({ fromId, toId, type }: Edge, importance: number, at: number): boolean {
      return (
        sql.run(
          /* sql */ `
          INSERT INTO edge (from_id, to_id, type, importance, created_at) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (from_id, to_id, type) DO NOTHING`,
          fromId,
          toId,
          type,
          importance,
          at,
        ) > 0
      );
    },

    has({ fromId, toId, type }: Edge): boolean {
      const query = 'SELECT 1 FROM edge WHERE from_id = ? AND to_id = ? AND type = ?';
      return sql.first(query, fromId, toId, type) !== undefined;
    },

    /** Returns false when there was no such edge. */
    remove({ fromId, toId, type }: Edge): boolean {
      return (
        sql.run(
          'DELETE FROM edge WHERE from_id = ? AND to_id = ? AND type = ?',
          fromId,
          toId,
          type,
        ) > 0
      );
    },

    /** Relations with an end among `entityIds`, each once: outgoing ones first. */
    touching(entityIds: readonly number[], limit: number): Relation[] {
      return sql
        .all<RelationRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?1) AS wanted
          JOIN edge ON edge.from_id = wanted.value ${NAMED}
          UNION ALL
          SELECT ${COLUMNS} FROM json_each(?1) AS wanted
          JOIN edge ON edge.to_id = wanted.value ${NAMED}
          WHERE edge.from_id NOT IN (SELECT value FROM json_each(?1))
          LIMIT ?2`,
          JSON.stringify(entityIds),
          limit,
        )
        .map(toRelation);
    },

    /** Relations that start at `entityIds`, so that pages of entities give each relation once. */
    leaving(entityIds: readonly number[], limit: number): Relation[] {
      return sql
        .all<RelationRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?) AS wanted
          JOIN edge ON edge.from_id = wanted.value ${NAMED} LIMIT ?`,
          JSON.stringify(entityIds),
          limit,
        )
        .map(toRelation);
    },

    /** Relations whose both ends are among `entityIds`. */
    within(entityIds: readonly number[], limit: number): Relation[] {
      return sql
        .all<RelationRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?1) AS wanted
          JOIN edge ON edge.from_id = wanted.value ${NAMED}
          -- The plus keeps SQLite from looking up each pair of entities.
          WHERE +edge.to_id IN (SELECT value FROM json_each(?1)) LIMIT ?2`,
          JSON.stringify(entityIds),
          limit,
        )
        .map(toRelation);
    },

    /** Edges between entities that touch `nodeIds`, in either direction, for a walk. */
    around(nodeIds: readonly number[]): Edge[] {
      return sql
        .all<{ from_id: number; to_id: number; type: string }>(
          /* sql */ `
          SELECT edge.from_id, edge.to_id, edge.type FROM json_each(?1) AS wanted
          JOIN edge ON edge.from_id = wanted.value ${NAMED}
          UNION ALL
          SELECT edge.from_id, edge.to_id, edge.type FROM json_each(?1) AS wanted
          JOIN edge ON edge.to_id = wanted.value ${NAMED}`,
          JSON.stringify(nodeIds),
        )
        .map((row) => ({ fromId: row.from_id, toId: row.to_id, type: row.type }));
    },

    /** Names of the distinct entities related to one, in order of their creation. */
    neighbourNames(entityId: number, limit: number): string[] {
      return sql
        .all<{ name: string }>(
          /* sql */ `
          SELECT entity.name FROM entity WHERE entity.node_id IN (
            SELECT to_id FROM edge WHERE from_id = ?1
            UNION SELECT from_id FROM edge WHERE to_id = ?1)
          ORDER BY entity.node_id LIMIT ?2`,
          entityId,
          limit,
        )
        .map(({ name }) => name);
    },
  };
}
