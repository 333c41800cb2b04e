/** The schema of a directory, as a list that only grows. `store/schema/migrate.ts` applies it. */
import type { Migration } from '#store/schema/migrations/list.ts';
import * as directory from './0001-directory.ts';

export const DIRECTORY_MIGRATIONS: readonly Migration[] = [
  { id: '0001_directory', checksum: directory.CHECKSUM, up: directory.up },
];
