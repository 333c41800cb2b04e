/** `node bench/run.ts search [--write]`: runs a benchmark inside workerd and tells what it found. */
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';
import type { BenchMeta } from './support/bench-table.ts';
import { measureIndexMemory } from './support/index-memory.ts';
import { publish } from './support/benchmarks-page.ts';

const [name = ''] = process.argv.slice(2);
const config = resolve(import.meta.dirname, 'vitest.config.ts');
const vitest = await startVitest('test', [`bench/workerd/${name}.bench.ts`], {
  config,
  watch: false,
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const tables = tests.flatMap((test) => (test.meta() as BenchMeta).tables ?? []);
await vitest.close();
if (name === 'search') tables.push(measureIndexMemory());
publish(tables);
