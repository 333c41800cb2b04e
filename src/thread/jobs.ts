/**
 * One alarm for all background work of an object. It is set for the first piece that is due, and not
 * at all while nothing is: an idle thread costs nothing.
 */
import { MemoryError } from '#errors.ts';
import type { Job } from '#memory/upkeep/job.ts';
import type { Memory } from '#memory/memory.ts';
import { logBug, logJob } from './log.ts';

/** How long a job that failed is left alone: twice as long after each further failure in a row. */
const PAUSE_MS = 30_000;
const PAUSE_MS_MAX = 60 * 60 * 1000;

/**
 * How long an alarm goes on with a job that has more to do. After it the next alarm follows at once:
 * an invocation has limits of CPU and of time, and other jobs have their turn.
 */
const ALARM_MS_MAX = 5_000;

/** A time that the platform's clock can hold: it counts nanoseconds in 64 bits, up to the year 2262. */
const ALARM_AT_MAX = 9_000_000_000_000;

type Alarm = Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm' | 'deleteAlarm'>;

interface DueJob {
  readonly memory: Memory;
  readonly job: Job;
}

export interface JobRunner {
  /** Sets the alarm, unless it is set for as early. To be called when something may have become due. */
  schedule(): Promise<void>;
  /**
   * Does a piece of each job that is due, and more of one that is continuous. A job that fails is tried
   * again later, and stops no other. Does nothing while another run has not ended.
   */
  runDue(): Promise<void>;
}

/**
 * `open` gives the use cases of one piece of work, whose changes the history lists under that name.
 * `pause` is awaited between slices of a job's work: calls go first.
 */
export function openJobRunner(
  alarm: Alarm,
  thread: string,
  open: (tool: string) => Memory,
  pause: () => Promise<void>,
): JobRunner {
  let isRunning = false;

  function nextAt(): number | undefined {
    const at = open('job').jobs.nextAt();
    return at !== undefined && at <= ALARM_AT_MAX ? at : undefined;
  }

  /** The job of that name when it is due, for one piece: what it may rely on can change between two. */
  function findDue(name: string): DueJob | undefined {
    const memory = open(`job:${name}`);
    const job = memory.jobs.list().find((candidate) => candidate.name === name);
    const dueAt = job && memory.jobs.dueAt(job);
    return job && dueAt !== undefined && dueAt <= Date.now() ? { memory, job } : undefined;
  }

  /** A piece, and more of them while a continuous job is due and its time is not over. */
  async function runPieces(first: DueJob): Promise<void> {
    const endsAt = Date.now() + ALARM_MS_MAX;
    let due: DueJob | undefined = first;
    while (due !== undefined) {
      // oxlint-disable-next-line no-await-in-loop
      await due.job.run(pause);
      const isOver: boolean = !first.job.isContinuous || Date.now() >= endsAt;
      due = isOver ? undefined : findDue(first.job.name);
    }
  }

  async function attempt(due: DueJob): Promise<void> {
    const startedAt = Date.now();
    try {
      await runPieces(due);
      due.memory.jobs.succeed(due.job, Date.now());
    } catch (error) {
      noteFailure(due, error);
    }
    logAttempt(thread, due, startedAt);
  }

  async function runDue(): Promise<void> {
    const jobs = open('job').jobs.list();
    // One that goes on for seconds comes after the others, which are short.
    const inOrder = [
      ...jobs.filter(({ isContinuous }) => isContinuous !== true),
      ...jobs.filter(({ isContinuous }) => isContinuous === true),
    ];
    for (const { name } of inOrder) {
      const due = findDue(name);
      // One after the other: an object does one thing at a time, and so the rest stays fair.
      // oxlint-disable-next-line no-await-in-loop
      if (due) await attempt(due);
    }
  }

  return {
    async schedule() {
      // A run sets the alarm at its end, for whatever has become due by then.
      if (isRunning) return;
      const at = nextAt();
      if (at === undefined) return;
      const set = await alarm.getAlarm();
      if (set === null || set > at) await alarm.setAlarm(at);
    },

    async runDue() {
      // One run at a time: two would do the same piece twice, and count its failure twice.
      if (isRunning) return;
      isRunning = true;
      try {
        await runDue();
      } finally {
        isRunning = false;
      }
      const at = nextAt();
      if (at === undefined) await alarm.deleteAlarm();
      else await alarm.setAlarm(at);
    },
  };
}

function logAttempt(thread: string, { memory, job }: DueJob, startedAt: number): void {
  const { failures, lastError } = memory.jobs.report(job);
  logJob({
    event: 'job',
    thread,
    job: job.name,
    outcome: lastError ?? 'ok',
    failures,
    ms: Date.now() - startedAt,
    revision: memory.lastRevision(),
  });
}

function noteFailure({ memory: { jobs }, job }: DueJob, error: unknown): void {
  const { failures } = jobs.report(job);
  const pause = Math.min(PAUSE_MS * 2 ** failures, PAUSE_MS_MAX);
  jobs.fail(job, kindOf(error), Date.now() + pause);
  if (!(error instanceof MemoryError)) logBug(crypto.randomUUID().slice(0, 8), error);
}

/** What may stand in a health report: never the message, which may quote what is remembered. */
function kindOf(error: unknown): string {
  if (error instanceof MemoryError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
