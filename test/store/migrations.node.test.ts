import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashText } from '#graph/text/hash.ts';
import { DIRECTORY_MIGRATIONS } from '#directory-store/migrations.ts';
import { MIGRATIONS } from '#store/schema/migrations/list.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const MIGRATION_FILES = ['store/schema/migrations', 'directory-store'].flatMap((folder) =>
  readdirSync(join(SOURCES, folder))
    .filter((file) => /^\d{4}-/.test(file))
    .map((file) => join(SOURCES, folder, file)),
);

test.each([...MIGRATIONS, ...DIRECTORY_MIGRATIONS])(
  'the checksum of $id is that of its statements',
  ({ checksum, up }) => {
    // Before the first release: copy the new one, and say in the changelog that threads made until now
    // are refused. After it: take the edit back, and write the next migration.
    expect(checksum).toBe(hashText(up()));
  },
);

test('a migration imports no code of the application, so that it cannot change what it did', () => {
  const imports = MIGRATION_FILES.flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g), ([, from]) => from),
  );

  expect(MIGRATION_FILES.length).toBeGreaterThan(MIGRATIONS.length);
  expect(imports.filter((from) => !from?.startsWith('./'))).toEqual([]);
});

test('each table and view has a comment above it', () => {
  const schema = [...MIGRATIONS, ...DIRECTORY_MIGRATIONS].map(({ up }) => up()).join('\n');
  const made = [...schema.matchAll(/^(.*)\nCREATE (?:TABLE|VIEW) (\w+)/gm)];

  expect(made.length).toBeGreaterThan(20);
  expect(made.filter(([, above]) => !above?.startsWith('-- ')).map(([, , name]) => name)).toEqual(
    [],
  );
});
