/**
 * The Durable Object that knows which threads a subject has: there is no way to list objects. It
 * holds names, counts and times, and nothing of what is remembered.
 */
import { DurableObject } from 'cloudflare:workers';
import { readLimits, type Env } from '#env.ts';
import { MemoryError, type ErrorData } from '#errors.ts';
import { COMPLETIONS_MAX } from '#limits.ts';
import { admitThread, type Opener } from '#memory/directory/admission.ts';
import { backupRuns, type BackupRuns } from '#memory/directory/backup-runs.ts';
import type { KeptBackup } from '#memory/ports.ts';
import { clampEntry, openDirectory } from '#memory/directory/thread-list.ts';
import { backupStore } from '#directory-store/backups.ts';
import {
  directoryStore,
  type DirectoryEntry,
  type DirectoryKey,
  type DirectoryStore,
  type ThreadScope,
} from '#directory-store/directory.ts';
import { DIRECTORY_MIGRATIONS } from '#directory-store/migrations.ts';
import { openingStore } from '#directory-store/openings.ts';
import { openSql, type Sql } from '#store/sql.ts';
import { findTool } from '#tools/catalog.ts';
import { toIsoTime } from '#tools/shapes.ts';
import { openBackupPorts } from './backup-ports.ts';
import { logBackups, logCall } from './log.ts';
import { openTables } from './opening.ts';
import { attempt, summarise } from './outcome.ts';
import type { Outcome, OutcomeOf, Suggestions } from './outcome.ts';

export class Directory extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #store: DirectoryStore;
  /** Set when the directory cannot be opened. */
  #defect: MemoryError | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = openSql(ctx.storage);
    this.#store = directoryStore(this.#sql);
    void ctx.blockConcurrencyWhile(async () => {
      const object = ctx.id.toString().slice(0, 12);
      this.#defect = openTables(this.#sql, object, DIRECTORY_MIGRATIONS);
    });
  }

  /**
   * Runs one tool that is about all threads, and tells it of those in `scope`. Never throws: what
   * went wrong comes back as data.
   */
  async call(
    toolName: string,
    input: Record<string, unknown>,
    scope: ThreadScope,
  ): Promise<Outcome> {
    return this.#answer(toolName, async () => {
      const tool = findTool(toolName);
      if (tool?.host !== 'directory') {
        throw new MemoryError('not_found', `Unknown tool '${toolName}'.`);
      }
      return tool.call(input, openDirectory(this.#store, scope));
    });
  }

  /** Threads in `scope` whose names begin with a text. Never throws, as `call`. */
  completeThreads(prefix: string, scope: ThreadScope): Promise<OutcomeOf<Suggestions>> {
    return this.#answer('completion', async () => ({
      names: this.#store.namesFrom(prefix.normalize('NFC'), scope, COMPLETIONS_MAX + 1),
    }));
  }

  async #answer<Value extends object>(
    name: string,
    run: () => Promise<Value>,
  ): Promise<OutcomeOf<Value>> {
    const startedAt = Date.now();
    const before = { ...this.#sql.meter };
    const outcome = await attempt(async () => {
      if (this.#defect !== undefined) throw this.#defect;
      return run();
    });
    logCall({
      event: 'tool_call',
      thread: this.ctx.id.toString().slice(0, 12),
      tool: name,
      outcome: summarise(outcome),
      ms: Date.now() - startedAt,
      rowsRead: this.#sql.meter.rowsRead - before.rowsRead,
      rowsWritten: this.#sql.meter.rowsWritten - before.rowsWritten,
      revision: null,
    });
    return outcome;
  }

  /** Whether a memory may be begun, by the first call that may write to it; the refusal, if not. */
  admit(key: DirectoryKey, by: Opener): ErrorData | undefined {
    const limits = readLimits(this.env);
    try {
      const now = Date.now();
      this.#sql.transaction(() => admitThread(openingStore(this.#sql), limits, key, { by, now }));
      return undefined;
    } catch (error) {
      if (error instanceof MemoryError) return error.toData();
      throw error;
    }
  }

  /** What a thread says of itself. */
  report(entry: DirectoryEntry): void {
    this.#store.report(clampEntry(entry, Date.now()));
  }

  /** A thread, or the memory of one of its owners, is gone; with `isErased` its files are, too. */
  forget(key: DirectoryKey, isErased: boolean): KeptBackup | undefined {
    this.#store.forget(key);
    return this.#backups().forget(key, isErased);
  }

  /** The files of a memory are gone, and the memory stays: the next run writes it again. */
  dropBackups(key: DirectoryKey): void {
    this.#backups().drop(key);
  }

  /** Begins a run of backups of everything that has changed: the alarm goes on with it. */
  async backUp(subject: string, at: number): Promise<void> {
    // One that cannot keep files has no backups, and says so in `healthcheck`.
    if (this.env.FILES === undefined) return;
    if (this.#backups().begin(subject, at)) await this.ctx.storage.setAlarm(Date.now());
  }

  /** One step of the run that is under way. */
  override async alarm(): Promise<void> {
    const { nextAt, finished } = await this.#backups().step();
    if (nextAt !== undefined) await this.ctx.storage.setAlarm(nextAt);
    if (finished === undefined) return;
    const { written, bytes, failed, unreadable, pruned } = finished;
    logBackups({
      event: 'backup_run',
      directory: this.ctx.id.toString().slice(0, 12),
      outcome: failed + unreadable === 0 ? 'ok' : 'failed',
      at: toIsoTime(finished.at),
      written,
      bytes,
      failed,
      unreadable,
      pruned,
    });
  }

  ownersOf(threadId: string, limit: number): string[] {
    return this.#store.ownersOf(threadId, limit);
  }

  #backups(): BackupRuns {
    return backupRuns(backupStore(this.#sql), readLimits(this.env), openBackupPorts(this.env));
  }
}
