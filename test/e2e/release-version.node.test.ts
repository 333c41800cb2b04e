/** `npm run release:version` on a copy of the files that it reads. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/support/dev-server.ts';

const COPIED = [
  '.changeset/config.json',
  'package.json',
  'package-lock.json',
  'scripts/release-version.ts',
  'scripts/support/command-error.ts',
  'scripts/support/command-line.ts',
  'src/tools/version.ts',
];

const copy = mkdtempSync(join(tmpdir(), 'skein-release-'));
afterAll(() => rmSync(copy, { recursive: true }));

test('a release has the next version everywhere, and the notes of its changesets first', () => {
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  write('package.json', read('package.json').replace(/"version": "[^"]+"/, '"version": "1.2.3"'));
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n### Added\n\n- An older note.\n');
  write('.changeset/quick-fox.md', '---\n"skein": minor\n---\n\nSearches answer faster.\n');

  const { status, stderr } = spawnSync(process.execPath, ['scripts/release-version.ts'], {
    cwd: copy,
    encoding: 'utf8',
  });

  expect(stderr).toBe('');
  expect(status).toBe(0);
  const lock = JSON.parse(read('package-lock.json'));
  expect(JSON.parse(read('package.json')).version).toBe('1.3.0');
  expect([lock.version, lock.packages[''].version]).toEqual(['1.3.0', '1.3.0']);
  expect(read('src/tools/version.ts')).toContain("VERSION = '1.3.0'");
  expect(read('CHANGELOG.md')).toBe(
    '# Changelog\n\n## 1.3.0\n\n### Minor Changes\n\n- Searches answer faster.\n\n### Added\n\n- An older note.\n',
  );
  expect(existsSync(join(copy, '.changeset/quick-fox.md'))).toBe(false);
});

function read(path: string): string {
  return readFileSync(join(copy, path), 'utf8');
}

function write(path: string, text: string): void {
  writeFileSync(join(copy, path), text);
}
