/**
 * `npm run bench:calls`: how long the calls of an agent take through `npm start`, and through the
 * reference memory server of npm in the same run. Both are asked by one client, call by call in turn,
 * so that whatever else the machine does hits both alike.
 */
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from '../scripts/support/command-error.ts';
import { formatCount, type BenchTable } from './support/bench-table.ts';
import { publish } from './support/benchmarks-page.ts';
import { CALLS_USAGE, readCallsOptions, type CallsOptions } from './support/calls-options.ts';
import {
  findMissed,
  tabulateGoals,
  tabulateTimes,
  tabulateVectors,
  type CallTimes,
  type Measurement,
} from './support/calls-results.ts';
import {
  startOurs,
  startReference,
  type CallsServer,
  type EmbeddingServer,
} from './support/calls-servers.ts';
import { CALLS, callsThread, type CallsThread } from './support/calls-thread.ts';

/** Rounds of one call each to both servers, at each size. */
const IDLE_ROUNDS = 60;
const BUSY_ROUNDS = 30;
/** A backlog that is slow to work off is not measured for longer than this. */
const BUSY_MS_MAX = 60_000;
/** Not counted: both servers compile what they run often. */
const WARMING_ROUNDS = 5;
/** Writes to a thread that does nothing else, each of which is followed until its vector is stored. */
const FOLLOWED_WRITES = 20;
/** Nobody asks the thread anything for so long before each of them. */
const REST_MS = 300;
/** Time between two questions whether it has its vector: each makes background work wait a little. */
const FOLLOW_MS = 10;
const ROUNDS_PER_SIZE = BUSY_ROUNDS + WARMING_ROUNDS + IDLE_ROUNDS + FOLLOWED_WRITES;

try {
  const options = readCallsOptions(process.argv.slice(2));
  if (options.isHelp) console.log(CALLS_USAGE);
  else await run(options);
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

interface Servers {
  readonly ours: EmbeddingServer;
  readonly reference: CallsServer;
}

async function run({ sizes, url }: CallsOptions): Promise<void> {
  const measurements = await measureSizes(sizes, url);
  publish([
    tabulateTimes(measurements),
    tabulateGoals(measurements),
    tabulateVectors(measurements),
    describeMachine(),
  ]);
  const missed = findMissed(measurements);
  if (missed.length === 0) return;
  console.error(`Goals missed:\n${missed.map((goal) => `  ${goal}`).join('\n')}`);
  process.exitCode = 1;
}

/** One thread, which grows from size to size. */
async function measureSizes(sizes: readonly number[], url?: string): Promise<Measurement[]> {
  await using reference = await startReference();
  await using ours = await startOurs(url);
  const servers = { ours, reference };
  const thread = callsThread(sizes.at(-1) ?? 0, sizes.length * ROUNDS_PER_SIZE);
  const measurements: Measurement[] = [];
  for (const [index, size] of sizes.entries()) {
    const firstRound = index * ROUNDS_PER_SIZE;
    const measured = await measureSize(servers, thread, sizes[index - 1] ?? 0, size, firstRound);
    measurements.push(measured);
    console.error(`${formatCount(size)} entities: measured.`);
  }
  return measurements;
}

async function measureSize(
  { ours, reference }: Servers,
  thread: CallsThread,
  from: number,
  size: number,
  firstRound: number,
): Promise<Measurement> {
  const loading = thread.loading(from, size);
  const referenceLoadMs = await load(reference, loading);
  // Last, so that its backlog is still large when the calls begin.
  const oursLoadMs = await load(ours, loading);
  const rounds = Array.from({ length: ROUNDS_PER_SIZE }, (_, index) => firstRound + index);
  const measure = (first: number, end: number, isOver?: () => Promise<boolean>) =>
    measureRounds({ ours, reference }, thread, size, rounds.slice(first, end), isOver);
  const deadline = performance.now() + BUSY_MS_MAX;
  const busy = await measure(
    0,
    BUSY_ROUNDS,
    async () => performance.now() > deadline || (await ours.backlog()) === 0,
  );
  await ours.untilIdle();
  await measure(BUSY_ROUNDS, BUSY_ROUNDS + WARMING_ROUNDS);
  const idle = await measure(BUSY_ROUNDS + WARMING_ROUNDS, ROUNDS_PER_SIZE - FOLLOWED_WRITES);
  const writes = rounds.slice(-FOLLOWED_WRITES).map((round) => thread.call('add', round, size));
  const vectorsMs = await followWrites(ours, writes);
  return { size, loadMs: { ours: oursLoadMs, reference: referenceLoadMs }, busy, idle, vectorsMs };
}

/** Milliseconds from the answer to each write until no text waits for its vector any more. */
async function followWrites(
  ours: EmbeddingServer,
  writes: ReturnType<CallsThread['loading']>,
): Promise<number[]> {
  const times: number[] = [];
  await ours.untilIdle();
  for (const write of writes) {
    await wait(REST_MS);
    await ours.time(write);
    const answeredAt = performance.now();
    await ours.untilIdle(FOLLOW_MS);
    times.push(performance.now() - answeredAt);
  }
  return times;
}

async function load(
  server: CallsServer,
  calls: ReturnType<CallsThread['loading']>,
): Promise<number> {
  let total = 0;
  for (const call of calls) total += await server.time(call);
  return total;
}

/** Every call of a round goes to one server and at once to the other, which of them first by turns. */
async function measureRounds(
  { ours, reference }: Servers,
  thread: CallsThread,
  size: number,
  rounds: readonly number[],
  isOver: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<CallTimes[]> {
  const times: CallTimes[] = [];
  for (const round of rounds) {
    if (await isOver()) break;
    for (const name of CALLS) {
      const call = thread.call(name, round, size);
      const isOursFirst = round % 2 === 0;
      const [first, second] = isOursFirst ? [ours, reference] : [reference, ours];
      const both = [await first.time(call), await second.time(call)] as const;
      const [ownMs, referenceMs] = isOursFirst ? both : both.toReversed();
      times.push({ name, ours: ownMs ?? Number.NaN, reference: referenceMs ?? Number.NaN });
    }
  }
  return times;
}

function describeMachine(): BenchTable {
  const [cpu] = cpus();
  return {
    name: 'calls-machine',
    head: ['Processor', 'Cores', 'Node.js'],
    rows: [[cpu?.model.trim() ?? 'unknown', formatCount(cpus().length), process.version]],
  };
}
