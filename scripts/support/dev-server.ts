/** The real server, that of `npm start`, as a group of processes that a script or a test starts and ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

export interface DevServerOptions {
  /** Left out, a free one. */
  readonly port?: number;
  /** Where the threads are kept. Left out, a directory that goes with the server. */
  readonly persistTo?: string;
  /** A wrangler configuration other than the project's own. */
  readonly config?: string;
  /** Variables of the Worker, over those of the configuration. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Of the engine that runs the Worker, such as `--trace-gc`. */
  readonly v8Flags?: readonly string[];
}

export interface DevServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8787`; MCP is served at `/mcp` below it. */
  readonly url: string;
  readonly stateDir: string;
  /** Of the first process; all others are in the group of this number. */
  readonly groupId: number;
  /** Everything that the processes have printed, without colours. */
  log(): string;
  /** Ends the processes as Ctrl-C does. */
  stop(): Promise<void>;
  /** Ends the processes at once, in the middle of whatever they do. */
  kill(): Promise<void>;
}

export const ROOT = resolve(import.meta.dirname, '../..');
const PINNED_NODE = join(ROOT, 'node_modules/.bin/node');
/** Where the pinned Node does not exist for a platform, whatever runs this has to do. */
const NODE = existsSync(PINNED_NODE) ? PINNED_NODE : process.execPath;
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');
const START = join(ROOT, 'scripts/start.ts');
/** As `npm start` and `wrangler dev` say it. */
const READY = /(?:^MCP: +|Ready on )(http:\/\/[\w.-]+:\d+)/m;
/** The first start on a clean checkout builds the embedder and the Worker. */
const READY_MS_MAX = 180_000;
const STOP_MS_MAX = 5_000;

/** Resolves when the Worker answers. It logs every call, and reads no `.dev.vars`. */
export function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const scratch = makeScratch();
  const stateDir = options.persistTo ?? join(scratch, 'state');
  const noSecrets = join(scratch, 'no-secrets');
  writeFileSync(noSecrets, '');
  const args = [
    START,
    '--log',
    '--host=127.0.0.1',
    `--port=${options.port ?? 0}`,
    `--persist-to=${stateDir}`,
    `--env-file=${noSecrets}`,
    ...(options.config === undefined ? [] : [`--config=${options.config}`]),
    ...varFlags(options),
  ];
  return untilReady(NODE, args, { scratch, stateDir, v8Flags: options.v8Flags });
}

export interface WranglerDevOptions extends Pick<
  DevServerOptions,
  'persistTo' | 'config' | 'vars' | 'v8Flags'
> {
  /** An environment of the project's configuration, its bindings emulated. */
  readonly env?: string;
}

/** `wrangler dev`, for what is about it or about an environment of the configuration. */
export function startWranglerDev(options: WranglerDevOptions = {}): Promise<DevServer> {
  const scratch = makeScratch();
  const stateDir = options.persistTo ?? join(scratch, 'state');
  const args = [
    WRANGLER,
    'dev',
    '--local',
    '--ip=127.0.0.1',
    '--port=0',
    '--inspector-port=0',
    `--config=${copyConfig(options.config ?? join(ROOT, 'wrangler.toml'), scratch)}`,
    `--persist-to=${stateDir}`,
    ...(options.env === undefined ? [] : [`--env=${options.env}`]),
    ...varFlags(options),
  ];
  return untilReady(NODE, args, { scratch, stateDir, v8Flags: options.v8Flags });
}

function varFlags({ vars = {} }: Pick<DevServerOptions, 'vars'>): string[] {
  return Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`);
}

/** `npm run dev`, in an environment that would switch the explorer of wrangler on. */
export function startNpmRunDev(): Promise<DevServer> {
  const scratch = makeScratch();
  const stateDir = join(scratch, 'state');
  const args = [
    '-r',
    join(ROOT, 'scripts/require-node.cjs'),
    join(ROOT, 'scripts/dev.ts'),
    '--ip=127.0.0.1',
    '--port=0',
    '--inspector-port=0',
    `--config=${copyConfig(join(ROOT, 'wrangler.toml'), scratch)}`,
    `--persist-to=${stateDir}`,
  ];
  const env = { X_LOCAL_EXPLORER: 'true', X_LOCAL_OBSERVABILITY: 'true' };
  return untilReady(NODE, args, { scratch, stateDir, env });
}

/** The command of the README, word for word. */
export function startWithNpm(port: number, persistTo: string): Promise<DevServer> {
  const args = ['start', '--', '--port', String(port), '--persist-to', persistTo];
  return untilReady('npm', args, { scratch: makeScratch(), stateDir: persistTo });
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}

export interface GroupOptions {
  readonly logFile: string;
  readonly scratch: string;
  readonly timeoutMs?: number;
  readonly v8Flags?: readonly string[] | undefined;
  /** Over the settings that every group has. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Starts a group of processes: what the child starts in its turn, such as workerd, ends with it. */
export function startGroup(
  command: string,
  args: readonly string[],
  { logFile, scratch, timeoutMs, v8Flags, env = {} }: GroupOptions,
): ChildProcess {
  const output = openSync(logFile, 'w');
  const settings = {
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    // Else wrangler writes every query of every thread into a database of its own, in the process
    // that runs ours: nobody would read it, and its memory would be taken for the threads'.
    X_LOCAL_OBSERVABILITY: 'false',
    // Its explorer reads and writes every store, whatever credentials the Worker asks for.
    X_LOCAL_EXPLORER: 'false',
    ...(v8Flags !== undefined && { MINIFLARE_WORKERD_V8_FLAGS: v8Flags.join(' ') }),
  };
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, ...settings, ...env, TMPDIR: scratch, XDG_CONFIG_HOME: scratch },
    stdio: ['ignore', output, output],
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  });
  closeSync(output);
  groups.add(child);
  child.once('close', () => void endGroup(child));
  return child;
}

/** Resolves when the last process of the group is gone, which the first one may not be. */
async function endGroup(
  child: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<void> {
  if (!groups.has(child)) return;
  const deadline = Date.now() + STOP_MS_MAX;
  signalGroup(child, signal);
  while (isRunning(child) && Date.now() < deadline) await wait(20);
  signalGroup(child, 'SIGKILL');
  groups.delete(child);
}

/** A directory for the temporary files of a group; it is removed when this process exits, too. */
export function makeScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'skein-dev-'));
  scratches.add(scratch);
  return scratch;
}

export function removeScratch(scratch: string): void {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  scratches.delete(scratch);
}

const groups = new Set<ChildProcess>();
const scratches = new Set<string>();

/** A group of its own does not hear Ctrl-C, and would go on when this process is gone. */
process.once('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    cleanUp();
    process.kill(process.pid, signal);
  });
}

function cleanUp(): void {
  for (const group of groups) signalGroup(group, 'SIGKILL');
  for (const scratch of scratches) removeScratch(scratch);
}

/** In a container, nobody may ever collect the ended processes, which until then can be signalled. */
function isRunning(child: ChildProcess): boolean {
  if (!signalGroup(child, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((id) => {
    const { state, group } = readStat(id);
    return group === String(child.pid) && state !== 'Z';
  });
}

/** Of a process: nothing when it is gone. The name before the fields may contain anything. */
function readStat(id: string): { state?: string | undefined; group?: string | undefined } {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return { state: fields?.[0], group: fields?.[2] };
  } catch {
    return {};
  }
}

/** Whether there was anyone to hear it; 0 only asks. */
function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Wrangler keeps its own temporary files beside the configuration; a killed one leaves them there. */
export function copyConfig(config: string, scratch: string): string {
  const copy = join(scratch, 'wrangler.toml');
  const text = readFileSync(config, 'utf8');
  const absolute = (_: string, key: string, path: string) =>
    `${key} = ${JSON.stringify(resolve(dirname(config), path))}`;
  writeFileSync(copy, text.replace(/^(main|directory|"[^"]+") = "(.+)"$/gm, absolute));
  return copy;
}

async function untilReady(
  command: string,
  args: readonly string[],
  {
    scratch,
    stateDir,
    ...options
  }: { scratch: string; stateDir: string } & Pick<GroupOptions, 'v8Flags' | 'env'>,
): Promise<DevServer> {
  mkdirSync(stateDir, { recursive: true });
  const logFile = join(scratch, 'dev.log');
  const child = startGroup(command, args, { logFile, scratch, ...options });
  const log = () => stripVTControlCharacters(readFileSync(logFile, 'utf8'));
  const deadline = Date.now() + READY_MS_MAX;
  while (Date.now() < deadline && groups.has(child)) {
    const url = READY.exec(log())?.[1];
    if (url !== undefined) return toServer(url);
    await wait(50);
  }
  await endGroup(child);
  const error = new Error(`The server does not start:\n${log()}`);
  removeScratch(scratch);
  throw error;

  function toServer(url: string): DevServer {
    return {
      url,
      stateDir,
      groupId: child.pid ?? 0,
      log,
      stop: () => endGroup(child, 'SIGTERM'),
      kill: () => endGroup(child, 'SIGKILL'),
      async [Symbol.asyncDispose]() {
        await endGroup(child);
        removeScratch(scratch);
      },
    };
  }
}
