/** Reads the `turn` table: turns of agents' conversations. */
import type { Turn } from '#graph/turn.ts';
import { LIVE } from './live.ts';
import type { Sql } from './sql.ts';

interface TurnRow {
  node_id: number;
  session_id: string;
  prompt: string;
  thought: string;
  response: string;
  created_at: number;
}

const COLUMNS = 'turn.node_id, session_id, prompt, thought, response, node.created_at';

function toTurn(row: TurnRow): Turn {
  return {
    nodeId: row.node_id,
    sessionId: row.session_id,
    prompt: row.prompt,
    thought: row.thought,
    response: row.response,
    createdAt: row.created_at,
  };
}

export function turnStore(sql: Sql) {
  return {
    /** Missing ids are left out; order follows `nodeIds`. */
    findByIds(nodeIds: readonly number[]): Turn[] {
      return sql
        .all<TurnRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?) AS wanted
          JOIN turn ON turn.node_id = wanted.value JOIN node ON node.id = turn.node_id
          WHERE ${LIVE} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
        )
        .map(toTurn);
    },
  };
}
