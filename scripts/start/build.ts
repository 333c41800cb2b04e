/**
 * Builds the Worker by wrangler, which knows its module rules, when an input has changed since the
 * last time. A build is a directory of its own with a list of everything it was made from.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { basename, extname, join, resolve } from 'node:path';
import { CommandError } from '../support/command-error.ts';
import { projectWrangler, wranglerRunner } from '../support/wrangler.ts';
import type { WorkerConfig } from './config.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILDS = join(ROOT, 'dist/start');
const BUILD_MS_MAX = 10 * 60_000;

/** A module of the built Worker, by the name that others import it by. */
export type BuiltModule =
  | { readonly type: 'esm' | 'text'; readonly contents: string }
  | { readonly type: 'wasm' | 'data'; readonly contents: Uint8Array<ArrayBuffer> };

export interface Build {
  readonly config: WorkerConfig;
  /** The bundle is `worker.js`, whatever its source is called. */
  readonly modules: Readonly<Record<string, BuiltModule>>;
}

/** What a build was made from: sizes in bytes and times of change in milliseconds, by path. */
type Stamps = Readonly<Record<string, readonly [size: number, changedAt: number]>>;

interface Manifest {
  /** As it was read for the build: reading it again would take longer than everything else here. */
  readonly config: WorkerConfig;
  /** Below the directory of the manifest. */
  readonly directory: string;
  readonly main: string;
  readonly stamps: Stamps;
}

/** Files that decide what a build is and that the bundler does not list. */
const COMMON_INPUTS = [
  'package.json',
  'tsconfig.json',
  'node_modules/wrangler/package.json',
  'scripts/build-*.ts',
  'src/ui/**/*',
  'scripts/support/*.ts',
  'scripts/start/*',
  'src/search/embed/*',
].map((pattern) => join(ROOT, pattern));

/** Throws a `CommandError` that says what is wrong with the configuration or what the bundler says. */
export async function buildWorker(configPath: string, onBuild: () => void): Promise<Build> {
  const home = join(BUILDS, createHash('sha256').update(configPath).digest('hex').slice(0, 12));
  const built = readBuild(home);
  if (built !== undefined) return built;
  const { readConfig } = await import('./config.ts');
  const config = readConfig(configPath);
  onBuild();
  await runBuild('embedder');
  await runBuild('ui');
  await bundle(config, home);
  const fresh = readBuild(home);
  if (fresh !== undefined) return fresh;
  throw new CommandError('The sources changed while the Worker was built. Start again.');
}

/** Undefined unless everything is as it was when the build was made. */
function readBuild(home: string): Build | undefined {
  try {
    const manifest: Manifest = JSON.parse(readFileSync(join(home, 'build.json'), 'utf8'));
    const { config, directory, main, stamps } = manifest;
    const isCurrent = Object.entries(stamps).every(([path, stamp]) => {
      const { size, mtimeMs } = statSync(path);
      return size === stamp[0] && mtimeMs === stamp[1];
    });
    return isCurrent ? { config, modules: readModules(join(home, directory), main) } : undefined;
  } catch {
    // Nothing was built, or an input is gone, or another start has just replaced the build.
    return undefined;
  }
}

function readModules(directory: string, main: string): Build['modules'] {
  const names = readdirSync(directory);
  const modules: Record<string, BuiltModule> = {};
  for (const name of names) {
    const path = join(directory, name);
    if (name === main) modules['worker.js'] = { type: 'esm', contents: readFileSync(path, 'utf8') };
    else if (extname(name) === '.wasm') modules[name] = { type: 'wasm', contents: readBytes(path) };
    else if (extname(name) === '.bin') modules[name] = { type: 'data', contents: readBytes(path) };
  }
  if (modules['worker.js'] === undefined) throw new Error(`${directory} has no ${main}.`);
  return modules;
}

function readBytes(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path));
}

/** Leaves alone what is new enough. */
async function runBuild(what: 'embedder' | 'ui'): Promise<void> {
  const script = join(ROOT, `scripts/build-${what}.ts`);
  const child = spawn(process.execPath, [script], { cwd: ROOT, stdio: ['ignore', 'ignore', 2] });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new CommandError(`npm run build:${what} failed.`);
}

async function bundle(config: WorkerConfig, home: string): Promise<void> {
  const directory = `${process.pid}-${Date.now()}`;
  const outdir = join(home, directory);
  mkdirSync(outdir, { recursive: true });
  const { status, complaint } = await wranglerRunner(projectWrangler())([
    'deploy',
    '--dry-run',
    '--env=',
    '--metafile',
    `--outdir=${outdir}`,
    `--config=${config.path}`,
  ]);
  if (status !== 0) throw new CommandError(`The Worker cannot be built:\n${complaint}`);
  const manifest: Manifest = {
    config,
    directory,
    main: basename(config.main).replace(/\.\w+$/, '.js'),
    stamps: stampInputs(config, outdir),
  };
  const draft = `${outdir}.json`;
  writeFileSync(draft, JSON.stringify(manifest));
  renameSync(draft, join(home, 'build.json'));
  removeOld(home, directory);
}

/** Leaves what another start may be building at the same time. */
function removeOld(home: string, current: string): void {
  for (const name of readdirSync(home)) {
    const path = join(home, name);
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > BUILD_MS_MAX && name !== current && name !== 'build.json') {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

function stampInputs(config: WorkerConfig, outdir: string): Stamps {
  const metafile = JSON.parse(readFileSync(join(outdir, 'bundle-meta.json'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, unknown>>;
  };
  const paths = [
    config.path,
    ...Object.keys(metafile.inputs).map((path) => resolve(config.directory, path)),
    ...COMMON_INPUTS.flatMap((pattern) => globSync(pattern)),
    ...(config.assets === undefined ? [] : globSync(`${config.assets.directory}/**/*`)),
  ];
  const stamps: Record<string, [number, number]> = {};
  for (const path of paths) {
    // The bundler's own modules have names that are no paths.
    if (!existsSync(path)) continue;
    const stat = statSync(path);
    if (stat.isFile()) stamps[path] = [stat.size, stat.mtimeMs];
  }
  return stamps;
}
