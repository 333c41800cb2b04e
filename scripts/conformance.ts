/**
 * Runs the official MCP conformance suite, at both protocol revisions, against the worker in
 * test/conformance. Fails on a failure that a baseline does not list and on an entry that passes.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

interface Scenario {
  readonly name: string;
  /** `SUCCESS`, `FAILURE`, `WARNING`, `SKIPPED` or `INFO`, one for each check. */
  readonly statuses: readonly string[];
}

const REVISIONS = ['2025-11-25', '2026-07-28'];
const ROOT = resolve(import.meta.dirname, '..');
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance');
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');
const FIXTURES = join(ROOT, 'test/conformance');
/** Logs and checks stay here for reading; git ignores it. */
const RESULTS = join(ROOT, 'results/conformance');
const READY_MS_MAX = 60_000;
const CHILD_MS_MAX = 600_000;
const END_MS_MAX = 5_000;

const children = new Set<ChildProcess>();
const scratch = mkdtempSync(join(tmpdir(), 'skein-conformance-'));
process.once('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
try {
  process.exitCode = (await runAll()) ? 0 : 1;
} finally {
  await endChildren();
}

async function runAll(): Promise<boolean> {
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const url = await startWorker();
  let isAsExpected = true;
  for (const revision of REVISIONS) {
    isAsExpected = (await runSuite(revision, url)) && isAsExpected;
  }
  return isAsExpected;
}

/** Port 0 lets wrangler choose; it prints the address when the worker answers there. */
async function startWorker(): Promise<string> {
  const worker = start('worker.log', [
    WRANGLER,
    'dev',
    '--local',
    '--ip=127.0.0.1',
    '--port=0',
    '--inspector-port=0',
    `--config=${join(FIXTURES, 'wrangler.toml')}`,
    `--persist-to=${join(scratch, 'state')}`,
  ]);
  const deadline = Date.now() + READY_MS_MAX;
  while (Date.now() < deadline && worker.exitCode === null) {
    const origin = /Ready on (http:\/\/127\.0\.0\.1:\d+)/.exec(readLog('worker.log'))?.[1];
    if (origin !== undefined) return `${origin}/mcp`;
    await wait(100);
  }
  throw new Error(`The worker does not start:\n${readLog('worker.log')}`);
}

/** Whether the baseline holds: every failure is in it, and every entry of it fails. */
async function runSuite(revision: string, url: string): Promise<boolean> {
  const log = `${revision}.log`;
  const suite = start(log, [
    join(SUITE, 'dist/index.js'),
    'server',
    `--url=${url}`,
    `--requirements=${revision}`,
    `--expected-failures=${join(FIXTURES, `baseline-${revision}.yml`)}`,
    `--output-dir=${join(RESULTS, revision)}`,
  ]);
  await once(suite, 'close');
  printCounts(revision);
  if (suite.exitCode === 0) return true;
  // After its totals the suite names the expected failures, the unexpected and the stale entries.
  const verdict = readLog(log)
    .split(/^Total: .*$/m)
    .at(-1);
  console.log(`${verdict}\nThe checks and the logs are in ${RESULTS}.`);
  return false;
}

/** Starts a group of processes, so that workerd, which wrangler starts, ends with wrangler. */
function start(log: string, args: readonly string[]): ChildProcess {
  const output = openSync(join(RESULTS, log), 'w');
  const offline = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' };
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, ...offline, XDG_CONFIG_HOME: scratch },
    stdio: ['ignore', output, output],
    timeout: CHILD_MS_MAX,
  });
  children.add(child);
  child.once('close', () => {
    endGroup(child);
    children.delete(child);
  });
  return child;
}

async function endChildren(): Promise<void> {
  const closed = [...children].map((child) => once(child, 'close'));
  children.forEach(endGroup);
  await Promise.race([Promise.all(closed), wait(END_MS_MAX, undefined, { ref: false })]);
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // Nothing of the group is left.
  }
}

function cleanUp(): void {
  children.forEach(endGroup);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}

function printCounts(revision: string): void {
  const required = requiredScenarios(revision);
  const all = readScenarios(revision);
  const scored = all.filter(({ name }) => required.includes(name));
  const failing = scored.filter(isFailing);
  const checks = scored.flatMap(({ statuses }) => statuses).filter((one) => one === 'SUCCESS');
  console.log(
    `${revision}: of ${required.length} required scenarios, ${scored.length - failing.length} pass ` +
      `and ${failing.length} fail; ${checks.length} of their checks pass. Of ` +
      `${all.length - scored.length} that are not scored, ` +
      `${all.filter(isFailing).length - failing.length} fail.`,
  );
}

function requiredScenarios(revision: string): readonly string[] {
  const yaml = readFileSync(join(SUITE, 'requirements', `${revision}.yaml`), 'utf8');
  const list = /^server:\n((?: {2}- .+\n)+)/m.exec(yaml)?.[1] ?? '';
  return list.match(/[\w-]{2,}/g) ?? [];
}

function readScenarios(revision: string): Scenario[] {
  const cwd = join(RESULTS, revision);
  return globSync('server-*/checks.json', { cwd }).map((path) => {
    const checks: { status: string }[] = JSON.parse(readFileSync(join(cwd, path), 'utf8'));
    const name = path.replace(/^server-(.+)-\d{4}-\d\d-\d\dT.+$/, '$1');
    return { name, statuses: checks.map(({ status }) => status) };
  });
}

/** With a baseline, the suite counts warnings as failures. */
function isFailing({ statuses }: Scenario): boolean {
  return statuses.includes('FAILURE') || statuses.includes('WARNING');
}

function readLog(log: string): string {
  return stripVTControlCharacters(readFileSync(join(RESULTS, log), 'utf8'));
}
