/**
 * Cuts text into the pieces that the model knows, as SentencePiece's unigram model does (Kudo, 2018):
 * of all the ways to write a text as pieces, the one whose scores (log probabilities) add up to most.
 */

export interface Tokenizer {
  /** Ids of the text's pieces, in order. Never empty: a text without any piece is one unknown. */
  encode(text: string): number[];
}

/** The id of whatever is written in no piece. A run of it counts once. */
export const UNKNOWN = 0;

/** The first ids are marks for training; no text is ever cut into them. */
const RESERVED_IDS = 6;

/** Stands for the space before a word, so that spaces are part of the pieces. */
const SPACE = '\u2581';

/** An unknown costs this much more than the rarest piece: SentencePiece's own constant. */
const UNKNOWN_PENALTY = 10;

/**
 * UTF-16 units of a text that are read. The model takes 128 pieces of at most 16 characters, so more
 * could only count after a long run of unknowns. No text takes more than a few milliseconds.
 */
const UNITS_READ_MAX = 4_096;

/** In the index: the text begins a piece but is none itself. */
const ONLY_A_BEGINNING = -1;

export function createTokenizer(pieces: readonly string[], scores: Float32Array): Tokenizer {
  const index = indexPieces(pieces);
  const unknownScore = scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_PENALTY;
  return {
    encode(text) {
      const symbols = normalise(text);
      const path = findBestPath(symbols, index, scores, unknownScore);
      const ids = mergeUnknowns(followBack(path));
      return ids.length === 0 ? [UNKNOWN] : ids;
    },
  };
}

/** For each place in the text, the last piece of the best way to get there. */
interface Path {
  readonly ids: Int32Array;
  /** Where that piece begins. */
  readonly starts: Int32Array;
}

/** Every piece with its id, and every beginning of a piece: a search stops where nothing goes on. */
function indexPieces(pieces: readonly string[]): Map<string, number> {
  const index = new Map<string, number>();
  for (const [id, piece] of pieces.entries()) {
    if (id < RESERVED_IDS) continue;
    for (let length = 1; length < piece.length; length += 1) {
      const beginning = piece.slice(0, length);
      if (!index.has(beginning)) index.set(beginning, ONLY_A_BEGINNING);
    }
    index.set(piece, id);
  }
  return index;
}

/**
 * Compatibility forms become one (NFKC), white space becomes the mark of a space, and what is never
 * seen (control characters, marks of direction, joiners) is left out: it would only split words.
 */
function normalise(text: string): string {
  const words = text
    .trimStart()
    .slice(0, UNITS_READ_MAX)
    .normalize('NFKC')
    // One character may have become eighteen.
    .slice(0, UNITS_READ_MAX)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
  return words === '' ? '' : SPACE + words.replaceAll(/ +/g, SPACE);
}

/** Viterbi's algorithm: the best way to a place is the best way to where its last piece begins, and that piece. */
function findBestPath(
  symbols: string,
  index: ReadonlyMap<string, number>,
  scores: Float32Array,
  unknownScore: number,
): Path {
  const best = new Float64Array(symbols.length + 1).fill(-Infinity);
  const ids = new Int32Array(symbols.length + 1);
  const starts = new Int32Array(symbols.length + 1);
  best[0] = 0;

  function offer(start: number, end: number, id: number, score: number): void {
    const total = at(best, start) + score;
    if (total <= at(best, end)) return;
    best[end] = total;
    ids[end] = id;
    starts[end] = start;
  }

  for (let start = 0; start < symbols.length; start += 1) {
    // Only the middle of a surrogate pair is never reached.
    if (at(best, start) === -Infinity) continue;
    for (let end = start + 1; end <= symbols.length; end += 1) {
      const id = index.get(symbols.slice(start, end));
      if (id === undefined) break;
      if (id !== ONLY_A_BEGINNING) offer(start, end, id, at(scores, id));
    }
    offer(start, start + unitsAt(symbols, start), UNKNOWN, unknownScore);
  }
  return { ids, starts };
}

function followBack({ ids, starts }: Path): number[] {
  const found: number[] = [];
  for (let end = ids.length - 1; end > 0; end = at(starts, end)) found.push(at(ids, end));
  return found.reverse();
}

function mergeUnknowns(ids: readonly number[]): number[] {
  return ids.filter((id, place) => id !== UNKNOWN || ids[place - 1] !== UNKNOWN);
}

/** UTF-16 units of the code point that begins there; half of a pair is one of its own. */
function unitsAt(text: string, place: number): number {
  return (text.codePointAt(place) ?? 0) > 0xffff ? 2 : 1;
}

/** A number that is there by construction. */
function at(numbers: Float64Array | Float32Array | Int32Array, place: number): number {
  return numbers[place] ?? 0;
}
