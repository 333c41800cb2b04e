/** Wakes an object: one that cannot be brought up to date is left as it is, and each caller is told. */
import { MemoryError } from '#errors.ts';
import { migrate, MigrationError, SchemaDriftError } from '#store/schema/migrate.ts';
import type { Migration } from '#store/schema/migrations/list.ts';
import type { Sql } from '#store/sql.ts';
import { logUnopened } from './log.ts';

/**
 * Applies the migrations that the object lacks; those of a thread if none are given, else of a directory.
 * Returns the error with which an object that cannot be opened answers every call.
 */
export function openTables(
  sql: Sql,
  object: string,
  directoryMigrations?: readonly Migration[],
): MemoryError | undefined {
  try {
    migrate(sql, directoryMigrations);
    return undefined;
  } catch (error) {
    if (!(error instanceof MigrationError) && !(error instanceof SchemaDriftError)) throw error;
    const reference = crypto.randomUUID().slice(0, 8);
    // Both name migrations alone.
    logUnopened({ event: 'not_opened', thread: object, reference, reason: error.message });
    const remedy = error instanceof SchemaDriftError ? error.remedy : undefined;
    const what = directoryMigrations ? 'The directory of threads' : 'This thread';
    return new MemoryError(
      'unavailable',
      `${what} cannot be opened by this version of the server (reference ${reference}).`,
      {
        hint: `Nothing in it was changed. ${remedy ?? ASK_OPERATOR}${directoryMigrations ? '' : WAY_OUT}`,
      },
    );
  }
}

const WAY_OUT =
  ' With memory:admin, GET /api/threads/<threadId>/dump reads its tables, and delete_thread deletes it.';

const ASK_OPERATOR =
  'The operator of the server finds the cause in the log; deploying the previous version opens it again.';
