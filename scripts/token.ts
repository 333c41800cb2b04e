/**
 * Makes, lists and revokes API tokens, in the state of `npm start` or, with `--env production`, in the
 * namespace of the deployment. Wrangler writes; it is given a hash and never the token.
 */
import { join, resolve } from 'node:path';
import {
  idOfKey,
  isGoodAt,
  keyPrefixOfId,
  mintToken,
  readToken,
  TOKEN_KEY_PREFIX,
  type ApiToken,
} from '#auth/api-token.ts';
import { describeThreadAccess } from '#auth/thread-access.ts';
import { MemoryError } from '#errors.ts';
import { API_TOKENS_MAX } from '#auth/limits.ts';
import { CommandError } from './support/command-error.ts';
import { parseCommandLine } from './support/command-line.ts';
import { projectWrangler, wranglerRunner } from './support/wrangler.ts';

const ROOT = resolve(import.meta.dirname, '..');

const USAGE = `npm run token -- create --name <name> [--scope read|write|admin] [--threads <a,b,team-*>] [--days <n>]
npm run token -- list
npm run token -- revoke <id>

  --scope    what it may do: read, write (the default; reads too), admin (deletes too)
  --threads  the threads and prefixes it reaches; left out, all
  --days     after how many days it expires; left out, never
  --env production      of the deployment instead of this machine
  --local               with --env: of this machine, as wrangler dev emulates the deployment
  --persist-to <dir>    of this machine, as given to npm start
  --config <file>       another wrangler.toml`;

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CommandError || error instanceof MemoryError)) throw error;
  const hint = error instanceof MemoryError && error.hint !== undefined ? `\n${error.hint}` : '';
  console.error(error.message + hint);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<void> {
  const { values, positionals, isHelp } = readArguments(args);
  if (isHelp) return console.log(USAGE);
  const run = (...command: string[]) => runWrangler(command, values);
  const [command, id, ...more] = positionals;
  const surplus = more[0] ?? (command === 'revoke' ? undefined : id);
  if (surplus !== undefined) throw unknown(surplus);
  switch (command) {
    case 'create':
      return create(run, values);
    case 'list':
      return list(run);
    case 'revoke':
      return revoke(run, id ?? '');
    default:
      throw unknown(command);
  }
}

function unknown(word: string | undefined): CommandError {
  const found = word === undefined ? '' : `, not '${word.slice(0, 80)}'`;
  return new CommandError(`Give create, list or revoke <id>${found}. See npm run token -- --help.`);
}

/** A command of wrangler about the namespace; gives what it prints. */
type Run = (...command: string[]) => Promise<string>;

interface Target {
  readonly env?: string | undefined;
  readonly local?: boolean | undefined;
  readonly 'persist-to'?: string | undefined;
  readonly config?: string | undefined;
}

interface Wanted {
  readonly name?: string | undefined;
  readonly scope?: string | undefined;
  readonly threads?: string | undefined;
  readonly days?: string | undefined;
}

function readArguments(args: string[]) {
  const text = { type: 'string' } as const;
  return parseCommandLine('npm run token', args, {
    allowPositionals: true,
    options: {
      name: text,
      scope: text,
      threads: text,
      days: text,
      env: text,
      local: { type: 'boolean' },
      'persist-to': text,
      config: text,
    },
  });
}

async function create(run: Run, wanted: Wanted): Promise<void> {
  const { name = '', scope = 'write', threads = '', days = '' } = wanted;
  const now = Date.now();
  const { token, key, record, expiration } = await mintToken({ name, scope, threads, days }, now);
  const good = (await findKeys(run, TOKEN_KEY_PREFIX)).filter((one) => isGoodAt(one, now));
  if (good.length >= API_TOKENS_MAX) {
    throw new CommandError(
      `There are ${API_TOKENS_MAX} tokens already. Revoke one: npm run token -- revoke <id>`,
    );
  }
  const lasting = expiration === undefined ? [] : [`--expiration=${expiration}`];
  await run('key', 'put', key, JSON.stringify(record), ...lasting);
  console.error(`${describe(idOfKey(key), record)}\nIt is shown this once:`);
  console.log(token);
}

async function list(run: Run): Promise<void> {
  const keys = await findKeys(run, TOKEN_KEY_PREFIX);
  if (keys.length === 0) console.error('There are no tokens.');
  for (const { name: key } of keys) {
    const record = readToken((await run('key', 'get', key, '--text')).trim());
    if (record !== undefined) console.log(describe(idOfKey(key), record));
  }
}

async function revoke(run: Run, id: string): Promise<void> {
  const keys = await findKeys(run, keyPrefixOfId(id));
  if (keys.length === 0) throw new CommandError(`There is no token ${id}.`);
  for (const { name } of keys) await run('key', 'delete', name);
  console.error(`Revoked ${id}. Within two minutes it opens nothing any more.`);
}

/** A key of the namespace, as wrangler lists it; `expiration` in epoch seconds. */
interface ListedKey {
  readonly name: string;
  readonly expiration?: number;
}

async function findKeys(run: Run, prefix: string): Promise<ListedKey[]> {
  return JSON.parse(await run('key', 'list', '--prefix', prefix)) as ListedKey[];
}

function describe(id: string, { name, scopes, threads, expiresAt }: ApiToken): string {
  const expiry = expiresAt === null ? 'does not expire' : new Date(expiresAt).toISOString();
  return [id, name, scopes.join(' '), describeThreadAccess(threads), expiry].join('  ');
}

async function runWrangler(command: readonly string[], target: Target): Promise<string> {
  const { env, local = false, config, 'persist-to': persistTo } = target;
  const isHere = local || env === undefined;
  const { status, stdout, complaint } = await wranglerRunner(projectWrangler())([
    'kv',
    ...command,
    '--binding=OAUTH_KV',
    `--config=${config ?? join(ROOT, 'wrangler.toml')}`,
    isHere ? '--local' : '--remote',
    ...(env === undefined ? [] : [`--env=${env}`]),
    ...(persistTo === undefined ? [] : [`--persist-to=${persistTo}`]),
  ]);
  if (status !== 0) throw new CommandError(`wrangler failed:\n${complaint}`);
  return stdout;
}
