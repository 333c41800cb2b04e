import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseEntityType, suggestEntityType } from '#graph/entity-type.ts';
import { formatId, parseId } from '#graph/ids.ts';
import { closestNames, foldName, normaliseName } from '#graph/names.ts';
import { findObservationProblem } from '#graph/rules/observation-rules.ts';
import { sharedWords } from '#graph/text/overlap.ts';
import { measureQuality, qualityScore } from '#graph/rules/quality.ts';
import { splitObservation } from '#graph/rules/split-observation.ts';
import { readSaveRequest } from '#graph/rules/save-request.ts';
import { DEFAULT_LIMITS } from '#limits.ts';

test.each([
  ['José', 'JOSE'],
  ['Ｆｕｌｌ', 'full'],
  ['Straße', 'STRASSE'],
  ['İstanbul', 'istanbul'],
  ['Київ', 'київ'],
  ['a  b', 'A b'],
])('%s and %s fold alike', (a, b) => {
  expect(foldName(a)).toBe(foldName(b));
});

test.each([
  ['パス', 'バス'],
  ['राम', 'रोम'],
  ['ไก่', 'ไก'],
  ['Андрій', 'Андріи'],
])('%s and %s are two names: their marks make other letters', (a, b) => {
  expect(foldName(a)).not.toBe(foldName(b));
});

test('folding and normalising twice is the same as once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
      expect(normaliseName(normaliseName(name))).toBe(normaliseName(name));
    }),
  );
});

test('close names come most alike first, and unlike ones not at all', () => {
  expect(closestNames('Andri', ['Portfolio', 'Andrea', 'Andrii', 'Andrii K.'])).toEqual([
    'Andrii',
    'Andrii K.',
    'Andrea',
  ]);
  expect(closestNames('xyz', ['Portfolio'])).toEqual([]);
});

test.each([
  [
    'person',
    'Person',
    ["EntityType 'person' should start with capital letter. Normalized to 'Person'."],
  ],
  [
    'API Key',
    'API Key',
    ["EntityType 'API Key' contains spaces. Consider using 'ApiKey' instead."],
  ],
  ['Person', 'Person', []],
  ['élan', 'Élan', ["EntityType 'élan' should start with capital letter. Normalized to 'Élan'."]],
  ['人物', '人物', []],
])('the entity type %s is stored as %s', (given, entityType, warnings) => {
  expect(normaliseEntityType(given)).toEqual({ entityType, warnings });
});

test('a faulty entity type is answered with a common one that is close', () => {
  expect(suggestEntityType('Databases')).toBe(
    'Use a short type such as Database, or one of your own.',
  );
  expect(suggestEntityType('')).toContain('Person, Document, File');
});

test.each<[string, string, string, string]>([
  [
    'sentences',
    'Likes tea. Likes coffee. Likes water.',
    'Too many sentences (3). Max 2 sentences.',
    "Split into 3 observations: 1) 'Likes tea.', 2) 'Likes coffee.', 3) 'Likes water.'",
  ],
  [
    'clauses',
    `Moved from ${'a'.repeat(40)} to ${'b'.repeat(40)} in spring, and works at ${'c'.repeat(60)} since then`,
    'Too long (191 chars). Max 150 chars.',
    `Split into 2 observations: 1) 'Moved from ${'a'.repeat(40)} to ${'b'.repeat(40)} in spring', 2) 'works at ${'c'.repeat(60)} since then'`,
  ],
  [
    'neither',
    'x'.repeat(200),
    'Too long (200 chars). Max 150 chars.',
    'Split into 2 or more observations of at most 150 chars, one fact each.',
  ],
  [
    'clauses outside of quotes and brackets alone',
    `Wrote "${'a, '.repeat(30)}b" (see ${'c, '.repeat(10)}d); then left it`,
    'Too long (151 chars). Max 150 chars.',
    `Split into 2 observations: 1) 'Wrote "${'a, '.repeat(30)}b" (see ${'c, '.repeat(10)}d)', 2) 'then left it'`,
  ],
  [
    'both faults',
    `Likes ${'tea'.repeat(50)}. Has a cat. Has a dog.`,
    'Too long (179 chars). Max 150 chars. Too many sentences (3). Max 2 sentences.',
    'Split into 2 or more observations of at most 150 chars, one fact each.',
  ],
])('what is too much is shown split: %s', (_, text, problem, suggestion) => {
  expect(findObservationProblem(text, DEFAULT_LIMITS)).toMatchObject({ problem, suggestion });
});

test('every part of a split is acceptable, and nothing but joints is lost', () => {
  const words = fc.array(
    fc.constantFrom(
      'likes',
      'tea',
      '"black. tea"',
      'and',
      'but',
      'milk,',
      'works;',
      'done.',
      '(a, b)',
    ),
    { minLength: 20, maxLength: 80 },
  );
  fc.assert(
    fc.property(words, (given) => {
      const text = given.join(' ');
      const parts = splitObservation(text, DEFAULT_LIMITS) ?? [];
      const lettersOf = (some: string) => some.match(/likes|tea|black|milk|works|done/gu) ?? [];

      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(DEFAULT_LIMITS.observationCharsMax);
        expect(part.split('"').length % 2).toBe(1);
      }
      if (parts.length > 0) expect(lettersOf(parts.join(' '))).toEqual(lettersOf(text));
    }),
  );
});

test('an observation may have exactly as much as the limits allow', () => {
  expect(findObservationProblem('x'.repeat(150), DEFAULT_LIMITS)).toBeUndefined();
  expect(findObservationProblem('x'.repeat(151), DEFAULT_LIMITS)?.rule).toBe(
    'Observation too long (151 chars). Max 150. Split into multiple observations.',
  );
  expect(findObservationProblem('Likes tea. Likes milk.', DEFAULT_LIMITS)).toBeUndefined();
  expect(findObservationProblem('Likes tea. Likes milk. Likes rum.', DEFAULT_LIMITS)?.rule).toBe(
    'Too many sentences (3). Max 2. One fact per observation.',
  );
  expect(findObservationProblem(' four ', DEFAULT_LIMITS)?.rule).toBe(
    'Observation too short (4 chars). Min 5.',
  );
  expect(findObservationProblem('fives', DEFAULT_LIMITS)).toBeUndefined();
});

test('a deployment may allow more', () => {
  const limits = { ...DEFAULT_LIMITS, observationCharsMax: 300, observationSentencesMax: 3 };

  expect(findObservationProblem('x'.repeat(300), limits)).toBeUndefined();
  expect(findObservationProblem('One. Two. Three.', limits)).toBeUndefined();
});

test('the quality score is 0.7 for relations and 0.3 for brevity', () => {
  const entity = (relations: number) => ({ observations: ['x'], relations: Array(relations) });

  expect(qualityScore([entity(2)], [0], 150)).toBe(1);
  expect(qualityScore([entity(1)], [75], 150)).toBe(0.5);
  expect(qualityScore([entity(4), entity(0)], [150], 150)).toBe(0.7);
  expect(qualityScore([], [], 150)).toBe(0);
});

test('quality is null where there is nothing to measure', () => {
  const counts = {
    entities: 0,
    connectedEntities: 0,
    relations: 0,
    observations: 0,
    oversizedObservations: 0,
    savesAccepted: 0,
    savesRejected: 3,
  };

  expect(measureQuality(counts)).toMatchObject({ relation_coverage: null, save_error_rate: 1 });
});

test('ids are read back, and nothing else is an id', () => {
  expect(parseId('observation', formatId('observation', 40))).toBe(40);
  for (const text of [
    'obs_',
    'obs_0',
    'obs_-1',
    'obs_1.5',
    'obs_1 ',
    'mem_1',
    '1',
    `obs_${'9'.repeat(20)}`,
  ]) {
    expect(parseId('observation', text)).toBeUndefined();
  }
});

test('statements that differ by a version share their words', () => {
  expect(sharedWords('Uses python-docx 1.1.0', 'Uses python-docx 1.2.0')).toBeGreaterThanOrEqual(
    0.5,
  );
  expect(sharedWords('Works at Google', 'Likes green tea')).toBe(0);
});

test.each([
  ['Ships on 17 December 2026.', 'Ships on 15 January 2027.', 1],
  ['Ships on 2026-12-17', 'Ships 15 Jan', 1],
  ['Founded on 3 May 1998', 'Ships on 17 December 2026', 0],
  ['Lives in Berlin.', 'Lives in Berlin with Tom', 1],
  ['Moved in 2026', '2026', 0],
])('neither a date nor a full stop tells %j from %j', (a, b, shared) => {
  expect(sharedWords(a, b)).toBe(shared);
});

test('whatever is sent as entities, the reading is a list of faults and never a throw', () => {
  fc.assert(
    fc.property(fc.array(fc.anything(), { maxLength: 5 }), (entities) => {
      const { drafts, faults } = readSaveRequest(entities, DEFAULT_LIMITS);
      expect(drafts).toHaveLength(entities.length);
      for (const fault of faults) expect(fault.problem).not.toBe('');
    }),
    { numRuns: 500 },
  );
});

test('near-valid entities give a fault for each thing that is wrong', () => {
  const anything = fc.oneof(fc.string(), fc.anything());
  const nearEntity = fc.record({
    name: anything,
    entityType: anything,
    observations: fc.oneof(anything, fc.array(anything, { maxLength: 3 })),
    relations: fc.oneof(
      anything,
      fc.array(
        fc.record({ targetEntity: anything, relationType: anything, importance: anything }),
        { maxLength: 3 },
      ),
    ),
  });
  fc.assert(
    fc.property(fc.array(nearEntity, { minLength: 1, maxLength: 3 }), (entities) => {
      const { drafts, faults } = readSaveRequest(entities, DEFAULT_LIMITS);
      drafts.forEach((draft, index) => {
        const isWhole =
          draft.name !== '' && draft.entityType !== '' && draft.observations.length > 0;
        if (!isWhole) expect(faults.some((fault) => fault.index === index)).toBe(true);
      });
    }),
    { numRuns: 500 },
  );
});
