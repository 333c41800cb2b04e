import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '#store/migrations.ts';

const SOURCE = join(import.meta.dirname, '../../src/store/migrations.ts');

test('the schema is the one that was reviewed: vitest -u accepts another', async () => {
  const schema = MIGRATIONS.map(({ id, up }) => `-- ${id}\n${up.trim()}\n`)
    .join('\n')
    .replaceAll(/[ \t]+$/gm, '');

  await expect(schema).toMatchFileSnapshot('./__snapshots__/schema.sql');
});

test('a migration imports nothing, so that later code cannot change what it did', () => {
  expect(readFileSync(SOURCE, 'utf8')).not.toMatch(/^import\b|\bimport\(/m);
});
