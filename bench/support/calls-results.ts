/** What `npm run bench:calls` makes of its times: the table, and the goals as ratios of medians. */
import {
  formatCount,
  formatMilliseconds,
  formatTimes,
  median,
  percentile,
  type BenchTable,
} from './bench-table.ts';
import { CALLS, type CallName } from './calls-thread.ts';

/** Milliseconds of one call to both servers. */
export interface CallTimes {
  readonly name: CallName;
  readonly ours: number;
  readonly reference: number;
}

type Server = 'ours' | 'reference';
type State = 'idle' | 'busy';

export interface Measurement {
  /** Entities of the thread. */
  readonly size: number;
  /** Milliseconds of the calls that loaded what the size before had not. */
  readonly loadMs: Readonly<Record<Server, number>>;
  readonly idle: readonly CallTimes[];
  /** While texts wait for their vector. Empty when there were none left. */
  readonly busy: readonly CallTimes[];
  /** Milliseconds from the answer to each of some writes until their texts had their vectors. */
  readonly vectorsMs: readonly number[];
}

/** The 95th percentile of `vectorsMs` must not be above this. */
const VECTORS_MS_MAX = 100;

interface Goal {
  readonly text: string;
  /** The ratio must not be above this. */
  readonly most: number;
  /** Undefined where the sizes of the run do not tell. */
  ratio(measurements: readonly Measurement[], name: CallName): number | undefined;
}

const GOALS: readonly Goal[] = [
  {
    text: 'idle, 20,000 against 1,000 entities: at most 1.5×',
    most: 1.5,
    ratio: (all, name) =>
      divide(
        medianOf(all, 20_000, 'idle', 'ours', name),
        medianOf(all, 1_000, 'idle', 'ours', name),
      ),
  },
  againstReference('1,000 entities, against the reference: at most 2.5×', 1_000, 2.5),
  againstReference('5,000 entities, against the reference: below 1×', 5_000, 1),
  againstReference('20,000 entities, against the reference: at most 0.125×', 20_000, 1 / 8),
  ...[1_000, 5_000, 20_000].map((size) => ({
    text: `${formatCount(size)} entities, while vectors are made against idle: at most 2×`,
    most: 2,
    ratio: (all: readonly Measurement[], name: CallName) =>
      divide(medianOf(all, size, 'busy', 'ours', name), medianOf(all, size, 'idle', 'ours', name)),
  })),
];

function againstReference(text: string, size: number, most: number): Goal {
  return {
    text,
    most,
    ratio: (all, name) =>
      divide(
        medianOf(all, size, 'idle', 'ours', name),
        medianOf(all, size, 'idle', 'reference', name),
      ),
  };
}

/** Medians and 95th percentiles of both servers, by size, state and call. */
export function tabulateTimes(measurements: readonly Measurement[]): BenchTable {
  return {
    name: 'calls',
    head: ['Entities', 'State', 'Call', 'Calls', 'Skein', '95 %', 'Reference', '95 %', 'Ratio'],
    rows: measurements.flatMap((one) => [
      loadingRow(one),
      ...(['busy', 'idle'] as const).flatMap((state) =>
        CALLS.flatMap((name) => callRow(one, state, name)),
      ),
    ]),
  };
}

/** How each call stands to each goal, as a ratio of medians; one that is missed is in bold. */
export function tabulateGoals(measurements: readonly Measurement[]): BenchTable {
  return {
    name: 'calls-goals',
    head: ['Goal', ...CALLS],
    rows: GOALS.map((goal) => [
      goal.text,
      ...CALLS.map((name) => {
        const ratio = goal.ratio(measurements, name);
        if (ratio === undefined) return '';
        return ratio > goal.most ? `**${formatRatio(ratio)}**` : formatRatio(ratio);
      }),
    ]),
  };
}

/** How soon a thread that does nothing else has the vectors of what is written; bold where that is too late. */
export function tabulateVectors(measurements: readonly Measurement[]): BenchTable {
  return {
    name: 'calls-vectors',
    head: ['Entities', 'Writes', 'Median', '95 %', 'Slowest'],
    rows: measurements.map(({ size, vectorsMs }) => {
      const most = formatMilliseconds(percentile(vectorsMs, 95));
      return [
        formatCount(size),
        formatCount(vectorsMs.length),
        formatMilliseconds(median(vectorsMs)),
        isLate(vectorsMs) ? `**${most}**` : most,
        formatMilliseconds(percentile(vectorsMs, 100)),
      ];
    }),
  };
}

function isLate(vectorsMs: readonly number[]): boolean {
  return percentile(vectorsMs, 95) > VECTORS_MS_MAX;
}

/** A line for each call that misses a goal, and for each size at which vectors come late. */
export function findMissed(measurements: readonly Measurement[]): string[] {
  const late = measurements
    .filter(({ vectorsMs }) => isLate(vectorsMs))
    .map(
      ({ size, vectorsMs }) =>
        `vectors: ${formatMilliseconds(percentile(vectorsMs, 95))} (${formatCount(size)} entities: at most ${VECTORS_MS_MAX} ms)`,
    );
  return [...missedRatios(measurements), ...late];
}

function missedRatios(measurements: readonly Measurement[]): string[] {
  return GOALS.flatMap((goal) =>
    CALLS.flatMap((name) => {
      const ratio = goal.ratio(measurements, name);
      const isMissed = ratio !== undefined && ratio > goal.most;
      return isMissed ? [`${name}: ${formatRatio(ratio)} (${goal.text})`] : [];
    }),
  );
}

function loadingRow({ size, loadMs }: Measurement): string[] {
  const [own, theirs] = [loadMs.ours, loadMs.reference].map((ms) => `${(ms / 1000).toFixed(1)} s`);
  const ratio = formatRatio(loadMs.ours / loadMs.reference);
  return [formatCount(size), 'loading', '', '', own ?? '', '', theirs ?? '', '', ratio];
}

function callRow({ size, ...times }: Measurement, state: State, name: CallName): string[][] {
  const own = times[state].filter((one) => one.name === name);
  if (own.length === 0) return [];
  const ours = own.map((one) => one.ours);
  const reference = own.map((one) => one.reference);
  return [
    [
      formatCount(size),
      state === 'busy' ? 'vectors are made' : 'idle',
      name,
      formatCount(own.length),
      ...[ours, reference].flatMap((ms) => [
        formatMilliseconds(median(ms)),
        formatMilliseconds(percentile(ms, 95)),
      ]),
      formatRatio(median(ours) / median(reference)),
    ],
  ];
}

function medianOf(
  measurements: readonly Measurement[],
  size: number,
  state: State,
  server: Server,
  name: CallName,
): number | undefined {
  const times = measurements.find((one) => one.size === size)?.[state] ?? [];
  const own = times.filter((one) => one.name === name).map((one) => one[server]);
  return own.length === 0 ? undefined : median(own);
}

function divide(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

/** Two decimals below one, where tenths would hide what matters. */
function formatRatio(ratio: number): string {
  return ratio < 1 ? `${ratio.toFixed(2)}×` : formatTimes(ratio);
}
