/**
 * `npm run build:ui` makes the explorer: the files that the Worker serves below `/ui/`, and a list of them
 * from which it writes the page. A build that is newer than all it is made from is left alone. No network.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine } from './support/command-line.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist/assets/ui');
const MANIFEST = 'manifest.json';
/** How long files of earlier builds stay. */
const KEPT_MS = 86_400_000;
const ENTRY = join(ROOT, 'src/ui/main.tsx');
const INPUTS = [
  ...globSync(join(ROOT, 'src/ui/**/*.{ts,tsx,css,svg}')),
  ...['wire', 'pages/connect-lines'].map((name) => join(ROOT, `src/http/${name}.ts`)),
  ...['preact', 'sigma', 'graphology', 'graphology-layout-forceatlas2', 'uplot'].map((name) =>
    join(ROOT, `node_modules/${name}/package.json`),
  ),
  import.meta.filename,
];

readCommandLine(
  {
    name: 'npm run build:ui',
    usage:
      'npm run build:ui\n\nMakes the files of the explorer, where something has changed. It takes no flags.',
  },
  {},
);
if (!isFresh()) await buildExplorer();

function isFresh(): boolean {
  const manifest = join(OUTPUT, MANIFEST);
  if (!existsSync(manifest)) return false;
  const builtAt = statSync(manifest).mtimeMs;
  return INPUTS.every((input) => statSync(input).mtimeMs < builtAt);
}

/** Never half: a server and a test run may be starting at the same time. */
async function buildExplorer(): Promise<void> {
  // Vite is large: most runs find that nothing has changed.
  const { build } = await import('vite');
  const draft = join(ROOT, `dist/ui-${process.pid}`);
  await build({
    configFile: false,
    root: ROOT,
    base: '/ui/',
    logLevel: 'warn',
    publicDir: join(ROOT, 'src/ui/public'),
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: draft,
      emptyOutDir: true,
      assetsDir: '.',
      assetsInlineLimit: 0,
      manifest: MANIFEST,
      modulePreload: { polyfill: false },
      target: 'es2023',
      rolldownOptions: { input: ENTRY },
    },
    worker: { format: 'es' },
  });
  mkdirSync(OUTPUT, { recursive: true });
  const names = readdirSync(draft).filter((name) => name !== MANIFEST);
  for (const name of names) renameSync(join(draft, name), join(OUTPUT, name));
  // Last, since it names the others.
  renameSync(join(draft, MANIFEST), join(OUTPUT, MANIFEST));
  rmSync(draft, { recursive: true });
  removeOld(new Set([...names, MANIFEST]));
}

/** A server that runs goes on with the files that it began with. */
function removeOld(current: ReadonlySet<string>): void {
  for (const name of readdirSync(OUTPUT)) {
    const path = join(OUTPUT, name);
    if (!current.has(name) && Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path);
  }
}
