/** What a search found. */

/** Why a node was found. */
export type Reason = 'name' | 'full text' | 'meaning';

/**
 * How sure an answer is: `close` when something answers the question, `weak` when what is shown is
 * only the nearest, `none` when there is nothing to show.
 */
export type Closeness = 'close' | 'weak' | 'none';

/** What a search found, best first. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly closeness: Closeness;
}

export interface Hit {
  readonly nodeId: number;
  /** The entity itself, or the one that the fact found is about; null for what stands alone. */
  readonly entityId: number | null;
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
  /** 0 to 1, and comparable between answers: its meaning or its words, whichever is nearer. */
  readonly similarity: number;
  readonly reasons: readonly Reason[];
  /** False for a hit that is shown because nothing nearer exists. */
  readonly isClose: boolean;
}
