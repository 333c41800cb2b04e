/**
 * `npm run bench:footprint`: how large the Worker is, how long it takes to be evaluated, and how long a new
 * thread takes to answer first. In bare workerd; the figures of time belong to the machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWorker, BUNDLE_KIB_MAX, bundleKibibytes } from '../scripts/support/bundle.ts';
import { readCommandLine } from '../scripts/support/command-line.ts';
import { makeScratch, removeScratch } from '../scripts/support/dev-server.ts';
import { startBareWorkerd } from './support/bare-workerd.ts';
import { formatMilliseconds, median, type BenchTable } from './support/bench-table.ts';
import { benchUsage, publish, WRITES } from './support/benchmarks-page.ts';

const STARTS = 9;
const THREADS = 25;
/** Of a first call that is not counted: the engine compiles what it runs often. */
const WARM_UP = 10;
const EVALUATION_MS_MAX = 100;
const FIRST_CALL_MS_MAX = 15;

/** The least that a Worker with two objects can be; its start is that of the engine. */
const EMPTY = `import { DurableObject } from 'cloudflare:workers';
export class Thread extends DurableObject {}
export class Directory extends DurableObject {}
export default { fetch: () => new Response('') };`;

readCommandLine({ name: 'npm run bench:footprint', usage: benchUsage('footprint') }, WRITES);
const scratch = makeScratch();
try {
  publish([await measure()]);
} finally {
  removeScratch(scratch);
}

async function measure(): Promise<BenchTable> {
  const [worker, empty] = [join(scratch, 'worker'), join(scratch, 'empty')];
  buildWorker(worker);
  mkdirSync(empty);
  writeFileSync(join(empty, 'worker.js'), EMPTY);
  const evaluation = await measureEvaluation(worker, empty);
  const calls = await measureFirstCalls(worker);
  const row = (what: string, value: string, goal: string) => [what, value, goal];
  return {
    name: 'footprint',
    head: ['What', 'Measured', 'Goal'],
    rows: [
      row(
        'Modules of the Worker, minified and gzipped',
        `${bundleKibibytes(worker).toFixed(0)} KiB`,
        `${BUNDLE_KIB_MAX} KiB`,
      ),
      row(
        `CPU to evaluate them (median of ${STARTS} starts)`,
        evaluation === undefined ? 'not known without /proc' : formatMilliseconds(evaluation),
        formatMilliseconds(EVALUATION_MS_MAX),
      ),
      row(
        `First call of a new thread (median of ${THREADS})`,
        formatMilliseconds(calls.first),
        formatMilliseconds(FIRST_CALL_MS_MAX),
      ),
      row('The same call once more', formatMilliseconds(calls.second), ''),
    ],
  };
}

/** CPU of the engine until it serves the Worker, less that of an empty Worker. They take turns. */
async function measureEvaluation(worker: string, empty: string): Promise<number | undefined> {
  const cpu: Record<string, number[]> = { [worker]: [], [empty]: [] };
  for (let start = 0; start < STARTS; start += 1) {
    for (const directory of [worker, empty]) {
      await using engine = await startBareWorkerd(directory, join(scratch, 'state'));
      if (engine.cpuMs === undefined) return undefined;
      cpu[directory]?.push(engine.cpuMs);
    }
  }
  return median(cpu[worker] ?? []) - median(cpu[empty] ?? []);
}

/** `create_entities` of one entity by HTTP, on threads that did not exist, each called twice. */
async function measureFirstCalls(worker: string): Promise<{ first: number; second: number }> {
  await using engine = await startBareWorkerd(worker, join(scratch, 'state'));
  const first: number[] = [];
  const second: number[] = [];
  for (let thread = 0; thread < WARM_UP + THREADS; thread += 1) {
    const address = `${engine.url}/api/threads/new-${thread}/tools/create_entities`;
    for (const times of [first, second]) {
      const took = await timeCall(address, `Entity ${times === first ? 1 : 2}`);
      if (thread >= WARM_UP) times.push(took);
    }
  }
  return { first: median(first), second: median(second) };
}

async function timeCall(address: string, name: string): Promise<number> {
  const entity = { name, entityType: 'Person', observations: ['Works at the harbour'] };
  const startedAt = performance.now();
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ entities: [entity] }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return performance.now() - startedAt;
}
