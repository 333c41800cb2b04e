/** A turn: what an agent was asked in a session, what it thought, and what it answered. */

export interface Turn {
  readonly nodeId: number;
  readonly sessionId: string;
  readonly prompt: string;
  readonly thought: string;
  readonly response: string;
  readonly createdAt: number;
}
