/** `npm run deploy`, with an account that is a file and a deployment that is a server on this machine. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseOrigin } from '../../scripts/deploy/cloudflare.ts';
import { deploy } from '../../scripts/deploy/deployment.ts';
import { generatePassphrase } from '../../scripts/deploy/passphrase.ts';
import { verifyDeployment } from '../../scripts/deploy/verify.ts';
import { ROOT } from '../../scripts/support/dev-server.ts';
import { wranglerRunner } from '../../scripts/support/wrangler.ts';
import { fakeRunner, freshAccount, type FakeAccount } from '../support/node/fake-wrangler.ts';

const FAKE_WRANGLER = join(ROOT, 'test/support/node/fake-wrangler.ts');
const PASSPHRASE = 'correct horse battery staple';
const GENERATED = /\b[2-9a-z]{5}(?:-[2-9a-z]{5}){4}\b/;

let directory: string;
let config: string;
let server: Server;
let origin: string;
/** What a memory answers without a credential; left out, as a deployment that is set up or closed would. */
let memoryStatus: number | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'skein-deploy-test-'));
  config = join(directory, 'wrangler.toml');
  copyFileSync(join(ROOT, 'wrangler.toml'), config);
  memoryStatus = undefined;
  server = createServer((request, response) => {
    const isSetUp = readAccount().worker?.secrets['OWNER_PASSPHRASE'] !== undefined;
    const status = request.url === '/health' ? 200 : (memoryStatus ?? (isSetUp ? 401 : 503));
    response.writeHead(status, status === 401 ? { 'www-authenticate': 'Bearer' } : {}).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  origin = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
  writeAccount(freshAccount());
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(directory, { recursive: true });
});

test('a fresh account has everything after one run, and the same run upgrades it', async () => {
  const first = await run({ answers: ['y'], hidden: [''], inProcesses: true });

  const [passphrase = ''] = GENERATED.exec(first.said) ?? [];
  expect(readAccount()).toMatchObject({
    namespaces: [{ title: 'skein-oauth-kv' }],
    buckets: ['skein-files'],
    worker: { name: 'skein', secrets: { OWNER_PASSPHRASE: passphrase }, deployments: 1 },
  });
  expect(first.said.split(passphrase).length).toBe(2);
  expect(first.said).toContain(`MCP URL: ${origin}/mcp\n`);
  for (const client of [
    'Claude (web',
    'Claude Code',
    'Cursor',
    'VS Code',
    'ChatGPT',
    'Inspector',
  ]) {
    expect(first.said).toContain(client);
  }
  expect(readProductionId()).toBe(readAccount().namespaces[0]?.id);
  expect(withoutId(readFileSync(config, 'utf8'))).toBe(
    withoutId(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')),
  );

  const second = await run({ answers: ['y'] });

  expect(second.said).toContain('is there, and is upgraded');
  expect(second.said).not.toMatch(GENERATED);
  expect(changes()).toEqual([
    'kv namespace create',
    'r2 bucket create',
    'deploy',
    'secret put OWNER_PASSPHRASE',
    'deploy',
  ]);
});

test('the passphrase is in no argument, in no environment, and typed in it is not shown', async () => {
  const { said } = await run({
    inProcesses: true,
    answers: ['y'],
    hidden: ['too short', PASSPHRASE, 'another one', PASSPHRASE, PASSPHRASE],
  });

  const { calls, worker } = readAccount();
  expect(said).toContain('shorter than 12');
  expect(said).toContain('not the same');
  expect(worker?.secrets).toEqual({ OWNER_PASSPHRASE: PASSPHRASE });
  expect(said).not.toContain(PASSPHRASE);
  expect(JSON.stringify(calls.map(({ args }) => args))).not.toContain(PASSPHRASE);
  expect(calls.filter(({ stdin }) => stdin !== '').map(({ stdin }) => stdin)).toEqual([PASSPHRASE]);
});

const STEPS: [command: string, step: string, there: string][] = [
  ['whoami', 'sign in to Cloudflare', 'Nothing was changed.'],
  ['kv namespace list', 'look at what there is', 'Nothing was changed.'],
  ['r2 bucket list', 'look at what there is', 'Nothing was changed.'],
  ['kv namespace create', 'make the KV namespace skein-oauth-kv', 'Nothing was changed.'],
  [
    'r2 bucket create',
    'make the R2 bucket skein-files',
    'There are: the KV namespace skein-oauth-kv.',
  ],
  ['deploy', 'deploy the Worker', 'skein-oauth-kv, the R2 bucket skein-files.'],
  ['secret put', 'set the secret OWNER_PASSPHRASE', 'the R2 bucket skein-files, the Worker.'],
];

test.each(STEPS)(
  'when %s fails, it says so, and the next run goes on',
  async (command, step, there) => {
    writeAccount(freshAccount({ failing: command }));

    const failed = run({ isAgreed: true });
    await expect(failed).rejects.toThrow(`The step that failed: ${step}.`);
    await expect(failed).rejects.toThrow('[code: 10000]');
    await expect(failed).rejects.toThrow(there);
    await expect(failed).rejects.not.toThrow(GENERATED);

    writeAccount({ ...readAccount(), failing: null });
    const { said } = await run({ isAgreed: true });

    expect(said).toMatch(GENERATED);
    const made = changes().filter((change) => change.includes('create'));
    expect([...new Set(made)]).toEqual(['kv namespace create', 'r2 bucket create']);
    expect(readAccount()).toMatchObject({ namespaces: [{}], buckets: ['skein-files'], worker: {} });
    expect(readAccount().namespaces.length).toBe(1);
  },
);

test('what is declined changes nothing', async () => {
  const before = readFileSync(config, 'utf8');

  const { said } = await run({ answers: [''] });

  expect(said).toMatch(/will be made[^]+Nothing was changed\.$/);
  expect(changes()).toEqual([]);
  expect(readFileSync(config, 'utf8')).toBe(before);
});

test('without a terminal nothing is done unasked, and no passphrase is made up', async () => {
  const node = join(ROOT, 'node_modules/.bin/node');
  const script = promisify(execFile)(node, ['scripts/deploy.ts', '--config', config], {
    cwd: ROOT,
  });
  await expect(script).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Run npm run deploy -- --yes'),
  });
  await expect(run({ isInteractive: false })).rejects.toThrow('npm run deploy -- --yes');
  const unseen = run({ isInteractive: false, isAgreed: true });
  await expect(unseen).rejects.toThrow('Set OWNER_PASSPHRASE in the environment');
  await expect(unseen).rejects.toThrow('Nothing was changed.');
  expect(changes()).toEqual([]);

  await run({
    isInteractive: false,
    isAgreed: true,
    environment: { OWNER_PASSPHRASE: PASSPHRASE },
  });

  const { worker, calls } = readAccount();
  expect(worker?.secrets).toEqual({ OWNER_PASSPHRASE: PASSPHRASE });
  expect(calls.some(({ knowsPassphrase }) => knowsPassphrase)).toBe(false);
});

test('whoever is not signed in is told how, or signs in', async () => {
  writeAccount(freshAccount({ isSignedIn: false }));
  await expect(run({ isAgreed: true })).rejects.toThrow('npx wrangler login');
  expect(changes()).toEqual([]);

  await run({ answers: ['', 'y'], hidden: [''] });

  expect(readAccount().worker).toMatchObject({ deployments: 1 });
});

test('of several accounts one is chosen, and all commands are about that one', async () => {
  const accounts = ['b', 'c'].map((letter) => ({ id: letter.repeat(32), name: `Of ${letter}` }));
  writeAccount(freshAccount({ accounts }));
  await expect(run({ isAgreed: true })).rejects.toThrow('Set CLOUDFLARE_ACCOUNT_ID');

  await run({ answers: ['2', 'y'], hidden: [''] });

  const used = readAccount().calls.filter(({ args }) => args[0] !== 'whoami');
  expect(new Set(used.map(({ account }) => account))).toEqual(new Set(['c'.repeat(32)]));
});

test('an account on the Free plan and without R2 gets what it can have', async () => {
  writeAccount(freshAccount({ isFree: true, buckets: null }));

  const { said, asked } = await run({ answers: ['y'], hidden: [''] });

  expect(asked.join('\n')).toContain('Go on without it?');
  expect(said).toContain('R2 is not switched on');
  expect(said).toContain('Free plan');
  expect(readAccount().worker).toMatchObject({ deployments: 1 });
  expect(existsSync(join(directory, 'wrangler.reduced.toml'))).toBe(false);
  expect(readFileSync(config, 'utf8')).toContain('[env.production.limits]');
});

test('an account that needs a name at workers.dev is asked for one where there is a terminal', async () => {
  writeAccount(freshAccount({ hasAddress: false, isFree: true }));
  await expect(run({ isAgreed: true })).rejects.toThrow('register a workers.dev subdomain here');

  const { said } = await run({ answers: ['y'], hidden: [''] });

  expect(said).toContain('a name at workers.dev');
  expect(readAccount().worker).toMatchObject({ deployments: 1 });
});

test('a build of Cloudflare uses what the button made, and stays closed without a passphrase', async () => {
  const id = 'd'.repeat(32);
  const text = readFileSync(config, 'utf8');
  writeFileSync(
    config,
    text.replace('id = "local"', `id = "${id}"`).replace('"skein-files"', '"my-files"'),
  );
  writeAccount(freshAccount({ namespaces: [{ id, title: 'chosen' }], buckets: ['my-files'] }));
  const environment = { WORKERS_CI: '1', WRANGLER_CI_OVERRIDE_NAME: 'my-memory' };

  const { said } = await run({ isInteractive: false, environment });

  expect(said).toContain('serves nobody yet: set the secret OWNER_PASSPHRASE in the dashboard');
  expect(said).not.toMatch(GENERATED);
  expect(changes()).toEqual(['deploy']);
  expect(readAccount().worker).toMatchObject({ name: 'my-memory', secrets: {} });

  // The button's own secret may arrive at any time.
  memoryStatus = 401;
  const { said: later } = await run({ isInteractive: false, environment });
  expect(later).toContain(`MCP URL: ${origin}/mcp`);
});

test('API tokens alone need no passphrase', async () => {
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replaceAll('AUTH_MODE = ""', 'AUTH_MODE = "token"'));
  memoryStatus = 401;

  const { said } = await run({ isAgreed: true, isInteractive: false });

  expect(readAccount().worker?.secrets).toEqual({});
  expect(said).toContain('--header "Authorization: Bearer skn_…"');
});

test('a deployment that shows a memory to a stranger is called out', async () => {
  memoryStatus = 200;

  await expect(run({ isAgreed: true })).rejects.toThrow('shows a memory to somebody');
});

test('a deployment that does not become what it should be says what it answers', async () => {
  memoryStatus = 403;

  await expect(run({ isAgreed: true })).rejects.toThrow(/refuses strangers\.\n\n.+403/);
});

test('the address is the first domain of its own, else that of workers.dev', () => {
  const dev = 'https://skein.garden.workers.dev';

  expect(chooseOrigin([dev, 'memory.example.com (custom domain)', 'schedule: 0 3 * * *'])).toBe(
    'https://memory.example.com',
  );
  expect(chooseOrigin([dev, 'example.com/memory/* (zone name: example.com)'])).toBe(dev);
  expect(chooseOrigin(['schedule: 0 3 * * *', 'memory.example.com/* (zone id: 1)'])).toBe(
    'https://memory.example.com',
  );
  expect(chooseOrigin(['schedule: 0 3 * * *'])).toBeUndefined();
});

test('no two generated passphrases are the same', () => {
  const made = Array.from({ length: 50 }, generatePassphrase);

  expect(new Set(made).size).toBe(50);
  for (const one of made) expect(one).toMatch(new RegExp(`^${GENERATED.source}$`));
});

interface RunOptions {
  readonly isAgreed?: boolean;
  readonly isInteractive?: boolean;
  readonly answers?: string[];
  readonly hidden?: string[];
  readonly environment?: Record<string, string>;
  /** Whether each command is a process, as it is in reality, or a function, which is quicker. */
  readonly inProcesses?: boolean;
}

/** One run of the command; whoever sits at the terminal has no more answers than these. */
async function run({
  isAgreed = false,
  isInteractive = true,
  answers = [],
  hidden = [],
  environment = {},
  inProcesses = false,
}: RunOptions): Promise<{ said: string; asked: string[] }> {
  const said: string[] = [];
  const asked: string[] = [];
  const reply = (from: string[]) => (question: string) => {
    asked.push(question);
    const answer = from.shift();
    if (answer === undefined) throw new Error(`Nobody expected the question: ${question}`);
    return Promise.resolve(answer);
  };
  await deploy({
    config,
    wrangler: (given) =>
      inProcesses ? wranglerRunner([process.execPath, FAKE_WRANGLER], given) : fakeRunner(given),
    environment: { PATH: process.env['PATH'], FAKE_WRANGLER_STATE: stateFile(), ...environment },
    terminal: {
      isInteractive,
      say: (text) => void said.push(text),
      ask: reply([...answers]),
      askHidden: reply([...hidden]),
    },
    isAgreed,
    verify: (url, state) => verifyDeployment(url, state, 100),
  });
  return { said: said.join('\n'), asked };
}

function stateFile(): string {
  return join(directory, 'account.json');
}

function readAccount(): FakeAccount {
  return JSON.parse(readFileSync(stateFile(), 'utf8')) as FakeAccount;
}

function writeAccount(account: FakeAccount): void {
  writeFileSync(stateFile(), JSON.stringify({ ...account, targets: [origin] }));
}

/** Commands that change the account, in order, without their options. */
function changes(): string[] {
  return readAccount()
    .calls.map(({ args }) => args.filter((arg) => !arg.startsWith('--')).join(' '))
    .filter((command) => /create|put|^deploy/.test(command))
    .map((command) => command.replace(/ (?:create) .*$/, ' create'));
}

const PRODUCTION_ID = /(\[\[env\.production\.kv_namespaces\]\]\nbinding = "OAUTH_KV"\nid = )"(.*)"/;

function readProductionId(): string | undefined {
  return PRODUCTION_ID.exec(readFileSync(config, 'utf8'))?.[2];
}

function withoutId(text: string): string {
  return text.replace(PRODUCTION_ID, '$1');
}
