/**
 * The background work of a thread: which there is, when it is due, and how to do a piece of it. When
 * a piece is due follows from the graph, so that no write has to note it down. Waking for it, and
 * what happens when it fails, is `thread/jobs.ts`.
 */
import type { Job } from './job.ts';
import { TRANSFER_IDLE_MS } from '#limits.ts';
import { backupJob } from '#memory/files/export-thread.ts';
import { deduplicationJob } from './deduplication-job.ts';
import { expiryJob } from './expiry-job.ts';
import { forgettingJob } from '#memory/forget/forget-job.ts';
import { directoryJob } from './directory-report-job.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface JobReport {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Epoch milliseconds; undefined for nothing to do. */
  readonly dueAt: number | undefined;
  /** Null when it has never done anything. */
  readonly lastRunAt: number | null;
  /** In a row; 0 when it succeeded last. */
  readonly failures: number;
  /** The kind of the last failure; null when it did not fail last. */
  readonly lastError: string | null;
}

export function jobUseCases(world: World, writer: Writer) {
  const { store } = world;
  const jobs = [
    embeddingJob(world),
    expiryJob(world, writer),
    deduplicationJob(world, writer),
    directoryJob(world),
    transferJob(world),
    backupJob(world),
    forgettingJob(world),
  ];

  /** A job without work to do costs no look at its state. While the thread is stopped none is due. */
  function dueAt(job: Job): number | undefined {
    const at = job.dueAt();
    if (at !== undefined && store.stops.stoppedAt() !== undefined) return undefined;
    return at === undefined ? undefined : Math.max(at, store.jobs.find(job.name)?.retryAt ?? 0);
  }

  return {
    list: (): readonly Job[] => jobs,
    /** When a job may run: as `Job.dueAt`, but later for one that has failed and waits. */
    dueAt,
    report(job: Job): JobReport {
      const state = store.jobs.find(job.name);
      return {
        name: job.name,
        isEnabled: job.isEnabled,
        dueAt: dueAt(job),
        lastRunAt: state?.lastRunAt ?? null,
        failures: state?.failures ?? 0,
        lastError: state?.lastError ?? null,
      };
    },
    /** When the first of them is due; undefined when nothing is. */
    nextAt(): number | undefined {
      const times = jobs.flatMap((job) => dueAt(job) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    succeed: (job: Job, at: number) => store.jobs.succeed(job.name, at),
    fail: (job: Job, kind: string, retryAt: number) => store.jobs.fail(job.name, kind, retryAt),
  };
}

/** How long an answer is given again that lacks what has got its vector since. */
const OUTDATED_ANSWER_MS_MAX = 1_000;

/** Gives a vector to what was written without one. Its work list is the backlog itself. */
function embeddingJob({ store, semantics, searches, now }: World): Job {
  return {
    name: 'embedding',
    isEnabled: true,
    isContinuous: true,
    dueAt: () => (store.vectors.hasBacklog() ? now : undefined),
    async run(pause) {
      await pause();
      const isMoreWaiting = await semantics.catchUp(pause);
      // Clearing it each time would leave a thread without a cache while a backlog is worked off.
      if (isMoreWaiting) searches?.shorten(OUTDATED_ANSWER_MS_MAX);
      else searches?.clear();
    },
  };
}

/** Drops what is left of a file whose reading or writing was broken off. */
function transferJob({ store, now }: World): Job {
  return {
    name: 'transfer',
    isEnabled: true,
    dueAt() {
      const touchedAt = store.transfers.oldestTouch();
      return touchedAt === undefined ? undefined : touchedAt + TRANSFER_IDLE_MS;
    },
    run() {
      store.transaction(() => store.transfers.dropUntouched(now - TRANSFER_IDLE_MS));
    },
  };
}
