/** `npm start`: the server of one's own machine. It builds the Worker when something has changed. */
import { enableCompileCache } from 'node:module';
import { relative, resolve } from 'node:path';
import { readArguments, USAGE, type StartOptions } from './start/arguments.ts';
import { buildWorker } from './start/build.ts';
import { lockState } from './start/lock.ts';
import { readVars } from './start/vars.ts';
import { CommandError } from './support/command-error.ts';

const ROOT = resolve(import.meta.dirname, '..');
const STOP_MS_MAX = 5_000;
const PARENT_MS = 1_000;

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function main(args: readonly string[]): Promise<void> {
  const { options, isHelp, ignored } = readArguments(args, ROOT);
  if (isHelp) return console.log(USAGE);
  if (ignored.length > 0) {
    const flags = ignored.map((name) => `--${name}`).join(', ');
    console.error(`Ignored, because only wrangler dev (npm run dev) has a use for it: ${flags}.`);
  }
  await serve(options);
}

async function serve(options: StartOptions): Promise<void> {
  const { host, port, persistTo, log } = options;
  process.once('exit', lockState(persistTo));
  const build = await buildWorker(options.config, () => console.error('Building the Worker …'));
  const vars = readVars(build.config, options.envFiles, options.vars);
  // Miniflare is large: to compile it is a good part of a start.
  enableCompileCache(resolve(ROOT, 'dist/start/compiled'));
  const { isLoopbackHost, startServer } = await import('./start/server.ts');
  if (!isLoopbackHost(host)) refuseOpen(host, vars);
  const onLog = (level: string, line: string) => {
    if (level === 'info') {
      if (log) console.log(line);
    } else console.error(line);
  };
  const server = await startServer({ build, vars, host, port, persistTo, onLog });
  stopWhenTold(() => server.stop());
  console.log(
    [
      `Memory:      ${relative(process.cwd(), persistTo) || '.'}`,
      `Page:        ${server.url}/`,
      `MCP:         ${server.url}/mcp`,
      `Claude Code: claude mcp add --transport http skein ${server.url}/mcp`,
    ].join('\n'),
  );
}

/** Without credentials the Worker serves its own machine alone, and there nobody could tell who asks. */
function refuseOpen(host: string, vars: Readonly<Record<string, string>>): void {
  const mode = vars['AUTH_MODE']?.trim().toLowerCase() || (vars['OWNER_PASSPHRASE'] ? '' : 'open');
  if (mode !== 'open') return;
  throw new CommandError(
    `--host ${host} lets other machines in, and this server has no credentials. First run: echo 'OWNER_PASSPHRASE=<12 characters or more>' >> .dev.vars, or leave --host out.`,
  );
}

/** Once: Ctrl-C is heard by every process of a terminal, and npm passes it on too. */
function stopWhenTold(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = async () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    await stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void end());
  // An npm that was killed passes nothing on.
  const parent = process.ppid;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  setInterval(() => {
    if (process.ppid !== parent) void end();
  }, PARENT_MS).unref();
}
