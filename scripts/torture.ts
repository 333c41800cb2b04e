/** `npm run torture -- --rounds 20 --writers 8`: kills the server while it writes, and looks what is left. */
import { orExit, readCommandLine, readCount } from './support/command-line.ts';
import { torture, type RoundReport } from './support/torture.ts';

const USAGE = `npm run torture [-- --rounds 20 --writers 8]

  --rounds   how often the server is killed; 20 when left out
  --writers  clients that write at the same time; 8 when left out`;

const { values } = readCommandLine(
  { name: 'npm run torture', usage: USAGE },
  {
    options: {
      rounds: { type: 'string', default: '20' },
      writers: { type: 'string', default: '8' },
    },
  },
);
const [rounds, writers] = orExit(() => [
  readCount('rounds', values.rounds),
  readCount('writers', values.writers),
]);
const reports = await torture({
  rounds,
  writers,
  onRound: printRound,
});
printSummary(reports);
process.exitCode = reports.some(({ violations }) => violations.length > 0) ? 1 : 0;

function printRound(report: RoundReport): void {
  const { round, killedAfterMs, acknowledged, unanswered, updates, entities, violations } = report;
  console.log(
    `round ${String(round).padStart(2)}: killed after ${String(killedAfterMs).padStart(4)} ms, ` +
      `${acknowledged} saves and ${updates} updates acknowledged; of ` +
      `${unanswered.stored + unanswered.absent} saves cut off, ${unanswered.stored} stored and ` +
      `${unanswered.absent} absent; ${entities} entities; ${count(violations.length, 'violation')}`,
  );
  for (const violation of violations) console.log(`  ${violation}`);
}

function printSummary(all: readonly RoundReport[]): void {
  const sum = (pick: (report: RoundReport) => number) =>
    all.reduce((total, report) => total + pick(report), 0);
  console.log(
    `${count(all.length, 'crash', 'crashes')}: ${sum((one) => one.acknowledged)} saves and ` +
      `${sum((one) => one.updates)} updates acknowledged, ` +
      `${sum(({ unanswered }) => unanswered.stored + unanswered.absent)} saves cut off, ` +
      `${count(
        sum(({ violations }) => violations.length),
        'violation',
      )}.`,
  );
}

function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
