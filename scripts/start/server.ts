/**
 * Serves a built Worker by Miniflare, the engine below `wrangler dev`, with nothing between the port
 * and the Worker: no development proxy, inspector, watcher, explorer or record of queries.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Log, LogLevel, Miniflare, type WorkerOptions } from 'miniflare';
import { CommandError } from '../support/command-error.ts';
import type { Build } from './build.ts';
import { parseCron, startCrons, type Clock } from './cron.ts';

export interface ServerOptions {
  readonly build: Build;
  readonly vars: Readonly<Record<string, string>>;
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly persistTo: string;
  /** Of the Worker and of the engine; `line` has no end of line. */
  readonly onLog: (level: 'info' | 'warn' | 'error', line: string) => void;
  /** Of the crons. Left out, the machine's. */
  readonly clock?: Clock;
}

export interface Server {
  /** Such as `http://localhost:8787`. */
  readonly url: string;
  /** Ends the engine. What was acknowledged is on the disk before it is acknowledged. */
  stop(): Promise<void>;
}

/** What Miniflare's types do not tell. */
interface ScheduledWorker {
  scheduled(event: { cron: string; scheduledTime: Date }): Promise<unknown>;
}

const FRONT = join(import.meta.dirname, 'front.js');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

/** Whether only this machine can ask at an address. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Resolves when the Worker answers. Throws a `CommandError` when the address cannot be listened on. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { host, port, onLog } = options;
  const { config } = options.build;
  const crons = config.triggers.crons.map(parseCron);
  const address = host === 'localhost' ? '127.0.0.1' : host;
  await tryPort(address, port);
  runBesideParent();
  const others = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    // Its own socket answers below /cdn-cgi before the Worker does; a path that nobody knows ends that.
    upstream: `http://127.0.0.1/${randomUUID()}/`,
    cf: false,
    // With it, a debug port lets every program of the machine call every service.
    enableDevRegistry: false,
    logRequests: false,
    log: new EngineLog(onLog),
    handleStructuredLogs: ({ level, message }) => onLog(toLevel(level), message),
    resourcePersistencePath: join(options.persistTo, 'v3'),
    telemetry: { enabled: false },
    unsafeLocalExplorer: false,
    unsafeObservability: false,
    unsafeTriggerHandlers: false,
    workers: [toWorker(options, address)],
  });
  // It would end the process at once, with the status of a failure; its caller stops the server.
  for (const [signal, listeners] of others) keepListeners(signal, listeners);
  const entrypoint = entrypointOf(host);
  let url: URL;
  try {
    url = await miniflare.unsafeGetDirectURL(config.name, entrypoint);
  } catch (error) {
    await miniflare.dispose().catch(() => {});
    throw isTaken(error) ? portTaken(port) : error;
  }
  const stopCrons = startCrons(
    crons,
    ({ expression }, scheduledAt) => void runCron(expression, scheduledAt),
    options.clock,
  );
  const runCron = async (cron: string, scheduledAt: number) => {
    try {
      const worker = (await miniflare.getWorker(config.name)) as unknown as ScheduledWorker;
      await worker.scheduled({ cron, scheduledTime: new Date(scheduledAt) });
    } catch (error) {
      onLog('error', `The cron event ${cron} failed: ${String(error)}`);
    }
  };
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${url.port}`,
    stop: async () => {
      stopCrons();
      await miniflare.dispose();
    },
  };
}

function entrypointOf(host: string): 'Local' | 'Remote' {
  return isLoopbackHost(host) ? 'Local' : 'Remote';
}

function toWorker({ build, vars, host, port }: ServerOptions, address: string): WorkerOptions {
  const { config, modules } = build;
  const objects = config.durable_objects.bindings;
  const env: WorkerOptions['config']['env'] = {};
  for (const [name, value] of Object.entries(vars)) env[name] = { type: 'text', value };
  for (const { binding, id } of config.kv_namespaces) env[binding] = { type: 'kv', id };
  for (const one of config.r2_buckets) env[one.binding] = { type: 'r2', name: one.bucket_name };
  for (const { name, class_name } of objects) {
    env[name] = { type: 'durable-object', worker: config.name, exportName: class_name };
  }
  for (const { name, namespace_id, simple } of config.ratelimits) {
    env[name] = { type: 'rate-limit', namespace: namespace_id, simple };
  }
  if (config.assets !== undefined) env[config.assets.binding] = { type: 'assets' };
  const classes = objects.map(({ class_name }) => class_name);
  return {
    config: {
      name: config.name,
      compatibilityDate: config.compatibility_date,
      compatibilityFlags: config.compatibility_flags,
      manifest: {
        mainModule: 'front.js',
        modulesRoot: config.directory,
        modules: {
          ...modules,
          'front.js': { type: 'esm', contents: readFileSync(FRONT, 'utf8') },
        },
      },
      env,
      exports: Object.fromEntries(
        classes.map((name) => [name, { type: 'durable-object', storage: 'sqlite' }]),
      ),
      ...(config.assets !== undefined && {
        assets: {
          directory: config.assets.directory,
          hasUserWorker: true,
          runWorkerFirst: true,
        },
      }),
    },
    dev: {
      rootPath: config.directory,
      unsafeDirectSockets: [{ host: address, port, entrypoint: entrypointOf(host) }],
    },
  };
}

/** Before the engine starts, so that what is wrong is known at once, and by its own name. */
async function tryPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
  } catch (error) {
    throw isTaken(error)
      ? portTaken(port)
      : new CommandError(`Cannot listen on ${host}, port ${port}: ${String(error)}.`);
  } finally {
    probe.close();
  }
  await once(probe, 'close');
}

function portTaken(port: number): CommandError {
  return new CommandError(
    `Port ${port} is taken. Choose another one: npm start -- --port ${port === 65_535 ? 8787 : port + 1}`,
  );
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EADDRINUSE' || code === 'ERR_ADDRESS_IN_USE';
}

/** The engine would go on without its server if that was killed. Windows has no shell for it. */
function runBesideParent(): void {
  if (process.platform === 'win32') return;
  const engine = createRequire(import.meta.resolve('miniflare'))('workerd') as {
    readonly default: string;
  };
  process.env['SKEIN_WORKERD'] ??= process.env['MINIFLARE_WORKERD_PATH'] ?? engine.default;
  process.env['MINIFLARE_WORKERD_PATH'] = join(import.meta.dirname, 'workerd.sh');
}

function keepListeners(signal: NodeJS.Signals, kept: readonly unknown[]): void {
  for (const listener of process.listeners(signal)) {
    if (!kept.includes(listener)) process.off(signal, listener);
  }
}

function toLevel(level: string): 'info' | 'warn' | 'error' {
  return level === 'warn' || level === 'error' ? level : 'info';
}

/** What Miniflare has to say of itself, such as that the engine crashed and runs again. */
class EngineLog extends Log {
  readonly #onLog: ServerOptions['onLog'];

  constructor(onLog: ServerOptions['onLog']) {
    super(LogLevel.WARN);
    this.#onLog = onLog;
  }

  override logWithLevel(level: LogLevel, message: string): void {
    if (level <= this.level) this.#onLog(level === LogLevel.ERROR ? 'error' : 'warn', message);
  }

  override error(error: Error): void {
    this.#onLog('error', error.message);
  }

  override warn(message: string): void {
    this.#onLog('warn', message);
  }
}
