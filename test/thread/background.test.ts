/** Background work beside calls: who waits for whom, told by counts and order. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { readLimits } from '#env.ts';
import { openMemory } from '#memory/memory.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { openSemantics } from '#search/semantics.ts';
import { openStore, type Store } from '#store/store.ts';
import { openJobRunner, type JobRunner } from '#thread/jobs.ts';
import { openPace, type Pace } from '#thread/pace.ts';
import { openSummarizer } from '#thread/summarizer.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { until } from '#test/until.ts';
import { openTables } from '#test/tables.ts';

/** Nodes that wait: three chunks of the job, and some. */
const WAITING = 100;
/** A chunk of it, and some: each slice that gives way to a call waits its time. */
const WAITING_BEHIND_CALLS = 40;
/** The longest that a slice is put off while calls are running. */
const WAIT_MS_MAX = 30;

test('a call that comes while a backlog is worked off is answered before its end', async () => {
  await onBacklog(async ({ store, jobs, pace, slices }) => {
    const running = jobs.runDue();
    await until(() => slices() >= 3);

    const waiting = await pace.during(async () => store.vectors.backlogSize());

    expect(waiting).toBeGreaterThan(0);
    await running;
    expect(store.vectors.backlogSize()).toBe(0);
  });
});

test('while a call is running the job begins no slice that has not waited its time', async () => {
  await onBacklog(async ({ jobs, pace, slices }) => {
    const running = jobs.runDue();
    await until(() => slices() >= 1);
    const startedAt = Date.now();
    const before = slices();

    const begun = await pace.during(async () => {
      // As many turns as it has awaits: each one is a chance for the job.
      for (let turn = 0; turn < 40; turn += 1) await turnOfTheLoop();
      return slices() - before;
    });

    expect(begun).toBeLessThanOrEqual(1 + (Date.now() - startedAt) / WAIT_MS_MAX);
    await running;
  });
});

test('a backlog is worked off although there is a call at every moment', async () => {
  await onBacklog(async ({ store, jobs, pace }) => {
    const call = Promise.withResolvers<void>();
    const called = pace.during(() => call.promise);

    await jobs.runDue();

    expect(store.vectors.backlogSize()).toBeLessThan(WAITING_BEHIND_CALLS);
    await until(async () => {
      await jobs.runDue();
      return store.vectors.backlogSize() === 0;
    });
    call.resolve();
    await called;
  }, WAITING_BEHIND_CALLS);
});

test('no alarm is set while the job is at it, and none is left when it is done', async () => {
  await onBacklog(async ({ jobs, alarms, slices }) => {
    const running = jobs.runDue();
    await until(() => slices() >= 3);
    // As after a write.
    await jobs.schedule();
    expect(alarms).toEqual([]);
    await running;

    expect(alarms).toEqual(['deleted']);
  });
});

test('an object that is thrown out while it makes vectors goes on where it was', async () => {
  await using memory = await openTestMemory();
  const entities = Array.from({ length: WAITING }, (_, index) => ({
    name: `Thing ${index}`,
    entityType: 'Thing',
    observations: [],
  }));
  await memory.call('create_entities', { entities });
  await until(async () => (await countVectors(memory)) > 0);

  await memory.evict();
  const kept = await countVectors(memory);
  await memory.call('list_entities');
  await memory.embedAll();

  expect(kept).toBeGreaterThan(0);
  expect(await countVectors(memory)).toBe(WAITING);
});

interface Backlog {
  readonly store: Store;
  readonly jobs: JobRunner;
  readonly pace: Pace;
  /** Slices that the embedder has begun. */
  slices(): number;
  /** What became of the alarm: when it was set for, or that it was deleted. */
  readonly alarms: (number | 'deleted')[];
}

/** Works on the tables of a new thread, with an embedder whose every text is a slice. */
async function onBacklog(
  work: (backlog: Backlog) => Promise<void>,
  waiting = WAITING,
): Promise<void> {
  await using memory = await openTestMemory();
  const stub = env.THREAD.getByName(
    threadObjectName({ subject: 'test', threadId: memory.threadId }),
  );
  await runInDurableObject(stub, async (_, state) => {
    const store = openStore(openTables(state.storage));
    let slices = 0;
    const embedder: Embedder = {
      model: 'fake@1',
      dimensions: 4,
      understands: () => true,
      async embed(texts, _kind, pause) {
        const vectors: Float32Array[] = [];
        while (vectors.length < texts.length) {
          slices += 1;
          vectors.push(new Float32Array([1, 0, 0, 0]));
          await pause?.();
        }
        return vectors;
      },
    };
    const semantics = openSemantics(store, embedder);
    const open = (tool: string) =>
      openMemory({
        store,
        semantics,
        limits: readLimits(env),
        caller: { threadId: memory.threadId, actor: 'tester' },
        tool,
        now: Date.now(),
        summarizer: openSummarizer(env),
        wokeAt: Date.now(),
      });
    open('create_entities').entities.create(
      Array.from({ length: waiting }, (_, index) => ({
        name: `Thing ${index}`,
        entityType: 'Thing',
        observations: [],
      })),
    );
    const alarms: Backlog['alarms'] = [];
    const alarm = {
      getAlarm: async () => null,
      setAlarm: async (at: number | Date) => void alarms.push(Number(at)),
      deleteAlarm: async () => void alarms.push('deleted'),
    };
    const pace = openPace();
    const jobs = openJobRunner(alarm, 'test', open, pace.pause);
    await work({ store, jobs, pace, slices: () => slices, alarms });
  });
}

async function countVectors(memory: TestMemory): Promise<number> {
  const [row] = await memory.query<{ n: number }>('SELECT count(*) AS n FROM vector');
  return row?.n ?? 0;
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
