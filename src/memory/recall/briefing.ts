/**
 * A briefing: what a memory has on a question, chosen for a model to read and cut to a budget of
 * tokens. `briefing-text.ts` says how it reads. Some clients show a model the text of an answer and
 * others its JSON, so that a line costs what it takes in JSON, with the id that JSON has beside it.
 */
import {
  textOf,
  withoutRepeats,
  type BriefingItem,
  type BriefingRelation,
} from './briefing-item.ts';
import {
  NOTHING,
  NOTHING_SUCH,
  RELATIONS_HEADING,
  writeHeading,
  writeItem,
  writeLeftOut,
  writeOpening,
  writeRelation,
  type Frame,
  type LeftOut,
  type Situation,
  type WrittenItem,
} from './briefing-text.ts';
import { estimateTokens, tokensAtLeast, weighTokens } from '#graph/text/tokens.ts';

export interface BriefingRequest {
  /** What is looked for, folded: of a long text the part is shown that has it. */
  readonly terms: readonly string[];
  readonly tokensMax: number;
  /** False for the greatest budget that may be asked for. */
  readonly canRaise: boolean;
  /** False when nothing matches closely, and the items are the nearest ones. */
  readonly isClose: boolean;
  /** True when the question says more than what it is about: a type, kinds, quotes, exclusions. */
  readonly isFiltered: boolean;
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

/**
 * Relations tell how the facts hang together; they never take more than this share. Where no fact is
 * sure to be the answer, one more may be.
 */
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
  const frame = { isClose: request.isClose, day: commonDay(request, ranked) };
  const whole = openSheet(request, frame, ranked, linked, 0);
  if (!request.isMore && whole.placeEverything()) return close(request, whole);

  const most = countLoss(ranked, linked, ranked.length);
  const ending = writeLeftOut(most, situationOf(request, ranked, linked));
  const sheet = openSheet(request, frame, ranked, linked, costOf(ending ?? ''));
  const share = Math.max(ITEM_SHARE, 1 / ranked.length);
  const excerptMax = Math.max(ITEM_TOKENS_MIN, Math.floor(request.tokensMax * share));
  const hasReserve = request.isClose && linked.length > 0;
  sheet.placeItems(excerptMax, hasReserve ? request.tokensMax * RELATIONS_SHARE : 0);
  sheet.placeSomething();
  if (request.isClose) sheet.placeRelations();
  sheet.fillUp(excerptMax);
  sheet.placeRelations();
  return close(request, sheet);
}

/** Items that are likely to be shown, and how many must be of one day for it to be said once. */
const DATED_MAX = 30;
const OF_ONE_DAY_MIN = 3;
/** A smaller budget holds so few items that to say it once saves nothing. */
const DATED_TOKENS_MIN = 150;

/** The day of most of the best items; undefined when these are too few. */
function commonDay(
  { tokensMax }: BriefingRequest,
  ranked: readonly BriefingItem[],
): string | undefined {
  if (tokensMax < DATED_TOKENS_MIN) return undefined;
  const days = Map.groupBy(ranked.slice(0, DATED_MAX), ({ date }) => date);
  const [most] = [...days].toSorted((a, b) => b[1].length - a[1].length);
  return most !== undefined && most[1].length >= OF_ONE_DAY_MIN ? most[0] : undefined;
}

type Sheet = ReturnType<typeof openSheet>;

/** What has been placed so far, within the budget less `ending`, in tokens. */
function openSheet(
  { terms, tokensMax }: BriefingRequest,
  frame: Frame,
  ranked: readonly BriefingItem[],
  linked: readonly BriefingRelation[],
  ending: number,
) {
  const placed = new Map<BriefingItem, WrittenItem>();
  const related: BriefingRelation[] = [];
  const headings = new Set<string>();
  let room = tokensMax - ending - costOf(writeOpening(frame));

  /** False, and nothing is changed, when it would not leave `reserve`. */
  function take(heading: string, line: string, reserve: number, id?: string): boolean {
    const named = id === undefined ? 0 : costOfId(id);
    const cost = named + costOf(line) + (headings.has(heading) ? 0 : costOf(heading));
    if (cost > room - reserve) return false;
    headings.add(heading);
    room -= cost;
    return true;
  }

  function place(item: BriefingItem, excerptMax: number, reserve: number): boolean {
    // What is surely too long is not worth writing.
    if (Math.min(0.9 * excerptMax, tokensAtLeast(textOf(item))) > room - reserve) return false;
    const written = writeItem(item, excerptMax, terms, frame);
    const hasPlace = take(writeHeading(item), written.line, reserve, item.id);
    if (hasPlace) placed.set(item, written);
    return hasPlace;
  }

  const relate = (relation: BriefingRelation): boolean => {
    const hasPlace = take(RELATIONS_HEADING, writeRelation(relation), 0);
    if (hasPlace) related.push(relation);
    return hasPlace;
  };

  const frameOf = (item: BriefingItem): number =>
    costOfId(item.id) +
    costOf(writeItem(item, 0, terms, frame).line) +
    (headings.has(writeHeading(item)) ? 0 : costOf(writeHeading(item)));

  return {
    frame,
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
      for (const relation of linked) if (!related.includes(relation)) relate(relation);
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
  const { frame, ranked, linked, placed, related } = sheet;
  const items = ranked.flatMap((item) => {
    const written = placed.get(item);
    return written === undefined ? [] : [{ ...written, item }];
  });
  const missing = ranked.filter((item) => !placed.has(item));
  const lost = linked.filter((relation) => !related.includes(relation));
  const shortened = items.filter(({ isShortened }) => isShortened).length;
  const leftOut = countLoss(missing, lost, shortened);
  const ending = writeLeftOut(leftOut, situationOf(request, missing, lost));
  const text = compose(request, frame, items, related, ending);
  return { items, relations: related, leftOut, text };
}

function compose(
  { isFiltered }: BriefingRequest,
  frame: Frame,
  items: readonly Shown[],
  relations: readonly BriefingRelation[],
  ending: string | undefined,
): string {
  const isEmpty = items.length === 0 && relations.length === 0 && ending === undefined;
  if (isEmpty) return isFiltered ? NOTHING_SUCH : NOTHING;
  const linesOf = (kind: BriefingItem['kind']) => {
    const shown = items.filter(({ item }) => item.kind === kind);
    const groups = Map.groupBy(shown, ({ item }) => writeHeading(item));
    return [...groups].flatMap(([heading, group]) => [heading, ...group.map(({ line }) => line)]);
  };
  return [
    writeOpening(frame),
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
  { tokensMax, canRaise, isMore, isMixed }: BriefingRequest,
  missing: readonly BriefingItem[],
  relations: readonly BriefingRelation[],
): Situation {
  const isOfEntity = (item: BriefingItem) => item.kind === 'fact' && item.entity !== null;
  const isGraphCut = relations.length > 0 || missing.some(isOfEntity);
  return { tokensMax, canRaise, isMore, isMixed, isGraphCut };
}

function isLong(item: BriefingItem): boolean {
  return estimateTokens(textOf(item)) > ITEM_TOKENS_MIN;
}

/** Of a line within the text as JSON has it, its end included. */
function costOf(line: string): number {
  return Math.ceil((weighTokens(JSON.stringify(`${line}\n`)) - WEIGHT_OF_QUOTES) / 100);
}

/** Of an id in a list of them. */
function costOfId(id: string): number {
  return estimateTokens(`${JSON.stringify(id)},`);
}

/** Those around a text are no part of a line. */
const WEIGHT_OF_QUOTES = weighTokens('""');
