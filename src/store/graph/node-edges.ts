/**
 * Reads edges between facts and entities of any kind, for those who walk all of them. That an
 * observation describes its entity is an edge here, though no row of the `edge` table says so.
 */
import { DESCRIBES, type Metadata, type NodeEdge } from '#graph/memory-node.ts';
import { ABOUT_SHOWN, LIVE } from './live.ts';
import type { Sql } from '#store/sql.ts';

interface EdgeRow {
  from_id: number;
  to_id: number;
  type: string;
  metadata: string | null;
}

function toEdge({ from_id, to_id, type, metadata }: EdgeRow): NodeEdge {
  return {
    fromId: from_id,
    toId: to_id,
    type,
    metadata: metadata === null ? {} : (JSON.parse(metadata) as Metadata),
  };
}

const LEAVING = /* sql */ `
  SELECT from_id, to_id, edge.type, metadata, to_id AS other
  FROM json_each(?1) AS wanted CROSS JOIN edge ON edge.from_id = wanted.value`;
const ARRIVING = /* sql */ `
  SELECT from_id, to_id, edge.type, metadata, from_id
  FROM json_each(?1) AS wanted CROSS JOIN edge ON edge.to_id = wanted.value`;
const OF_ENTITY = /* sql */ `
  SELECT node_id, entity_id, '${DESCRIBES}', NULL, entity_id AS other
  FROM json_each(?1) AS wanted CROSS JOIN fact ON fact.node_id = wanted.value
  WHERE entity_id IS NOT NULL`;
const OF_OBSERVATIONS = /* sql */ `
  SELECT node_id, entity_id, '${DESCRIBES}', NULL, node_id
  FROM json_each(?1) AS wanted CROSS JOIN fact ON fact.entity_id = wanted.value
  WHERE superseded_by IS NULL`;

/** Edges come before observations: an entity may have many of these, and they say less of others. */
const AROUND = /* sql */ `
  SELECT hop.from_id, hop.to_id, hop.type, hop.metadata
  FROM (${LEAVING} UNION ALL ${ARRIVING} UNION ALL ${OF_ENTITY} UNION ALL ${OF_OBSERVATIONS}) AS hop
  CROSS JOIN node ON node.id = hop.other LEFT JOIN fact ON fact.node_id = node.id
  WHERE node.kind IN ('fact', 'entity') AND fact.superseded_by IS NULL AND ${LIVE}
    AND ${ABOUT_SHOWN}
  LIMIT ?2`;

const AMONG = /* sql */ `
  SELECT from_id, to_id, type, metadata FROM (${LEAVING} UNION ALL ${OF_ENTITY})
  WHERE other IN (SELECT value FROM json_each(?1)) LIMIT ?2`;

export function nodeEdgeStore(sql: Sql) {
  return {
    /** Edges that touch the nodes and lead to one that is in answers. */
    around(nodeIds: readonly number[], limit: number): NodeEdge[] {
      return sql.all<EdgeRow>(AROUND, JSON.stringify(nodeIds), limit).map(toEdge);
    },

    /** Edges whose both ends are among the nodes. */
    among(nodeIds: readonly number[], limit: number): NodeEdge[] {
      return sql.all<EdgeRow>(AMONG, JSON.stringify(nodeIds), limit).map(toEdge);
    },
  };
}
