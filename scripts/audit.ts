/**
 * Asks the registry for known weaknesses of what is deployed, and fails if there are any. A registry
 * that does not answer is no failure, unless `--required` says so: not every mirror knows of any.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readCommandLine } from './support/command-line.ts';

const ROOT = resolve(import.meta.dirname, '..');
const WAIT_MS_MAX = 60_000;

interface Weakness {
  readonly severity: string;
  readonly range: string;
}

/** The packages that npm found weak; undefined if it got no answer to ask by. */
type Audit = Readonly<Record<string, Weakness>> | undefined;

const USAGE = `npm run audit [-- --required]

  --required  fails when the registry does not answer, too`;

const { values } = readCommandLine(
  { name: 'npm run audit', usage: USAGE },
  { options: { required: { type: 'boolean', default: false } } },
);
const isRequired = values.required;
const found = audit();
if (found === undefined) {
  console.error(
    'The registry tells nothing of known weaknesses: the dependencies are not audited.',
  );
  if (isRequired) process.exitCode = 1;
} else if (Object.keys(found).length === 0) {
  console.log('No known weakness in what is deployed.');
} else {
  for (const [name, { severity, range }] of Object.entries(found)) {
    console.error(`${severity}: ${name} ${range}`);
  }
  console.error('Run npm audit --omit=dev for what to do.');
  process.exitCode = 1;
}

/** By the lockfile alone: nothing need be installed. */
function audit(): Audit {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: WAIT_MS_MAX,
    env: { ...process.env, npm_config_fetch_retries: '1' },
  });
  try {
    const report = JSON.parse(stdout) as { vulnerabilities?: Audit };
    return report.vulnerabilities;
  } catch {
    return undefined;
  }
}
