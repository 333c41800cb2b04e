/** `node bench/run.ts search [--write]`: runs a benchmark inside workerd and tells what it found. */
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';
import { CommandError } from '../scripts/support/command-error.ts';
import { orExit, readCommandLine } from '../scripts/support/command-line.ts';
import type { BenchMeta } from './support/bench-table.ts';
import { measureIndexMemory } from './support/index-memory.ts';
import { benchUsage, publish, WRITES } from './support/benchmarks-page.ts';

const NAMES = ['search', 'cost', 'worst'];

const { positionals, values } = readCommandLine(
  {
    name: 'node bench/run.ts',
    usage: benchUsage(NAMES.find((one) => process.argv.includes(one)) ?? 'search'),
  },
  {
    options: { ...WRITES.options, only: { type: 'string', default: '' } },
    allowPositionals: true,
  },
);
const name = orExit(() => {
  const [first = '', surplus] = positionals;
  if (NAMES.includes(first) && surplus === undefined) return first;
  throw new CommandError(
    `Name one benchmark of ${NAMES.join(', ')}, not '${positionals.join(' ').slice(0, 80)}'.`,
  );
});
const only = orExit(() => {
  if (values.only === '') return [];
  if (name === 'worst' && values.write !== true) return values.only.split(',');
  throw new CommandError('Of worst alone some tools can be measured, and without --write.');
});
const config = resolve(import.meta.dirname, 'vitest.config.ts');
const vitest = await startVitest('test', [`bench/workerd/${name}.bench.ts`], {
  config,
  watch: false,
  provide: { only },
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const tables = tests.flatMap((test) => (test.meta() as BenchMeta).tables ?? []);
await vitest.close();
if (name === 'search') tables.push(measureIndexMemory());
publish(tables);
