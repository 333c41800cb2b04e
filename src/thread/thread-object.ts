/**
 * The Durable Object of one thread. It owns the database and nothing else: what a call needs is
 * opened for the call, so that an eviction between two calls loses nothing.
 */
import { DurableObject } from 'cloudflare:workers';
import { readCacheLimits, readLimits, type Env } from '#env.ts';
import { MemoryError } from '#errors.ts';
import { COMPLETIONS_MAX } from '#limits.ts';
import type { ExportPage, ExportRequest } from '#memory/files/stream-graph.ts';
import type { Imported, ImportOptions, ImportStand } from '#memory/files/import-thread.ts';
import { openMemory, type Memory } from '#memory/memory.ts';
import { openNodeQuota } from '#memory/nodes/node-quota.ts';
import { isMissingEntity } from '#memory/entities/entity-names.ts';
import type { Caller } from '#memory/world.ts';
import { openSemantics, type Semantics } from '#search/semantics.ts';
import { readDump, type DumpCursor, type DumpPage } from '#store/bulk/dump.ts';
import { openSql, type Sql } from '#store/sql.ts';
import { openStore, type Store } from '#store/store.ts';
import { findTool } from '#tools/catalog.ts';
import type { Emptiness, Tool, ToolValue } from '#tools/define.ts';
import { openCaches, type Caches } from './caches.ts';
import { openEmbedder } from './embedder.ts';
import { openFiles } from './files.ts';
import { openJobRunner, type JobRunner } from './jobs.ts';
import { logCall } from './log.ts';
import { attempt, summarise } from './outcome.ts';
import { openPace } from './pace.ts';
import { openSummarizer } from './summarizer.ts';
import { admitNewThread, openSurroundings } from './surroundings.ts';
import { openThreadTables, type ThreadTables } from './tables.ts';
import { addressOfObject } from './thread-address.ts';
import type { BackupWritten, ThreadHealth, Verification } from './thread-stub.ts';
import type { Outcome, OutcomeOf, Suggestions } from './outcome.ts';

/** The one tool that works on a thread that cannot be opened: it reads nothing of it. */
const ERASURE = 'delete_thread';

/** Who stands in the history for what no caller did. */
const OWN_WORK: Caller = { threadId: '', actor: 'skein' };

export class Thread extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #store: Store;
  #semantics: Semantics;
  #caches: Caches;
  readonly #pace = openPace();
  readonly #quota = openNodeQuota();
  readonly #jobs: JobRunner;
  readonly #hash: string;
  readonly #wokeAt = Date.now();
  readonly #tables: ThreadTables;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = openSql(ctx.storage);
    this.#store = openStore(this.#sql);
    this.#caches = openCaches(readCacheLimits(env), openEmbedder(env));
    this.#semantics = openSemantics(this.#store, this.#caches.embedder);
    // An object's id is itself a hash of its name.
    this.#hash = ctx.id.toString().slice(0, 12);
    this.#jobs = openJobRunner(
      ctx.storage,
      this.#hash,
      (tool) => this.#openMemory(tool, OWN_WORK),
      this.#pace.pause,
    );
    this.#tables = openThreadTables(ctx, this.#sql, this.#hash);
    if (this.#tables.defect !== undefined || this.#tables.isBlank()) return;
    // A migration may have left work behind, and a variable may have switched some on.
    void ctx.blockConcurrencyWhile(() => this.#jobs.schedule());
  }

  /** Runs one tool. Never throws: what went wrong comes back as data. */
  async call(toolName: string, input: Record<string, unknown>, caller: Caller): Promise<Outcome> {
    const tool = findTool(toolName);
    const run = async (memory: Memory) => {
      if (tool?.host !== 'thread') {
        throw new MemoryError('not_found', `Unknown tool '${toolName}'.`);
      }
      const value = await tool.call(input, memory);
      return tool.tellsContent || hasNoTarget(value) ? { ...value, ...this.#emptiness() } : value;
    };
    const { answersWhenStopped } = tool ?? {};
    const need = needOf(tool);
    const outcome = await this.#serve(toolName, caller, run, { answersWhenStopped, need });
    return mayMeanAnother(outcome) ? { ...outcome, ...this.#emptiness() } : outcome;
  }

  /** Nothing for a thread that holds something. */
  #emptiness(): { emptiness?: Emptiness } {
    if (this.#tables.isBlank()) return { emptiness: 'new' };
    if (!this.#store.nodes.isEmpty()) return {};
    return { emptiness: this.#store.revisions.lastId() === undefined ? 'new' : 'emptied' };
  }

  /** A page of the whole graph. Never throws, as `call`. */
  exportPage(request: ExportRequest, caller: Caller): Promise<OutcomeOf<ExportPage>> {
    return this.#serve('export', caller, async ({ exporting }) => exporting.page(request));
  }

  /** Adds whole lines to a file that is being imported under that id. Never throws, as `call`. */
  stageImport(id: string, piece: Uint8Array, caller: Caller): Promise<OutcomeOf<ImportStand>> {
    const stage = async ({ importing }: Memory) => {
      const stand = importing.stage(id, piece);
      // For a file that nobody goes on with.
      await this.#jobs.schedule();
      return stand;
    };
    return this.#serve('import_database', caller, stage, { need: 'more room' });
  }

  /** Writes what was staged under an id. Never throws, as `call`. */
  applyImport(id: string, options: ImportOptions, caller: Caller): Promise<OutcomeOf<Imported>> {
    return this.#serve('import_database', caller, async ({ importing }) =>
      importing.apply(id, options),
    );
  }

  /** Forgets what was staged under an id. Never throws, as `call`. */
  dropImport(id: string, caller: Caller): Promise<OutcomeOf<object>> {
    return this.#serve('import_database', caller, async ({ importing }) => {
      importing.drop(id);
      return {};
    });
  }

  /** Writes all of this thread to the backup of that moment, also while it is stopped. Never throws, as `call`. */
  backUp(at: number, caller: Caller): Promise<OutcomeOf<BackupWritten>> {
    const run = async ({ archiving }: Memory) => {
      const written = await archiving.backUp(at);
      return { bytes: written?.bytes ?? null, isReadable: written?.isReadable ?? null };
    };
    return this.#serve('backup', caller, run, { answersWhenStopped: true });
  }

  /** How the search of this thread stands. Never throws, as `call`. */
  health(caller: Caller): Promise<OutcomeOf<ThreadHealth>> {
    const report = async () => ({
      embeddingModel: this.#semantics.model,
      embeddingBacklog: this.#semantics.backlogSize,
      indexedVectors: this.#semantics.indexSize,
    });
    return this.#serve('health', caller, report, { answersWhenStopped: true });
  }

  /** What is broken in this thread. Reads all of it. Never throws, as `call`. */
  verify(caller: Caller): Promise<OutcomeOf<Verification>> {
    return this.#serve('verify', caller, async () => ({ faults: this.#store.checkInvariants() }));
  }

  /** Some of the tables as they are, also where the thread cannot be opened or is stopped. Never throws, as `call`. */
  dumpPage(cursor: DumpCursor | null): Promise<OutcomeOf<DumpPage>> {
    return attempt(async () => readDump(this.#sql, cursor));
  }

  /** Names of entities that begin with a text. Never throws, as `call`. */
  completeEntities(prefix: string, caller: Caller): Promise<OutcomeOf<Suggestions>> {
    return this.#serve('completion', caller, async ({ reading }) => ({
      names: reading.namesFrom(prefix, COMPLETIONS_MAX + 1),
    }));
  }

  /** Background work, a piece at a time. */
  override async alarm(): Promise<void> {
    if (this.#tables.defect !== undefined || this.#tables.isBlank()) return;
    await this.#tables.forReading(() => this.#jobs.runDue());
  }

  async #serve<Value extends object>(
    toolName: string,
    caller: Caller,
    run: (memory: Memory) => Promise<Value>,
    { need = 'none', answersWhenStopped = false }: Serving = {},
  ): Promise<OutcomeOf<Value>> {
    const { defect } = this.#tables;
    if (defect !== undefined && toolName !== ERASURE) {
      return { ok: false, error: defect.toData() };
    }
    const work = () => this.#run(toolName, caller, run, answersWhenStopped);
    return this.#pace.during(async () => {
      try {
        if (need === 'none') return await this.#tables.forReading(work);
        const admit = () => admitNewThread(this.env, this.ctx.id, caller);
        return await this.#tables.forWriting(work, need === 'more room' ? admit : undefined);
      } catch (error) {
        if (error instanceof MemoryError) return { ok: false, error: error.toData() };
        throw error;
      }
    });
  }

  async #run<Value extends object>(
    toolName: string,
    caller: Caller,
    run: (memory: Memory) => Promise<Value>,
    answersWhenStopped: boolean,
  ): Promise<OutcomeOf<Value>> {
    const startedAt = Date.now();
    const before = { ...this.#sql.meter };
    const memory = this.#openMemory(toolName, caller);
    const wasLoaded = this.#semantics.indexSize !== null;
    const outcome = await attempt(async () => {
      // Whether it was stopped cannot be read where the tables cannot.
      const isReadable = this.#tables.defect === undefined;
      if (isReadable && !answersWhenStopped) memory.stopping.refuseWhenStopped();
      return run(memory);
    });
    // Loading the vectors may have found some of another model, to be made anew.
    const isLoaded = !wasLoaded && this.#semantics.indexSize !== null;
    // A thread that was started may have work left from before it was stopped.
    const mayBeDue = isLoaded || answersWhenStopped || memory.lastRevision() !== null;
    const hasJobs = this.#tables.defect === undefined && !this.#tables.isBlank();
    if (mayBeDue && hasJobs) await this.#jobs.schedule();
    logCall({
      event: 'tool_call',
      thread: this.#hash,
      tool: toolName,
      outcome: summarise(outcome),
      ms: Date.now() - startedAt,
      rowsRead: this.#sql.meter.rowsRead - before.rowsRead,
      rowsWritten: this.#sql.meter.rowsWritten - before.rowsWritten,
      revision: memory.lastRevision(),
    });
    return outcome;
  }

  /** Leaves a thread that nothing has ever been written to, without an alarm. */
  async #clear(): Promise<void> {
    await this.#tables.clear();
    this.#caches = openCaches(readCacheLimits(this.env), openEmbedder(this.env));
    this.#semantics = openSemantics(this.#store, this.#caches.embedder);
  }

  #openMemory(tool: string, caller: Caller): Memory {
    const limits = readLimits(this.env);
    return openMemory({
      store: this.#store,
      semantics: this.#semantics,
      summarizer: openSummarizer(this.env),
      wokeAt: this.#wokeAt,
      quota: this.#quota,
      searches: this.#caches.searches,
      cacheState: this.#caches.state,
      clearCaches: this.#caches.clear,
      limits,
      files: openFiles(this.env, this.ctx.id.toString()),
      caller,
      owner: addressOfObject(this.ctx.id)?.owner,
      surroundings: openSurroundings(this.env, this.ctx.id, () => this.#clear()),
      tool,
      isRemoval: caller === OWN_WORK || findTool(tool)?.effect === 'remove',
      now: Date.now(),
    });
  }
}

/** True for a refusal that another thread might not give: what the call names is missing. */
function mayMeanAnother(outcome: Outcome): boolean {
  if (outcome.ok) return false;
  const { code, faults = [] } = outcome.error;
  return code === 'not_found' || faults.some(isMissingEntity);
}

/** True for a refused save one of whose relations leads nowhere. */
function hasNoTarget({ isFailure, value }: ToolValue): boolean {
  const { errors } = value;
  return (
    isFailure && Array.isArray(errors) && errors.some(({ relation }) => relation !== undefined)
  );
}

/** What a call needs of a thread that has no tables yet; one that needs nothing may still write to others. */
type Need = 'none' | 'tables' | 'more room';

interface Serving {
  readonly need?: Need | undefined;
  /** Whether a stopped thread answers it. */
  readonly answersWhenStopped?: boolean | undefined;
}

function needOf(tool: Tool | undefined): Need {
  if (tool === undefined || tool.effect === 'read') return 'none';
  return tool.effect === 'add' || tool.effect === 'change' ? 'more room' : 'tables';
}
