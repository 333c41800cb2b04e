/** A summary: what a session was about. A session has at most one. */

export const SUMMARY_CATEGORIES = [
  'bugfix',
  'feature',
  'refactoring',
  'documentation',
  'new-app',
  'analysis',
  'other',
] as const;

export type SummaryCategory = (typeof SUMMARY_CATEGORIES)[number];

/** The summary of a session, from any summarizer. `docs/use/summaries.md` tells what the scores mean. */
export interface SummaryContent {
  /** At most ten words. */
  readonly title: string;
  readonly summary: string;
  readonly category: SummaryCategory;
  /** Whole numbers from 0 to 100, as the next three. */
  readonly quality: number;
  readonly productivity: number;
  readonly impact: number;
  readonly complexity: number;
  readonly technologies: readonly string[];
}

export interface Summary extends SummaryContent {
  readonly nodeId: number;
  readonly sessionId: string;
  /** Turns that there were when it was made. */
  readonly turnCount: number;
  /** Which summarizer made it; null when not told. */
  readonly source: string | null;
  readonly createdAt: number;
  /** When it was made anew. */
  readonly updatedAt: number;
}
