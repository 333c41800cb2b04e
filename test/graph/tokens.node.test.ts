import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeBriefing } from '#memory/recall/briefing.ts';
import { estimateTokens, tokensAtLeast, weighTokens } from '#graph/text/tokens.ts';
import { briefingCase } from '#test/briefings.ts';
import { TOKEN_SAMPLES } from '#test/token-samples.ts';
import { countDearest } from '../../scripts/support/token-counts.ts';

const samples = Object.entries(TOKEN_SAMPLES);

/** About what an observation may have. */
const PASSAGE_CHARS = 150;

test.each(samples)('%s costs no model more tokens than estimated', (_, text) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countDearest(text));
});

test.each(samples)('nor does any passage of it: %s', (_, text) => {
  const chars = Array.from(text);
  const passages = chars
    .map((_, start) => chars.slice(start, start + PASSAGE_CHARS))
    .filter((passage, start) => passage.length === PASSAGE_CHARS && start % 5 === 0)
    .map((passage) => passage.join(''));

  expect(passages.filter((passage) => estimateTokens(passage) < countDearest(passage))).toEqual([]);
});

test.each(['English prose', 'observations in English', 'code', 'JSON', 'Markdown'])(
  'the estimate of %s wastes no more than half of a budget',
  (kind) => {
    const text = TOKEN_SAMPLES[kind] ?? '';

    expect(estimateTokens(text) / countDearest(text)).toBeLessThan(1.55);
  },
);

test('any text of some length costs no model more tokens than estimated', () => {
  const unit = fc.constantFrom(
    'grapheme' as const,
    'binary' as const,
    'grapheme-composite' as const,
  );
  const text = unit.chain((kind) => fc.string({ unit: kind, minLength: 150, maxLength: 1_000 }));

  fc.assert(
    fc.property(text, (value) => {
      expect(estimateTokens(value)).toBeGreaterThanOrEqual(countDearest(value));
    }),
    { numRuns: 300 },
  );
});

test('a whole briefing costs no model more than its budget, whatever is stored and asked', () => {
  fc.assert(
    fc.property(briefingCase, ({ request, items, relations }) => {
      const { text } = writeBriefing(request, items, relations);

      expect(countDearest(text)).toBeLessThanOrEqual(request.tokensMax);
    }),
    { numRuns: 500 },
  );
});

test('lines weigh together what they weigh apart, and never less than the bound', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });

  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(weighTokens(`${one}\n${other}`)).toBe(weighTokens(`${one}\n`) + weighTokens(other));
      expect(tokensAtLeast(one)).toBeLessThanOrEqual(weighTokens(one) / 100);
    }),
  );
});
