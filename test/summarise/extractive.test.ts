/** The summarizer that needs no model: the same for the same turns, within bounds, and about them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SUMMARY_CATEGORIES } from '#graph/summary.ts';
import type { TurnTexts } from '#graph/turn.ts';
import { rankByCentrality } from '#summarise/central-sentences.ts';
import { extractiveSummarizer } from '#summarise/extractive-summarizer.ts';
import { findTechnologies } from '#summarise/technologies.ts';

const summarizer = extractiveSummarizer();

async function summarize(...turns: Partial<TurnTexts>[]) {
  const whole = turns.map((turn) => ({ prompt: '', thought: '', response: '', ...turn }));
  return (await summarizer.summarize(whole)).content;
}

test('the summary says what most of the session was about, in the order in which it was said', async () => {
  const { title, summary } = await summarize(
    {
      prompt: 'The export of invoices to PDF is slow. Can you make the export of invoices faster?',
      response: 'The export of invoices renders each page twice. My cat is asleep.',
    },
    {
      prompt: 'Then render each page of the invoices once.',
      response: 'Each page of the invoices is now rendered once, and the export takes a second.',
    },
  );

  expect(title.split(' ').length).toBeLessThanOrEqual(10);
  expect(title.toLowerCase()).toContain('invoices');
  expect(summary).toContain('invoices');
  expect(summary).not.toContain('cat');
  const places = summary
    .split(/(?<=[.?]) /u)
    .map((sentence) =>
      [
        'The export of invoices to PDF is slow.',
        'Can you make the export of invoices faster?',
        'The export of invoices renders each page twice.',
        'Then render each page of the invoices once.',
        'Each page of the invoices is now rendered once, and the export takes a second.',
      ].indexOf(sentence),
    );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places.every((place) => place >= 0)).toBe(true);
});

test('centrality is what sentences share: one that shares nothing comes last', () => {
  const ranks = rankByCentrality([
    'The cache forgets old answers',
    'Old answers leave the cache first',
    'A cache without old answers is small',
    'Bananas are yellow',
  ]);

  expect(Math.min(...ranks)).toBe(ranks[3]);
  expect(Math.abs(ranks.reduce((sum, rank) => sum + rank, 0) - 1)).toBeLessThan(1e-6);
});

test.each([
  ['bugfix', 'The app crashes with an exception, please fix the bug'],
  ['feature', 'Add support for dark mode and implement a new button'],
  ['refactoring', 'Refactor the parser, rename its functions and remove dead code'],
  ['documentation', 'Write a tutorial and update the README and the docs'],
  ['new-app', 'Scaffold a new app from scratch'],
  ['analysis', 'Compare and evaluate both databases and explain the trade-offs'],
  ['other', 'Good morning'],
])('a session of this kind is %s: %s', async (category, prompt) => {
  expect((await summarize({ prompt, response: 'Certainly.' })).category).toBe(category);
});

test.each([
  ['Migrate the TypeScript code in src/app.ts to Node.js 24', ['typescript', 'nodejs']],
  ['SELECT in PostgreSQL, run by Docker and K8s', ['docker', 'kubernetes', 'postgresql']],
  ['Use C++ and C# with .NET', ['c#', 'c++', 'dotnet']],
  ['neo.mjs with ChromaDB and nodejs', ['chromadb', 'neo.mjs', 'nodejs']],
  ['see main.py and lib.rs', ['python', 'rust']],
  ['We go to the swift river in spring, express our thanks and react', ['react']],
  ['The javanese gitter is rusty', []],
])('technologies are recognised by their names: %s', (text, expected) => {
  expect(findTechnologies(text).toSorted()).toEqual(expected.toSorted());
});

test('scores follow what happened: a checked result is better than one in doubt', async () => {
  const prompt = 'Fix the failing build';
  const good = await summarize({
    prompt,
    thought: 'Look at the log.',
    response: 'Fixed the import. All tests pass, verified twice.',
  });
  const bad = await summarize({
    prompt,
    response: 'Sorry, I could not find it and am stuck. It still fails.',
  });

  expect(good.quality).toBeGreaterThan(bad.quality + 30);
  expect(good.productivity).toBe(100);
  expect(bad.productivity).toBe(20);
});

test('more turns with more in them are more complex', async () => {
  const turn = { prompt: 'Change load_user() in auth.py and db.ts', response: 'Changed in Redis.' };
  const short = await summarize(turn);
  const long = await summarize(...Array.from({ length: 30 }, () => turn));

  expect(long.complexity).toBeGreaterThan(short.complexity + 20);
});

test('code and lists do not become sentences of a summary', async () => {
  const { summary } = await summarize({
    prompt: 'Explain the sorting of the list.',
    response: 'The list is sorted by date.\n```js\nlist.sort((a, b) => a.date - b.date);\n```\n',
  });

  expect(summary).toBe('Explain the sorting of the list. The list is sorted by date.');
});

test('whatever is in a session, its summary is complete, within bounds and always the same', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.lorem({ mode: 'sentences', maxCount: 8 }),
    fc.constantFrom('', ' ', '```', '。', 'a'.repeat(5_000), '東京'.repeat(500)),
  );
  const turns = fc.array(fc.record({ prompt: text, thought: text, response: text }), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(turns, async (session) => {
      const summary = await summarize(...session);

      expect(summary).toEqual(await summarize(...session));
      expect(summary.title).not.toBe('');
      expect(summary.title.split(/\s+/u).length).toBeLessThanOrEqual(10);
      expect(Array.from(summary.title).length).toBeLessThanOrEqual(121);
      expect(`${summary.title}${summary.summary}`).not.toMatch(/[\r\n]/);
      expect(Array.from(summary.summary).length).toBeLessThanOrEqual(2_000);
      expect(SUMMARY_CATEGORIES).toContain(summary.category);
      for (const score of ['quality', 'productivity', 'impact', 'complexity'] as const) {
        expect(Number.isInteger(summary[score])).toBe(true);
        expect(summary[score]).toBeGreaterThanOrEqual(0);
        expect(summary[score]).toBeLessThanOrEqual(100);
      }
    }),
  );
});
