/**
 * `npm run fuzz -- --calls 10000 --seed 7`: hostile inputs for every tool, against the real server. It
 * fails for a status of 500 and above, a word from inside, a thread that is not sound afterwards, a
 * secret in the log, or a process running our code whose memory grows without end.
 */
import { orExit, readCommandLine, readCount } from './support/command-line.ts';
import { startDevServer } from './support/dev-server.ts';
import { fuzz } from './support/fuzz.ts';
import { SECRET } from './support/hostile-inputs.ts';
import {
  HEAP_ALLOWANCE,
  judgeSteadiness,
  readHeaps,
  RESIDENT_ALLOWANCE,
  TRACED_HEAP,
  type Allowance,
  type MemorySample,
} from './support/server-memory.ts';

const USAGE = `npm run fuzz [-- --calls 10000 --seed 7]

  --calls  hostile calls to make; 10000 when left out
  --seed   a whole number above 0 that repeats a run; another one each time when left out`;

const { values } = readCommandLine(
  { name: 'npm run fuzz', usage: USAGE },
  {
    options: {
      calls: { type: 'string', default: '10000' },
      seed: { type: 'string', default: String(1 + (Date.now() % 1_000_000)) },
    },
  },
);
const [calls, seed] = orExit(() => [
  readCount('calls', values.calls),
  readCount('seed', values.seed),
]);
await using server = await startDevServer({ v8Flags: TRACED_HEAP });
console.log(`Resident megabytes of the server's processes, seed ${seed}:`);
const report = await fuzz(server, {
  calls,
  seed,
  onSample: printSample,
});
const { outcomes, offences, faults, memory, secretsSent } = report;
console.log(`${outcomes.ok} calls answered, ${outcomes.refused} refused.`);
for (const { tool, args, offence, body } of offences) {
  console.log(`\n${tool}: ${offence}\n  ${args.slice(0, 2_000)}\n  ${body.slice(0, 2_500)}`);
}
for (const fault of faults) console.log(`Not so: ${fault}`);
console.log(`${offences.length} offences, ${faults.length} broken invariants.`);
const isLeaking = server.log().includes(SECRET);
console.log(
  `The log ${isLeaking ? 'has' : 'has nothing of'} the secret that ${secretsSent} calls held.`,
);
const resident = memory.map(({ worker }) => worker);
const isSteady = [
  judge('Resident memory of the worker', resident, RESIDENT_ALLOWANCE),
  judge('Its heap after full collections', readHeaps(server.log()), HEAP_ALLOWANCE),
].every(Boolean);
if (offences.length + faults.length > 0 || isLeaking || !isSteady) process.exitCode = 1;

function printSample(calls: number, sample: MemorySample): void {
  const parts = Object.entries(sample).map(([role, megabytes]) => `${role} ${megabytes}`);
  console.log(`  after ${String(calls).padStart(6)} calls: ${parts.join(', ')}`);
}

/** Only the process that runs our code is judged. Returns whether it is steady, as far as one can tell. */
function judge(what: string, megabytes: readonly number[], allowance: Allowance): boolean {
  const verdict = judgeSteadiness(megabytes, allowance);
  if (verdict === undefined) {
    console.log(`${what}: ${megabytes.length} values say nothing; make more calls.`);
    return true;
  }
  const { isSteady, early, late } = verdict;
  console.log(
    `${what} is ${isSteady ? 'steady' : 'NOT STEADY'}: ` +
      `${early} MB in the second quarter, ${late} MB in the last.`,
  );
  return isSteady;
}
