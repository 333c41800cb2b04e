/** A summary: what a session was about. A session has at most one. */

export interface Summary {
  readonly nodeId: number;
  readonly sessionId: string;
  readonly title: string;
  readonly summary: string;
  readonly createdAt: number;
}
