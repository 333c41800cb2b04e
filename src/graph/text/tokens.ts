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
  for (const { 0: run, groups } of text.matchAll(RUN)) {
    if (groups?.['word'] !== undefined) weight += weighWord(run);
    else if (groups?.['capitals'] !== undefined) weight += 90 + 50 * run.length;
    else if (groups?.['digits'] !== undefined) weight += 70 + 50 * run.length;
    else if (groups?.['others'] !== undefined) weight += weighOthers(run);
    else weight += run === ' ' ? WEIGHT_OF_SPACE : WEIGHT_OF_SIGN;
  }
  return weight;
}

/** A bound that takes no reading: nothing weighs less than a space. */
export function tokensAtLeast(text: string): number {
  return text.length / CHARS_PER_TOKEN_MAX;
}

const CHARS_PER_TOKEN_MAX = 7;

/** A capital begins a word, as it does in `camelCase`. What is left is a sign or a space. */
const RUN =
  /(?<word>[A-Z]?[a-z]+)|(?<capitals>[A-Z]+)|(?<digits>[0-9]+)|(?<others>\P{ASCII}+)|./gsu;

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

/** Three consonants in a row: rare in a word of a vocabulary, common in keys and hashes. */
const CLUSTER = /(?=[^aeiouy]{3})/gi;

/** Short words are one token; what is long or strange is pieced together. */
function weighWord(word: string): number {
  const isCapitalised = word.charCodeAt(0) < 97;
  const length = 44 * Math.max(0, word.length - 4);
  return 100 + length + (isCapitalised ? 40 : 0) + 90 * (word.match(CLUSTER)?.length ?? 0);
}
