import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadFromAssets } from '#search/embed/embedded-embedder.ts';
import { createTokenizer, UNKNOWN } from '#search/embed/tokenizer.ts';
import { copyFloats, parseWeights, readTexts } from '#search/embed/weights.ts';

const RESERVED = ['�', '<s>', '</s>', '<1>', '<2>', '<3>'];

/** Pieces by how likely they are; ▁ is the space before a word. */
const toy = createToy({ '▁': -3, a: -4, b: -4, ab: -5, '▁ab': -6, '▁abab': -13, ' ': -1, n: -4 });
const model = await openModel();

test.each([
  ['the likeliest way to write a word wins over the longest piece', 'abab', ['▁ab', 'ab']],
  ['a word that begins no piece is cut into its letters', 'ba', ['▁', 'b', 'a']],
  ['each word begins with a space', 'ab b', ['▁ab', '▁', 'b']],
  [
    'white space of any kind and length is one space',
    '\t ab \u3000\n\u00a0 ab \r\n',
    ['▁ab', '▁ab'],
  ],
  ['compatibility forms are read as what they stand for', 'ａｂ', ['▁ab']],
  ['marks that are never seen are left out', 'a\u200b\u202e\u00ad\u0000b\u2066', ['▁ab']],
  ['a run of what is in no piece is one unknown', 'aξ東🍕b', ['▁', 'a', '�', 'b']],
  ['unknowns apart from each other stay apart', 'ξaξ', ['▁', '�', 'a', '�']],
  ['accents that are in no piece are unknown', 'a\u0301', ['▁', '�']],
  ['nothing is one unknown', '', ['�']],
  ['white space alone is one unknown', ' \n\t ', ['�']],
  ['marks alone are one unknown', '\u200b\u0000\ufeff', ['�']],
  ['the marks for training are never read from a text', '<s>', ['▁', '�']],
])('%s', (_, text, pieces) => {
  expect(toy.encode(text).map((id) => toy.pieces[id])).toEqual(pieces);
});

const hostile: [string, string][] = [
  ['half of a surrogate pair', '\ud83c'],
  ['the halves of a pair the wrong way round', '\udf55\ud83c'],
  ['half of a pair between words', 'one \ud800 two\udfff'],
  ['signs beyond the first plane', '🍕𝕳𝖊𝖑𝖑𝖔𐍈𠜎'],
  ['a family of joined signs', '👩‍👩‍👧‍👦'],
  ['marks of direction', '\u202e\u2067abc\u2069\u202c\u200f'],
  ['NUL and other control characters', '\0a\u0001b\u001b[31mc\u007f\u0085'],
  ['a letter under a thousand accents', `e${'\u0301'.repeat(1_000)}`],
  ['accents on nothing', '\u0301\u0308'],
  ['one sign that becomes eighteen', '\ufdfa'.repeat(300)],
  ['noncharacters and private use', '\uffff\ufffe\ue000\u{10ffff}'],
  ['the mark that stands for a space', '▁▁a▁b▁'],
  ['the sign of what cannot be read', '\ufffd'],
  ['lines of every kind', 'a\u2028b\u2029c\u000bd\u000ce'],
  ['a word without end', 'x'.repeat(20_000)],
  ['the longest piece, again and again', '-'.repeat(20_000)],
  ['what is in no piece, without end', '東'.repeat(20_000)],
  ['nothing but space', ' '.repeat(20_000)],
  ['a word far behind space', `${' '.repeat(20_000)}word`],
];

test.each(hostile)('%s is read as pieces of the vocabulary', (_, text) => {
  expectTokens(text);
});

test('any text is read as pieces of the vocabulary, and always as the same', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map(fromUnits),
    fc
      .array(fc.constantFrom(...hostile.map(([, text]) => text.slice(0, 40))))
      .map((all) => all.join('')),
  );

  fc.assert(fc.property(anything, expectTokens), { numRuns: 300 });
});

test('the pieces of a text without unknowns are the text', () => {
  const plain = fc.stringMatching(/^[a-zA-Z0-9 .,;:'"!?()-]{0,200}$/);

  fc.assert(
    fc.property(plain, (text) => {
      const words = text.split(' ').filter((word) => word !== '');
      const written = model.encode(text).map((id) => (id === UNKNOWN ? '' : model.pieces[id]));
      expect(written.join('')).toBe(words.map((word) => `▁${word}`).join(''));
    }),
  );
});

test('forms of the same text are read alike', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
      expect(model.encode(text.normalize('NFD'))).toEqual(model.encode(text.normalize('NFC')));
    }),
  );
});

test('of a text without end only the beginning is read, so that it costs no more than that', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(25_000);

  const tokens = model.encode(text);

  expect(tokens).toEqual(model.encode(text.slice(0, 4_096)));
  expect(tokens.length).toBeGreaterThan(128);
});

function expectTokens(text: string): void {
  const tokens = model.encode(text);
  expect(tokens.length).toBeGreaterThan(0);
  expect(
    tokens.filter((id) => !Number.isInteger(id) || id < 0 || id >= model.pieces.length),
  ).toEqual([]);
  expect(tokens.filter((id, i) => id === UNKNOWN && tokens[i - 1] === UNKNOWN)).toEqual([]);
  expect(model.encode(text)).toEqual(tokens);
}

function createToy(scoreOf: Record<string, number>) {
  const pieces = [...RESERVED, ...Object.keys(scoreOf)];
  const scores = Float32Array.from([...RESERVED.map(() => 0), ...Object.values(scoreOf)]);
  return { ...createTokenizer(pieces, scores), pieces };
}

/** The vocabulary of the model itself: 8,000 pieces. */
async function openModel() {
  const weights = parseWeights(await loadFromAssets(env.ASSETS)());
  const pieces = readTexts(weights, 'pieces');
  const scores = copyFloats(weights, 'scores', [pieces.length]);
  return { ...createTokenizer(pieces, scores), pieces };
}

function fromUnits(units: readonly number[]): string {
  return String.fromCharCode(...units);
}
