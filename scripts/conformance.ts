/**
 * Runs the official MCP conformance suite, at both protocol revisions, against the worker in
 * test/conformance. Fails on a failure that a baseline does not list and on an entry that passes.
 */
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { readCommandLine } from './support/command-line.ts';
import { makeScratch, ROOT, startDevServer, startGroup } from './support/dev-server.ts';

interface Scenario {
  readonly name: string;
  /** `SUCCESS`, `FAILURE`, `WARNING`, `SKIPPED` or `INFO`, one for each check. */
  readonly statuses: readonly string[];
}

const REVISIONS = ['2025-11-25', '2026-07-28'];
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance');
const FIXTURES = join(ROOT, 'test/conformance');
/** Logs and checks stay here for reading; git ignores it. */
const RESULTS = join(ROOT, 'results/conformance');
const SUITE_MS_MAX = 600_000;

readCommandLine(
  {
    name: 'npm run conformance',
    usage:
      'npm run conformance\n\nRuns the official MCP conformance suite at both protocol revisions. It takes no flags.\nLogs and checks go to results/conformance.',
  },
  {},
);
process.exitCode = (await runAll()) ? 0 : 1;

async function runAll(): Promise<boolean> {
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  await using worker = await startDevServer({ config: join(FIXTURES, 'wrangler.toml') });
  let isAsExpected = true;
  try {
    for (const revision of REVISIONS) {
      isAsExpected = (await runSuite(revision, `${worker.url}/mcp`)) && isAsExpected;
    }
  } finally {
    writeFileSync(join(RESULTS, 'worker.log'), worker.log());
  }
  return isAsExpected;
}

/** Whether the baseline holds: every failure is in it, and every entry of it fails. */
async function runSuite(revision: string, url: string): Promise<boolean> {
  const logFile = join(RESULTS, `${revision}.log`);
  const args = [
    join(SUITE, 'dist/index.js'),
    'server',
    `--url=${url}`,
    `--requirements=${revision}`,
    `--expected-failures=${join(FIXTURES, `baseline-${revision}.yml`)}`,
    `--output-dir=${join(RESULTS, revision)}`,
  ];
  const suite = startGroup(process.execPath, args, {
    logFile,
    scratch: makeScratch(),
    timeoutMs: SUITE_MS_MAX,
  });
  await once(suite, 'close');
  printCounts(revision);
  if (suite.exitCode === 0) return true;
  // After its totals the suite names the expected failures, the unexpected and the stale entries.
  const verdict = stripVTControlCharacters(readFileSync(logFile, 'utf8'))
    .split(/^Total: .*$/m)
    .at(-1);
  console.log(`${verdict}\nThe checks and the logs are in ${RESULTS}.`);
  return false;
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
