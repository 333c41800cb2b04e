/** What a briefing may be made of: facts, summaries and turns, ranked together. */
export interface BriefingFact {
  readonly kind: 'fact';
  readonly id: string;
  readonly content: string;
  /** The entity that it is about; null for a fact that stands alone. */
  readonly entity: { readonly name: string; readonly entityType: string } | null;
  /** Day it was written, ISO 8601. */
  readonly date: string;
  readonly version: number;
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
}

export interface BriefingSummary {
  readonly kind: 'summary';
  readonly id: string;
  readonly sessionId: string;
  readonly title: string;
  readonly summary: string;
  readonly date: string;
  readonly score: number;
}

export interface BriefingTurn {
  readonly kind: 'turn';
  readonly id: string;
  readonly sessionId: string;
  readonly prompt: string;
  readonly thought: string;
  readonly response: string;
  readonly date: string;
  readonly score: number;
}

export type BriefingItem = BriefingFact | BriefingSummary | BriefingTurn;

export interface BriefingRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/**
 * Each text once, but for case and spacing; the first of equal ones stays. The same may be said of
 * two entities, but a fact that stands alone gives way to one that has an entity.
 */
export function withoutRepeats(items: readonly BriefingItem[]): BriefingItem[] {
  const texts = new Map(items.map((item) => [item, looseText(item)]));
  const attached = new Map<string | undefined, BriefingItem>();
  for (const item of items) {
    const text = texts.get(item);
    if (subjectOf(item) !== null && !attached.has(text)) attached.set(text, item);
  }
  const kept = new Map<string, BriefingItem>();
  for (const item of items) {
    const best = item.kind === 'fact' ? bestOf(item, attached.get(texts.get(item))) : item;
    const key = JSON.stringify([item.kind, subjectOf(best), texts.get(item)]);
    if (!kept.has(key)) kept.set(key, best);
  }
  return [...kept.values()];
}

function bestOf(fact: BriefingFact, attached: BriefingItem | undefined): BriefingItem {
  return fact.entity === null ? (attached ?? fact) : fact;
}

/** A long text is stored twice by a copy, not by being said again. */
const LOOSE_CHARS_MAX = 2_000;

function looseText(item: BriefingItem): string {
  const text = textOf(item);
  return text.length > LOOSE_CHARS_MAX ? text : text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
}

/** Name of the entity that an item is about; null for none. */
function subjectOf(item: BriefingItem): string | null {
  return item.kind === 'fact' ? (item.entity?.name ?? null) : null;
}

/** What an item says to a reader. The thought of a turn led to what it says. */
export function textOf(item: BriefingItem): string {
  switch (item.kind) {
    case 'fact':
      return item.content;
    case 'summary':
      return `${item.title}\n${item.summary}`;
    case 'turn':
      return `${item.prompt}\n${item.response}`;
  }
}
