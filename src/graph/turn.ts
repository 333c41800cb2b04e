/** A turn: what an agent was asked in a session, what it thought, and what it answered. */

/** What is logged of a turn, word for word. */
export interface TurnTexts {
  readonly prompt: string;
  readonly thought: string;
  readonly response: string;
}

export interface Turn extends TurnTexts {
  readonly nodeId: number;
  readonly sessionId: string;
  /** Null when not told. */
  readonly agent: string | null;
  readonly model: string | null;
  readonly createdAt: number;
}

/** How clients see the node of a turn in seed 004: every memory there is one. */
export const TURN_TYPE = 'agent-interaction';

/** The session id as it is stored: Unicode NFC, no white space at either end. */
export function normaliseSessionId(sessionId: string): string {
  return sessionId.normalize('NFC').trim();
}

/** The name of a session that began then, in epoch milliseconds. */
export function sessionIdOf(at: number): string {
  return `session_${at}`;
}
