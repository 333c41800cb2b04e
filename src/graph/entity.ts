/** An entity: a named node of the graph. Its observations and relations are read beside it. */

export interface Entity {
  readonly nodeId: number;
  readonly name: string;
  readonly entityType: string;
  /** 0 to 1: how sure the writer was. */
  readonly confidence: number;
  /** 0 to 1. */
  readonly importance: number;
  /** Current observations; derived, kept by the store. */
  readonly observationCount: number;
  /** Relations that touch it, in either direction; derived, kept by the store. */
  readonly relationCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const DEFAULT_CONFIDENCE = 1;
export const DEFAULT_IMPORTANCE = 0.5;
