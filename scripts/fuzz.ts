/**
 * `npm run fuzz -- --calls 10000 --seed 7`: hostile inputs for every tool, against the real server. It
 * fails for a status of 500 and above, a word from inside, a thread that is not sound afterwards, or
 * a server whose memory grows without end.
 */
import { parseArgs } from 'node:util';
import { fuzz } from './support/fuzz.ts';
import { SECRET } from './support/hostile-inputs.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const { offences, faults, outcomes, memory, secretsSent, log } = await fuzz({
  calls: Number(values.calls),
  seed: Number(values.seed),
});
console.log(`seed ${values.seed}: ${outcomes.ok} calls answered, ${outcomes.refused} refused.`);
console.log(`Memory of the server in MB, after each tenth of the calls: ${memory.join(' ')}`);
for (const { tool, args, offence, body } of offences) {
  console.log(`\n${tool}: ${offence}\n  ${args.slice(0, 2_000)}\n  ${body.slice(0, 1_000)}`);
}
for (const fault of faults) console.log(`Not so: ${fault}`);
console.log(`${offences.length} offences, ${faults.length} broken invariants.`);
const isLeaking = log.includes(SECRET);
console.log(
  `The log ${isLeaking ? 'has' : 'has nothing of'} the secret that ${secretsSent} calls held.`,
);
process.exitCode = offences.length + faults.length > 0 || isLeaking ? 1 : 0;
