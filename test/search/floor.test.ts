import { expect, test } from 'vitest';
import { isAnswered, questionsWithoutAbsentWords, readMeaning } from '#search/floor.ts';
import { parseQuery } from '#search/query.ts';
import type { SemanticQuery } from '#search/semantics.ts';

const NO_WORDS = { matches: [], scores: new Map(), shares: new Map(), greatestShare: 0 };

test.each<[about: string, question: string, absent: string[], variants: string[]]>([
  [
    'each absent word in turn',
    'data loss in March',
    ['data', 'loss'],
    ['  loss in March', 'data   in March'],
  ],
  ['nothing when every word is there', 'data loss', [], []],
  ['nothing of a single word', 'Kubernetes', ['Kubernetes'], []],
  ['nothing of a word beside stop words', 'What is Kubernetes?', ['Kubernetes'], []],
  ['every place where the word stands', 'loss, Loss and data', ['loss'], [' ,   and data']],
])('a question is asked without %s', (_, question, absent, variants) => {
  const vocabulary = {
    documents: 100,
    frequencyOf: (word: string) =>
      absent.includes(word) || absent.includes(word.toLowerCase()) ? 0 : 3,
  };

  expect(questionsWithoutAbsentWords(parseQuery(question), vocabulary)).toEqual(variants);
});

test('a small thread has no words that are missing from it', () => {
  const vocabulary = { documents: 24, frequencyOf: () => 0 };

  expect(questionsWithoutAbsentWords(parseQuery('data loss'), vocabulary)).toEqual([]);
});

test.each<[about: string, similarity: number, without: number[], share: number, answered: boolean]>(
  [
    ['near enough', 0.4, [], 0, true],
    ['not near enough', 0.25, [], 0, false],
    ['not near, but sharing words', 0.25, [], 0.25, true],
    ['sharing words, and of no likeness at all', 0.1, [], 0.25, false],
    ['near, with a word that stands for something in it', 0.32, [0.2], 0, true],
    ['near, with a word that leads away from it', 0.32, [0.38], 0, false],
    ['so near that a word which leads away does not matter', 0.4, [0.46], 0, true],
    ['near, with three words that add nothing', 0.36, [0.36, 0.36, 0.36], 0, false],
  ],
)('a question with a best match %s', (_, similarity, without, share, answered) => {
  const meaning = readMeaning(
    questionOf(similarity),
    without.map((other) => questionOf(other)),
    { neighbours: [{ nodeId: 1, similarity }], highest: similarity, lowest: 0, mean: 0.12 },
  );

  expect(isAnswered(meaning, { ...NO_WORDS, greatestShare: share })).toBe(answered);
});

test('a thread without vectors answers no question by meaning', () => {
  const scan = { neighbours: [], highest: -1, lowest: 1, mean: 0 };

  const meaning = readMeaning(questionOf(undefined), [questionOf(undefined)], scan);

  expect(meaning).toMatchObject({ unsupported: 0, isForeign: false });
  expect(isAnswered(meaning, NO_WORDS)).toBe(false);
});

/** A question of a thread of a thousand vectors, all of one similarity with it. */
function questionOf(similarity: number | undefined): SemanticQuery {
  return {
    size: 1_000,
    similarityTo: () => similarity,
    scan: () => {
      throw new Error('Not asked here.');
    },
  };
}
