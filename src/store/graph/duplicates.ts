/** What the de-duplication of facts reads, and how it marks what says the same as an older one. */
import { LIVE } from './live.ts';
import type { Sql } from '#store/sql.ts';

/** A fact as it is compared with others. */
export interface ComparedFact {
  readonly nodeId: number;
  /** Null for a fact that stands alone. */
  readonly entityId: number | null;
  readonly content: string;
  readonly createdAt: number;
  /** Null for never. */
  readonly expiresAt: number | null;
}

interface ComparedRow {
  node_id: number;
  entity_id: number | null;
  content: string;
  created_at: number;
  expires_at: number | null;
}

export function duplicateStore(sql: Sql) {
  return {
    /** Facts after a node id that have their vector, up to the first that waits for one. */
    unseen(afterId: number, limit: number): { nodeId: number; createdAt: number }[] {
      const rows = sql.all<{ node_id: number; created_at: number; waits: number }>(
        /* sql */ `
        SELECT fact.node_id, node.created_at,
          EXISTS (SELECT 1 FROM awaiting_vector AS waiting WHERE waiting.node_id = fact.node_id) AS waits
        FROM fact JOIN node ON node.id = fact.node_id
        WHERE fact.node_id > ? ORDER BY fact.node_id LIMIT ?`,
        afterId,
        limit,
      );
      const firstWaiting = rows.findIndex(({ waits }) => waits === 1);
      return (firstWaiting === -1 ? rows : rows.slice(0, firstWaiting)).map((row) => ({
        nodeId: row.node_id,
        createdAt: row.created_at,
      }));
    },

    /** The last node made before a time; 0 for none. Reads what was made since. */
    lastBefore(at: number): number {
      return (
        sql.first<{ id: number }>(
          'SELECT id FROM node WHERE created_at < ? ORDER BY id DESC LIMIT 1',
          at,
        )?.id ?? 0
      );
    },

    /** Those of the nodes that are current facts. */
    compared(nodeIds: readonly number[]): ComparedFact[] {
      return sql
        .all<ComparedRow>(
          /* sql */ `
          SELECT fact.node_id, fact.entity_id, fact.content, node.created_at, node.expires_at
          FROM json_each(?) AS wanted
          JOIN fact ON fact.node_id = wanted.value JOIN node ON node.id = fact.node_id
          WHERE fact.superseded_by IS NULL AND ${LIVE} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
        )
        .map((row) => ({
          nodeId: row.node_id,
          entityId: row.entity_id,
          content: row.content,
          createdAt: row.created_at,
          expiresAt: row.expires_at,
        }));
    },

    /**
     * The reason joins the metadata that there is. `|| ''` makes a text of what `json_set` gives: the
     * history would take it for a part of its own JSON.
     */
    markOutdated(nodeId: number, reason: string, at: number): void {
      sql.run(
        /* sql */ `
        UPDATE node SET status = 'outdated', updated_at = ?3,
          metadata = json_set(coalesce(metadata, '{}'), '$.outdated_reason', ?2) || ''
        WHERE id = ?1`,
        nodeId,
        reason,
        at,
      );
    },

    /** A life time in days that was given is no longer what it was. */
    expireAt(nodeId: number, expiresAt: number | null): void {
      sql.run('UPDATE node SET expires_at = ?, ttl_days = NULL WHERE id = ?', expiresAt, nodeId);
    },
  };
}
