/** Brings a thread's tables up to date, once per wake, before the first call is let in. */
import { hashText } from '#graph/hash.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Sql } from './sql.ts';

/** The stored migrations are not a prefix of the code's: someone edited or reordered the list. */
export class SchemaDriftError extends Error {
  override readonly name = 'SchemaDriftError';
}

/**
 * Applies what is missing, each migration and its record in one transaction. Throws
 * `SchemaDriftError` and changes nothing when the stored list and `migrations` disagree.
 */
export function migrate(sql: Sql, migrations: readonly Migration[] = MIGRATIONS): void {
  sql.script(/* sql */ `
    CREATE TABLE IF NOT EXISTS migration (
      position INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      checksum INTEGER NOT NULL,
      applied_at INTEGER NOT NULL
    ) STRICT`);
  const applied = sql.all<{ id: string; checksum: number }>(
    'SELECT id, checksum FROM migration ORDER BY position',
  );
  applied.forEach((stored, position) => assertSame(stored, migrations[position]));
  for (const [position, migration] of migrations.entries()) {
    if (position < applied.length) continue;
    sql.transaction(() => {
      sql.script(migration.up);
      sql.run(
        'INSERT INTO migration (position, id, checksum, applied_at) VALUES (?, ?, ?, ?)',
        position,
        migration.id,
        hashText(migration.up),
        Date.now(),
      );
    });
  }
}

function assertSame(stored: { id: string; checksum: number }, ours: Migration | undefined): void {
  if (ours === undefined) {
    throw new SchemaDriftError(
      `This thread was written by newer code: it has migration ${stored.id}, which this code lacks. Deploy the newer version again.`,
    );
  }
  if (ours.id !== stored.id) {
    throw new SchemaDriftError(
      `Migrations are append-only: the thread has ${stored.id} where the code has ${ours.id}.`,
    );
  }
  if (hashText(ours.up) !== stored.checksum) {
    throw new SchemaDriftError(
      `Migration ${ours.id} was edited after it had been applied as ${stored.id}. Add a new migration instead.`,
    );
  }
}
