/** Reads and writes the `turn` table: turns of agents' conversations. */
import type { Turn } from '#graph/turn.ts';
import { LIVE } from './live.ts';
import type { Sql } from './sql.ts';

interface TurnRow {
  node_id: number;
  session_id: string;
  prompt: string;
  thought: string;
  response: string;
  agent: string | null;
  model: string | null;
  created_at: number;
}

const COLUMNS =
  'turn.node_id, session_id, prompt, thought, response, agent, model, node.created_at';

function toTurn(row: TurnRow): Turn {
  return {
    nodeId: row.node_id,
    sessionId: row.session_id,
    prompt: row.prompt,
    thought: row.thought,
    response: row.response,
    agent: row.agent,
    model: row.model,
    createdAt: row.created_at,
  };
}

export function turnStore(sql: Sql) {
  return {
    insert({
      nodeId,
      sessionId,
      prompt,
      thought,
      response,
      agent,
      model,
    }: Omit<Turn, 'createdAt'>) {
      sql.run(
        /* sql */ `
        INSERT INTO turn (node_id, session_id, prompt, thought, response, agent, model)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
        nodeId,
        sessionId,
        prompt,
        thought,
        response,
        agent,
        model,
      );
    },

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

    /** Turns of a session in the order in which they were logged. Reads what it skips. */
    listOfSession(sessionId: string, limit: number, offset: number): Turn[] {
      return sql
        .all<TurnRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM turn JOIN node ON node.id = turn.node_id
          WHERE session_id = ? AND ${LIVE} ORDER BY turn.node_id LIMIT ? OFFSET ?`,
          sessionId,
          limit,
          offset,
        )
        .map(toTurn);
    },

    countOfSession(sessionId: string): number {
      return (
        sql.first<{ n: number }>('SELECT count(*) AS n FROM turn WHERE session_id = ?', sessionId)
          ?.n ?? 0
      );
    },
  };
}
