/**
 * The tables of a directory about the backups of its threads: how far each memory is copied, which
 * files there are, and how the run of the day stands.
 */
import type { DirectoryKey } from './directory.ts';
import type { Sql } from '#store/sql.ts';

/** The way through all threads that one cron event sets off. */
export interface BackupRun {
  /** Whose threads: an object that an alarm wakes does not know its own name. */
  readonly subject: string;
  /** Epoch milliseconds of the event; the files are named by it. */
  readonly at: number;
  /** The last memory that was looked at. */
  readonly cursor: DirectoryKey;
  readonly isWalked: boolean;
  readonly isFinished: boolean;
  /** Files. */
  readonly written: number;
  readonly bytes: number;
  readonly pruned: number;
  /** Memories that were given up until the next run. */
  readonly failed: number;
  /** Files that were written and that no import would take. */
  readonly unreadable: number;
}

/** A memory that has changed since its last backup. */
export interface ChangedMemory extends DirectoryKey {
  /** Its last change that the directory knows of, in epoch milliseconds. */
  readonly changedAt: number;
}

export interface BackupFile extends DirectoryKey {
  readonly file: string;
}

/** The newest backup that a deleted memory left behind. */
export interface LeftBackup {
  readonly file: string;
  /** Epoch milliseconds from which its retention counts. */
  readonly replacedAt: number;
}

interface KeyRow {
  thread_id: string;
  owner: string;
}

interface RunRow {
  subject: string;
  at: number;
  cursor_thread_id: string;
  cursor_owner: string;
  is_walked: number;
  is_finished: number;
  written: number;
  bytes: number;
  pruned: number;
  failed: number;
  unreadable: number;
}

function toRun(row: RunRow): BackupRun {
  const { subject, at, written, bytes, pruned, failed, unreadable } = row;
  return {
    subject,
    at,
    cursor: { threadId: row.cursor_thread_id, owner: row.cursor_owner },
    isWalked: row.is_walked === 1,
    isFinished: row.is_finished === 1,
    written,
    bytes,
    pruned,
    failed,
    unreadable,
  };
}

function toChanged(row: KeyRow & { last_change_at: number }): ChangedMemory {
  return { threadId: row.thread_id, owner: row.owner, changedAt: row.last_change_at };
}

export function backupStore(sql: Sql) {
  return {
    ...backupRunTable(sql),
    ...backupTable(sql),
    ...backupFileTable(sql),
    transaction: sql.transaction,
  };
}

export type BackupStore = ReturnType<typeof backupStore>;

function backupRunTable(sql: Sql) {
  return {
    /** Undefined before the first. */
    run(): BackupRun | undefined {
      const row = sql.first<RunRow>('SELECT * FROM backup_run');
      return row && toRun(row);
    },

    /** In the place of the one before, finished or not. */
    beginRun(subject: string, at: number): void {
      sql.run('INSERT OR REPLACE INTO backup_run (id, subject, at) VALUES (1, ?, ?)', subject, at);
    },

    moveCursor({ threadId, owner }: DirectoryKey): void {
      sql.run('UPDATE backup_run SET cursor_thread_id = ?, cursor_owner = ?', threadId, owner);
    },

    endWalk(): void {
      sql.run('UPDATE backup_run SET is_walked = 1');
    },

    finishRun(): void {
      sql.run('UPDATE backup_run SET is_finished = 1');
    },

    /** Adds to what the run has done. */
    count(more: Partial<RunCounts>): void {
      const { written = 0, bytes = 0, pruned = 0, failed = 0, unreadable = 0 } = more;
      sql.run(
        /* sql */ `
        UPDATE backup_run SET written = written + ?, bytes = bytes + ?, pruned = pruned + ?,
          failed = failed + ?, unreadable = unreadable + ?`,
        written,
        bytes,
        pruned,
        failed,
        unreadable,
      );
    },
  };
}

type RunCounts = Pick<BackupRun, 'written' | 'bytes' | 'pruned' | 'failed' | 'unreadable'>;

function backupTable(sql: Sql) {
  return {
    /** Memories that have changed since their last backup, after one of them, in the order of the key. */
    listChanged(after: DirectoryKey, limit: number): ChangedMemory[] {
      return sql
        .all<KeyRow & { last_change_at: number }>(
          /* sql */ `
          SELECT thread_id, owner, last_change_at
          FROM thread LEFT JOIN backup USING (thread_id, owner)
          WHERE (thread_id, owner) > (?, ?) AND last_change_at IS NOT changed_at
          ORDER BY thread_id, owner LIMIT ?`,
          after.threadId,
          after.owner,
          limit,
        )
        .map(toChanged);
    },

    /** Memories whose last attempt came to nothing, and which may be tried again. */
    listDue(at: number, attemptsMax: number, limit: number): ChangedMemory[] {
      return sql
        .all<KeyRow & { last_change_at: number }>(
          /* sql */ `
          SELECT thread_id, owner, last_change_at
          FROM backup JOIN thread USING (thread_id, owner)
          WHERE retry_at <= ? AND attempts < ? ORDER BY retry_at LIMIT ?`,
          at,
          attemptsMax,
          limit,
        )
        .map(toChanged);
    },

    /** Undefined when no attempt is open. */
    firstRetryAt(): number | undefined {
      return (
        sql.first<{ at: number | null }>(
          'SELECT min(retry_at) AS at FROM backup WHERE retry_at IS NOT NULL',
        )?.at ?? undefined
      );
    },

    /** Closes the attempts of what was tried often enough. Returns how many there were. */
    giveUp(at: number, attemptsMax: number): number {
      return sql.run(
        'UPDATE backup SET retry_at = NULL WHERE retry_at <= ? AND attempts >= ?',
        at,
        attemptsMax,
      );
    },

    /** Before each attempt, as if it had failed: so it needs nothing to be written when it does. */
    openAttempt({ threadId, owner }: DirectoryKey, isFirst: boolean, retryAt: number): void {
      sql.run(
        /* sql */ `
        INSERT INTO backup (thread_id, owner, attempts, retry_at) VALUES (?1, ?2, 1, ?4)
        ON CONFLICT (thread_id, owner) DO UPDATE SET
          attempts = CASE WHEN ?3 THEN 1 ELSE attempts + 1 END, retry_at = ?4`,
        threadId,
        owner,
        isFirst ? 1 : 0,
        retryAt,
      );
    },

    /** False when there is none any more: the memory was deleted meanwhile. */
    closeAttempt({ threadId, owner, changedAt }: ChangedMemory): boolean {
      const closed = sql.run(
        /* sql */ `
        UPDATE backup SET changed_at = ?, attempts = 0, retry_at = NULL
        WHERE thread_id = ? AND owner = ? AND retry_at IS NOT NULL`,
        changedAt,
        threadId,
        owner,
      );
      return closed > 0;
    },

    /** What is written under that name from now on is another memory. */
    resetBackup({ threadId, owner }: DirectoryKey): void {
      sql.run(
        /* sql */ `
        UPDATE backup SET changed_at = NULL, attempts = 0, retry_at = NULL
        WHERE thread_id = ? AND owner = ?`,
        threadId,
        owner,
      );
    },

    /** Forgets how memories stand that are gone, with all their files. */
    dropOrphans(keys: readonly DirectoryKey[]): void {
      sql.run(
        /* sql */ `
        DELETE FROM backup WHERE (thread_id, owner) IN (
          SELECT value ->> 'threadId', value ->> 'owner' FROM json_each(?)
        ) AND NOT EXISTS (
          SELECT 1 FROM thread WHERE (thread_id, owner) = (backup.thread_id, backup.owner)
        ) AND NOT EXISTS (
          SELECT 1 FROM backup_file WHERE (thread_id, owner) = (backup.thread_id, backup.owner)
        )`,
        JSON.stringify(keys),
      );
    },
  };
}

function backupFileTable(sql: Sql) {
  return {
    hasFiles: () => sql.first('SELECT 1 FROM backup_file LIMIT 1') !== undefined,

    /** A file that may come to be. Until it is there it counts as replaced, so that what is left of it goes too. */
    expectFile({ threadId, owner, file }: BackupFile, at: number): void {
      sql.run(
        /* sql */ `
        INSERT OR IGNORE INTO backup_file (thread_id, owner, file, replaced_at) VALUES (?, ?, ?, ?)`,
        threadId,
        owner,
        file,
        at,
      );
    },

    /** The file is there. */
    completeFile({ threadId, owner, file }: BackupFile, bytes: number): void {
      sql.run(
        'UPDATE backup_file SET bytes = ? WHERE thread_id = ? AND owner = ? AND file = ?',
        bytes,
        threadId,
        owner,
        file,
      );
    },

    /** Makes it the newest of its memory; the retention of the one before begins. */
    promoteFile({ threadId, owner, file }: BackupFile, at: number): void {
      sql.run(
        /* sql */ `
        UPDATE backup_file SET replaced_at = CASE WHEN file = ?3 THEN NULL ELSE ?4 END
        WHERE thread_id = ?1 AND owner = ?2 AND (file = ?3 OR replaced_at IS NULL)`,
        threadId,
        owner,
        file,
        at,
      );
    },

    /** The retention of the newest begins, as of one that was replaced. */
    retireFiles({ threadId, owner }: DirectoryKey, at: number): void {
      sql.run(
        /* sql */ `
        UPDATE backup_file SET replaced_at = ?
        WHERE thread_id = ? AND owner = ? AND replaced_at IS NULL`,
        at,
        threadId,
        owner,
      );
    },

    newestLeft({ threadId, owner }: DirectoryKey): LeftBackup | undefined {
      return sql.first<LeftBackup>(
        /* sql */ `
        SELECT file, replaced_at AS replacedAt FROM backup_file
        WHERE thread_id = ? AND owner = ? AND bytes IS NOT NULL AND replaced_at IS NOT NULL
        ORDER BY file DESC LIMIT 1`,
        threadId,
        owner,
      );
    },

    /** Replaced before a time, longest ago first. */
    listReplaced(before: number, limit: number): BackupFile[] {
      return sql
        .all<KeyRow & { file: string }>(
          /* sql */ `
          SELECT thread_id, owner, file FROM backup_file
          WHERE replaced_at < ? ORDER BY replaced_at LIMIT ?`,
          before,
          limit,
        )
        .map((row) => ({ threadId: row.thread_id, owner: row.owner, file: row.file }));
    },

    dropFiles(files: readonly BackupFile[]): void {
      sql.run(
        /* sql */ `
        DELETE FROM backup_file WHERE (thread_id, owner, file) IN (
          SELECT value ->> 'threadId', value ->> 'owner', value ->> 'file' FROM json_each(?)
        )`,
        JSON.stringify(files),
      );
    },

    /** Those that are there are gone; what is being written at this moment is to go with the next run. */
    forgetFiles({ threadId, owner }: DirectoryKey): void {
      sql.run(
        'DELETE FROM backup_file WHERE thread_id = ? AND owner = ? AND bytes IS NOT NULL',
        threadId,
        owner,
      );
      sql.run(
        'UPDATE backup_file SET replaced_at = 0 WHERE thread_id = ? AND owner = ?',
        threadId,
        owner,
      );
    },
  };
}
