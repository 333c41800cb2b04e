/**
 * `npm run test:clients`: tries the clients that people use against the server of `npm start`. It
 * installs them into `dist/clients`, in the versions of `test/clients/package.json`, which takes the
 * npm registry and, for those in Python, that of Python. `--write` puts the table into
 * `docs/contributing/clients.md`, and names of clients choose some of them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from './support/command-line.ts';
import { CommandError } from './support/command-error.ts';
import {
  ROOT,
  findFreePort,
  makeScratch,
  removeScratch,
  startWithNpm,
} from './support/dev-server.ts';
import { code, table } from './support/markdown.ts';

interface TriedClient {
  readonly name: string;
  /** The package whose version is shown. */
  readonly of: string;
  /** Behind the address of the server. */
  readonly query?: string;
  readonly isPython?: true;
}

interface StepResult {
  readonly step: string;
  readonly ok: boolean;
  readonly detail?: string;
}

const SOURCE = join(ROOT, 'test/clients');
const HOME = join(ROOT, 'dist/clients');
const PAGE = join(ROOT, 'docs/contributing/clients.md');
const INSTALL_MS_MAX = 10 * 60_000;
const CLIENT_MS_MAX = 2 * 60_000;
const FAILURE_CHARS_MAX = 400;
const STEPS = ['connect', 'list tools', 'save_memory', 'recall', 'refusal'];
/** For clients that check arguments themselves: our refusals, with their advice, reach the model only so. */
const OPEN = '?schema=open';

const CLIENTS: readonly TriedClient[] = [
  { name: 'sdk-v1', of: '@modelcontextprotocol/sdk' },
  { name: 'sdk-v2', of: '@modelcontextprotocol/client' },
  { name: 'sdk-python', of: 'mcp', isPython: true },
  { name: 'langchain', of: '@langchain/mcp-adapters', query: OPEN },
  { name: 'langchain-python', of: 'langchain-mcp-adapters', isPython: true },
  { name: 'mastra', of: '@mastra/mcp', query: OPEN },
  { name: 'ai-sdk', of: '@ai-sdk/mcp' },
  { name: 'mcporter', of: 'mcporter' },
  { name: 'inspector', of: '@modelcontextprotocol/inspector' },
  { name: 'mcp-remote', of: 'mcp-remote' },
];

const USAGE = `npm run test:clients -- [flags] [clients]

Installs the clients that people use into dist/clients, and tries them against npm start.

  --write   puts the table into docs/contributing/clients.md
  --help    prints this

Clients: ${CLIENTS.map(({ name }) => name).join(', ')}. All when none is named.`;

try {
  await main();
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function main(): Promise<void> {
  const { isWriting, chosen } = readArguments();
  const versions = install(chosen);
  const rows = await tryAll(chosen);
  const found = toTable(rows, versions);
  console.log(found);
  if (isWriting) {
    writeFileSync(PAGE, replaceTable(readFileSync(PAGE, 'utf8'), found));
  }
  const failed = rows.flatMap(({ client, results }) =>
    results
      .filter(({ ok }) => !ok)
      .map(({ step, detail }) => `${client.name}, ${step}: ${detail?.slice(0, FAILURE_CHARS_MAX)}`),
  );
  if (failed.length > 0) throw new CommandError(failed.join('\n'));
}

/** Throws a `CommandError` of one line for what it does not know. */
function readArguments(): { isWriting: boolean; chosen: readonly TriedClient[] } {
  const name = 'npm run test:clients';
  const { values, positionals } = readCommandLine(
    { name, usage: USAGE },
    { options: { write: { type: 'boolean', default: false } }, allowPositionals: true },
  );
  const unknown = positionals.find((one) => !CLIENTS.some((client) => client.name === one));
  if (unknown !== undefined) {
    throw new CommandError(`There is no client '${unknown.slice(0, 80)}'. See ${name} -- --help.`);
  }
  if (values.write && positionals.length > 0) {
    throw new CommandError(`--write takes all clients. See ${name} -- --help.`);
  }
  const isChosen = (client: TriedClient) =>
    positionals.length === 0 || positionals.includes(client.name);
  return { isWriting: values.write, chosen: CLIENTS.filter(isChosen) };
}

/** Leaves alone what is there in the versions that are wanted. Returns the version of each package. */
function install(chosen: readonly TriedClient[]): Readonly<Record<string, string>> {
  const list = readFileSync(join(SOURCE, 'package.json'), 'utf8');
  const { dependencies, python } = JSON.parse(list) as Record<string, Record<string, string>>;
  const installed = join(HOME, 'installed.json');
  const isInstalled = existsSync(installed) && readFileSync(installed, 'utf8') === list;
  mkdirSync(HOME, { recursive: true });
  cpSync(SOURCE, HOME, { recursive: true });
  if (!isInstalled) {
    console.error('Installing the clients …');
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']);
    writeFileSync(installed, list);
  }
  for (const { of } of chosen.filter(({ isPython }) => isPython)) {
    const folder = join(HOME, `python-${of}`);
    const wanted = `${of}==${python?.[of]}`;
    const note = join(folder, 'installed.txt');
    if (existsSync(note) && readFileSync(note, 'utf8') === wanted) continue;
    run('python3', ['-m', 'venv', '--clear', folder]);
    run(join(folder, 'bin/pip'), ['install', '--quiet', wanted]);
    writeFileSync(note, wanted);
  }
  return { ...dependencies, ...python };
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd: HOME,
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  throw new CommandError(`${command} ${args[0]} failed:\n${error?.message ?? stderr.trim()}`);
}

async function tryAll(chosen: readonly TriedClient[]) {
  const scratch = makeScratch();
  try {
    await using server = await startWithNpm(await findFreePort(), join(scratch, 'state'));
    return chosen.map((client) => {
      const address = `${server.url}/mcp/try-${client.name}${client.query ?? ''}`;
      return { client, results: tryClient(client, address) };
    });
  } finally {
    removeScratch(scratch);
  }
}

/** A step that is not told of has failed with the process. */
function tryClient({ name }: TriedClient, url: string): StepResult[] {
  const { stdout, stderr, error } = spawnSync(process.execPath, ['steps.mjs', name], {
    cwd: HOME,
    encoding: 'utf8',
    timeout: CLIENT_MS_MAX,
    // What a client keeps in the home of its user stays here.
    env: { ...process.env, SKEIN_URL: url, HOME },
  });
  const results = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"step"'))
    .map((line) => JSON.parse(line) as StepResult);
  return STEPS.map(
    (step) =>
      results.find((result) => result.step === step) ?? {
        step,
        ok: false,
        detail: error?.message ?? (stderr.trim().split('\n').at(-1) || 'not reached'),
      },
  );
}

function toTable(
  rows: readonly { readonly client: TriedClient; readonly results: readonly StepResult[] }[],
  versions: Readonly<Record<string, string>>,
): string {
  const cell = ({ ok, detail }: StepResult) => (ok ? (detail ?? 'yes') : 'no');
  return table(
    ['client', 'version', 'address', ...STEPS],
    rows.map(({ client: { of, query, isPython }, results }) => [
      isPython ? `${code(of)} (Python)` : code(of),
      versions[of] ?? '',
      code(`/mcp/<threadId>${query ?? ''}`),
      ...results.map(cell),
    ]),
  );
}

/** Puts the table between its marks. */
function replaceTable(text: string, found: string): string {
  const [start, end] = ['<!-- clients -->\n', '\n<!-- /clients -->'];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new CommandError(`${PAGE} has no marks for the table.`);
  return text.slice(0, from + start.length) + found + text.slice(to);
}
