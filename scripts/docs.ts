/**
 * Writes the pages of docs/ that are made from the code. With `--check` it writes nothing and
 * fails when a page is not what it would write.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { renderTokensPage } from './support/tokens-page.ts';
import { renderToolsPage } from './support/tools-page.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = new Map([
  ['docs/tools.md', renderToolsPage],
  ['docs/tokens.md', renderTokensPage],
]);

if (process.argv.includes('--check')) {
  const stale = [...PAGES].filter(([path, render]) => readPage(path) !== render());
  for (const [path] of stale) console.error(`${path} is out of date. Run: npm run docs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, render] of PAGES) writeFileSync(join(ROOT, path), render());
}

function readPage(path: string): string | undefined {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;
}
