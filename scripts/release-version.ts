/**
 * Prepares a release from the files of `.changeset/`: the new version in `package.json`, the lockfile
 * and `src/tools/version.ts`, and the notes in `CHANGELOG.md`. Commits and publishes nothing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine } from './support/command-line.ts';

const ROOT = resolve(import.meta.dirname, '..');

const USAGE = `npm run release:version

Moves the notes of .changeset/ to CHANGELOG.md and counts the version up. Look at the difference and commit it.`;

readCommandLine({ name: 'npm run release:version', usage: USAGE }, {});

const { status } = spawnSync(
  process.execPath,
  [join(ROOT, 'node_modules/@changesets/cli/bin.js'), 'version'],
  {
    cwd: ROOT,
    stdio: 'inherit',
  },
);
if (status !== 0) process.exit(status ?? 1);

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
edit('package-lock.json', (text) => {
  const lock = JSON.parse(text);
  lock.version = version;
  lock.packages[''].version = version;
  return `${JSON.stringify(lock, undefined, 2)}\n`;
});
edit('src/tools/version.ts', (text) => text.replace(/'[^']+'/, `'${version}'`));
// What was noted without a changeset belongs to the release that comes first.
edit('CHANGELOG.md', (text) => text.replace('\n## Unreleased\n', ''));

function edit(path: string, change: (text: string) => string): void {
  const file = join(ROOT, path);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
