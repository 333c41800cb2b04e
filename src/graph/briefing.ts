/**
 * A briefing: what a memory has on a question, chosen for a model to read and cut to a budget of
 * tokens. `briefing-text.ts` says how it reads.
 */
import {
  textOf,
  withoutRepeats,
  type BriefingItem,
  type BriefingRelation,
} from './briefing-item.ts';
import {
  NOTHING,
  OPENING,
  RELATIONS_HEADING,
  writeHeading,
  writeItem,
  writeLeftOut,
  writeRelation,
  type LeftOut,
  type Situation,
  type WrittenItem,
} from './briefing-text.ts';
import { estimateTokens, tokensAtLeast } from './tokens.ts';

export interface BriefingRequest {
  /** What is looked for, folded: of a long text the part is shown that has it. */
  readonly terms: readonly string[];
  readonly tokensMax: number;
  /** True when there are more matches than were ranked. */
  readonly isMore: boolean;
  /** True when several kinds were asked for. */
  readonly isMixed: boolean;
}

export interface Shown extends WrittenItem {
  readonly item: BriefingItem;
}

export interface Briefing {
  /** Best first. */
  readonly items: readonly Shown[];
  readonly relations: readonly BriefingRelation[];
  readonly leftOut: LeftOut;
  readonly text: string;
}

/** Relations tell how the facts hang together; they never take more than this share. */
const RELATIONS_SHARE = 0.25;
/** Of several long texts none takes more than this share, so that there is room for others. */
const ITEM_SHARE = 0.15;
/** An observation is shown whole wherever it can be: cut in two it may say the opposite. */
const ITEM_TOKENS_MIN = 70;
/** Less of a text than this is not worth the id in front of it. */
const EXCERPT_TOKENS_MIN = 40;
/** But where there is nothing else, less will do. */
const ONLY_EXCERPT_TOKENS_MIN = 8;

/**
 * The best items that fit, then relations, never more than `tokensMax` by `estimateTokens`. `items`
 * come best first; one that does not fit is passed over for a shorter one. What says the same
 * twice is shown once.
 */
export function writeBriefing(
  request: BriefingRequest,
  items: readonly BriefingItem[],
  relations: readonly BriefingRelation[],
): Briefing {
  const ranked = withoutRepeats(items);
  const linked = byRank(relations, ranked);
  const whole = openSheet(request, ranked, linked, 0);
  if (!request.isMore && whole.placeEverything()) return close(request, whole);

  const most = countLoss(ranked, linked, ranked.length);
  const ending = writeLeftOut(most, situationOf(request, ranked, linked));
  const sheet = openSheet(request, ranked, linked, costOf(ending ?? ''));
  const share = Math.max(ITEM_SHARE, 1 / ranked.length);
  const excerptMax = Math.max(ITEM_TOKENS_MIN, Math.floor(request.tokensMax * share));
  sheet.placeItems(excerptMax, linked.length > 0 ? request.tokensMax * RELATIONS_SHARE : 0);
  sheet.placeSomething();
  sheet.placeRelations();
  sheet.fillUp(excerptMax);
  return close(request, sheet);
}

type Sheet = ReturnType<typeof openSheet>;

/** What has been placed so far, within the budget less `ending`, in tokens. */
function openSheet(
  { terms, tokensMax }: BriefingRequest,
  ranked: readonly BriefingItem[],
  linked: readonly BriefingRelation[],
  ending: number,
) {
  const placed = new Map<BriefingItem, WrittenItem>();
  const related: BriefingRelation[] = [];
  const headings = new Set<string>();
  let room = tokensMax - ending - costOf(OPENING);

  /** False, and nothing is changed, when it would not leave `reserve`. */
  function take(heading: string, line: string, reserve: number): boolean {
    const cost = costOf(line) + (headings.has(heading) ? 0 : costOf(heading));
    if (cost > room - reserve) return false;
    headings.add(heading);
    room -= cost;
    return true;
  }

  function place(item: BriefingItem, excerptMax: number, reserve: number): boolean {
    // What is surely too long is not worth writing.
    if (Math.min(0.9 * excerptMax, tokensAtLeast(textOf(item))) > room - reserve) return false;
    const written = writeItem(item, excerptMax, terms);
    const hasPlace = take(writeHeading(item), written.line, reserve);
    if (hasPlace) placed.set(item, written);
    return hasPlace;
  }

  const relate = (relation: BriefingRelation): boolean => {
    const hasPlace = take(RELATIONS_HEADING, writeRelation(relation), 0);
    if (hasPlace) related.push(relation);
    return hasPlace;
  };

  const frameOf = (item: BriefingItem): number =>
    costOf(writeItem(item, 0, terms).line) +
    (headings.has(writeHeading(item)) ? 0 : costOf(writeHeading(item)));

  return {
    ranked,
    linked,
    placed,
    related,

    /** False when something does not fit, whole as it is. */
    placeEverything(): boolean {
      const isPlacedWhole = (item: BriefingItem) =>
        place(item, tokensMax, 0) && placed.get(item)?.isShortened === false;
      return ranked.every(isPlacedWhole) && linked.every(relate);
    },

    placeItems(excerptMax: number, reserve: number): void {
      for (const item of ranked) if (!placed.has(item)) place(item, excerptMax, reserve);
    },

    placeRelations(): void {
      for (const relation of linked) relate(relation);
    },

    /** As much as fits of the first item that can be cut so, when nothing at all did. */
    placeSomething(): void {
      if (placed.size > 0) return;
      ranked.some((item) => {
        const left = room - frameOf(item);
        return left >= ONLY_EXCERPT_TOKENS_MIN && place(item, left, 0);
      });
    },

    /** What is left is for items passed over, and for a part of the long ones among them. */
    fillUp(excerptMax: number): void {
      for (const item of ranked) {
        if (placed.has(item) || place(item, excerptMax, 0)) continue;
        const left = room - frameOf(item);
        if (left >= EXCERPT_TOKENS_MIN && isLong(item)) place(item, Math.min(excerptMax, left), 0);
      }
    },
  };
}

function close(request: BriefingRequest, sheet: Sheet): Briefing {
  const { ranked, linked, placed, related } = sheet;
  const items = ranked.flatMap((item) => {
    const written = placed.get(item);
    return written === undefined ? [] : [{ ...written, item }];
  });
  const missing = ranked.filter((item) => !placed.has(item));
  const lost = linked.filter((relation) => !related.includes(relation));
  const shortened = items.filter(({ isShortened }) => isShortened).length;
  const leftOut = countLoss(missing, lost, shortened);
  const ending = writeLeftOut(leftOut, situationOf(request, missing, lost));
  return { items, relations: related, leftOut, text: compose(items, related, ending) };
}

function compose(
  items: readonly Shown[],
  relations: readonly BriefingRelation[],
  ending: string | undefined,
): string {
  const isEmpty = items.length === 0 && relations.length === 0 && ending === undefined;
  if (isEmpty) return NOTHING;
  const linesOf = (kind: BriefingItem['kind']) => {
    const shown = items.filter(({ item }) => item.kind === kind);
    const groups = Map.groupBy(shown, ({ item }) => writeHeading(item));
    return [...groups].flatMap(([heading, group]) => [heading, ...group.map(({ line }) => line)]);
  };
  return [
    OPENING,
    ...linesOf('fact'),
    ...(relations.length > 0 ? [RELATIONS_HEADING, ...relations.map(writeRelation)] : []),
    ...linesOf('summary'),
    ...linesOf('turn'),
    ...(ending === undefined ? [] : [ending]),
  ].join('\n');
}

/** A relation is worth as much as the lesser of its two entities. */
function byRank(
  relations: readonly BriefingRelation[],
  ranked: readonly BriefingItem[],
): BriefingRelation[] {
  const names = ranked.flatMap((item) => (item.kind === 'fact' ? (item.entity?.name ?? []) : []));
  const ranks = new Map([...new Set(names)].map((name, rank) => [name, rank]));
  const rankOf = (name: string) => ranks.get(name) ?? ranks.size;
  return relations.toSorted(
    (a, b) => Math.max(rankOf(a.from), rankOf(a.to)) - Math.max(rankOf(b.from), rankOf(b.to)),
  );
}

function countLoss(
  missing: readonly BriefingItem[],
  relations: readonly BriefingRelation[],
  shortened: number,
): LeftOut {
  const count = (kind: BriefingItem['kind']) => missing.filter((item) => item.kind === kind).length;
  return {
    facts: count('fact'),
    relations: relations.length,
    turns: count('turn'),
    summaries: count('summary'),
    shortened,
  };
}

/** What to advise about, when this is missing. */
function situationOf(
  { tokensMax, isMore, isMixed }: BriefingRequest,
  missing: readonly BriefingItem[],
  relations: readonly BriefingRelation[],
): Situation {
  const isOfEntity = (item: BriefingItem) => item.kind === 'fact' && item.entity !== null;
  const isGraphCut = relations.length > 0 || missing.some(isOfEntity);
  return { tokensMax, isMore, isMixed, isGraphCut };
}

function isLong(item: BriefingItem): boolean {
  return estimateTokens(textOf(item)) > ITEM_TOKENS_MIN;
}

/** Of a line within the text, its end included. */
function costOf(line: string): number {
  return estimateTokens(`${line}\n`);
}
