/** The port behind which a session's turns become a summary. */
import type { SummaryContent } from '#graph/summary.ts';
import type { TurnTexts } from '#graph/turn.ts';

export interface MadeSummary {
  readonly content: SummaryContent;
  /** Name of the summarizer that made it: a fallback may have stood in. */
  readonly madeBy: string;
}

export interface Summarizer {
  /** Such as `extractive`. */
  readonly name: string;
  /** Sessions that one call can wait for. */
  readonly sessionsPerCall: number;
  /** Oldest turn first, at least one; each text may be cut. Never rejects. */
  summarize(turns: readonly TurnTexts[]): Promise<MadeSummary>;
}
