/**
 * Writes the pages of docs/ that are generated from the code. With `--check` it writes nothing and
 * fails when a page differs from what it would write, or when a generated page has lost its source.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readCommandLine } from './support/command-line.ts';
import { renderTokensPage } from './support/tokens-page.ts';
import { renderToolsPages, TOOLS_FOLDER } from './support/tools-pages.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = new Map([
  ...renderToolsPages(),
  ['docs/contributing/tokens.md', renderTokensPage()] as const,
]);

const USAGE = `npm run docs [-- --check]

  --check  writes nothing, and fails when a page differs from what it would write`;

const { values } = readCommandLine(
  { name: 'npm run docs', usage: USAGE },
  { options: { check: { type: 'boolean', default: false } } },
);
/** Pages of toolsets that no longer exist. */
const orphans = globSync(`${TOOLS_FOLDER}/*.md`, { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !PAGES.has(path));
if (values.check) {
  const stale = [...PAGES].filter(([path, text]) => readPage(path) !== text);
  for (const path of [...stale.map(([path]) => path), ...orphans]) {
    console.error(`${path} is out of date. Run: npm run docs`);
  }
  process.exitCode = stale.length + orphans.length === 0 ? 0 : 1;
} else {
  for (const path of orphans) rmSync(join(ROOT, path));
  for (const [path, text] of PAGES) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}

function readPage(path: string): string | undefined {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;
}
