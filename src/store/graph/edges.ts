/** Reads and writes the `edge` table, and the relations between entities that it holds. */
import type { Edge, Relation } from '#graph/edge.ts';
import type { Metadata } from '#graph/memory-node.ts';
import type { Direction } from '#graph/walks/neighbourhood.ts';
import { isShown } from './live.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

interface RelationRow {
  source: string;
  target: string;
  type: string;
  importance: number;
  created_at: number;
}

const COLUMNS = `source.name AS source, target.name AS target, edge.type, edge.importance, edge.created_at`;

const NAMED = `JOIN entity AS source ON source.node_id = edge.from_id AND ${isShown('source')}
  JOIN entity AS target ON target.node_id = edge.to_id AND ${isShown('target')}`;

interface EdgeRow {
  from_id: number;
  to_id: number;
  type: string;
}

/** Null leaves a field open. */
export interface EdgeFilter {
  readonly fromId: number | null;
  readonly toId: number | null;
  readonly type: string | null;
}

/** A relation, and the edge that it is: where a page of them ended. */
export interface FoundRelation {
  readonly relation: Relation;
  readonly edge: Edge;
  readonly metadata: Metadata;
}

/** An edge to be written. */
export interface NewEdge extends Edge {
  readonly importance: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

function keyOf(edge: Edge | undefined): string {
  return JSON.stringify([edge?.fromId, edge?.toId, edge?.type]);
}

const OUTGOING = /* sql */ `
  SELECT edge.from_id, edge.to_id, edge.type FROM json_each(?1) AS wanted
  JOIN edge ON edge.from_id = wanted.value ${NAMED} WHERE ?3 IS NULL OR edge.type = ?3`;
const INCOMING = /* sql */ `
  SELECT edge.from_id, edge.to_id, edge.type FROM json_each(?1) AS wanted
  JOIN edge ON edge.to_id = wanted.value ${NAMED} WHERE ?3 IS NULL OR edge.type = ?3`;

const AROUND: Readonly<Record<Direction, string>> = {
  out: `${OUTGOING} LIMIT ?2`,
  in: `${INCOMING} LIMIT ?2`,
  both: `${OUTGOING} UNION ALL ${INCOMING} LIMIT ?2`,
};

const DEGREE = /* sql */ `SELECT sum(relation_count) AS degree FROM entity
  WHERE node_id IN (SELECT value FROM json_each(?))`;

/** The sign keeps the other end out of the index, so that every edge of an entity is read once. */
const WITHIN_BY_EDGE = /* sql */ `
  SELECT ${COLUMNS} FROM json_each(?1) AS wanted JOIN edge ON edge.from_id = wanted.value ${NAMED}
  WHERE +edge.to_id IN (SELECT value FROM json_each(?1)) AND (?3 IS NULL OR edge.type = ?3)
  LIMIT ?2`;
const WITHIN_BY_PAIR = /* sql */ `
  SELECT ${COLUMNS} FROM json_each(?1) AS wanted JOIN edge ON edge.from_id = wanted.value ${NAMED}
  WHERE edge.to_id IN (SELECT value FROM json_each(?1)) AND (?3 IS NULL OR edge.type = ?3)
  LIMIT ?2`;

/** Each is answered in the order of an index, so that a page reads as many rows as it shows. */
const FIND = `SELECT ${COLUMNS}, edge.from_id, edge.to_id, edge.metadata FROM edge ${NAMED}
  WHERE (?3 IS NULL OR edge.type = ?3)`;
/** From one entity to the next: facts that mention entities have more edges than these. */
const FIND_ANY = /* sql */ `SELECT ${COLUMNS}, edge.from_id, edge.to_id, edge.metadata
  FROM entity AS source CROSS JOIN edge ON edge.from_id = source.node_id
  CROSS JOIN entity AS target ON target.node_id = edge.to_id
  WHERE source.node_id >= ?4 AND (edge.from_id, edge.to_id, edge.type) > (?4, ?5, ?6)
    AND (?3 IS NULL OR edge.type = ?3) AND ${isShown('source')} AND ${isShown('target')}
  ORDER BY source.node_id, edge.to_id, edge.type LIMIT ?7`;
const FIND_FROM = /* sql */ `${FIND} AND edge.from_id = ?1 AND (edge.to_id, edge.type) > (?5, ?6)
  ORDER BY edge.to_id, edge.type LIMIT ?7`;
const FIND_TO = /* sql */ `${FIND} AND edge.to_id = ?2 AND (edge.from_id, edge.type) > (?4, ?6)
  ORDER BY edge.from_id, edge.type LIMIT ?7`;
const FIND_BETWEEN = /* sql */ `${FIND} AND edge.from_id = ?1 AND edge.to_id = ?2 AND edge.type > ?6
  ORDER BY edge.type LIMIT ?7`;

function findQuery({ fromId, toId }: EdgeFilter): string {
  if (fromId === null) return toId === null ? FIND_ANY : FIND_TO;
  return toId === null ? FIND_FROM : FIND_BETWEEN;
}

function toEdge(row: EdgeRow): Edge {
  return { fromId: row.from_id, toId: row.to_id, type: row.type };
}

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
    insert(
      { fromId, toId, type }: Edge,
      importance: number,
      at: number,
      metadata?: Metadata,
    ): boolean {
      return (
        sql.run(
          /* sql */ `
          INSERT INTO edge (from_id, to_id, type, importance, created_at, metadata)
          VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (from_id, to_id, type) DO NOTHING`,
          fromId,
          toId,
          type,
          importance,
          at,
          metadata === undefined ? null : JSON.stringify(metadata),
        ) > 0
      );
    },

    /** Those of some edges that are not there, each once. */
    findNew<Given extends Edge>(edges: readonly Given[]): Given[] {
      if (edges.length === 0) return [];
      const known = jsonLists(edges.map(({ fromId, toId, type }) => [fromId, toId, type])).flatMap(
        (list) =>
          sql.all<Edge>(
            /* sql */ `
            SELECT edge.from_id AS fromId, edge.to_id AS toId, edge.type
            FROM json_each(?) AS wanted CROSS JOIN edge
              ON edge.from_id = wanted.value ->> 0 AND edge.to_id = wanted.value ->> 1
                AND edge.type = wanted.value ->> 2`,
            list,
          ),
      );
      const seen = new Set(known.map(keyOf));
      return edges.filter((edge) => {
        const isSeen = seen.has(keyOf(edge));
        seen.add(keyOf(edge));
        return !isSeen;
      });
    },

    /** None of them may be there. */
    insertMany(edges: readonly NewEdge[]): void {
      const rows = edges.map(({ fromId, toId, type, importance, at }) => [
        fromId,
        toId,
        type,
        importance,
        at,
      ]);
      for (const list of jsonLists(rows)) {
        sql.run(
          /* sql */ `
          INSERT INTO edge (from_id, to_id, type, importance, created_at)
          SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
          list,
        );
      }
    },

    /** Every edge from one node to another, of one type or of any. Returns how many there were. */
    removeBetween(fromId: number, toId: number, type: string | null): number {
      return sql.run(
        'DELETE FROM edge WHERE from_id = ?1 AND to_id = ?2 AND (?3 IS NULL OR type = ?3)',
        fromId,
        toId,
        type,
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

    /**
     * Gives a node's edges to another, but for those that it has already and those between the two.
     * Returns how many it gained. The old edges stay, to be removed with their node.
     */
    redirect(nodeId: number, toNodeId: number): number {
      const leaving = sql.run(
        /* sql */ `
        INSERT INTO edge (from_id, to_id, type, importance, metadata, created_at)
        SELECT ?2, to_id, type, importance, metadata, created_at FROM edge
        WHERE from_id = ?1 AND to_id NOT IN (?1, ?2)
        ON CONFLICT (from_id, to_id, type) DO NOTHING`,
        nodeId,
        toNodeId,
      );
      const arriving = sql.run(
        /* sql */ `
        INSERT INTO edge (from_id, to_id, type, importance, metadata, created_at)
        SELECT from_id, ?2, type, importance, metadata, created_at FROM edge
        WHERE to_id = ?1 AND from_id NOT IN (?1, ?2)
        ON CONFLICT (from_id, to_id, type) DO NOTHING`,
        nodeId,
        toNodeId,
      );
      return leaving + arriving;
    },

    /** Edges between nodes of any kind. Reads them all. */
    count(): number {
      return sql.first<{ n: number }>('SELECT count(*) AS n FROM edge')?.n ?? 0;
    },

    /** Edges of any type that start or end at a node. */
    removeAllOf(nodeId: number): void {
      sql.run('DELETE FROM edge WHERE from_id = ?', nodeId);
      sql.run('DELETE FROM edge WHERE to_id = ?', nodeId);
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

    /** Relations whose both ends are among `entityIds`, of one type or of any. */
    within(entityIds: readonly number[], limit: number, type: string | null = null): Relation[] {
      const wanted = JSON.stringify(entityIds);
      const { degree } = sql.first<{ degree: number | null }>(DEGREE, wanted) ?? { degree: 0 };
      // Looking up each pair costs the same however crowded the entities are.
      const query = (degree ?? 0) < entityIds.length ** 2 ? WITHIN_BY_EDGE : WITHIN_BY_PAIR;
      return sql.all<RelationRow>(query, wanted, limit, type).map(toRelation);
    },

    /** Edges between entities that touch `nodeIds`, in either direction, for a walk. */
    around(nodeIds: readonly number[], limit: number): Edge[] {
      return sql.all<EdgeRow>(AROUND.both, JSON.stringify(nodeIds), limit, null).map(toEdge);
    },

    /** Edges between entities that leave `nodeIds` in one direction, of one type or of any. */
    leavingTowards(
      direction: Direction,
      nodeIds: readonly number[],
      type: string | null,
      limit: number,
    ): Edge[] {
      const query = AROUND[direction];
      return sql.all<EdgeRow>(query, JSON.stringify(nodeIds), limit, type).map(toEdge);
    },

    /** Relations between given ends and of a given type, each open when null, in order of their keys. */
    find(filter: EdgeFilter, after: Edge, limit: number): FoundRelation[] {
      const wanted = [filter.fromId, filter.toId, filter.type];
      return sql
        .all<RelationRow & EdgeRow & { metadata: string | null }>(
          findQuery(filter),
          ...wanted,
          after.fromId,
          after.toId,
          after.type,
          limit,
        )
        .map((row) => ({
          relation: toRelation(row),
          edge: toEdge(row),
          metadata: row.metadata === null ? {} : (JSON.parse(row.metadata) as Metadata),
        }));
    },

    /** Names of the distinct other entities related to one, in order of their creation. */
    neighbourNames(entityId: number, limit: number): string[] {
      return sql
        .all<{ name: string }>(
          /* sql */ `
          SELECT entity.name FROM (
            SELECT to_id AS id FROM edge
            WHERE from_id = ?1 AND to_id <> ?1
              AND EXISTS (SELECT 1 FROM entity WHERE node_id = to_id AND ${isShown('entity')})
            UNION SELECT from_id FROM edge
            WHERE to_id = ?1 AND from_id <> ?1
              AND EXISTS (SELECT 1 FROM entity WHERE node_id = from_id AND ${isShown('entity')})
            ORDER BY id LIMIT ?2) AS neighbour
          JOIN entity ON entity.node_id = neighbour.id ORDER BY neighbour.id`,
          entityId,
          limit,
        )
        .map(({ name }) => name);
    },
  };
}
