/** An account at Cloudflare, seen and changed through wrangler. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../support/command-error.ts';
import type { RunWrangler, WranglerOptions, WranglerResult } from '../support/wrangler.ts';
import { PRODUCTION } from './production-config.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
}

export interface Namespace {
  readonly id: string;
  readonly title: string;
}

export interface Deployment {
  /** Such as `https://skein.example.workers.dev`, or of the first domain of its own. */
  readonly origin: string;
}

/** The account is on the Free plan, where a Worker has no limits of its own. */
export class LimitsUnavailableError extends CommandError {}

/** The account has no name at workers.dev yet, for which wrangler asks on a terminal. */
export class AddressUnavailableError extends CommandError {}

/** Codes of Cloudflare's API. */
const R2_IS_OFF = 10_042;
const BUCKET_IS_YOURS = 10_004;
const NO_LIMITS_ON_FREE_PLAN = 100_328;

/** Undefined when nobody is signed in. */
export async function findAccounts(run: RunWrangler): Promise<Account[] | undefined> {
  const result = await run(['whoami', '--json']);
  const seen = parseJson<{ loggedIn?: boolean; accounts?: Account[] }>(result.stdout);
  if (seen?.loggedIn === false) return undefined;
  if (result.status !== 0 || seen === undefined) throw new CommandError(result.complaint);
  return seen.accounts ?? [];
}

/** All that a command of wrangler needs to know of where it is to act. */
export interface CloudflareOptions {
  readonly run: RunWrangler;
  readonly config: string;
  readonly worker: string;
}

/** Each throws `CommandError` with wrangler's own words. */
export function cloudflare({ run, config, worker }: CloudflareOptions) {
  const must = async (args: readonly string[], options?: WranglerOptions) =>
    requireSuccess(await run([...args, `--config=${config}`], options));

  return {
    async listNamespaces(): Promise<Namespace[]> {
      const { stdout } = await must(['kv', 'namespace', 'list']);
      const namespaces = parseJson<Namespace[]>(stdout);
      if (namespaces === undefined) throw new CommandError(`No list of namespaces:\n${stdout}`);
      return namespaces;
    },

    async createNamespace(title: string): Promise<void> {
      await must(['kv', 'namespace', 'create', title]);
    },

    /** The first page of names; undefined when R2 is not switched on. */
    async listBuckets(): Promise<string[] | undefined> {
      const result = await run(['r2', 'bucket', 'list', `--config=${config}`]);
      if (hasCode(result, R2_IS_OFF)) return undefined;
      const { stdout } = requireSuccess(result);
      return [...stdout.matchAll(/^name:\s+(\S+)$/gm)].map(([, name = '']) => name);
    },

    /** One that is there already is left as it is. */
    async createBucket(name: string): Promise<void> {
      const result = await run(['r2', 'bucket', 'create', name, `--config=${config}`]);
      if (!hasCode(result, BUCKET_IS_YOURS)) requireSuccess(result);
    },

    /** Undefined while there is no such Worker. */
    async listSecrets(): Promise<string[] | undefined> {
      // By name and without an environment, whose name wrangler would append.
      const args = ['secret', 'list', `--name=${worker}`, `--config=${config}`];
      const result = await run(args);
      if (result.status !== 0 && result.complaint.includes(`"${worker}" not found`))
        return undefined;
      const secrets = parseJson<{ name: string }[]>(requireSuccess(result).stdout);
      return (secrets ?? []).map(({ name }) => name);
    },

    /** The text goes through the standard input, so that no list of processes shows it. */
    async putSecret(name: string, text: string): Promise<void> {
      await must(['secret', 'put', name, `--name=${worker}`], { input: text });
    },

    /** Throws `LimitsUnavailableError` and `AddressUnavailableError`, too. */
    async deploy(file: string, onTerminal: boolean): Promise<Deployment> {
      const notes = mkdtempSync(join(tmpdir(), 'skein-deploy-'));
      const notesFile = join(notes, 'output.jsonl');
      try {
        const args = ['deploy', `--env=${PRODUCTION}`, `--config=${file}`];
        const environment = { WRANGLER_OUTPUT_FILE_PATH: notesFile };
        const result = await run(args, { onTerminal, environment });
        const { complaint } = result;
        if (hasCode(result, NO_LIMITS_ON_FREE_PLAN)) throw new LimitsUnavailableError(complaint);
        if (result.status !== 0 && complaint.includes('register a workers.dev subdomain')) {
          throw new AddressUnavailableError(complaint);
        }
        requireSuccess(result);
        return { origin: readOrigin(notesFile) };
      } finally {
        rmSync(notes, { recursive: true, force: true });
      }
    },
  };
}

export type Cloudflare = ReturnType<typeof cloudflare>;

/** A domain of its own is what the owner will want to use. Patterns of paths are no address. */
export function chooseOrigin(targets: readonly string[]): string | undefined {
  const isUrl = (target: string) => /^https?:\/\//.test(target);
  const hosts = targets
    .filter((target) => !isUrl(target) && !/^schedule:/i.test(target))
    .map((target) => target.replace(/ \(.*$/s, '').replace(/\/\*?$/, ''))
    .filter((host) => /^[\w-]+(?:\.[\w-]+)+$/.test(host));
  return hosts.map((host) => `https://${host}`)[0] ?? targets.find(isUrl);
}

function readOrigin(notesFile: string): string {
  const notes = readFileSync(notesFile, 'utf8').trim().split('\n');
  const deployed = notes
    .map((line) => parseJson<{ type?: string; targets?: string[] }>(line))
    .find((note) => note?.type === 'deploy');
  const origin = chooseOrigin(deployed?.targets ?? []);
  if (origin !== undefined) return origin;
  throw new CommandError(
    'It has no address: let production have workers_dev = true or a route in wrangler.toml.',
  );
}

function requireSuccess(result: WranglerResult): WranglerResult {
  if (result.status !== 0) throw new CommandError(result.complaint);
  return result;
}

function hasCode({ status, complaint }: WranglerResult, code: number): boolean {
  return status !== 0 && complaint.includes(`[code: ${code}]`);
}

function parseJson<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
