/** Reads and writes the `opening` table of a directory: memories that were begun within the last hour. */
import type { DirectoryKey } from './directory.ts';
import type { Sql } from '#store/sql.ts';

export interface OpeningCounts {
  /** Memories that there are or that were begun, those of owners among them. */
  readonly memories: number;
  /** Owners of that thread. */
  readonly owners: number;
  /** Memories that the actor began since `since`. */
  readonly byActor: number;
}

/** Beginnings that the thread has not told of yet, or that came to nothing. */
const UNLISTED = /* sql */ `NOT EXISTS (SELECT 1 FROM thread
  WHERE thread.thread_id = opening.thread_id AND thread.owner = opening.owner)`;

export function openingStore(sql: Sql) {
  return {
    /** Whether the memory is listed, or was begun of late. */
    isKnown({ threadId, owner }: DirectoryKey): boolean {
      const found = sql.first(
        /* sql */ `
        SELECT 1 FROM thread WHERE thread_id = ?1 AND owner = ?2
        UNION ALL SELECT 1 FROM opening WHERE thread_id = ?1 AND owner = ?2 LIMIT 1`,
        threadId,
        owner,
      );
      return found !== undefined;
    },

    /** Forgets what was begun before that time. */
    forget(before: number): void {
      sql.run('DELETE FROM opening WHERE at < ?', before);
    },

    /** Reads the key of each memory that there is. */
    count(threadId: string, actor: string): OpeningCounts {
      const found = sql.first<OpeningCounts>(
        /* sql */ `
        SELECT
          (SELECT count(*) FROM thread)
            + (SELECT count(*) FROM opening WHERE ${UNLISTED}) AS memories,
          (SELECT count(*) FROM thread WHERE thread_id = ?1 AND owner <> '')
            + (SELECT count(*) FROM opening
               WHERE thread_id = ?1 AND owner <> '' AND ${UNLISTED}) AS owners,
          (SELECT count(*) FROM opening WHERE actor = ?2) AS byActor`,
        threadId,
        actor,
      );
      return found ?? { memories: 0, owners: 0, byActor: 0 };
    },

    add({ threadId, owner }: DirectoryKey, actor: string, at: number): void {
      sql.run('INSERT INTO opening VALUES (?, ?, ?, ?)', threadId, owner, actor, at);
    },
  };
}

export type OpeningStore = ReturnType<typeof openingStore>;
