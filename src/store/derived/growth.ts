/**
 * What a revision added: read from its own history, so that the cost follows the write. The nodes of a thread
 * are not counted one by one either: each revision keeps how many there were before it.
 */
import type { NodeKind } from '#graph/ids.ts';
import type { Sql } from '#store/sql.ts';

/** How many nodes of a kind there are. */
export interface NodeTotal {
  readonly kind: NodeKind;
  readonly total: number;
}

export interface Growth {
  /** The kinds of which it made more nodes than it removed, with how many more. */
  readonly nodes: readonly (NodeTotal & { readonly made: number })[];
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
      const totals = made.length > 0 ? readNodes(sql).counts : {};
      return {
        nodes: made.map(({ kind, nodes }) => ({ kind, total: totals[kind] ?? 0, made: nodes })),
        rowBytesMax: largest?.bytes ?? 0,
      };
    },

    /** All nodes by their kind. */
    totals: (): NodeTotal[] =>
      Object.entries(readNodes(sql).counts).map(([kind, total]) => ({
        kind: kind as NodeKind,
        total,
      })),

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
 * Nodes of each kind, whatever their status, and the greatest id that a node has ever had. Reads the latest
 * revision and what it changed; every node where that revision does not know what was before it, as after
 * an import.
 */
export function readNodes(sql: Sql): { counts: NodeCounts; lastId: number } {
  const latest = sql.first<{ id: number; nodes_before: string | null; last_node_id: number }>(
    'SELECT id, nodes_before, last_node_id FROM revision ORDER BY id DESC LIMIT 1',
  );
  const known = sql.first<{ id: number }>(GREATEST_ID)?.id ?? 0;
  if (latest === undefined || latest.nodes_before === null) {
    return { counts: countAll(sql), lastId: Math.max(known, latest?.last_node_id ?? 0) };
  }
  const counts = JSON.parse(latest.nodes_before) as NodeCounts;
  const made = nodesMadeBy(sql, latest.id);
  for (const { kind, nodes } of made) counts[kind] = (counts[kind] ?? 0) + nodes;
  const ids = made.map(({ lastId }) => lastId);
  return { counts, lastId: Math.max(known, latest.last_node_id, ...ids) };
}

/** Of the nodes that are there, and of those that no revision tells of any more. */
const GREATEST_ID = /* sql */ `SELECT max(coalesce((SELECT max(id) FROM node), 0),
  coalesce((SELECT last_node_id FROM compaction), 0)) AS id`;

function countAll(sql: Sql): NodeCounts {
  const rows = sql.all<{ kind: NodeKind; nodes: number }>(
    'SELECT kind, count(*) AS nodes FROM node GROUP BY kind',
  );
  return Object.fromEntries(rows.map(({ kind, nodes }) => [kind, nodes]));
}

/** How many more nodes of each kind there are by a revision; less than none where it removed some. */
function nodesMadeBy(
  sql: Sql,
  revisionId: number,
): { kind: NodeKind; nodes: number; lastId: number }[] {
  return sql.all(
    /* sql */ `
    SELECT coalesce(after, before) ->> 'kind' AS kind,
      sum((after IS NOT NULL) - (before IS NOT NULL)) AS nodes,
      max(CAST(row_key AS INTEGER)) AS lastId
    FROM change WHERE revision_id = ? AND table_name = 'node' AND (before IS NULL OR after IS NULL)
    GROUP BY kind`,
    revisionId,
  );
}
