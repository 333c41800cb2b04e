/** Brings a thread's tables up to date, once per wake, before the first call is let in. */
import { hashText } from '#graph/hash.ts';
import { lazy } from '#graph/lazy.ts';
import { freshSchema } from './fresh-schema.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Sql } from './sql.ts';

/** The stored migrations are not a prefix of the code's: someone edited or reordered the list. */
export class SchemaDriftError extends Error {
  override readonly name = 'SchemaDriftError';
}

/** A migration failed and was undone: the tables are as the one before left them. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  /** The message of SQLite stays in the cause: it may quote a row. */
  constructor(id: string, cause: unknown) {
    super(`Migration ${id} failed and was undone.`, { cause });
  }
}

/**
 * Applies what is missing, each migration and its record in one transaction; to a database that holds
 * nothing, what all of them come to in one transaction. Throws
 * `SchemaDriftError` and changes nothing when the stored list and `migrations` disagree, and
 * `MigrationError` when one fails.
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
  if (applied.length === 0 && migrations === MIGRATIONS) {
    sql.transaction(() => applyAll(sql));
    return;
  }
  for (const [position, migration] of migrations.entries()) {
    if (position < applied.length) continue;
    try {
      sql.transaction(() => apply(sql, migration, position));
    } catch (error) {
      throw new MigrationError(migration.id, error);
    }
  }
}

/** What all migrations come to, read once for all threads of an isolate. */
const fresh = lazy(() => freshSchema(MIGRATIONS));

function applyAll(sql: Sql): void {
  sql.script(fresh());
  sql.run(
    /* sql */ `
    INSERT INTO migration (position, id, checksum, applied_at)
    SELECT key, value ->> 0, value ->> 1, ?2 FROM json_each(?1)`,
    JSON.stringify(MIGRATIONS.map((migration) => [migration.id, checksumOf(migration)])),
    Date.now(),
  );
}

/** Kept, since every thread that wakes asks for those of all migrations. */
const CHECKSUMS = new WeakMap<Migration, number>();

function checksumOf(migration: Migration): number {
  const known = CHECKSUMS.get(migration);
  if (known !== undefined) return known;
  const checksum = hashText(migration.up);
  CHECKSUMS.set(migration, checksum);
  return checksum;
}

function apply(sql: Sql, migration: Migration, position: number): void {
  sql.script(migration.up);
  sql.run(
    'INSERT INTO migration (position, id, checksum, applied_at) VALUES (?, ?, ?, ?)',
    position,
    migration.id,
    checksumOf(migration),
    Date.now(),
  );
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
  if (checksumOf(ours) !== stored.checksum) {
    throw new SchemaDriftError(
      `Migration ${ours.id} was edited after it had been applied as ${stored.id}. Add a new migration instead.`,
    );
  }
}
