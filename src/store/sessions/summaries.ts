/** Reads and writes the `summary` table: what sessions were about. */
import type { Summary, SummaryCategory } from '#graph/summary.ts';
import { LIVE } from '#store/graph/live.ts';
import type { Sql, SqlValue } from '#store/sql.ts';

interface SummaryRow {
  node_id: number;
  session_id: string;
  title: string;
  summary: string;
  category: SummaryCategory;
  quality: number;
  productivity: number;
  impact: number;
  complexity: number;
  technologies: string;
  turn_count: number;
  source: string | null;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `summary.node_id, session_id, title, summary, category, quality, productivity, impact,
  complexity, technologies, turn_count, node.source, node.created_at, node.updated_at`;

function toSummary(row: SummaryRow): Summary {
  return {
    nodeId: row.node_id,
    sessionId: row.session_id,
    title: row.title,
    summary: row.summary,
    category: row.category,
    quality: row.quality,
    productivity: row.productivity,
    impact: row.impact,
    complexity: row.complexity,
    technologies: JSON.parse(row.technologies) as string[],
    turnCount: row.turn_count,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A summary as it is written; the node has the rest. */
export type SummaryToWrite = Omit<Summary, 'source' | 'createdAt' | 'updatedAt'>;

function toValues({ nodeId, sessionId, technologies, ...content }: SummaryToWrite): SqlValue[] {
  const { title, summary, category, quality, productivity, impact, complexity, turnCount } =
    content;
  return [
    nodeId,
    sessionId,
    title,
    summary,
    category,
    quality,
    productivity,
    impact,
    complexity,
    JSON.stringify(technologies),
    turnCount,
  ];
}

export function summaryStore(sql: Sql) {
  return {
    insert(summary: SummaryToWrite): void {
      sql.run(
        /* sql */ `
        INSERT INTO summary (node_id, session_id, title, summary, category, quality, productivity,
          impact, complexity, technologies, turn_count)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...toValues(summary),
      );
    },

    /** The session stays the same. */
    rewrite(summary: SummaryToWrite): void {
      sql.run(
        /* sql */ `
        UPDATE summary SET title = ?3, summary = ?4, category = ?5, quality = ?6, productivity = ?7,
          impact = ?8, complexity = ?9, technologies = ?10, turn_count = ?11
        WHERE node_id = ?1 AND session_id = ?2`,
        ...toValues(summary),
      );
    },

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

    /** Deletes every summary with its edges. Returns how many there were. */
    removeAll(): number {
      const nodeIds = sql.all<{ node_id: number }>('SELECT node_id FROM summary');
      const all = JSON.stringify(nodeIds.map(({ node_id }) => node_id));
      sql.run('DELETE FROM edge WHERE from_id IN (SELECT value FROM json_each(?))', all);
      sql.run('DELETE FROM edge WHERE to_id IN (SELECT value FROM json_each(?))', all);
      sql.run('DELETE FROM summary WHERE node_id IN (SELECT value FROM json_each(?))', all);
      sql.run('DELETE FROM node WHERE id IN (SELECT value FROM json_each(?))', all);
      return nodeIds.length;
    },
  };
}
