/** Whether a memory works, and how much is in it. */
import type { NodeStatus } from '#graph/status.ts';
import { STORAGE_WARNING_SHARE, type Limits } from '#limits.ts';
import type { SessionCounts } from '#store/derived/counters.ts';
import { BACKUP, nameBackup, UNREADABLE } from '#memory/files/export-thread.ts';
import { jobUseCases, type JobReport } from './jobs.ts';
import type { CacheState, World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface Health {
  readonly isStoreAnswering: boolean;
  readonly isEmbedderAnswering: boolean;
  /** Whether meaning is compared with every vector that is stored. */
  readonly isIndexSound: boolean;
  /** Texts that are found by their words alone until the embedder gets to them. */
  readonly embeddingBacklog: number;
  readonly jobs: readonly JobReport[];
  readonly caches: CacheState;
  readonly storage: StorageState;
}

export interface StorageState {
  readonly bytes: number;
  /** Where nothing more is added. */
  readonly bytesMax: number;
  /** Whether it is time to make room. */
  readonly isNearlyFull: boolean;
}

/** How the memory stands as seed 004 asks. */
export interface Wellbeing {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  /** What is wrong, as sentences; none when all is well. */
  readonly problems: readonly string[];
  readonly isStoreAnswering: boolean;
  /** Epoch milliseconds; null while the thread runs. */
  readonly stoppedAt: number | null;
  readonly counts: SessionCounts;
  readonly embedder: string;
  readonly embeddingBacklog: number;
  readonly summarizer: string;
  /** Its last run is the moment that the newest file is named by. */
  readonly backup: Pick<JobReport, 'isEnabled' | 'lastRunAt'> & {
    /** Whether an import would take the last one that was written; null for none. */
    readonly isReadable: boolean | null;
    /** The newest, for callers who may have it; null for others, and for none. */
    readonly file: string | null;
  };
  /** Since the object was woken. */
  readonly uptimeMs: number;
}

export interface NodeStatistics {
  readonly facts: Readonly<Record<NodeStatus, number>>;
  readonly entities: Readonly<Record<NodeStatus, number>>;
  readonly edges: number;
  readonly embeddingBacklog: number;
}

const NOTHING_KEPT: CacheState = {
  limits: { embeddingsMax: 0, searchesMax: 0, searchTtlSeconds: 0 },
  embeddings: 0,
  searches: 0,
};

const NO_BACKUP = { isEnabled: false, lastRunAt: null };

const NO_COUNTS: SessionCounts = { turns: 0, sessions: 0, unsummarisedSessions: 0, summaries: 0 };

export function healthUseCases(world: World, writer: Writer) {
  const { store, semantics, summarizer, cacheState, caller, limits, now, wokeAt } = world;
  const isStoreAnswering = () => succeeds(() => store.nodes.greatestId());

  /** Never throws: what fails is what it tells of. */
  async function check(): Promise<Health> {
    const isAnswering = isStoreAnswering();
    const jobs = jobUseCases(world, writer);
    return {
      isStoreAnswering: isAnswering,
      isEmbedderAnswering: await semantics.isAnswering(),
      isIndexSound: isAnswering && semantics.isIndexSound(),
      embeddingBacklog: isAnswering ? semantics.backlogSize : 0,
      jobs: isAnswering ? jobs.list().map(jobs.report) : [],
      caches: cacheState?.() ?? NOTHING_KEPT,
      storage: describeStorage(store.sizeBytes(), limits),
    };
  }

  return {
    isStoreAnswering,
    check,

    /** Never throws, as `check`. A stopped thread is unhealthy, since it answers nothing. */
    async wellbeing(): Promise<Wellbeing> {
      const health = await check();
      const isAnswering = health.isStoreAnswering;
      const stoppedAt = isAnswering ? (store.stops.stoppedAt() ?? null) : null;
      const defects = findDefects(health);
      const isServing = isAnswering && stoppedAt === null;
      const backup = health.jobs.find(({ name }) => name === BACKUP) ?? NO_BACKUP;
      return {
        status: !isServing ? 'unhealthy' : defects.length > 0 ? 'degraded' : 'healthy',
        problems: [
          ...(isAnswering ? [] : ['The store does not answer.']),
          ...(stoppedAt === null ? [] : ['The thread is stopped: call start_database.']),
          ...defects,
        ],
        isStoreAnswering: isAnswering,
        stoppedAt,
        counts: isAnswering ? store.counters.sessionTotals() : NO_COUNTS,
        embedder: semantics.model,
        embeddingBacklog: health.embeddingBacklog,
        summarizer: summarizer.name,
        backup: {
          ...backup,
          isReadable: isAnswering ? judgeBackup(world) : null,
          file:
            caller.seesBackups === true && backup.lastRunAt !== null
              ? nameBackup(backup.lastRunAt)
              : null,
        },
        uptimeMs: now - wokeAt,
      };
    },

    statistics(): NodeStatistics {
      return {
        facts: store.memoryNodes.countByStatus('fact'),
        entities: store.memoryNodes.countByStatus('entity'),
        edges: store.edges.count(),
        embeddingBacklog: semantics.backlogSize,
      };
    },
  };
}

function judgeBackup({ store }: World): boolean | null {
  const state = store.jobs.find(BACKUP);
  if (state?.lastError === UNREADABLE) return false;
  const isProven =
    state !== undefined && state.lastRunAt !== null && state.cursor === state.lastRunAt;
  return isProven ? true : null;
}

function describeStorage(bytes: number, { storageBytesMax }: Limits): StorageState {
  const isNearlyFull = bytes >= storageBytesMax * STORAGE_WARNING_SHARE;
  return { bytes, bytesMax: storageBytesMax, isNearlyFull };
}

/** What makes answers poorer without keeping them back. */
function findDefects({ isEmbedderAnswering, isIndexSound, jobs, storage }: Health): string[] {
  return [
    ...(storage.isNearlyFull ? ['Four fifths of the storage are used: make room.'] : []),
    ...(isEmbedderAnswering ? [] : ['The embedder does not answer: search goes by words alone.']),
    ...(isIndexSound ? [] : ['Some vectors are not compared: search by meaning misses them.']),
    ...jobs
      .filter(({ failures }) => failures > 0)
      .map(({ name, failures, lastError }) =>
        lastError === UNREADABLE
          ? 'The last backup cannot be read back: an import would not take all of it.'
          : `The job ${name} has failed ${failures} times in a row.`,
      ),
  ];
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
