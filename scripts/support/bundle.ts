/** The Worker as it is deployed: one module and what it imports, minified. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from './dev-server.ts';
import { projectWrangler } from './wrangler.ts';

/** What the modules of the Worker may weigh, gzipped. Every start of an isolate loads and parses all of them. */
export const BUNDLE_KIB_MAX = 400;

/** Writes the Worker of production into a directory, without deploying anything. */
export function buildWorker(directory: string): void {
  const [command, ...before] = projectWrangler();
  const build = ['deploy', '--dry-run', '--env', 'production', '--outdir', directory];
  execFileSync(command, [...before, ...build], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  });
}

/** Names of the modules in a directory that `buildWorker` has written to. */
export function listModules(directory: string): string[] {
  return readdirSync(directory).filter((file) => /\.(?:js|wasm)$/.test(file));
}

/** KiB of all modules, each gzipped by itself. Throws when there is no module. */
export function bundleKibibytes(directory: string): number {
  const modules = listModules(directory);
  if (modules.length === 0) throw new Error(`There is no module in ${directory}.`);
  const bytes = modules.map((file) => gzipSync(readFileSync(join(directory, file))).length);
  return bytes.reduce((sum, one) => sum + one, 0) / 1024;
}
