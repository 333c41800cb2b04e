/**
 * How many tokens a text costs a model, from above. There is one text and many tokenisers, so this
 * one splits as they all do (words, figures, punctuation) and charges each part what the dearest
 * asks for. The weights were set on `test/support/token-samples.ts`, so that no kind of text comes
 * out below OpenAI's o200k_base or Claude's vocabulary: docs/contributing/tokens.md has the ratios.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(weighTokens(text) / 100);
}

/** The same in hundredths of a token and not rounded, so that parts can be added up. */
export function weighTokens(text: string): number {
  let weight = 0;
  // By hand, since answers are weighed part by part: to match each run by an expression takes several times as long.
  for (let start = 0; start < text.length;) {
    const kind = kindOf(text.charCodeAt(start));
    const end = endOfRun(text, start, kind);
    const length = end - start;
    if (kind === 'small' || (kind === 'capital' && isSmall(text, end - 1))) {
      weight += weighWord(text.slice(start, end));
    } else if (kind === 'capital') weight += 90 + 50 * length;
    else if (kind === 'digit') weight += 70 + 50 * length;
    else if (kind === 'other') weight += weighOthers(text.slice(start, end));
    else weight += kind === 'space' ? WEIGHT_OF_SPACE : WEIGHT_OF_SIGN;
    start = end;
  }
  return weight;
}

type Kind = 'small' | 'capital' | 'digit' | 'other' | 'space' | 'sign';

function kindOf(unit: number): Kind {
  if (unit >= 97 && unit <= 122) return 'small';
  if (unit === 32) return 'space';
  if (unit >= 48 && unit <= 57) return 'digit';
  if (unit >= 65 && unit <= 90) return 'capital';
  return unit > 127 ? 'other' : 'sign';
}

/** A capital begins a word, as it does in `camelCase`; more of them are a run, as in `HTTPServer`. */
function endOfRun(text: string, start: number, kind: Kind): number {
  if (kind === 'space' || kind === 'sign') return start + 1;
  const isWord = kind === 'small' || (kind === 'capital' && isSmall(text, start + 1));
  let end = start + 1;
  while (end < text.length && kindOf(text.charCodeAt(end)) === (isWord ? 'small' : kind)) end += 1;
  return end;
}

function isSmall(text: string, place: number): boolean {
  return place < text.length && kindOf(text.charCodeAt(place)) === 'small';
}

/** A bound that takes no reading: nothing weighs less than a space. */
export function tokensAtLeast(text: string): number {
  return text.length / CHARS_PER_TOKEN_MAX;
}

const CHARS_PER_TOKEN_MAX = 7;

/** A space mostly goes with the word after it. */
const WEIGHT_OF_SPACE = 15;
const WEIGHT_OF_SIGN = 100;

/** Signs that every vocabulary has, though they are not ASCII. */
const COMMON_SIGNS = new Set('–—‘’“”•→×°·«»€£');

/** Letters that the vocabularies have, alone or in pieces of words: each by the dearest of them. */
const LETTERS = [
  { name: 'Greek', from: 0x370, to: 0x3ff, weight: 160 },
  { name: 'Cyrillic', from: 0x400, to: 0x4ff, weight: 90 },
  { name: 'Hebrew', from: 0x590, to: 0x5ff, weight: 135 },
  { name: 'Arabic', from: 0x600, to: 0x6ff, weight: 150 },
  { name: 'Devanagari', from: 0x900, to: 0x97f, weight: 150 },
  { name: 'Bengali', from: 0x980, to: 0x9ff, weight: 250 },
  { name: 'Tamil', from: 0xb80, to: 0xbff, weight: 250 },
  { name: 'Thai', from: 0xe00, to: 0xe7f, weight: 220 },
  { name: 'Georgian', from: 0x10d0, to: 0x10ff, weight: 230 },
  { name: 'Hiragana', from: 0x3040, to: 0x309f, weight: 140 },
  { name: 'Katakana', from: 0x30a0, to: 0x30ff, weight: 160 },
  { name: 'Han', from: 0x4e00, to: 0x9fff, weight: 200 },
  { name: 'Hangul', from: 0xac00, to: 0xd7a3, weight: 180 },
];

/** What is in no vocabulary goes byte by byte; so may any letter with a diacritic. */
const WEIGHT_OF_BYTE = 125;

function weighOthers(run: string): number {
  let weight = 0;
  for (const char of run) {
    const point = char.codePointAt(0) ?? 0;
    const letters = LETTERS.find(({ from, to }) => from <= point && point <= to);
    weight += COMMON_SIGNS.has(char)
      ? WEIGHT_OF_SIGN
      : (letters?.weight ?? WEIGHT_OF_BYTE * countBytes(point));
  }
  return weight;
}

/** Of UTF-8. */
function countBytes(point: number): number {
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

const VOWELS = new Set('aeiouyAEIOUY');

/** Places where three consonants begin: rare in a word of a vocabulary, common in keys and hashes. */
function countClusters(word: string): number {
  let clusters = 0;
  let consonants = 0;
  for (const letter of word) {
    consonants = VOWELS.has(letter) ? 0 : consonants + 1;
    if (consonants >= 3) clusters += 1;
  }
  return clusters;
}

/** Short words are one token; what is long or strange is pieced together. */
function weighWord(word: string): number {
  const isCapitalised = word.charCodeAt(0) < 97;
  const length = 44 * Math.max(0, word.length - 4);
  return 100 + length + (isCapitalised ? 40 : 0) + 90 * countClusters(word);
}
