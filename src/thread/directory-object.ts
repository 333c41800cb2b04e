/**
 * The Durable Object that knows which threads a subject has: there is no way to list objects. It
 * holds names, counts and times, and nothing of what is remembered.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import { openDirectory } from '#memory/directory.ts';
import {
  DIRECTORY_MIGRATIONS,
  directoryStore,
  type DirectoryEntry,
  type DirectoryKey,
  type DirectoryStore,
  type ThreadScope,
} from '#store/directory.ts';
import { migrate } from '#store/migrate.ts';
import { openSql, type Sql } from '#store/sql.ts';
import { findTool } from '#tools/catalog.ts';
import { logCall } from './log.ts';
import { attempt, summarise } from './outcome.ts';
import type { Outcome } from './thread-client.ts';

export class Directory extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #store: DirectoryStore;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = openSql(ctx.storage);
    this.#store = directoryStore(this.#sql);
    void ctx.blockConcurrencyWhile(async () => migrate(this.#sql, DIRECTORY_MIGRATIONS));
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
    const startedAt = Date.now();
    const before = { ...this.#sql.meter };
    const outcome: Outcome = await attempt(async () => {
      const tool = findTool(toolName);
      if (tool?.host !== 'directory') {
        throw new MemoryError('not_found', `Unknown tool '${toolName}'.`);
      }
      return tool.call(input, openDirectory(this.#store, scope));
    });
    logCall({
      event: 'tool_call',
      thread: this.ctx.id.toString().slice(0, 12),
      tool: toolName,
      outcome: summarise(outcome),
      ms: Date.now() - startedAt,
      rowsRead: this.#sql.meter.rowsRead - before.rowsRead,
      rowsWritten: this.#sql.meter.rowsWritten - before.rowsWritten,
      revision: null,
    });
    return outcome;
  }

  /** What a thread says of itself. */
  report(entry: DirectoryEntry): void {
    this.#store.report(entry);
  }

  /** A thread, or the memory of one of its owners, is gone. */
  forget(key: DirectoryKey): void {
    this.#store.forget(key);
  }

  ownersOf(threadId: string, limit: number): string[] {
    return this.#store.ownersOf(threadId, limit);
  }
}
