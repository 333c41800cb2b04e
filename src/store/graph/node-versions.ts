/** Reads and writes the `node_version` table: states of nodes that were kept when they changed. */
import type { MemoryNode } from '#graph/memory-node.ts';
import { NODE_VERSIONS_MAX } from '#limits.ts';
import type { Sql } from '#store/sql.ts';

export interface KeptState {
  readonly node: MemoryNode;
  /** Epoch milliseconds. */
  readonly replacedAt: number;
}

export function nodeVersionStore(sql: Sql) {
  return {
    /** Beside the newest `NODE_VERSIONS_MAX` none is kept: the oldest goes, as a change of the revision. */
    keep(node: MemoryNode, replacedAt: number): void {
      sql.run(
        /* sql */ `
        INSERT INTO node_version (node_id, version, state, replaced_at)
        SELECT ?1, coalesce(max(version), 0) + 1, ?2, ?3 FROM node_version WHERE node_id = ?1`,
        node.nodeId,
        JSON.stringify(node),
        replacedAt,
      );
      sql.run(
        /* sql */ `
        DELETE FROM node_version WHERE node_id = ?1
          AND version <= (SELECT max(version) FROM node_version WHERE node_id = ?1) - ?2`,
        node.nodeId,
        NODE_VERSIONS_MAX,
      );
    },

    /** Newest first. */
    list(nodeId: number, limit: number): KeptState[] {
      return sql
        .all<{ state: string; replaced_at: number }>(
          /* sql */ `
          SELECT state, replaced_at FROM node_version
          WHERE node_id = ? ORDER BY version DESC LIMIT ?`,
          nodeId,
          limit,
        )
        .map((row) => ({
          node: JSON.parse(row.state) as MemoryNode,
          replacedAt: row.replaced_at,
        }));
    },
  };
}
