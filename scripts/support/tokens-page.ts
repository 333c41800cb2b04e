/** `docs/contributing/tokens.md`: how the estimate of tokens compares with what tokenisers count. */
import { estimateTokens } from '#graph/text/tokens.ts';
import { TOKEN_SAMPLES } from '#test/token-samples.ts';
import { page, table } from './markdown.ts';
import { countClaude, countO200k } from './token-counts.ts';

const INTRODUCTION = [
  '`recall`, `search_nodes`, `open_nodes` and `describe_entity` keep their answers within `maxTokens`.',
  'A server does not know which model reads its answer.',
  '`src/graph/text/tokens.ts` therefore estimates an upper bound of the length: it splits a text as tokenisers do, and charges each part the highest price.',
  '',
  '- Words of ASCII letters cost by their length and by clusters of consonants, which keys and hashes have and words lack.',
  '- Figures cost by their number.',
  '- Letters of the common alphabets cost a weight each.',
  '- Everything else costs by the bytes of its UTF-8.',
  '',
  'Some clients show a model the text of an answer, others its structured content.',
  'Each of the two is within the budget: `recall` counts its lines as JSON, with the ids beside them.',
  'A client that shows both shows at most twice the budget.',
].join('\n');

const METHOD = [
  'The table uses the samples in `test/support/token-samples.ts`.',
  'GPT-4o and GPT-5 use `o200k_base`.',
  'Claude 2 is the last model of Claude with a published vocabulary.',
  'Later models are assumed to need a tenth more, as the authors of `ai-tokenizer` measured for Claude 3 to 4.5 (on English).',
  'A ratio is the estimate over the count.',
  'It is never below 1, which a test asserts for these samples and for every 150 characters of them.',
].join('\n');

const OUTLOOK = [
  'In English a third to two fifths of a budget stays unused.',
  'Where the reserve is larger, the two tokenisers disagree: `o200k_base` has whole words of scripts that Claude’s vocabulary spells out in bytes.',
  'A short artificial text, such as twenty random characters, can cost a fifth more than estimated.',
  'In a whole answer the rest compensates for it, which a property test with both tokenisers asserts.',
].join('\n');

export function renderTokensPage(): string {
  const rows = Object.entries(TOKEN_SAMPLES).map(([kind, text]) => {
    const estimate = estimateTokens(text);
    const [openai, claude] = [countO200k(text), countClaude(text)];
    const ratios = [openai, claude].map((count) => (estimate / count).toFixed(2));
    return [kind, ...[Array.from(text).length, estimate, openai, claude].map(String), ...ratios];
  });
  return page([
    '# Tokens',
    '> Generated from `test/support/token-samples.ts` by `npm run docs`. Edit the samples or `scripts/support/tokens-page.ts`, not this page.',
    INTRODUCTION,
    METHOD,
    table(
      ['Sample', 'characters', 'estimate', 'o200k_base', 'Claude', 'to o200k_base', 'to Claude'],
      rows,
    ),
    OUTLOOK,
  ]);
}
