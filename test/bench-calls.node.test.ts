/** What `npm run bench:calls` takes, and what it says of its times. */
import { expect, test } from 'vitest';
import { readCallsOptions } from '../bench/support/calls-options.ts';
import {
  findMissed,
  tabulateGoals,
  tabulateTimes,
  tabulateVectors,
  type CallTimes,
  type Measurement,
} from '../bench/support/calls-results.ts';
import { CALLS, callsThread } from '../bench/support/calls-thread.ts';

test('the sizes of the goals are measured when no others are given', () => {
  expect(readCallsOptions([])).toMatchObject({ sizes: [1_000, 5_000, 20_000], isHelp: false });
  expect(readCallsOptions(['--sizes', '100,300', '--write']).sizes).toEqual([100, 300]);
  expect(readCallsOptions(['--help']).isHelp).toBe(true);
});

test.each([
  [['--size', '1000'], /^Unknown option '--size'\./],
  [['1000'], /^Unexpected argument '1000'\./],
  [['--sizes', '1000,500'], /^--sizes must be ascending/],
  [['--sizes', '150'], /^--sizes must be ascending/],
  [['--sizes', 'all'], /^--sizes must be ascending/],
  [['--url', 'localhost'], /^--url must be/],
])('%j is refused in one line', (args, message) => {
  expect(() => readCallsOptions(args)).toThrow(message);
  expect(() => readCallsOptions(args)).not.toThrow(/\n/);
});

test('a goal that is missed is told, with the ratio of the medians', () => {
  const measurements = [
    measurement(1_000, { ours: 10, reference: 5 }),
    measurement(5_000, { ours: 12, reference: 20 }),
    measurement(20_000, { ours: 16, reference: 100 }),
  ];

  const missed = findMissed(measurements);

  expect(missed).toHaveLength(2 * CALLS.length);
  expect(missed).toContain('open: 1.6× (idle, 20,000 against 1,000 entities: at most 1.5×)');
  expect(missed).toContain('open: 0.16× (20,000 entities, against the reference: at most 0.125×)');
  expect(tabulateGoals(measurements).rows[0]).toContain('**1.6×**');
});

test('vectors that come late are told, by the writes that waited longest', () => {
  const soon = measurement(100, { ours: 1, reference: 1 }, [30, 40, 50]);
  const late = measurement(300, { ours: 1, reference: 1 }, [30, 40, 130]);

  expect(findMissed([soon, late])).toEqual(['vectors: 130 ms (300 entities: at most 100 ms)']);
  expect(tabulateVectors([soon, late]).rows).toEqual([
    ['100', '3', '40 ms', '50 ms', '50 ms'],
    ['300', '3', '40 ms', '**130 ms**', '130 ms'],
  ]);
});

test('a size that was not measured and a backlog that was empty leave cells empty', () => {
  const measurements = [measurement(100, { ours: 1, reference: 1 })];

  expect(findMissed(measurements)).toEqual([]);
  expect(tabulateGoals(measurements).rows.flatMap((row) => row.slice(1))).toEqual(
    expect.arrayContaining(['']),
  );
  // One row of loading and one of each call while idle.
  expect(tabulateTimes(measurements).rows).toHaveLength(1 + CALLS.length);
});

test('every entity is loaded with a fact once, and related to an older one alone', () => {
  const thread = callsThread(300, 10);
  const calls = [...thread.loading(0, 100), ...thread.loading(100, 300)];
  const entities = calls.flatMap(({ input }) => (input['entities'] ?? []) as { name: string }[]);
  const relations = calls.flatMap(
    ({ input }) => (input['relations'] ?? []) as { from: string; to: string }[],
  );
  const placeOf = new Map(entities.map(({ name }, place) => [name, place]));

  expect(placeOf.size).toBe(300);
  expect(relations).toHaveLength(150);
  for (const { from, to } of relations) {
    expect(placeOf.get(to)).toBeLessThan(placeOf.get(from) ?? -1);
  }
  const searched = Array.from({ length: 10 }, (_, round) => thread.call('search rare', round, 300));
  expect(new Set(searched.map(({ input }) => input['query'])).size).toBe(10);
});

function measurement(
  size: number,
  ms: { ours: number; reference: number },
  vectorsMs: readonly number[] = [40],
): Measurement {
  const idle: CallTimes[] = CALLS.map((name) => ({ name, ...ms }));
  return { size, loadMs: { ours: 1_000, reference: 500 }, idle, busy: [], vectorsMs };
}
