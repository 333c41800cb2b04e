/** Reads and writes the `thread` table of a directory: the threads that a subject has. */
import { endOfPrefix } from '#store/prefix.ts';
import type { Sql } from '#store/sql.ts';

/** One memory: a thread, or what one of its owners has in it. */
export interface DirectoryKey {
  readonly threadId: string;
  /** Empty for the thread itself. */
  readonly owner: string;
}

/** What a thread last said of itself. */
export interface DirectoryEntry extends DirectoryKey {
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
  /** Epoch milliseconds. */
  readonly firstChangeAt: number;
  readonly lastChangeAt: number;
}

/**
 * Threads that a caller is told of: null for all, else their names, and beginnings of names before a
 * `*`, which no name contains.
 */
export type ThreadScope = readonly string[] | null;

interface EntryRow {
  thread_id: string;
  owner: string;
  entities: number;
  observations: number;
  relations: number;
  first_change_at: number;
  last_change_at: number;
}

/** The first parameter is a `ThreadScope` as JSON. By bytes, as object names are: no case is folded. */
const IN_SCOPE = /* sql */ `(?1 = 'null' OR EXISTS (
  SELECT 1 FROM json_each(?1) AS part
  WHERE iif(substr(part.value, -1) = '*',
    substr(thread_id, 1, length(part.value) - 1) = substr(part.value, 1, length(part.value) - 1),
    thread_id = part.value)))`;

function toEntry(row: EntryRow): DirectoryEntry {
  return {
    threadId: row.thread_id,
    owner: row.owner,
    entities: row.entities,
    observations: row.observations,
    relations: row.relations,
    firstChangeAt: row.first_change_at,
    lastChangeAt: row.last_change_at,
  };
}

export function directoryStore(sql: Sql) {
  return {
    report(entry: DirectoryEntry): void {
      sql.run(
        /* sql */ `
        INSERT INTO thread (thread_id, owner, entities, observations, relations, first_change_at, last_change_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (thread_id, owner) DO UPDATE SET
          entities = excluded.entities, observations = excluded.observations,
          relations = excluded.relations, last_change_at = excluded.last_change_at,
          first_change_at = min(first_change_at, excluded.first_change_at)`,
        entry.threadId,
        entry.owner,
        entry.entities,
        entry.observations,
        entry.relations,
        entry.firstChangeAt,
        entry.lastChangeAt,
      );
    },

    forget({ threadId, owner }: DirectoryKey): void {
      sql.run('DELETE FROM thread WHERE thread_id = ? AND owner = ?', threadId, owner);
    },

    count(scope: ThreadScope): number {
      const found = sql.first<{ n: number }>(
        /* sql */ `SELECT count(*) AS n FROM thread WHERE ${IN_SCOPE}`,
        JSON.stringify(scope),
      );
      return found?.n ?? 0;
    },

    /** Changed last first, after one of them. */
    list(
      scope: ThreadScope,
      after: (DirectoryKey & { lastChangeAt: number }) | undefined,
      limit: number,
    ) {
      return sql
        .all<EntryRow>(
          /* sql */ `
          SELECT * FROM thread
          WHERE ${IN_SCOPE} AND (?2 IS NULL OR last_change_at < ?2
            OR last_change_at = ?2 AND (thread_id, owner) > (?3, ?4))
          ORDER BY last_change_at DESC, thread_id, owner LIMIT ?5`,
          JSON.stringify(scope),
          after?.lastChangeAt ?? null,
          after?.threadId ?? '',
          after?.owner ?? '',
          limit,
        )
        .map(toEntry);
    },

    /** Threads whose name begins with a text, letter by letter, sorted. */
    namesFrom(prefix: string, scope: ThreadScope, limit: number): string[] {
      return sql
        .all<{ thread_id: string }>(
          /* sql */ `
          SELECT DISTINCT thread_id FROM thread
          WHERE ${IN_SCOPE} AND thread_id >= ?2 AND thread_id < ?3 ORDER BY thread_id LIMIT ?4`,
          JSON.stringify(scope),
          prefix,
          endOfPrefix(prefix),
          limit,
        )
        .map((row) => row.thread_id);
    },

    /** Owners who have a memory in the thread. */
    ownersOf(threadId: string, limit: number): string[] {
      return sql
        .all<{ owner: string }>(
          "SELECT owner FROM thread WHERE thread_id = ? AND owner <> '' ORDER BY owner LIMIT ?",
          threadId,
          limit,
        )
        .map(({ owner }) => owner);
    },
  };
}

export type DirectoryStore = ReturnType<typeof directoryStore>;
