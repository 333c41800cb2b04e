/**
 * Stands in for wrangler and for the account behind it, whose state is the file that
 * `FAKE_WRANGLER_STATE` names. Run as a program, it answers as wrangler 4 does: the same words, codes
 * and statuses, as far as a deployment reads them.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Environment, RunWrangler } from '../../../scripts/support/wrangler.ts';

export interface FakeAccount {
  isSignedIn: boolean;
  accounts: { id: string; name: string }[];
  namespaces: { id: string; title: string }[];
  /** Null while R2 is not switched on. */
  buckets: string[] | null;
  isFree: boolean;
  /** Whether it has a name at workers.dev; on a terminal wrangler asks for one. */
  hasAddress: boolean;
  /** The address of what is deployed. */
  targets: string[];
  /** What was deployed: its name, its secrets, and how often. */
  worker: { name: string; secrets: Record<string, string>; deployments: number } | null;
  /** The beginning of the command that fails, such as `kv namespace create`. */
  failing: string | null;
  calls: FakeCall[];
}

export interface FakeCall {
  readonly args: string[];
  readonly stdin: string;
  readonly account: string | undefined;
  /** Whether the environment had the passphrase, which is none of wrangler's business. */
  readonly knowsPassphrase: boolean;
}

export function freshAccount(changes: Partial<FakeAccount> = {}): FakeAccount {
  return {
    isSignedIn: true,
    accounts: [{ id: 'a'.repeat(32), name: 'Garden' }],
    namespaces: [],
    buckets: [],
    isFree: false,
    hasAddress: true,
    targets: [],
    worker: null,
    failing: null,
    calls: [],
    ...changes,
  };
}

class Refusal extends Error {
  /** What is said there instead of on the standard error. */
  readonly stdout: string | undefined;

  constructor(message: string, stdout?: string) {
    super(message);
    this.stdout = stdout;
  }
}

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One command, in the account that the environment names. */
function executeFake(args: readonly string[], stdin: string, environment: Environment): Outcome {
  const file = environment['FAKE_WRANGLER_STATE'] ?? '';
  const account = JSON.parse(readFileSync(file, 'utf8')) as FakeAccount;
  account.calls.push({
    args: [...args],
    stdin,
    account: environment['CLOUDFLARE_ACCOUNT_ID'],
    knowsPassphrase: environment['OWNER_PASSPHRASE'] !== undefined,
  });
  try {
    return { status: 0, stdout: `${answer(account, [...args], environment)}\n`, stderr: '' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const stderr = error.stdout === undefined ? `✘ [ERROR] ${error.message}\n` : '';
    return { status: 1, stdout: error.stdout ?? '', stderr };
  } finally {
    writeFileSync(file, JSON.stringify(account));
  }
}

/** The same without a process, which is quicker. */
export function fakeRunner(environment: Environment): RunWrangler {
  return (args, options = {}) => {
    const outcome = executeFake(args, options.input ?? '', {
      ...environment,
      ...options.environment,
      ...(options.onTerminal === true && { FAKE_WRANGLER_TERMINAL: '1' }),
    });
    const { status, stdout, stderr } = outcome;
    return Promise.resolve({ status, stdout, complaint: stderr || stdout });
  };
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  // What it inherits where it is given nothing to read would never end.
  const stdin = args[0] === 'secret' && args[1] === 'put' ? readFileSync(0, 'utf8') : '';
  const { status, stdout, stderr } = executeFake(args, stdin, process.env);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status;
}

function answer(account: FakeAccount, args: string[], environment: Environment): string {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      config: { type: 'string' },
      env: { type: 'string' },
      json: { type: 'boolean' },
      name: { type: 'string' },
    },
  });
  const command = positionals.join(' ');
  if (account.failing !== null && command.startsWith(account.failing)) {
    throw new Refusal('A request to the Cloudflare API failed. [code: 10000]');
  }
  if (command === 'login') {
    account.isSignedIn = true;
    return 'Successfully logged in.';
  }
  if (command === 'whoami') return whoAmI(account);
  if (!account.isSignedIn) throw new Refusal('You are not signed in.');
  const [area, action, ...names] = positionals;
  switch (`${area} ${action}`) {
    case 'kv namespace':
      return namespaces(account, names);
    case 'r2 bucket':
      return buckets(account, names);
    case 'secret list':
    case 'secret put':
      return secrets(account, action ?? '', values.name ?? '', names[0] ?? '');
    default:
      if (area === 'deploy' && values.env === 'production') {
        return deploy(account, readFileSync(values.config ?? '', 'utf8'), environment);
      }
      throw new Refusal(`Unknown arguments: ${args.join(' ')}`);
  }
}

function whoAmI({ isSignedIn, accounts }: FakeAccount): string {
  if (isSignedIn) return JSON.stringify({ loggedIn: true, accounts });
  throw new Refusal('', JSON.stringify({ loggedIn: false }));
}

function namespaces({ namespaces: list }: FakeAccount, [action, title = '']: string[]): string {
  if (action === 'list') return JSON.stringify(list);
  if (list.some((one) => one.title === title))
    throw new Refusal('It already exists. [code: 10014]');
  list.push({ id: String(list.length + 1).repeat(32), title });
  return '✨ Success!';
}

function buckets({ buckets: list }: FakeAccount, [action, name = '']: string[]): string {
  if (list === null) throw new Refusal('Please enable R2 through the Dashboard. [code: 10042]');
  if (action === 'list') {
    return ['Listing buckets...', ...list.map((one) => `name:           ${one}\n`)].join('\n');
  }
  if (list.includes(name)) throw new Refusal('It already exists, and you own it. [code: 10004]');
  list.push(name);
  return `✅ Created bucket '${name}'`;
}

function secrets(
  { worker, calls }: FakeAccount,
  action: string,
  name: string,
  key: string,
): string {
  if (worker?.name !== name) throw new Refusal(`Worker "${name}" not found.\n\nDeploy it first.`);
  if (action === 'put') worker.secrets[key] = calls.at(-1)?.stdin ?? '';
  return JSON.stringify(Object.keys(worker.secrets).map((one) => ({ name: one })));
}

function deploy(account: FakeAccount, config: string, environment: Environment): string {
  const sections = config.split(/^(?=\[)/m);
  const valueIn = (header: string, key: string) => {
    const section = sections.find((one) => one.startsWith(header)) ?? '';
    return new RegExp(`^${key} = "(.*)"`, 'm').exec(section)?.[1];
  };
  const id = valueIn('[[env.production.kv_namespaces]]', 'id');
  const bucket = valueIn('[[env.production.r2_buckets]]', 'bucket_name');
  if (account.isFree && config.includes('\n[env.production.limits]')) {
    throw new Refusal('CPU limits are not supported for the Free plan. [code: 100328]');
  }
  if (!account.namespaces.some((one) => one.id === id)) {
    throw new Refusal(`KV namespace '${id}' not found. [code: 10041]`);
  }
  if (bucket !== undefined && account.buckets?.includes(bucket) !== true) {
    throw new Refusal(`R2 bucket '${bucket}' not found. [code: 10085]`);
  }
  account.hasAddress ||= environment['FAKE_WRANGLER_TERMINAL'] === '1';
  if (!account.hasAddress) {
    throw new Refusal('You can deploy to routes, or register a workers.dev subdomain here:');
  }
  const name =
    environment['WRANGLER_CI_OVERRIDE_NAME'] ?? valueIn('[env.production]', 'name') ?? '';
  const { secrets: kept, deployments } = account.worker ?? { secrets: {}, deployments: 0 };
  account.worker = { name, secrets: kept, deployments: deployments + 1 };
  const note = { type: 'deploy', version: 1, worker_name: name, targets: account.targets };
  const session = JSON.stringify({ type: 'wrangler-session', version: 1 });
  appendFileSync(
    environment['WRANGLER_OUTPUT_FILE_PATH'] ?? '',
    `${session}\n${JSON.stringify(note)}\n`,
  );
  return `Uploaded ${name}`;
}
