/** What a revision added: read from its own history, so that the cost follows the write. */
import type { NodeKind } from '#graph/ids.ts';
import type { Sql } from './sql.ts';

export interface Growth {
  /** The kinds of which it made more nodes than it removed, with how many there are now. */
  readonly nodes: readonly { readonly kind: NodeKind; readonly total: number }[];
  /** Bytes of the largest row that the history keeps of it: a row before and after. */
  readonly rowBytesMax: number;
}

export function growthStore(sql: Sql) {
  return {
    of(revisionId: number): Growth {
      const size = 'max(ifnull(octet_length(before), 0) + ifnull(octet_length(after), 0)) AS bytes';
      const largest = sql.first<{ bytes: number | null }>(
        `SELECT ${size} FROM change WHERE revision_id = ?`,
        revisionId,
      );
      const nodes = sql.all<{ kind: NodeKind; total: number }>(
        /* sql */ `
        SELECT kind, value AS total FROM (
          SELECT coalesce(after, before) ->> 'kind' AS kind FROM change
          WHERE revision_id = ? AND table_name = 'node' AND (before IS NULL OR after IS NULL)
          GROUP BY kind HAVING sum((after IS NOT NULL) - (before IS NOT NULL)) > 0)
        JOIN counter ON name = 'node' AND label = kind`,
        revisionId,
      );
      return { nodes, rowBytesMax: largest?.bytes ?? 0 };
    },

    /** All nodes by their kind. */
    totals: (): Growth['nodes'] =>
      sql.all("SELECT label AS kind, value AS total FROM counter WHERE name = 'node'"),

    /** An entity to which a revision added a relation and that has more than so many now. */
    findCrowded(revisionId: number, relationsMax: number): string | undefined {
      return sql.first<{ name: string }>(
        /* sql */ `
        SELECT name FROM change JOIN entity ON node_id IN (after ->> 'from_id', after ->> 'to_id')
        WHERE revision_id = ? AND table_name = 'edge' AND before IS NULL AND relation_count > ? LIMIT 1`,
        revisionId,
        relationsMax,
      )?.name;
    },
  };
}
