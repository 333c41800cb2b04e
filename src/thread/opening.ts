/** Wakes a thread: what cannot be brought up to date is left as it is, and each caller is told. */
import { MemoryError } from '#errors.ts';
import { migrate, MigrationError, SchemaDriftError } from '#store/migrate.ts';
import type { Sql } from '#store/sql.ts';
import { logUnopened } from './log.ts';

/** Undefined for a thread that is open; else the error with which it answers every call. */
export function openTables(sql: Sql, thread: string): MemoryError | undefined {
  try {
    migrate(sql);
    return undefined;
  } catch (error) {
    if (!(error instanceof MigrationError) && !(error instanceof SchemaDriftError)) throw error;
    const reference = crypto.randomUUID().slice(0, 8);
    // Both name migrations alone.
    logUnopened({ event: 'not_opened', thread, reference, reason: error.message });
    return new MemoryError(
      'unavailable',
      `This thread cannot be opened by this version of the server (reference ${reference}).`,
      {
        hint: 'Nothing of it was changed. Whoever runs the server finds the reason in the log, and can deploy the version before to go on with it.',
      },
    );
  }
}
