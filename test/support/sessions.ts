/** Turns and summaries, written as a tool's transaction writes them: under a revision. */
import type { TestMemory } from './memory.ts';

export interface TurnInput {
  readonly prompt: string;
  readonly response: string;
  readonly thought?: string;
  readonly sessionId?: string;
}

/** Returns the id that clients see. */
export async function addTurn(memory: TestMemory, turn: TurnInput): Promise<string> {
  const nodeId = await addNode(memory, 'turn');
  await memory.query(
    'INSERT INTO turn (node_id, session_id, prompt, thought, response) VALUES (?, ?, ?, ?, ?)',
    nodeId,
    turn.sessionId ?? 'session_1',
    turn.prompt,
    turn.thought ?? '',
    turn.response,
  );
  return `turn_${nodeId}`;
}

/** Returns the id that clients see. A session has at most one. */
export async function addSummary(
  memory: TestMemory,
  sessionId: string,
  title: string,
  summary: string,
): Promise<string> {
  const nodeId = await addNode(memory, 'summary');
  await memory.query(
    `INSERT INTO summary (node_id, session_id, title, summary, category, quality, productivity,
       impact, complexity, technologies, turn_count)
     VALUES (?, ?, ?, ?, 'feature', 80, 80, 80, 80, '[]', 1)`,
    nodeId,
    sessionId,
    title,
    summary,
  );
  return `sum_${nodeId}`;
}

async function addNode(memory: TestMemory, kind: 'turn' | 'summary'): Promise<number> {
  const now = Date.now();
  await memory.query("INSERT INTO revision (at, actor, tool) VALUES (?, 'tester', 'test')", now);
  const [row] = await memory.query<{ id: number }>(
    'INSERT INTO node (kind, created_at, updated_at) VALUES (?1, ?2, ?2) RETURNING id',
    kind,
    now,
  );
  return row?.id ?? 0;
}
