/**
 * The steps of a deployment. Whatever is there already is found and used, so that running it again
 * after a failure goes on, and running it once more upgrades. Everything is asked before anything is made.
 */
import { CommandError } from '../support/command-error.ts';
import type { Environment, RunWrangler } from '../support/wrangler.ts';
import {
  AddressUnavailableError,
  cloudflare,
  findAccounts,
  LimitsUnavailableError,
  type Account,
  type Cloudflare,
  type Deployment,
  type Namespace,
} from './cloudflare.ts';
import { connectLines } from './connect-lines.ts';
import {
  askPassphrase,
  generatePassphrase,
  takePassphrase,
  type Passphrase,
} from './passphrase.ts';
import {
  NAMESPACE_BINDING,
  readProduction,
  withoutUnavailable,
  writeProduction,
  type ProductionConfig,
} from './production-config.ts';
import type { Terminal } from './terminal.ts';
import { verifyDeployment } from './verify.ts';

const PASSPHRASE = 'OWNER_PASSPHRASE';

export interface DeployWorld {
  /** The path of `wrangler.toml`. */
  readonly config: string;
  /** Runs wrangler in `environment` and nothing else of it. */
  readonly wrangler: (environment: Environment) => RunWrangler;
  readonly environment: Environment;
  readonly terminal: Terminal;
  /** Whether nothing is asked. */
  readonly isAgreed: boolean;
  /** Looks at what was deployed. */
  readonly verify?: typeof verifyDeployment;
}

/** Throws `CommandError`, which says what failed, what there is, and what to do. */
export async function deploy(world: DeployWorld): Promise<void> {
  // Cloudflare's own builds have no terminal. Whoever connected the repository has agreed to them.
  const isBuild = world.environment['WORKERS_CI'] === '1';
  const isAgreed = world.isAgreed || isBuild;
  if (!isAgreed && !world.terminal.isInteractive) {
    throw new CommandError(
      'There is no terminal to ask on. Run npm run deploy -- --yes to have everything made that is missing. Nothing was changed.',
    );
  }
  const steps = new Steps(world.terminal);
  try {
    await run({ ...world, isAgreed, isBuild, steps });
  } catch (error) {
    if (error instanceof CommandError) throw steps.explain(error);
    throw error;
  }
}

interface Run extends DeployWorld {
  readonly isBuild: boolean;
  readonly steps: Steps;
}

async function run(world: Run): Promise<void> {
  const { steps, terminal, config } = world;
  const production = readProduction(config);
  const worker = world.environment['WRANGLER_CI_OVERRIDE_NAME'] ?? production.worker;
  // The passphrase is nobody's business but that of the one command that is given it.
  const { [PASSPHRASE]: _, ...environment } = world.environment;

  steps.begin('sign in to Cloudflare');
  const account = await chooseAccount(world, environment, production);
  const accountEnvironment = { ...environment, CLOUDFLARE_ACCOUNT_ID: account.id };
  const wrangler = world.wrangler(accountEnvironment);
  const client = cloudflare({ run: wrangler, config, worker });

  steps.begin('look at what there is');
  const found = await lookAround(client, production, worker);
  const plan = { account, worker, found, production };
  terminal.say(describePlan(plan));
  if (!(await agree(world, plan))) return terminal.say('Nothing was changed.');
  const passphrase = await decidePassphrase(world, plan);

  const namespaceId = await provideNamespace(steps, client, found.namespace, worker);
  const bucket = await provideBucket(steps, client, found);
  steps.begin('write the ids to wrangler.toml');
  writeProduction(config, { namespaceId, bucket });
  const deployment = await upload(world, client, { hasFiles: found.hasFiles });
  if (passphrase !== undefined) {
    steps.begin(`set the secret ${PASSPHRASE}`);
    await client.putSecret(PASSPHRASE, passphrase.text);
    steps.finish(`the secret ${PASSPHRASE}`);
    if (passphrase.isGenerated) terminal.say(showOnce(passphrase.text));
  }
  await check(world, plan, { deployment, passphrase });
}

/** What a deployment needs of an account, as far as it is there. */
interface Found {
  readonly namespace: Namespace | undefined;
  /** Whether R2 is switched on. */
  readonly hasFiles: boolean;
  /** The bucket to be used, there or not. */
  readonly bucket: string;
  readonly hasBucket: boolean;
  readonly hasWorker: boolean;
  readonly hasPassphrase: boolean;
}

interface Plan {
  readonly account: Account;
  readonly worker: string;
  readonly found: Found;
  readonly production: ProductionConfig;
}

async function chooseAccount(
  { terminal, isAgreed, ...world }: Run,
  environment: Environment,
  production: ProductionConfig,
): Promise<Account> {
  const wanted = environment['CLOUDFLARE_ACCOUNT_ID'] ?? production.accountId;
  // A token may be for one account, and not for asking who its owner is.
  if (wanted !== undefined && environment['CLOUDFLARE_API_TOKEN'] !== undefined) {
    return { id: wanted, name: wanted };
  }
  const run = world.wrangler(environment);
  let accounts = await findAccounts(run);
  if (accounts === undefined && !isAgreed) {
    const answer = await terminal.ask(
      'You are not signed in to Cloudflare. Open a browser? [Y/n] ',
    );
    if (!/^n/i.test(answer)) {
      await run(['login'], { onTerminal: true });
      accounts = await findAccounts(run);
    }
  }
  if (accounts === undefined) {
    throw new CommandError(
      'You are not signed in to Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token made from the template "Edit Cloudflare Workers".',
    );
  }
  if (wanted !== undefined) {
    return accounts.find(({ id }) => id === wanted) ?? { id: wanted, name: wanted };
  }
  const [first, ...others] = accounts;
  if (first !== undefined && others.length === 0) return first;
  const list = accounts.map(({ id, name }, i) => `  ${i + 1}  ${id}  ${name}`).join('\n');
  if (isAgreed || first === undefined) {
    throw new CommandError(`Set CLOUDFLARE_ACCOUNT_ID to the account that is meant.\n${list}`);
  }
  terminal.say(`These are your accounts:\n${list}`);
  const chosen = accounts[Number(await terminal.ask('Which one? (its number) ')) - 1];
  if (chosen === undefined) throw new CommandError('That is none of them.');
  terminal.say(`Set CLOUDFLARE_ACCOUNT_ID to ${chosen.id}, and npm run token will know it too.`);
  return chosen;
}

async function lookAround(
  client: Cloudflare,
  { namespaceIds, buckets }: ProductionConfig,
  worker: string,
): Promise<Found> {
  const namespaces = await client.listNamespaces();
  const named = namespaceIds.map((wanted) => namespaces.find(({ id }) => id === wanted));
  const existing = await client.listBuckets();
  const bucket = buckets.toReversed().find((name) => existing?.includes(name));
  const secrets = await client.listSecrets();
  return {
    namespace:
      named.find((one) => one !== undefined) ??
      namespaces.find(({ title }) => title === titleOf(worker)),
    hasFiles: existing !== undefined && buckets.length > 0,
    bucket: bucket ?? buckets[0] ?? '',
    hasBucket: bucket !== undefined,
    hasWorker: secrets !== undefined,
    hasPassphrase: secrets?.includes(PASSPHRASE) ?? false,
  };
}

/** As wrangler itself would name it. */
function titleOf(worker: string): string {
  return `${worker}-${NAMESPACE_BINDING.toLowerCase().replaceAll('_', '-')}`;
}

function describePlan({ account, worker, found, production }: Plan): string {
  const state = (isThere: boolean, otherwise: string) => (isThere ? 'is there' : otherwise);
  const lines = [
    ['Worker', worker, found.hasWorker ? 'is there, and is upgraded' : 'will be made'],
    [
      'KV namespace',
      found.namespace?.title ?? titleOf(worker),
      state(found.namespace !== undefined, 'will be made'),
    ],
    found.hasFiles
      ? ['R2 bucket', found.bucket, state(found.hasBucket, 'will be made')]
      : ['R2 bucket', '', 'none: R2 is not switched on in this account'],
    production.authMode === 'token'
      ? ['passphrase', '', 'none: AUTH_MODE is token']
      : ['passphrase', PASSPHRASE, state(found.hasPassphrase, 'will be set')],
  ];
  const rows = lines.map(([what = '', name = '', how]) => {
    return `  ${what.padEnd(14)}${name.padEnd(24)}${how}`;
  });
  return [`Account ${describeAccount(account)}`, ...rows].join('\n');
}

function describeAccount({ id, name }: Account): string {
  return name === id ? id : `${name} (${id})`;
}

async function agree({ terminal, isAgreed }: Run, { account, found }: Plan): Promise<boolean> {
  if (!found.hasFiles) {
    terminal.say(
      `Without R2 there are no files: export_database, import_database from a file, and backups. It is free up to 10 GB and switched on at https://dash.cloudflare.com/${account.id}/r2; run npm run deploy again afterwards.`,
    );
  }
  if (isAgreed) return true;
  return /^y/i.test(await terminal.ask(`Go on${found.hasFiles ? '' : ' without it'}? [y/N] `));
}

/** The one to be set, if there is none. Without anybody to show one to, none is made up. */
async function decidePassphrase(
  { terminal, isAgreed, isBuild, environment }: Run,
  { found, production }: Plan,
): Promise<Passphrase | undefined> {
  if (found.hasPassphrase || production.authMode === 'token') return undefined;
  const given = environment[PASSPHRASE];
  if (given) return takePassphrase(given);
  if (!terminal.isInteractive) {
    // It stays closed until its owner sets one. A build's log is read by others.
    if (isBuild) return undefined;
    throw new CommandError(
      `There is nobody to show a new passphrase to. Set ${PASSPHRASE} in the environment of this command.`,
    );
  }
  if (isAgreed) return { text: generatePassphrase(), isGenerated: true };
  return askPassphrase(terminal);
}

async function provideNamespace(
  steps: Steps,
  client: Cloudflare,
  found: Namespace | undefined,
  worker: string,
): Promise<string> {
  const title = titleOf(worker);
  let namespace = found;
  if (namespace === undefined) {
    steps.begin(`make the KV namespace ${title}`);
    await client.createNamespace(title);
    namespace = (await client.listNamespaces()).find((one) => one.title === title);
  }
  if (namespace === undefined) throw new CommandError(`It was made, and is not in the list.`);
  steps.finish(`the KV namespace ${namespace.title}`);
  return namespace.id;
}

async function provideBucket(
  steps: Steps,
  client: Cloudflare,
  { hasFiles, bucket, hasBucket }: Found,
): Promise<string | undefined> {
  if (!hasFiles) return undefined;
  if (!hasBucket) {
    steps.begin(`make the R2 bucket ${bucket}`);
    await client.createBucket(bucket);
  }
  steps.finish(`the R2 bucket ${bucket}`);
  return bucket;
}

/** What the account turns out not to have is left out, or asked for, and it is tried again. */
async function upload(
  { steps, terminal, config, isAgreed }: Run,
  client: Cloudflare,
  { hasFiles }: { readonly hasFiles: boolean },
): Promise<Deployment> {
  let withLimits = true;
  let onTerminal = false;
  steps.begin('deploy the Worker');
  for (;;) {
    try {
      const omissions = { files: !hasFiles, limits: !withLimits };
      const deployment = await withoutUnavailable(config, omissions, (file) =>
        client.deploy(file, onTerminal),
      );
      steps.finish('the Worker');
      return deployment;
    } catch (error) {
      if (error instanceof LimitsUnavailableError && withLimits) {
        withLimits = false;
        terminal.say('  once more, without limits of its own: this account is on the Free plan');
      } else if (
        error instanceof AddressUnavailableError &&
        !onTerminal &&
        terminal.isInteractive &&
        !isAgreed
      ) {
        onTerminal = true;
        terminal.say('  once more: this account needs a name at workers.dev');
      } else {
        throw error;
      }
    }
  }
}

async function check(
  { steps, terminal, isBuild, verify = verifyDeployment }: Run,
  { found, production }: Plan,
  { deployment, passphrase }: { deployment: Deployment; passphrase: Passphrase | undefined },
): Promise<void> {
  const kind = production.authMode === 'token' ? 'token' : 'oauth';
  const isSetUp = kind === 'token' || found.hasPassphrase || passphrase !== undefined;
  steps.begin(`see that ${deployment.origin} answers, and refuses strangers`);
  if ((await verify(deployment.origin, { isSetUp })) === 'guarded') {
    terminal.say(`\nIt answers, and refuses whoever has no credential.\n`);
    return terminal.say(connectLines(`${deployment.origin}/mcp`, kind));
  }
  const where = isBuild ? 'in the dashboard, under Settings → Variables and Secrets, or ' : '';
  terminal.say(
    `\nIt answers, and serves nobody yet: set the secret ${PASSPHRASE} ${where}with npx wrangler secret put ${PASSPHRASE} --env production. Its MCP URL is ${deployment.origin}/mcp.`,
  );
}

function showOnce(passphrase: string): string {
  return `\nYour passphrase, which is shown this once:\n\n  ${passphrase}\n`;
}

/** Where a deployment is, so that a failure can say what is left of it. */
class Steps {
  readonly #terminal: Terminal;
  readonly #done: string[] = [];
  #current = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  begin(step: string): void {
    this.#current = step;
    this.#terminal.say(`· ${step}`);
  }

  finish(thing: string): void {
    this.#done.push(thing);
  }

  explain(error: CommandError): CommandError {
    const there =
      this.#done.length === 0 ? 'Nothing was changed.' : `There are: ${this.#done.join(', ')}.`;
    return new CommandError(
      `The step that failed: ${this.#current}.\n\n${error.message}\n\n${there} Run npm run deploy again: it goes on from here and makes nothing twice.`,
      { cause: error },
    );
  }
}
