/** Brings the tables of an object up to date, once per wake, before the first call is let in. */
import { MIGRATIONS, type Migration } from './migrations/list.ts';
import type { Sql } from '#store/sql.ts';

/** The stored migrations are not the first ones of the code's list. */
export class SchemaDriftError extends Error {
  override readonly name = 'SchemaDriftError';

  /** What the caller can do about it; undefined if only the operator can do something. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** A migration failed and was undone: the tables are as the one before left them. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  /** The message of SQLite stays in the cause: it may quote a row. */
  constructor(id: string, cause: unknown) {
    super(`Migration ${id} failed and was undone.`, { cause });
  }
}

const RECORDS = /* sql */ `
CREATE TABLE migration (
  id         TEXT    NOT NULL PRIMARY KEY,
  checksum   INTEGER NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/**
 * Applies what is missing, each migration and its record in one transaction. Throws `SchemaDriftError`
 * and changes nothing if the stored list and `migrations` disagree, and `MigrationError` if one fails.
 * Returns whether the database was empty.
 */
export function migrate(sql: Sql, migrations: readonly Migration[] = MIGRATIONS): boolean {
  const isEmpty = !hasTables(sql);
  const applied = isEmpty ? [] : readApplied(sql);
  applied.forEach((stored, position) => assertSame(stored, migrations[position]));
  for (const migration of migrations.slice(applied.length)) {
    const isFirst = isEmpty && migration === migrations[0];
    try {
      sql.transaction(() => apply(sql, migration, isFirst));
    } catch (error) {
      throw new MigrationError(migration.id, error);
    }
  }
  return isEmpty;
}

/** Whether any migration was ever applied: false for an object that holds nothing. */
export function hasTables(sql: Sql): boolean {
  return sql.first("SELECT 1 FROM sqlite_master WHERE name = 'migration' LIMIT 1") !== undefined;
}

interface Applied {
  readonly id: string;
  readonly checksum: number;
}

function readApplied(sql: Sql): Applied[] {
  return sql.all<Applied>('SELECT id, checksum FROM migration ORDER BY id');
}

function apply(sql: Sql, { id, checksum, up }: Migration, isFirst: boolean): void {
  sql.script(isFirst ? RECORDS + up() : up());
  sql.script(`INSERT INTO migration VALUES ('${id}', ${checksum}, ${Date.now()})`);
}

/** The first ids of the lists that were replaced before the first release. */
const BEFORE_RELEASE = new Set(['0001_graph', '0001_thread']);

function assertSame(stored: Applied, ours: Migration | undefined): void {
  if (BEFORE_RELEASE.has(stored.id)) {
    throw new SchemaDriftError(
      'This object was made before the first release, by a schema that this code cannot read.',
      'It was made before the first release. Export the thread with the version of the server that made it, and import the file into a thread of another name or into new storage.',
    );
  }
  if (ours === undefined) {
    throw new SchemaDriftError(
      `This object was written by newer code: it has migration ${stored.id}, which this code lacks. Deploy the newer version again.`,
    );
  }
  if (ours.id !== stored.id) {
    throw new SchemaDriftError(
      `Migrations are append-only: the object has ${stored.id} where the code has ${ours.id}.`,
    );
  }
  if (ours.checksum !== stored.checksum) {
    throw new SchemaDriftError(
      `Migration ${ours.id} was edited after it had been applied as ${stored.id}. Add a new migration instead.`,
    );
  }
}
