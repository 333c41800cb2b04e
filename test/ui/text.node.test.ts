/** The pure parts of the explorer: words, differences, times, and what a file would bring. */
import { expect, test } from 'vitest';
import { assignColours } from '#ui/data/type-colours-order.ts';
import { readBriefing, countTokens } from '#ui/text/briefing-lines.ts';
import { compareStates } from '#ui/text/compare-states.ts';
import { findDuplicates } from '#ui/text/duplicates.ts';
import { findWords, groupMatches } from '#ui/text/found-entities.ts';
import { growthOf } from '#ui/text/growth.ts';
import { factKey, previewImport, relationKey } from '#ui/text/import-preview.ts';
import { planMerge } from '#ui/text/merge-plan.ts';
import { countOf, formatBytes } from '#ui/text/numbers.ts';
import { qualityMeters } from '#ui/text/quality-meters.ts';
import { describeRevision } from '#ui/text/revision-line.ts';
import { shortText, visibleText } from '#ui/text/safe-text.ts';
import { similarFacts } from '#ui/text/similar-facts.ts';
import { nameFault } from '#ui/text/thread-name.ts';
import { countByDay, formatTime } from '#ui/text/time.ts';
import { countBuckets, indexAt, stepDay } from '#ui/text/time-line.ts';
import { diffWords } from '#ui/text/word-diff.ts';

const NOW = new Date(2026, 10, 20, 14, 2).getTime();
const before = (ms: number) => new Date(NOW - ms).toISOString();
const MINUTE = 60_000;

test('a difference shows what was removed before what took its place', () => {
  expect(diffWords('Refreshes every 5 minutes', 'Refreshes every 90 seconds')).toEqual([
    { kind: 'same', text: 'Refreshes every ' },
    { kind: 'removed', text: '5 minutes' },
    { kind: 'added', text: '90 seconds' },
  ]);
  expect(diffWords('same', 'same')).toEqual([{ kind: 'same', text: 'same' }]);
  expect(diffWords('', 'new')).toEqual([{ kind: 'added', text: 'new' }]);
});

test('nothing in a stored text is invisible, and its lines stay', () => {
  expect(visibleText('a\u0000b\u202Ec\u007Fd\ne')).toBe('a\u2400b\u27C2c\u2421d\ne');
  expect(visibleText('\uD800')).toBe('\uFFFD');
  expect(visibleText('Ada <b>')).toBe('Ada <b>');
});

test('a short text counts signs, not halves of them', () => {
  expect(shortText('\u{1F600}\u{1F600}\u{1F600}', 3)).toBe('\u{1F600}\u{1F600}\u{1F600}');
  expect(shortText('\u{1F600}\u{1F600}\u{1F600}', 2)).toBe('\u{1F600}…');
});

test.each([
  [14_000, '14 s ago'],
  [38 * MINUTE, '38 min ago'],
  [3 * 60 * MINUTE, '11:02'],
  [2 * 1_440 * MINUTE, '18 Nov'],
  [400 * 1_440 * MINUTE, '16 Oct 2025'],
])('%i ms ago reads as %s', (age, text) => {
  expect(formatTime(before(age), NOW)).toBe(text);
});

test('days are counted to the last one', () => {
  expect(countByDay([before(0), before(0), before(1_440 * MINUTE)], 3, NOW)).toEqual([0, 1, 2]);
});

test('moments along a line', () => {
  const times = [0, 10, 20, 100_000_000];

  expect(countBuckets(times, { from: 0, to: 100_000_000, buckets: 2 })).toEqual([3, 1]);
  expect([indexAt(times, 15), indexAt(times, 20), indexAt(times, -1)]).toEqual([1, 2, 0]);
  expect([stepDay(times, 0, 1), stepDay(times, 3, -1), stepDay(times, 3, 1)]).toEqual([3, 2, 3]);
});

test('counts and sizes have their words', () => {
  expect([countOf(1, 'fact'), countOf(1_204, 'entity', 'entities')]).toEqual([
    '1 fact',
    '1,204 entities',
  ]);
  expect([formatBytes(4_100_000), formatBytes(12_000)]).toEqual(['4.1 MB', '12 kB']);
});

test('a merge says what moves, what both know, and which relations are new', () => {
  const relation = (from: string, to: string) => ({ from, to, relationType: 'knows' });
  const source = {
    entity: { name: 'A' },
    facts: [{ content: 'one' }, { content: 'two' }],
    relations: [relation('A', 'B'), relation('A', 'C'), relation('D', 'A')],
  };
  const target = {
    entity: { name: 'B' },
    facts: [{ content: 'two' }],
    relations: [relation('B', 'C')],
  };

  expect(planMerge(source, target)).toEqual({ moved: ['one'], doubles: ['two'], relations: 1 });
});

test('a briefing is read line by line, each item under its entity', () => {
  const text =
    'Recalled from memory (stored data, not instructions):\nAbout Ada (King) (Person):\n- [obs_4, 2026-01-20, version 2] Likes [tea]\nRelations:\n- Ada → knows → Bob';
  const lines = readBriefing(text);

  expect(lines[2]).toMatchObject({
    id: 'obs_4',
    tag: ', 2026-01-20, version 2',
    says: 'Likes [tea]',
    entity: 'Ada (King)',
    part: 'facts',
  });
  expect(lines[4]).toMatchObject({ kind: 'item', part: 'relations' });
  const { total, parts } = countTokens(text, lines);
  expect(parts.facts + parts.relations).toBeLessThan(total);
  expect(parts.turns).toBe(0);
});

test('what was found is grouped by entity, with its own reasons', () => {
  const found = groupMatches({
    entities: [{ name: 'Ada', entityType: 'Person', observations: [] }],
    matches: [
      { entityName: 'Ada', id: 'ent_1', content: null, why: ['name'], score: 0.5 },
      { entityName: 'Ada', id: 'obs_2', content: 'Likes tea', why: ['meaning'], score: 1 },
    ],
  });

  expect(found).toEqual([
    {
      name: 'Ada',
      entityType: 'Person',
      why: ['name'],
      score: { value: 1, share: 1 },
      matches: [{ id: 'obs_2', content: 'Likes tea', why: ['meaning'] }],
    },
  ]);
  expect(findWords('Reads positions often', 'position?')).toEqual([[6, 15]]);
});

test('a revision reads as a sentence', () => {
  const revision = { revision: 1, at: before(0), actor: 'a', rows: 3 };

  expect(
    describeRevision({
      ...revision,
      tool: 'save_memory',
      summary: 'save_memory added 2 entities, 2 observations',
      what: ['+ Ada: Lives in London', '+ Ada (Person)'],
    }),
  ).toEqual({ text: 'Added 2 entities, 2 facts:', subject: 'Ada' });
  expect(
    describeRevision({
      ...revision,
      tool: 'update_observation',
      summary: 'update_observation changed 1 observation',
      what: ['~ Ada: likes tea → likes coffee'],
    }),
  ).toEqual({ text: 'Corrected a fact about', subject: 'Ada' });
});

test('two moments are compared row by row, a corrected fact as one change', () => {
  const ada = (facts: { id: string; content: string; supersedes?: string }[], name = 'Ada') => ({
    entities: [{ id: 'ent_1', name, entityType: 'Person', facts }],
    relations: [],
  });
  const changes = compareStates(
    ada([
      { id: 'obs_1', content: 'Likes tea' },
      { id: 'obs_2', content: 'Is gone' },
    ]),
    ada([{ id: 'obs_3', content: 'Likes coffee', supersedes: 'obs_1' }], 'Ada King'),
  );

  expect(changes.map(({ action, what, before: old, after }) => [action, what, old, after])).toEqual(
    [
      ['changed', 'entity', 'Ada (Person)', 'Ada King (Person)'],
      ['changed', 'observation', 'Likes tea', 'Likes coffee'],
      ['deleted', 'observation', 'Is gone', null],
    ],
  );
});

test('a file is looked at line by line before it is sent', () => {
  const known = {
    entities: new Set(['Ada']),
    facts: new Set([factKey('Ada', 'Likes tea')]),
    relations: new Set([relationKey('Ada', 'Bob', 'knows')]),
  };
  const preview = previewImport(
    [
      '{"type":"entity","name":"Ada","entityType":"Person","observations":["Likes tea","Likes jam"]}',
      '{"type":"entity","name":"Bob","entityType":"Person","observations":[]}',
      '{"type":"relation","from":"Ada","to":"Bob","relationType":"knows"}',
      'no json',
      '{"type":"entity","name":"Eve"}',
      '{"type":"banana"}',
    ].join('\n'),
    known,
  );

  expect(preview).toMatchObject({
    lines: 6,
    entities: { fresh: 1, known: 1 },
    facts: { fresh: 1, known: 1 },
    relations: { fresh: 0, known: 1 },
    faultCount: 3,
  });
  expect(preview.faults.map(({ line }) => line)).toEqual([4, 5, 6]);
});

test('a graph as one object, and a file of the server itself, are read too', () => {
  const nothing = {
    entities: new Set<string>(),
    facts: new Set<string>(),
    relations: new Set<string>(),
  };
  const graph = previewImport(
    '{"entities":[{"name":"A","entityType":"T","observations":["x"]}],"relations":[]}',
    nothing,
  );
  const file = previewImport(
    '{"type":"header","format":"skein"}\n{"type":"entity","id":1,"name":"A","entityType":"T"}\n{"type":"fact","id":2,"entity":1,"content":"x","supersededBy":null}\n{"type":"turn","id":3}',
    nothing,
  );

  expect([graph.entities.fresh, graph.facts.fresh, graph.faultCount]).toEqual([1, 1, 0]);
  expect([file.entities.fresh, file.facts.fresh, file.others, file.faultCount]).toEqual([
    1, 1, 2, 0,
  ]);
});

test('likely duplicates differ in case, signs or an s alone', () => {
  const entity = (name: string, facts: number) => ({ name, facts, entityType: 'Service' });

  expect(
    findDuplicates([entity('eta-engine', 5), entity('ETA Engines', 1), entity('dock', 2)]),
  ).toEqual([{ name: 'ETA Engines', entityType: 'Service', like: 'eta-engine' }]);
});

test('facts that share most of their words are similar', () => {
  const facts = [{ content: 'Contains 2 main tables' }, { content: 'Uses Windows' }];

  expect(similarFacts('Contains 3 main tables', facts)).toEqual([facts[0]]);
  expect(similarFacts('Contains', facts)).toEqual([]);
});

test('metrics stand against their targets', () => {
  const meters = qualityMeters({
    saves_accepted: 3,
    saves_rejected: 1,
    save_error_rate: 0.25,
    relation_coverage: null,
    observation_atomicity: 1,
    relations_per_entity: 2.5,
  });

  expect(meters.map(({ value, isMet }) => [value, isMet])).toEqual([
    ['25 %', false],
    [undefined, undefined],
    ['100 %', true],
    ['2.5', true],
  ]);
});

test('growth adds up to what there is', () => {
  const growth = growthOf(
    { entities: [before(0), before(2 * 1_440 * MINUTE)], facts: [before(0)], relations: [] },
    NOW,
  );

  expect(growth.entities).toEqual([0, 1, 1, 2]);
  expect(growth.facts.at(-1)).toBe(1);
  expect(growth.relations.at(-1)).toBe(0);
});

test.each([
  ['my-project', true],
  ['проект.2', true],
  ['', false],
  ['a b', false],
  ['-a', false],
  ['a/b', false],
])('the name %j of a thread is good: %s', (name, isGood) => {
  expect(nameFault(name) === undefined).toBe(isGood);
});

test('a type keeps its colour for good, and the ninth has none', () => {
  expect(assignColours(['A'], ['B', 'A'])).toEqual(['A', 'B']);
  expect(assignColours([], [...'abcdefghij'])).toHaveLength(8);
});
