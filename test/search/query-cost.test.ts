/** What one query may ask of the text indexes, however it is made. */
import { expect, test } from 'vitest';
import { QUERY_CHARS_MAX, QUERY_TRIGRAMS_MAX } from '#limits.ts';
import { parseQuery, substringExpression, trigramsOf, wordExpression } from '#search/query.ts';
import { openTestMemory } from '#test/memory.ts';

/** Texts in quotes of an FTS5 expression. */
function phrasesIn(expression: string | undefined): string[] {
  return [...(expression ?? '').matchAll(/"((?:[^"]|"")*)"/g)].map(([, text = '']) => text);
}

const long = (unit: string) => unit.repeat(QUERY_CHARS_MAX).slice(0, QUERY_CHARS_MAX);

test.each([
  ['one letter', long('a')],
  ['two letters', long('ab')],
  ['digits', long('0')],
  ['dashes', long('-')],
  [
    'a word of many different letters',
    long(Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x400 + i)).join('')),
  ],
  ['many identifiers', long('id_{} '.replace('{}', 'abcdefghijklmnopqrstuvwxyz') + 'ID-')],
  [
    'many different identifiers',
    Array.from({ length: 100 }, (_, i) => `item_${i * 7919}_x`)
      .join(' ')
      .slice(0, QUERY_CHARS_MAX),
  ],
  ['hyphens', long('a-')],
  ['a quoted text', `"${long('ab ').slice(2)}"`],
  ['an excluded text', `known -${long('a').slice(7)}`],
  ['Chinese', long('数据库的主机名称')],
])('a query of %s asks for few trigrams and short phrases', (_, text) => {
  const query = parseQuery(text);
  const trigrams = phrasesIn(substringExpression(query.substrings, query)).flatMap(trigramsOf);
  const words = phrasesIn(wordExpression(query.words, query));

  expect(new Set(trigrams).size).toBeLessThanOrEqual(QUERY_TRIGRAMS_MAX);
  // Hardly any trigram is compared twice.
  expect(trigrams.length).toBeLessThanOrEqual(QUERY_TRIGRAMS_MAX * 2);
  for (const phrase of words.filter((word) => word.includes(' '))) {
    expect(phrase.length).toBeLessThanOrEqual(64);
  }
});

test('a long text in quotes is found only where all of it is, and a long identifier by its part', async () => {
  await using memory = await openTestMemory();
  const path = Array.from({ length: 30 }, (_, i) => `folder${i}`).join('/');
  const facts = [`The backup goes to ${path}/final.`, `The archive goes to ${path}/older.`];
  for (const content of facts) await memory.call('store_memory', { content });
  const find = async (query: string) => {
    const { memories } = await memory.call('search_memories', { query });
    return memories.map(({ content }: { content: string }) => content);
  };

  expect(await find(`"${path}/final"`)).toEqual([facts[0]]);
  expect((await find(`${path}/final`)).length).toBeGreaterThan(0);
  expect(await find(`goes -"${path}/final"`)).toEqual([facts[1]]);
});
