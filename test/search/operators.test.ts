import { expect, test } from 'vitest';
import { parseQuery } from '#search/query.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

const TEXTS = [
  'Prefers dark mode in the editor',
  'The mode of payment is a dark secret',
  'Runs tests every night',
  'Wrote a draft of the proposal in update_portfolio.py',
  'The drafts of the budget proposal are late',
  'Reviewed the final proposal with Málaga office',
  'Starts the server with --port 8080 and -v',
  '他在北京工作了三年',
  '东京和北京都去过',
];

async function openTexts(): Promise<TestMemory> {
  const memory = await openTestMemory();
  for (const content of TEXTS) await memory.call('store_memory', { content });
  return memory;
}

test.each<[about: string, query: string, found: RegExp[], missing: RegExp[]]>([
  ['words in that order', '"dark mode"', [/Prefers dark mode/], [/payment/]],
  ['curly quotes', '“dark mode”', [/Prefers dark mode/], [/payment/]],
  ['angle quotes', '«dark mode»', [/Prefers dark mode/], [/payment/]],
  ['words that are not stemmed', '"run test"', [], [/Runs tests/]],
  ['letters of any case and accent', '"MALAGA office"', [/Málaga office/], [/draft/]],
  ['a part of an identifier', '"folio.py"', [/update_portfolio/], [/budget/]],
  ['two phrases together', '"proposal" "budget"', [/budget/], [/final/]],
  ['a phrase and a word', 'late "proposal"', [/budget/], [/dark/]],
  ['a phrase that no text has', '"bright mode"', [], [/mode/]],
  ['a phrase without spaces', '"北京工作"', [/三年/], [/东京/]],
  ['a word excluded in all its forms', 'proposal -draft', [/final/], [/draft/]],
  ['a phrase excluded', 'proposal -"budget proposal"', [/final/, /update_portfolio/], [/budget/]],
  ['a name of a file excluded', 'proposal -update_portfolio.py', [/final/], [/portfolio/]],
  ['a word without spaces excluded', '北京 -东京', [/三年/], [/东京/]],
  ['two exclusions', 'proposal -draft -final', [], [/proposal/]],
  ['a hyphen within a word', 'e-mail proposal', [/proposal/], []],
  ['an option of a command', '--port', [/--port 8080/], []],
  ['a short option', 'server -v', [/--port 8080/], []],
  ['nothing but an exclusion, which is read as a word', '-draft', [/draft/], []],
  ['a question that quotes a title', 'Who wrote the "draft proposal"?', [/draft/], []],
  ['a quote that is not closed', '"dark mode', [/Prefers dark mode/], []],
  ['empty quotes', '"" proposal', [/proposal/], []],
  ['quotes around punctuation', '"++" proposal', [/proposal/], []],
])('a search for %s', async (_, query, found, missing) => {
  await using memory = await openTexts();

  const { memories } = await memory.call('search_memories', { query });

  const contents = memories.map((m: any) => m.content).join('\n');
  for (const text of found) expect(contents).toMatch(text);
  for (const text of missing) expect(contents).not.toMatch(text);
});

test('operators hold for what is found by meaning, and for what stands next to a good result', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 110; index += 1) {
    const content = index % 2 === 0 ? `Note ${index} on dogs` : `Note ${index} on a secret puppy`;
    await memory.call('store_memory', { content });
  }

  const { memories } = await memory.call('search_memories', { query: 'dogs -secret', limit: 20 });
  const quoted = await memory.call('search_memories', { query: 'dogs "secret puppy"', limit: 20 });

  expect(memories).toHaveLength(20);
  expect(memories.filter((m: any) => m.content.includes('secret'))).toEqual([]);
  expect(quoted['memories']).toHaveLength(20);
  expect(quoted['memories'].filter((m: any) => !m.content.includes('secret puppy'))).toEqual([]);
});

test('what is excluded and the quotes are not embedded', () => {
  expect(parseQuery('plans for "dark mode" -draft')).toMatchObject({
    given: 'plans for "dark mode" -draft',
    text: 'plans for  dark mode',
    words: ['plans', 'dark', 'mode'],
    phrases: ['dark mode'],
    excluded: ['draft'],
  });
});
