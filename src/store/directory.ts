/** The tables of a directory, a database of its own; this owns the one of the threads that a subject has. */
import type { Migration } from './migrations.ts';
import { endOfPrefix } from './prefix.ts';
import type { Sql } from './sql.ts';

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

export const DIRECTORY_MIGRATIONS: readonly Migration[] = [
  {
    id: '0001_thread',
    up: /* sql */ `
-- What each thread of the subject last said of itself, a minute late at most.
CREATE TABLE thread (
  thread_id       TEXT    NOT NULL,
  owner           TEXT    NOT NULL, -- owner_id of the node tools; '' for the thread itself
  entities        INTEGER NOT NULL,
  observations    INTEGER NOT NULL,
  relations       INTEGER NOT NULL,
  first_change_at INTEGER NOT NULL, -- epoch milliseconds; stays when the thread forgets its history
  last_change_at  INTEGER NOT NULL,
  PRIMARY KEY (thread_id, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_last_change ON thread (last_change_at);
`,
  },
  {
    id: '0002_backup',
    up: /* sql */ `
-- How far a memory is copied. It outlives the memory, as long as there are files of it.
CREATE TABLE backup (
  thread_id  TEXT    NOT NULL,
  owner      TEXT    NOT NULL,
  changed_at INTEGER, -- last_change_at of what the newest file holds; null for no such file
  attempts   INTEGER NOT NULL DEFAULT 0, -- of the present run, without success
  retry_at   INTEGER, -- null but for an attempt that runs or has failed
  PRIMARY KEY (thread_id, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX backup_retry ON backup (retry_at) WHERE retry_at IS NOT NULL;
-- The files in R2. A row is there before its file, and goes after it.
CREATE TABLE backup_file (
  thread_id   TEXT    NOT NULL,
  owner       TEXT    NOT NULL,
  file        TEXT    NOT NULL,
  bytes       INTEGER, -- null until it is written
  replaced_at INTEGER, -- when a newer one was there, or the memory deleted; null for the newest
  PRIMARY KEY (thread_id, owner, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX backup_file_replaced ON backup_file (replaced_at) WHERE replaced_at IS NOT NULL;
-- The last run, or the one that is under way.
CREATE TABLE backup_run (
  id               INTEGER PRIMARY KEY CHECK (id = 1),
  subject          TEXT    NOT NULL,
  at               INTEGER NOT NULL,
  cursor_thread_id TEXT    NOT NULL DEFAULT '',
  cursor_owner     TEXT    NOT NULL DEFAULT '',
  is_walked        INTEGER NOT NULL DEFAULT 0 CHECK (is_walked IN (0, 1)),
  is_finished      INTEGER NOT NULL DEFAULT 0 CHECK (is_finished IN (0, 1)),
  written          INTEGER NOT NULL DEFAULT 0,
  bytes            INTEGER NOT NULL DEFAULT 0,
  pruned           INTEGER NOT NULL DEFAULT 0,
  failed           INTEGER NOT NULL DEFAULT 0
) STRICT;
`,
  },
];

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
