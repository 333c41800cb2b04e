/** One line of a stored text: whole when it is short, and otherwise the part that matters. */
import { foldName } from '#graph/names.ts';
import { estimateTokens, tokensAtLeast, weighTokens } from './tokens.ts';

/**
 * The text without anything that ends a line or hides: stored text must not look like the frame
 * around it. Covers the breaks that `\s` leaves out, and control characters.
 */
export function toLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * The text on one line, of at most `tokensMax`; what is cut off is marked by `…`. The part shown is
 * the one that has most of `terms`, which must be folded.
 */
export function shorten(text: string, tokensMax: number, terms: readonly string[]): string {
  if (tokensMax <= 0) return text.trim() === '' ? '' : MARK;
  const line = toLine(text);
  if (fits(line, tokensMax)) return line;
  const pieces = (line.match(PIECE) ?? []).map((text) => ({ text, weight: weighTokens(text) }));
  const room = 100 * tokensMax - 2 * weighTokens(MARK);
  let { start, end } = findWindow(pieces, findHits(pieces, terms), room);
  // Pieces joined may weigh a little more than each alone.
  for (;;) {
    const excerpt = join(pieces, start, end);
    if (end <= start || estimateTokens(excerpt) <= tokensMax) return excerpt;
    end -= 1;
  }
}

const MARK = '…';

function fits(line: string, tokensMax: number): boolean {
  return tokensAtLeast(line) <= tokensMax && estimateTokens(line) <= tokensMax;
}

interface Piece {
  readonly text: string;
  /** In hundredths of a token. */
  readonly weight: number;
}

/** Scripts that have no spaces. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');

/** Words with the space behind them, and short runs where there are none. */
const PIECE = new RegExp(`[^ ${UNSPACED}]{1,12} ?|[${UNSPACED}]{1,3} ?`, 'gu');

interface Hit {
  readonly at: number;
  readonly term: number;
}

/** More places than these add nothing to the choice. */
const HITS_MAX = 200;

/** Where a term begins. Endings are left out, as a stemmer would. */
function findHits(pieces: readonly Piece[], terms: readonly string[]): Hit[] {
  const starts = terms.map((term) => term.slice(0, Math.max(4, term.length - 3)));
  const folded = pieces.map(({ text }) => foldName(text));
  const hits: Hit[] = [];
  for (const [at, own] of folded.entries()) {
    const here = own + (folded[at + 1] ?? '');
    for (const [term, start] of starts.entries()) {
      const place = here.indexOf(start);
      if (place >= 0 && place < own.length) hits.push({ at, term });
    }
    if (hits.length >= HITS_MAX) break;
  }
  return hits;
}

interface Window {
  readonly start: number;
  readonly end: number;
}

/** The window within `room` that has most of the terms; the first of equal ones. */
function findWindow(pieces: readonly Piece[], hits: readonly Hit[], room: number): Window {
  let best = windowFrom(pieces, 0, room);
  let most = countTerms(hits, best);
  for (const { at } of hits) {
    const window = windowFrom(pieces, stepBack(pieces, at, room / 4), room);
    const count = countTerms(hits, window);
    if (count > most) [best, most] = [window, count];
  }
  return best;
}

function windowFrom(pieces: readonly Piece[], start: number, room: number): Window {
  let end = start;
  let used = 0;
  for (; end < pieces.length; end += 1) {
    used += pieces[end]?.weight ?? 0;
    if (used > room) break;
  }
  return { start, end };
}

/** Goes back for context within `room`: to the beginning of the sentence, or as far as it leads. */
function stepBack(pieces: readonly Piece[], from: number, room: number): number {
  let start = from;
  let used = 0;
  while (start > 0) {
    const before = pieces[start - 1];
    used += before?.weight ?? 0;
    if (used > room || /[.!?。！？]["')\]]? ?$/u.test(before?.text ?? '')) break;
    start -= 1;
  }
  return start;
}

function countTerms(hits: readonly Hit[], { start, end }: Window): number {
  return new Set(hits.filter(({ at }) => at >= start && at < end).map(({ term }) => term)).size;
}

function join(pieces: readonly Piece[], start: number, end: number): string {
  const shown = pieces.slice(start, end).map(({ text }) => text);
  const text = shown.join('').trim();
  return `${start > 0 ? MARK : ''}${text}${end < pieces.length ? MARK : ''}`;
}
