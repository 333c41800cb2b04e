/** Reads facts and entities as nodes, whatever their status. Turns and summaries are none of them. */
import type { MemoryNode, Metadata } from '#graph/memory-node.ts';
import type { NodeStatus } from '#graph/status.ts';
import { LIVE, UNEXPIRED } from './live.ts';
import type { Sql } from '#store/sql.ts';

interface NodeRow {
  id: number;
  kind: 'fact' | 'entity';
  text: string;
  entity_type: string | null;
  entity_id: number | null;
  status: NodeStatus;
  superseded_by: number | null;
  metadata: string | null;
  source: string | null;
  ttl_days: number | null;
  created_at: number;
  updated_at: number;
  expires_at: number | null;
}

/** What a superseded fact says is no longer so, and what has expired is as good as archived. */
const STATUS_NOW = /* sql */ `CASE
    WHEN node.expires_at <= unixepoch('subsec') * 1000 THEN 'archived'
    WHEN node.status = 'active' AND fact.superseded_by IS NOT NULL THEN 'outdated'
    ELSE node.status END`;

const COLUMNS = /* sql */ `node.id, node.kind, coalesce(fact.content, entity.name) AS text,
  entity.type AS entity_type, fact.entity_id, ${STATUS_NOW} AS status, fact.superseded_by,
  node.metadata, node.source, node.ttl_days, node.created_at, node.updated_at, node.expires_at`;

const NODES = /* sql */ `JOIN node ON node.id = wanted.value AND node.kind IN ('fact', 'entity')
  LEFT JOIN fact ON fact.node_id = node.id LEFT JOIN entity ON entity.node_id = node.id`;

function toMemoryNode(row: NodeRow): MemoryNode {
  return {
    nodeId: row.id,
    kind: row.kind,
    text: row.text,
    entityType: row.entity_type,
    entityId: row.entity_id,
    status: row.status,
    supersededBy: row.superseded_by,
    metadata: row.metadata === null ? {} : (JSON.parse(row.metadata) as Metadata),
    source: row.source,
    ttlDays: row.ttl_days,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  };
}

export function memoryNodeStore(sql: Sql) {
  return {
    /** Missing ids are left out; order follows `nodeIds`. */
    findByIds(nodeIds: readonly number[]): MemoryNode[] {
      return sql
        .all<NodeRow>(
          `SELECT ${COLUMNS} FROM json_each(?) AS wanted ${NODES} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
        )
        .map(toMemoryNode);
    },

    /** How many there are, by status. Reads them all once: nothing on a hot path asks. */
    countByStatus(kind: MemoryNode['kind']): Readonly<Record<NodeStatus, number>> {
      const counts = sql.first<Record<NodeStatus, number | null> & { superseded: number }>(
        /* sql */ `
        SELECT sum(${LIVE}) AS active,
          sum(node.status = 'outdated' AND ${UNEXPIRED}) AS outdated,
          sum(node.status = 'archived' OR NOT ${UNEXPIRED}) AS archived,
          (SELECT count(*) FROM fact CROSS JOIN node ON node.id = fact.node_id
           WHERE fact.superseded_by IS NOT NULL AND node.kind = ?1 AND ${LIVE}) AS superseded
        FROM node WHERE node.kind = ?1`,
        kind,
      );
      const { active, outdated, archived, superseded = 0 } = counts ?? {};
      return {
        active: (active ?? 0) - superseded,
        outdated: (outdated ?? 0) + superseded,
        archived: archived ?? 0,
      };
    },
  };
}
