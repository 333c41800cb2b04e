/** `npm run torture -- --rounds 20 --writers 8`: kills the server while it writes, and looks what is left. */
import { parseArgs } from 'node:util';
import { torture, type RoundReport } from './support/torture.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    writers: { type: 'string', default: '8' },
  },
});
const reports = await torture({
  rounds: readCount('rounds', values.rounds),
  writers: readCount('writers', values.writers),
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

function readCount(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  console.error(`--${name} must be a whole number above 0, not '${text}'.`);
  process.exit(2);
}
