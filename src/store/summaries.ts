/** Reads the `summary` table: what sessions were about. */
import type { Summary } from '#graph/summary.ts';
import { LIVE } from './live.ts';
import type { Sql } from './sql.ts';

interface SummaryRow {
  node_id: number;
  session_id: string;
  title: string;
  summary: string;
  created_at: number;
}

const COLUMNS = 'summary.node_id, session_id, title, summary, node.created_at';

function toSummary(row: SummaryRow): Summary {
  return {
    nodeId: row.node_id,
    sessionId: row.session_id,
    title: row.title,
    summary: row.summary,
    createdAt: row.created_at,
  };
}

export function summaryStore(sql: Sql) {
  return {
    /** Missing ids are left out; order follows `nodeIds`. */
    findByIds(nodeIds: readonly number[]): Summary[] {
      return sql
        .all<SummaryRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?) AS wanted
          JOIN summary ON summary.node_id = wanted.value JOIN node ON node.id = summary.node_id
          WHERE ${LIVE} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
        )
        .map(toSummary);
    },
  };
}
