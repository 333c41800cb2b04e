/** Opens the revision that the triggers write changes under. */
import { assert } from '#errors.ts';
import type { Sql } from './sql.ts';

export function revisionStore(sql: Sql) {
  return {
    open(at: number, actor: string, tool: string): number {
      const row = sql.first<{ id: number }>(
        'INSERT INTO revision (at, actor, tool) VALUES (?, ?, ?) RETURNING id',
        at,
        actor,
        tool,
      );
      assert(row !== undefined, 'INSERT … RETURNING gives a row');
      return row.id;
    },

    /** Forgets a revision under which nothing changed. Returns whether it was kept. */
    close(id: number): boolean {
      const dropped = sql.run(
        'DELETE FROM revision WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM change WHERE revision_id = ?1)',
        id,
      );
      return dropped === 0;
    },

    /** Nodes whose row, text or name a revision changed; the facts of an entity that was renamed too. */
    touchedNodes(id: number): number[] {
      return sql
        .all<{ node_id: number }>(
          /* sql */ `
          SELECT DISTINCT CAST(row_key AS INTEGER) AS node_id FROM change
          WHERE revision_id = ?1 AND table_name <> 'edge'
          UNION
          SELECT fact.node_id FROM change JOIN fact ON fact.entity_id = CAST(row_key AS INTEGER)
          WHERE revision_id = ?1 AND table_name = 'entity' AND before ->> 'name' <> after ->> 'name'`,
          id,
        )
        .map(({ node_id }) => node_id);
    },
  };
}
