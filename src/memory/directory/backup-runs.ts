/**
 * Has every memory of a subject written to a file when it has changed, and the files removed that are
 * older than the retention. A run goes a step at a time, each short enough for one wake of the
 * directory, and everything it must know of the next step stands in the tables: a run that is cut
 * off anywhere goes on. What fails is tried again at the end, and holds up nothing else.
 */
import type { KeptBackup } from '#memory/ports.ts';
import {
  BACKUP_ATTEMPTS_MAX,
  BACKUP_RETRY_MS,
  BACKUP_STEP_MS_MAX,
  BACKUPS_PER_STEP,
  FILES_PER_REQUEST_MAX,
  type Limits,
} from '#limits.ts';
import type {
  BackupFile,
  BackupRun,
  BackupStore,
  ChangedMemory,
} from '#directory-store/backups.ts';
import type { DirectoryKey } from '#directory-store/directory.ts';
import { nameBackup } from '#memory/files/export-thread.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface WrittenBackup {
  readonly bytes: number;
  /** Whether an import would take it; null where that was not judged. */
  readonly isReadable: boolean | null;
}

/** What a run needs of the objects around the directory. */
export interface BackupPorts {
  /** Has a memory write itself to a file. Null for one that holds nothing. Throws when it cannot. */
  write(subject: string, key: DirectoryKey, at: number): Promise<WrittenBackup | null>;
  /** Those that are not there do no harm. */
  remove(subject: string, files: readonly BackupFile[]): Promise<void>;
  /** Of a failure that nobody is told of. */
  report(error: unknown): void;
  /** Epoch milliseconds. */
  now(): number;
}

export interface BackupStep {
  /** When the next step is due, in epoch milliseconds; undefined when the run is over. */
  readonly nextAt: number | undefined;
  /** Given by the last step. */
  readonly finished?: BackupRun;
}

export function backupRuns(
  store: BackupStore,
  { backupsEnabled, backupRetentionDays }: Pick<Limits, 'backupsEnabled' | 'backupRetentionDays'>,
  { write, remove, report, now }: BackupPorts,
) {
  const retentionMs = backupRetentionDays * DAY_MS;

  async function writeOne(run: BackupRun, memory: ChangedMemory): Promise<void> {
    const file = { ...memory, file: nameBackup(run.at) };
    store.transaction(() => {
      // Also where this object is thrown out of memory before the answer, the rest comes first.
      if (!run.isWalked) store.moveCursor(memory);
      store.openAttempt(memory, !run.isWalked, now() + BACKUP_RETRY_MS);
      store.expectFile(file, run.at);
    });
    try {
      const written = await write(run.subject, memory, run.at);
      store.transaction(() => {
        const isOpen = store.closeAttempt(memory);
        if (written === null) return store.dropFiles([file]);
        store.completeFile(file, written.bytes);
        // The file before it is worth more than one that cannot be read.
        const isUnreadable = written.isReadable === false;
        if (isOpen && !isUnreadable) store.promoteFile(file, run.at);
        store.count({ written: 1, bytes: written.bytes, unreadable: isUnreadable ? 1 : 0 });
      });
    } catch (error) {
      report(error);
    }
  }

  /** One after the other: each has megabytes in memory, and objects may share theirs. */
  async function writeSome(run: BackupRun, memories: readonly ChangedMemory[]): Promise<void> {
    const until = now() + BACKUP_STEP_MS_MAX;
    for (const memory of memories) {
      if (now() > until) return;
      // oxlint-disable-next-line no-await-in-loop
      await writeOne(run, memory);
    }
  }

  /** Returns whether there may be more. A failure leaves the files to the next run. */
  async function prune(run: BackupRun): Promise<boolean> {
    const files = store.listReplaced(run.at - retentionMs, FILES_PER_REQUEST_MAX);
    if (files.length === 0) return false;
    try {
      await remove(run.subject, files);
    } catch (error) {
      report(error);
      return false;
    }
    store.transaction(() => {
      store.dropFiles(files);
      store.dropOrphans(files);
      store.count({ pruned: files.length });
    });
    return files.length === FILES_PER_REQUEST_MAX;
  }

  return {
    /** Returns false where there is nothing to do: no run then begins. The same event begins one run. */
    begin(subject: string, at: number): boolean {
      if (store.run()?.at === at) return true;
      const hasChanged = backupsEnabled && store.listChanged(NOBODY, 1).length > 0;
      if (!hasChanged && !store.hasFiles()) return false;
      store.beginRun(subject, at);
      return true;
    },

    /** Does the next piece of the run that is under way. Throws nothing that could be caught here. */
    async step(): Promise<BackupStep> {
      const run = store.run();
      if (run === undefined || run.isFinished) return { nextAt: undefined };
      if (!run.isWalked) {
        const changed = backupsEnabled ? store.listChanged(run.cursor, BACKUPS_PER_STEP) : [];
        await writeSome(run, changed);
        if (changed.length === 0) store.endWalk();
        return { nextAt: now() };
      }
      store.count({ failed: store.giveUp(now(), BACKUP_ATTEMPTS_MAX) });
      const due = store.listDue(now(), BACKUP_ATTEMPTS_MAX, BACKUPS_PER_STEP);
      await writeSome(run, due);
      if (due.length > 0 || (await prune(run))) return { nextAt: now() };
      const retryAt = store.firstRetryAt();
      return retryAt === undefined ? finish(store) : { nextAt: retryAt };
    },

    /** The files of a memory are gone. */
    drop(key: DirectoryKey): void {
      store.transaction(() => {
        store.resetBackup(key);
        store.forgetFiles(key);
      });
    },

    /** A memory is gone, and with `isErased` its files too. Tells which backup is left, and until when. */
    forget(key: DirectoryKey, isErased: boolean): KeptBackup | undefined {
      return store.transaction(() => {
        store.retireFiles(key, now());
        store.resetBackup(key);
        if (isErased) store.forgetFiles(key);
        store.dropOrphans([key]);
        const left = store.newestLeft(key);
        return left && { file: left.file, until: left.replacedAt + retentionMs };
      });
    },
  };
}

function finish(store: BackupStore): BackupStep {
  store.finishRun();
  const finished = store.run();
  return { nextAt: undefined, ...(finished && { finished }) };
}

export type BackupRuns = ReturnType<typeof backupRuns>;

/** Before all keys. */
const NOBODY: DirectoryKey = { threadId: '', owner: '' };
