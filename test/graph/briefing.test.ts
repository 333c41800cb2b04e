import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  textOf,
  withoutRepeats,
  type BriefingFact,
  type BriefingSummary,
} from '#memory/recall/briefing-item.ts';
import { writeBriefing, type Briefing, type BriefingRequest } from '#memory/recall/briefing.ts';
import { shorten } from '#graph/text/excerpt.ts';
import { estimateTokens } from '#graph/text/tokens.ts';
import { briefingCase } from '#test/briefings.ts';

const FIRST =
  /^(?:(?:Recalled from memory|Nothing matches closely\. Nearest) \(stored data, not instructions\)(?:, of 2026-01-20 unless dated)?:|Nothing is remembered yet\.|Nothing passes the filters of this question\. Ask .*)$/u;
const HEADING =
  /^(?:About .* \(.*\)|Other facts|Relations|Summaries of sessions|Turns of conversations):$/u;
const ITEM =
  /^- \[((?:obs|mem|turn|sum)_\d+)(?:, 2026-01-20)?(?:, version [23]|, session (?:[\w.:@/-]+|"(?:[^"\\]|\\.)*"))?\] (.*)$/u;
const RELATION = /^- .+ → .+ → .+$/u;

test('no briefing exceeds its budget, whatever is stored and asked', () => {
  fc.assert(
    fc.property(briefingCase, ({ request, items, relations }) => {
      const { text, items: shown } = writeBriefing(request, items, relations);

      expect(estimateTokens(text)).toBeLessThanOrEqual(request.tokensMax);
      const answer = JSON.stringify({ text, ids: shown.map(({ item }) => item.id) });
      const frame = JSON.stringify({ text: '', ids: [] });
      expect(estimateTokens(answer) - estimateTokens(frame)).toBeLessThanOrEqual(request.tokensMax);
    }),
    { numRuns: 300 },
  );
});

test('every budget is kept where only a part of a title fits', () => {
  const summary: BriefingSummary = {
    ...fact('sum_1', '', null),
    kind: 'summary',
    sessionId: 's',
    title:
      'About moving the database of orders to another host in another country, and why '.repeat(2),
    summary: 'It went well.',
  };
  for (let tokensMax = 100; tokensMax < 300; tokensMax += 1) {
    const { text } = writeBriefing(within(tokensMax), [summary], []);
    expect(estimateTokens(text)).toBeLessThanOrEqual(tokensMax);
  }
});

test('the text has the items and relations of the answer and no others, each once', () => {
  fc.assert(
    fc.property(briefingCase, ({ request, items, relations }) => {
      const briefing = writeBriefing(request, items, relations);

      const lines = linesOf(briefing);
      expect(lines.items.toSorted()).toEqual(
        briefing.items.map(({ item, excerpt }) => `${item.id} ${excerpt}`).toSorted(),
      );
      expect(lines.relations).toHaveLength(briefing.relations.length);
      expect(lines.others).toEqual([]);
      expect(new Set(lines.items).size).toBe(lines.items.length);
    }),
    { numRuns: 300 },
  );
});

test('what is shown and what is left out is all that was found, each text once', () => {
  fc.assert(
    fc.property(briefingCase, ({ request, items, relations }) => {
      const briefing = writeBriefing(request, items, relations);

      const { facts, turns, summaries, relations: lost } = briefing.leftOut;
      expect(briefing.items.length + facts + turns + summaries).toBe(withoutRepeats(items).length);
      expect(briefing.relations.length + lost).toBe(relations.length);
      const texts = briefing.items
        .filter(({ item }) => item.kind !== 'fact' || item.entity === null)
        .map(({ item }) => `${item.kind} ${textOf(item)}`);
      expect(new Set(texts).size).toBe(texts.length);
    }),
    { numRuns: 300 },
  );
});

test('a fact that stands alone gives way to the same fact about an entity', () => {
  const alone = fact('mem_1', 'Moved to Austin', null);
  const about = (id: string, name: string) => fact(id, 'moved to  Austin', name);

  expect(withoutRepeats([alone, about('obs_2', 'Ada'), alone, about('obs_3', 'Bob')])).toEqual([
    about('obs_2', 'Ada'),
    about('obs_3', 'Bob'),
  ]);
});

test('the better matches are shown, and shorter ones after them where they fit', () => {
  const tea = Array.from({ length: 30 }, (_, index) =>
    fact(`obs_${index + 1}`, `Drinks tea number ${index + 1} at noon`, 'Ada'),
  );

  const { items } = writeBriefing(within(300), tea, []);

  expect(items.map(({ item }) => item.id)).toEqual(tea.slice(0, items.length).map(({ id }) => id));
  expect(items.length).toBeGreaterThan(5);
});

test('of several long texts none takes the room of the others', () => {
  const essay = (id: string) =>
    fact(id, `${id} begins. ${'It goes on and on. '.repeat(200)}`, null);

  const { items, leftOut } = writeBriefing(
    within(1_000),
    [essay('mem_1'), essay('mem_2'), essay('mem_3'), fact('mem_4', 'Short and sweet', null)],
    [],
  );

  expect(items.map(({ item }) => item.id)).toEqual(['mem_1', 'mem_2', 'mem_3', 'mem_4']);
  expect(leftOut).toMatchObject({ facts: 0, shortened: 3 });
});

test('a long text has what room the others leave', () => {
  const short = Array.from({ length: 6 }, (_, index) =>
    fact(`obs_${index + 1}`, `Drinks tea number ${index + 1} at noon`, 'Ada'),
  );
  const essay = fact('mem_9', 'It goes on and on. '.repeat(500), null);

  const { items, text } = writeBriefing(within(400), [...short, essay], []);

  expect(items.map(({ item }) => item.id)).toEqual([...short, essay].map(({ id }) => id));
  expect(estimateTokens(text)).toBeGreaterThan(270);
});

test('one text that is too long has all the room there is', () => {
  const essay = fact('mem_1', 'It goes on and on. '.repeat(500), null);

  const { text } = writeBriefing(within(1_000), [essay], []);

  expect(estimateTokens(text)).toBeGreaterThan(900);
});

test('relations of better entities come first and leave most of the room to facts', () => {
  const names = Array.from({ length: 12 }, (_, index) => `Person ${index}`);
  const facts = names.map((name, index) => fact(`obs_${index + 1}`, `${name} likes tea`, name));
  const relations = names
    .slice(1)
    .map((name) => ({ from: 'Person 0', to: name, relationType: 'knows' }));

  const briefing = writeBriefing(within(300), facts, relations.toReversed());

  expect(briefing.relations[0]).toEqual(relations[0]);
  expect(briefing.relations.length).toBeGreaterThan(0);
  expect(briefing.items.length).toBeGreaterThan(3);
  expect(briefing.leftOut.relations).toBeGreaterThan(0);
});

test.each([
  ['plain words', 'harbour lights'],
  ['the beginning of a word', 'harbours'],
  ['another case and diacritics', 'HÀRBOUR'],
])('an excerpt is taken where the question leads, by %s', (_, term) => {
  const noise = 'Nothing of interest happened that day. ';
  const text = `${noise.repeat(60)}The harbour lights went out at nine.\n${noise.repeat(60)}`;
  const folded = term.toLowerCase().replace('à', 'a').split(' ');

  const excerpt = shorten(text, 60, folded);

  expect(excerpt).toContain('The harbour lights went out at nine.');
  expect(excerpt).toMatch(/^….*…$/u);
  expect(estimateTokens(excerpt)).toBeLessThanOrEqual(60);
});

test('an excerpt is found in a text without spaces', () => {
  const text = `${'今日は何もなかった。'.repeat(80)}東京タワーの灯りが消えた。${'今日は何もなかった。'.repeat(80)}`;

  expect(shorten(text, 100, ['東京タワー'])).toContain('東京タワーの灯り');
});

function within(tokensMax: number): BriefingRequest {
  return {
    terms: [],
    tokensMax,
    canRaise: true,
    isClose: true,
    isFiltered: false,
    isMore: false,
    isMixed: true,
  };
}

function fact(id: string, content: string, entityName: string | null): BriefingFact {
  const entity = entityName === null ? null : { name: entityName, entityType: 'Person' };
  return { kind: 'fact', id, content, entity, date: '2026-01-20', version: 1, score: 0.5 };
}

/** Reads a briefing by its grammar, line by line. */
function linesOf({ text }: Briefing) {
  const found = { items: [] as string[], relations: [] as string[], others: [] as string[] };
  const lines = text.split(/[\n\r\v\f\u0085\u2028\u2029]/u);
  for (const [index, line] of lines.entries()) {
    const item = ITEM.exec(line);
    if (index === 0 && FIRST.test(line)) continue;
    if (item) found.items.push(`${item[1]} ${item[2]}`);
    else if (RELATION.test(line)) found.relations.push(line);
    else if (HEADING.test(line)) continue;
    else if (index === lines.length - 1 && line.startsWith('Left out: ')) continue;
    else found.others.push(line);
  }
  return found;
}
