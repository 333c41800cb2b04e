/** Each promise of the page on security names tests that exist. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/use/security.md'), 'utf8');

/** The cells of the rows of the table under `## Threat model`, without its head. */
function readThreats(): string[][] {
  const [, part = ''] = page.split('## Threat model');
  const [table = ''] = part.split('\n### ');
  const rows = table.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
}

const namesTests = (text: string) => [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path);

/** The tests of a file, or of all files of a folder. */
function countTests(path: string): number {
  const files = globSync(path.endsWith('/') ? `${path}**/*.test.ts` : path, { cwd: ROOT });
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  return texts.join('\n').match(/\btest(?:\.\w+)*\(/g)?.length ?? 0;
}

test('each row of the threat model has three cells, and names its tests in the last', () => {
  const rows = readThreats();

  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  expect(rows.filter(([, , tests = '']) => namesTests(tests).length === 0)).toEqual([]);
});

test('the tests that the page names exist', () => {
  const paths = [...new Set(namesTests(page))];

  expect(paths.filter((path) => countTests(String(path)) === 0)).toEqual([]);
});
