/** What a search found. */

/** Why a node was found. */
export type Reason = 'name' | 'full text' | 'meaning';

export interface Hit {
  readonly nodeId: number;
  /** The entity itself, or the one that the fact found is about; null for what stands alone. */
  readonly entityId: number | null;
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
  /** 0 to 1, and comparable between answers: its meaning or its words, whichever is nearer. */
  readonly similarity: number;
  readonly reasons: readonly Reason[];
}
