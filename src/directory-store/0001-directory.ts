/**
 * The page to read for the storage of a directory, the object that knows the threads of a subject. The rules
 * of `0001-initial.ts` hold here too.
 */

const SCHEMA = /* sql */ `
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

-- How far a memory is copied. It outlives the memory, as long as there are files of it.
CREATE TABLE backup (
  thread_id  TEXT    NOT NULL,
  owner      TEXT    NOT NULL,
  changed_at INTEGER, -- last_change_at of what the newest file holds; null for no such file
  attempts   INTEGER NOT NULL DEFAULT 0, -- of the present run, without success
  retry_at   INTEGER, -- null unless an attempt runs or has failed
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
  failed           INTEGER NOT NULL DEFAULT 0,
  unreadable       INTEGER NOT NULL DEFAULT 0 -- files that could not be read back
) STRICT;

-- Who was let begin which memory, and when: an hour of it, for the limits of new threads.
CREATE TABLE opening (
  thread_id TEXT    NOT NULL,
  owner     TEXT    NOT NULL,
  actor     TEXT    NOT NULL,
  at        INTEGER NOT NULL, -- epoch milliseconds
  PRIMARY KEY (thread_id, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX opening_at ON opening (at);
`;

/** Of all statements. `migrations.node.test.ts` compares it. */
export const CHECKSUM = 2078246289;

export function up(): string {
  return SCHEMA;
}
