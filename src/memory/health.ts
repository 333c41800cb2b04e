/** Whether a memory works, and how much is in it. */
import type { NodeStatus } from '#graph/status.ts';
import { STORAGE_WARNING_SHARE, type Limits } from '#limits.ts';
import { jobUseCases, type JobReport } from './jobs.ts';
import type { CacheState, World } from './world.ts';
import type { Writer } from './writing.ts';

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

export function healthUseCases(world: World, writer: Writer) {
  const { store, semantics, cacheState, limits } = world;
  const isStoreAnswering = () => succeeds(() => store.nodes.greatestId());

  return {
    isStoreAnswering,

    /** Never throws: what fails is what it tells of. */
    async check(): Promise<Health> {
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

function describeStorage(bytes: number, { storageBytesMax }: Limits): StorageState {
  const isNearlyFull = bytes >= storageBytesMax * STORAGE_WARNING_SHARE;
  return { bytes, bytesMax: storageBytesMax, isNearlyFull };
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
