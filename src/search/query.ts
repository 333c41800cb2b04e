/**
 * Turns what a caller typed into FTS5 expressions. Every part is quoted, so no text of a caller is
 * ever read as query syntax, and any punctuation survives.
 */
import { lazy } from '#graph/lazy.ts';
import { QUERY_PIECE_CHARS_MAX, QUERY_TOKENS_MAX, QUERY_TRIGRAMS_MAX } from '#limits.ts';

export interface ParsedQuery {
  /** The text as it was given. */
  readonly given: string;
  /** What is embedded: the text without its operators and without what they exclude. */
  readonly text: string;
  /** Words for the stemmed index; empty when the text has none. */
  readonly words: readonly string[];
  /** Texts of three characters and more that may stand anywhere, for the trigram index. */
  readonly substrings: readonly string[];
  /** Texts of one or two characters that words cannot find, such as `C#` or `東京`. */
  readonly shorts: readonly string[];
  /** Quoted texts: a result must have each of them, letter for letter but for case and accents. */
  readonly phrases: readonly string[];
  /** Words and quoted texts after a leading `-`: a result must have none of them. */
  readonly excluded: readonly string[];
}

/** Scripts written without spaces: a run of them is no word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Punctuation that belongs to the sentence and not to the word it stands beside. */
const SURROUNDING = /^[\s"'“”‘’«»()[\]{}<>,;:.!?¡¿…]+|[\s"'“”‘’«»()[\]{}<>,;:.!?…]+$/gu;

export function parseQuery(text: string): ParsedQuery {
  const { wanted, phrases, excluded } = readOperators(text.normalize('NFC'));
  const words: string[] = [];
  const substrings: string[] = [];
  const shorts: string[] = [];
  for (const piece of wanted.split(/\s+/u)) {
    const bare = piece.replace(SURROUNDING, '');
    const spaced = bare.replace(UNSPACED, ' ');
    const ownWords = spaced.match(WORD) ?? [];
    words.push(...ownWords);
    if (ownWords.length > 1) words.push(leadingWords(ownWords));
    for (const run of bare.match(UNSPACED) ?? []) placeRun(run, substrings, shorts);
    if (spaced === bare && bare !== '') placePiece(bare, ownWords, substrings, shorts);
  }
  return {
    given: text,
    text: wanted,
    words: significant(words),
    substrings: significant(substrings),
    shorts: significant(shorts),
    phrases: phrases.slice(0, QUERY_TOKENS_MAX),
    excluded: excluded.slice(0, QUERY_TOKENS_MAX),
  };
}

/** A text in quotes, with or without a `-` before it; `6"` is a length and opens nothing. */
const QUOTED = /(?<![\p{L}\p{N}])(-?)(?:"([^"]+)"|“([^”]+)”|«([^»]+)»)/gu;

/** `-draft` excludes; `--port`, `-p`, `-5` and the hyphen within a word are texts like others. */
const EXCLUDED_WORD = /(?<=^|\s)-([\p{L}][^\s"“«]+)/gu;

/** In a question quotes mark a title, which the answer need not repeat. */
const QUESTION = /[?？]\s*$/u;

/** Takes the operators out of a text. One that only excludes leaves nothing to find: it is taken as it stands. */
function readOperators(text: string): { wanted: string; phrases: string[]; excluded: string[] } {
  const phrases: string[] = [];
  const excluded: string[] = [];
  const wanted = text
    .replace(QUOTED, (_, minus: string, ...quoted: (string | undefined)[]) => {
      const phrase = quoted.slice(0, 3).find((part) => part !== undefined) ?? '';
      if (!/[\p{L}\p{N}]/u.test(phrase)) return ` ${phrase} `;
      (minus === '-' ? excluded : phrases).push(phrase.trim());
      return minus === '-' ? ' ' : ` ${phrase} `;
    })
    .replace(EXCLUDED_WORD, (_, word: string) => {
      excluded.push(word.replace(SURROUNDING, ''));
      return ' ';
    })
    .trim();
  if (!/[\p{L}\p{N}]/u.test(wanted)) return { wanted: text, phrases: [], excluded: [] };
  return { wanted, phrases: QUESTION.test(text) ? [] : phrases, excluded };
}

/** The text as it would be without one of its words. */
export function withoutWord(text: string, word: string): string {
  return text
    .split(/([\p{L}\p{N}\p{M}]+)/u)
    .map((part) => (part.toLowerCase() === word.toLowerCase() ? ' ' : part))
    .join('');
}

/** True when text in unspaced scripts stands in it, which the index of words cannot take apart. */
export function isUnspaced(text: string): boolean {
  return text.search(UNSPACED) >= 0;
}

/** Any of the words, with every quoted text among them and nothing excluded. */
export function wordExpression(
  texts: readonly string[],
  { phrases, excluded }: ParsedQuery,
): string | undefined {
  const readable = phrases.filter((phrase) => !isUnspaced(phrase));
  const required = readable.map((phrase) =>
    phrase.length <= QUERY_PIECE_CHARS_MAX ? phrase : leadingWords(phrase.match(WORD) ?? []),
  );
  const short = excluded.filter((text) => text.length <= QUERY_PIECE_CHARS_MAX);
  return constrain(anyOf(texts), required, anyOf(short));
}

/**
 * As many of the words as an index is asked for at once, the first one in any case. What a text must
 * have or must not have is checked in the texts that are found (`constraints.ts`), so that a part of it
 * is enough here.
 */
function leadingWords(words: readonly string[]): string {
  let text = '';
  for (const word of words) {
    if (text !== '' && text.length + 1 + word.length > QUERY_PIECE_CHARS_MAX) break;
    text += text === '' ? word : ` ${word}`;
  }
  return text;
}

/** Any of the substrings, with every quoted text of three characters and more. */
export function substringExpression(
  texts: readonly string[],
  { phrases }: ParsedQuery,
): string | undefined {
  const readable = phrases.filter((phrase) => Array.from(phrase).length >= 3);
  const asked = new Set<string>();
  const fits = (text: string) => {
    const trigrams = trigramsOf(text).filter((trigram) => !asked.has(trigram));
    if (asked.size > 0 && asked.size + trigrams.length > QUERY_TRIGRAMS_MAX) return false;
    for (const trigram of trigrams) asked.add(trigram);
    return true;
  };
  const required = readable.map(probeOf).filter(fits);
  return constrain(anyOf(texts.map(probeOf).filter(fits)), required, undefined);
}

/** Trigrams of a text that may come again before it is cut: a phrase that repeats itself costs most. */
const REPEATS_MAX = 8;

/**
 * The part of a text that the index of trigrams is asked for: all of it, or of a long one and of one that
 * repeats itself the longest stretch in which no trigram comes twice.
 */
function probeOf(text: string): string {
  const chars = Array.from(text);
  const trigrams = trigramsOf(text).map((trigram) => trigram.toLowerCase());
  const repeats = trigrams.length - new Set(trigrams).size;
  if (chars.length <= QUERY_PIECE_CHARS_MAX && repeats <= REPEATS_MAX) return text;
  const last = new Map<string, number>();
  let best = { start: 0, end: 3 };
  let start = 0;
  for (const [place, trigram] of trigrams.entries()) {
    start = Math.max(start, (last.get(trigram) ?? -1) + 1, place + 3 - QUERY_PIECE_CHARS_MAX);
    last.set(trigram, place);
    if (place + 3 - start > best.end - best.start) best = { start, end: place + 3 };
  }
  return chars.slice(best.start, best.end).join('');
}

function constrain(
  wanted: string | undefined,
  required: readonly string[],
  unwanted: string | undefined,
): string | undefined {
  if (wanted === undefined) return undefined;
  const together = [`(${wanted})`, ...required.map(quoteTerm)].join(' AND ');
  return unwanted === undefined ? together : `(${together}) NOT (${unwanted})`;
}

/** An FTS5 expression that matches any of the texts; undefined when there are none. */
function anyOf(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return undefined;
  return texts.map(quoteTerm).join(' OR ');
}

/** FTS5 reads its expression up to the first NUL, so that one would leave a quote open. */
function quoteTerm(text: string): string {
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`;
}

/** An FTS5 expression that matches all of the texts. */
export function allOf(texts: readonly string[]): string {
  return texts.map(quoteTerm).join(' AND ');
}

/** Any of the texts, looked for in titles alone. */
export function anyTitleOf(texts: readonly string[]): string | undefined {
  const expression = anyOf(texts);
  return expression === undefined ? undefined : `title : (${expression})`;
}

/** Every three neighbouring characters of a text; none for a shorter one. */
export function trigramsOf(text: string): string[] {
  const chars = Array.from(text);
  return chars.slice(2).map((_, start) => chars.slice(start, start + 3).join(''));
}

/** ICU's dictionaries know where words begin in Chinese, Japanese, Thai, Lao, Khmer and Burmese. */
const segmenter = lazy(() => new Intl.Segmenter('und', { granularity: 'word' }));

/** Particles and endings: in Japanese they are what stop words are in English. */
const PARTICLE = /^\p{Script=Hiragana}{1,2}$/u;

/** A Korean word of one or two syllables goes on in the same word with its particle. */
const HANGUL = /\p{Script=Hangul}/u;

/** A word of a run is looked for by its trigrams, since a text may have only a part of a compound. */
function placeRun(run: string, substrings: string[], shorts: string[]): void {
  const words = [...segmenter().segment(run)].map(({ segment }) => segment);
  const telling = words.filter((word) => !PARTICLE.test(word));
  for (const word of telling.length > 0 ? telling : words) {
    const trigrams = trigramsOf(word);
    if (trigrams.length === 0) shorts.push(word);
    substrings.push(...trigrams);
  }
}

function placePiece(
  piece: string,
  words: readonly string[],
  substrings: string[],
  shorts: string[],
): void {
  const isWord = words.length === 1 && words[0] === piece;
  const length = Array.from(piece).length;
  if (length >= 3) substrings.push(piece);
  else if (!isWord || HANGUL.test(piece)) shorts.push(piece);
  if (!isWord) substrings.push(...words.filter((word) => Array.from(word).length >= 3));
}

/** Each text once and at most so many; stop words go, unless they are all there is. */
function significant(texts: readonly string[]): string[] {
  const distinct = [...new Map(texts.map((text) => [text.toLowerCase(), text])).values()];
  const telling = distinct.filter((text) => !STOP_WORDS.has(text.toLowerCase()));
  return (telling.length > 0 ? telling : distinct).slice(0, QUERY_TOKENS_MAX);
}

/** English words that stand in most sentences; other languages are left to bm25's weights. */
const STOP_WORDS = new Set(
  (
    'a about an and any anything are as at be been but by can could did do does find for from had ' +
    'has have he her him his how i if in into is it its know me my not of on or our please she should ' +
    'so tell than that the their them then there these they this those to was we were what when where which who ' +
    'whom whose why will with would you your'
  ).split(' '),
);
