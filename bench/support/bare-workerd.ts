/**
 * The engine alone, with a built Worker in it: no development proxy, no KV, no R2 and no assets, so that
 * searches go by words. What is measured on it is the Worker and nothing around it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parse } from 'smol-toml';
import { listModules } from '../../scripts/support/bundle.ts';
import { ROOT } from '../../scripts/support/dev-server.ts';

export interface BareWorkerd extends AsyncDisposable {
  readonly url: string;
  /** CPU that all threads of the process have used so far; undefined where /proc does not tell. */
  readonly cpuMs: number | undefined;
}

/** Starts the Worker of a directory, its threads kept in `state`. Resolves when the Worker is evaluated. */
export async function startBareWorkerd(directory: string, state: string): Promise<BareWorkerd> {
  mkdirSync(state, { recursive: true });
  const config = join(directory, 'config.capnp');
  writeFileSync(config, describe(listModules(directory), state));
  const child = spawn(findWorkerd(), ['serve', '--control-fd=3', config], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const { pid } = child;
  const events = createInterface({ input: child.stdio[3] as Readable });
  for await (const line of events) {
    const event = JSON.parse(line) as { event: string; port?: number };
    if (event.event !== 'listen' || pid === undefined) continue;
    return {
      url: `http://127.0.0.1:${event.port}`,
      cpuMs: cpuOf(pid),
      async [Symbol.asyncDispose]() {
        child.kill();
        await once(child, 'exit');
      },
    };
  }
  throw new Error('workerd has ended before it served anything.');
}

/** Nanoseconds on a CPU stand first in `schedstat`. */
function cpuOf(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
  } catch {
    return undefined;
  }
}

/** The engine that wrangler runs. */
function findWorkerd(): string {
  const { resolve } = createRequire(createRequire(join(ROOT, 'x.js')).resolve('wrangler'));
  return createRequire(resolve('workerd'))(resolve('workerd')).default as string;
}

interface WranglerConfig {
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
}

function describe(modules: readonly string[], state: string): string {
  const config = parse(
    readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'),
  ) as unknown as WranglerConfig;
  // Newer dates have this one switched on by themselves, and refuse it.
  const flags = config.compatibility_flags.filter((flag) => flag !== 'nodejs_compat');
  const embedded = modules.map((name) => {
    const kind = name.endsWith('.wasm') ? 'wasm' : 'esModule';
    return `(name = "${name}", ${kind} = embed "${name}")`;
  });
  // The main module is the first one.
  embedded.sort((a, b) => Number(a.includes('wasm =')) - Number(b.includes('wasm =')));
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .skein), (name = "assets", worker = .nothing), (name = "disk", disk = (path = "${state}", writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const skein :Workerd.Worker = (
  modules = [${embedded.join(', ')}],
  compatibilityDate = "${config.compatibility_date}",
  compatibilityFlags = ${JSON.stringify(flags)},
  durableObjectNamespaces = [
    (className = "Thread", uniqueKey = "thread", enableSql = true),
    (className = "Directory", uniqueKey = "directory", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "THREAD", durableObjectNamespace = "Thread"),
    (name = "DIRECTORY", durableObjectNamespace = "Directory"),
    (name = "ASSETS", service = "assets"),
  ],
);
const nothing :Workerd.Worker = (
  modules = [(name = "none.js", esModule = "export default { fetch: () => new Response(null, { status: 404 }) }")],
  compatibilityDate = "${config.compatibility_date}",
);
`;
}
