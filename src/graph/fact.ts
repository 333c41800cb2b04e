/**
 * A fact: one remembered statement. Attached to an entity it is an observation, standing alone it
 * is a memory. A newer version supersedes it and never erases it.
 */

import { parseId } from './ids.ts';

export interface Fact {
  readonly nodeId: number;
  /** The entity that it is about, or null for a fact that stands alone. */
  readonly entityId: number | null;
  readonly content: string;
  /** 1 for a first statement, one more for each time it was superseded. */
  readonly version: number;
  /** Node id of the version before. */
  readonly supersedes: number | null;
  /** Node id of the version after; null for a current fact. */
  readonly supersededBy: number | null;
  readonly confidence: number;
  readonly importance: number;
  /** Who or what it came from; null when not told. */
  readonly source: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Last time that a search returned it; null for never. */
  readonly accessedAt: number | null;
}

/** The statement as it is stored: Unicode NFC, no white space at either end. */
export function normaliseContent(content: string): string {
  return content.normalize('NFC').trim();
}

/** Id of the turn that a fact came from; undefined when it came from none or that was not told. */
export function sourceTurnOf({ source }: Pick<Fact, 'source'>): string | undefined {
  return source !== null && parseId('turn', source) !== undefined ? source : undefined;
}
