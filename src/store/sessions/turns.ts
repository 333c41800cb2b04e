/** Reads and writes the `turn` table: turns of agents' conversations. */
import type { Turn, TurnTexts } from '#graph/turn.ts';
import { SUMMARISED_TEXT_CHARS_MAX, SUMMARISED_TURNS_FROM_EITHER_END } from '#limits.ts';
import { LIVE } from '#store/graph/live.ts';
import type { Sql } from '#store/sql.ts';

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
  function readDigest(sessionId: string, limit: number, offset: number): TurnTexts[] {
    return sql.all<TurnTexts>(
      /* sql */ `
      SELECT substr(prompt, 1, ?4) AS prompt, substr(thought, 1, ?4) AS thought,
        substr(response, 1, ?4) AS response
      FROM turn WHERE session_id = ?1 ORDER BY node_id LIMIT ?2 OFFSET ?3`,
      sessionId,
      limit,
      offset,
      SUMMARISED_TEXT_CHARS_MAX,
    );
  }

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

    /** Missing ids are left out; order follows `nodeIds`. Of each text so many characters at most. */
    findByIds(nodeIds: readonly number[], charsMax: number): Turn[] {
      return sql
        .all<TurnRow>(
          /* sql */ `
          SELECT turn.node_id, session_id, substr(prompt, 1, ?2) AS prompt,
            substr(thought, 1, ?2) AS thought, substr(response, 1, ?2) AS response,
            agent, model, node.created_at
          FROM json_each(?1) AS wanted
          JOIN turn ON turn.node_id = wanted.value JOIN node ON node.id = turn.node_id
          WHERE ${LIVE} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
          charsMax,
        )
        .map(toTurn);
    },

    /** How a session begins and how it ends, oldest turn first: what its summary is made of. */
    digest({ sessionId, turnCount }: { sessionId: string; turnCount: number }): TurnTexts[] {
      const ends = SUMMARISED_TURNS_FROM_EITHER_END;
      const last = Math.max(turnCount - ends, ends);
      return [...readDigest(sessionId, ends, 0), ...readDigest(sessionId, ends, last)];
    },

    /** Whether there is such a turn. */
    has(nodeId: number): boolean {
      return sql.first('SELECT 1 FROM turn WHERE node_id = ?', nodeId) !== undefined;
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
  };
}
