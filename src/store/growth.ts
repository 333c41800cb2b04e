/**
 * What a revision added: read from its own history, so that the cost follows the write. The nodes of a thread
 * are not counted one by one either: each revision keeps how many there were before it.
 */
import type { NodeKind } from '#graph/ids.ts';
import type { Sql } from './sql.ts';

export interface Growth {
  /** The kinds of which it made more nodes than it removed, with how many there are now. */
  readonly nodes: readonly { readonly kind: NodeKind; readonly total: number }[];
  /** Bytes of the largest row that the history keeps of it: a row before and after. */
  readonly rowBytesMax: number;
}

type NodeCounts = Partial<Record<NodeKind, number>>;

export function growthStore(sql: Sql) {
  return {
    of(revisionId: number): Growth {
      const size = 'max(ifnull(octet_length(before), 0) + ifnull(octet_length(after), 0)) AS bytes';
      const largest = sql.first<{ bytes: number | null }>(
        `SELECT ${size} FROM change WHERE revision_id = ?`,
        revisionId,
      );
      const made = nodesMadeBy(sql, revisionId).filter(({ nodes }) => nodes > 0);
      const totals = made.length > 0 ? countNodes(sql) : {};
      return {
        nodes: made.map(({ kind }) => ({ kind, total: totals[kind] ?? 0 })),
        rowBytesMax: largest?.bytes ?? 0,
      };
    },

    /** All nodes by their kind. */
    totals: (): Growth['nodes'] =>
      Object.entries(countNodes(sql)).map(([kind, total]) => ({ kind: kind as NodeKind, total })),

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

/**
 * Nodes of each kind, whatever their status. Reads the latest revision and what it changed; every node where
 * that revision does not know what was before it, as after an import.
 */
export function countNodes(sql: Sql): NodeCounts {
  const latest = sql.first<{ id: number; nodes_before: string | null }>(
    'SELECT id, nodes_before FROM revision ORDER BY id DESC LIMIT 1',
  );
  if (latest === undefined || latest.nodes_before === null) return countAll(sql);
  const counts = JSON.parse(latest.nodes_before) as NodeCounts;
  for (const { kind, nodes } of nodesMadeBy(sql, latest.id)) {
    counts[kind] = (counts[kind] ?? 0) + nodes;
  }
  return counts;
}

function countAll(sql: Sql): NodeCounts {
  const rows = sql.all<{ kind: NodeKind; nodes: number }>(
    'SELECT kind, count(*) AS nodes FROM node GROUP BY kind',
  );
  return Object.fromEntries(rows.map(({ kind, nodes }) => [kind, nodes]));
}

/** How many more nodes of each kind there are by a revision; less than none where it removed some. */
function nodesMadeBy(sql: Sql, revisionId: number): { kind: NodeKind; nodes: number }[] {
  return sql.all(
    /* sql */ `
    SELECT coalesce(after, before) ->> 'kind' AS kind,
      sum((after IS NOT NULL) - (before IS NOT NULL)) AS nodes
    FROM change WHERE revision_id = ? AND table_name = 'node' AND (before IS NULL OR after IS NULL)
    GROUP BY kind`,
    revisionId,
  );
}
