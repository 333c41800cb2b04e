/** How a run goes on, with memories that are written in an instant and a clock that is set by hand. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { BACKUP_RETRY_MS, BACKUP_STEP_MS_MAX, BACKUPS_PER_STEP, DEFAULT_LIMITS } from '#limits.ts';
import { backupRuns, type BackupPorts } from '#memory/directory/backup-runs.ts';
import { backupStore } from '#directory-store/backups.ts';
import { directoryStore } from '#directory-store/directory.ts';
import { openSql } from '#store/sql.ts';

const SUBJECT = 'someone';
const AT = Date.parse('2026-01-20T03:17:00Z');

test('more threads than a step holds are written step by step, each once', async () => {
  await inDirectory(async ({ runs, written, addThreads, finish }) => {
    const threads = addThreads(2 * BACKUPS_PER_STEP + 5);
    runs().begin(SUBJECT, AT);

    await runs().step();
    const afterOne = written.length;
    const { finished } = await finish();

    expect(afterOne).toBe(BACKUPS_PER_STEP);
    expect(written).toEqual(threads);
    expect(finished).toMatchObject({ written: threads.length, failed: 0 });
  });
});

test('a step that takes long ends early, and the next goes on', async () => {
  await inDirectory(async ({ runs, written, clock, addThreads, finish, ports }) => {
    const threads = addThreads(6);
    const { write } = ports;
    ports.write = async (...args) => {
      clock.at += BACKUP_STEP_MS_MAX / 2;
      return write(...args);
    };
    runs().begin(SUBJECT, AT);

    await runs().step();
    const afterOne = written.length;
    await finish();

    expect(afterOne).toBe(3);
    expect(written).toEqual(threads);
  });
});

test('an object thrown out of memory goes on after the thread that it was at, and comes back to it', async () => {
  await inDirectory(async ({ runs, written, clock, addThreads, finish, ports }) => {
    const threads = addThreads(5);
    const { write } = ports;
    ports.write = async (subject, key, at) =>
      key.threadId === threads[2] ? new Promise(() => {}) : write(subject, key, at);
    runs().begin(SUBJECT, AT);
    void runs().step();
    await new Promise((resolve) => setTimeout(resolve));
    ports.write = write;

    const { nextAt } = await stepUntilWaiting(runs, clock);
    const beforeRetry = [...written];
    clock.at = nextAt ?? 0;
    const { finished } = await finish();

    expect(beforeRetry).toEqual(threads.toSpliced(2, 1));
    expect(nextAt).toBe(AT + BACKUP_RETRY_MS);
    expect(written).toEqual([...beforeRetry, threads[2]]);
    expect(finished).toMatchObject({ written: 5, failed: 0 });
  });
});

test('a thread whose object dies with the directory each time is given up, and tried the next day', async () => {
  await inDirectory(async ({ runs, written, clock, addThreads, finish, ports }) => {
    const [deadly = ''] = addThreads(2);
    let attempts = 0;
    const { write } = ports;
    ports.write = async (subject, key, at) => {
      if (key.threadId !== deadly) return write(subject, key, at);
      attempts += 1;
      return new Promise(() => {});
    };
    runs().begin(SUBJECT, AT);
    let isOver = false;
    for (let life = 0; life < 20 && !isOver; life += 1) {
      const step = runs().step();
      const dead = new Promise<null>((resolve) => setTimeout(() => resolve(null), 5));
      const survived = await Promise.race([step, dead]);
      isOver = survived !== null && survived.nextAt === undefined;
      clock.at += BACKUP_RETRY_MS;
    }

    expect(isOver).toBe(true);
    expect(attempts).toBe(3);
    expect(written).toHaveLength(1);
    ports.write = write;
    runs().begin(SUBJECT, AT + 86_400_000);
    expect((await finish()).finished).toMatchObject({ written: 1 });
    expect(written[1]).toBe(deadly);
  });
});

test('a thread that changes while it is written is written again the next day', async () => {
  await inDirectory(async ({ runs, written, addThreads, finish, ports, report }) => {
    const [thread = ''] = addThreads(1);
    const { write } = ports;
    ports.write = async (...args) => {
      report(thread, AT + 1);
      return write(...args);
    };
    runs().begin(SUBJECT, AT);
    await finish();
    ports.write = write;
    runs().begin(SUBJECT, AT + 86_400_000);
    await finish();

    expect(written).toEqual([thread, thread]);
  });
});

test('a thread that is deleted while it is written is not taken for backed up, and erased files go', async () => {
  await inDirectory(async ({ runs, store, addThreads, finish, ports, removed, threads }) => {
    const [thread = ''] = addThreads(1);
    const { write } = ports;
    ports.write = async (...args) => {
      threads.forget({ threadId: thread, owner: '' });
      runs().forget({ threadId: thread, owner: '' }, true);
      return write(...args);
    };
    runs().begin(SUBJECT, AT);

    await finish();

    expect(removed).toEqual([`${thread}/backup-20260120T031700Z.jsonl`]);
    expect(store.hasFiles()).toBe(false);
  });
});

test('a thread that turns out to hold nothing leaves no file behind, and is not asked again', async () => {
  await inDirectory(async ({ runs, store, addThreads, finish, ports }) => {
    addThreads(1);
    let asked = 0;
    ports.write = async () => {
      asked += 1;
      return null;
    };
    runs().begin(SUBJECT, AT);
    await finish();

    expect(runs().begin(SUBJECT, AT + 86_400_000)).toBe(false);
    expect(asked).toBe(1);
    expect(store.hasFiles()).toBe(false);
  });
});

test('files that cannot be removed hold up nothing, and go with the next run', async () => {
  await inDirectory(async ({ runs, addThreads, finish, ports, report, removed, reported }) => {
    const [thread = ''] = addThreads(1);
    runs().begin(SUBJECT, AT);
    await finish();
    report(thread, AT + 1);
    runs().begin(SUBJECT, AT + 86_400_000);
    await finish();
    const { remove } = ports;
    ports.remove = async () => {
      throw new Error('R2 is down');
    };
    runs().begin(SUBJECT, AT + 40 * 86_400_000);
    const { finished } = await finish();
    ports.remove = remove;
    runs().begin(SUBJECT, AT + 41 * 86_400_000);
    const next = await finish();

    expect(finished).toMatchObject({ isFinished: true, pruned: 0 });
    expect(reported).toHaveLength(1);
    expect(next.finished).toMatchObject({ pruned: 1 });
    expect(removed).toEqual([`${thread}/backup-20260120T031700Z.jsonl`]);
  });
});

test('a run that is not over when the next event comes gives way to it', async () => {
  await inDirectory(async ({ runs, written, addThreads, finish, report }) => {
    const threads = addThreads(BACKUPS_PER_STEP + 1);
    runs().begin(SUBJECT, AT);
    await runs().step();
    report(threads[0] ?? '', AT + 1);

    runs().begin(SUBJECT, AT + 86_400_000);
    await finish();

    expect(written).toEqual([...threads.slice(0, -1), threads[0], threads.at(-1)]);
  });
});

/** A directory of its own for one test. `runs` opens them anew, as each wake does. */
async function inDirectory(
  work: (tools: ReturnType<typeof openTools>) => Promise<void>,
): Promise<void> {
  const stub = env.DIRECTORY.getByName(`runs-${crypto.randomUUID()}`);
  await runInDurableObject(stub, (_, state) => work(openTools(state)));
}

function openTools({ storage }: DurableObjectState) {
  const sql = openSql(storage);
  const store = backupStore(sql);
  const threads = directoryStore(sql);
  const clock = { at: AT };
  const written: string[] = [];
  const removed: string[] = [];
  const reported: unknown[] = [];
  const ports: { -readonly [Name in keyof BackupPorts]: BackupPorts[Name] } = {
    now: () => clock.at,
    write: async (subject, { threadId }) => {
      expect(subject).toBe(SUBJECT);
      written.push(threadId);
      return { bytes: 10, isReadable: true };
    },
    remove: async (_, files) => {
      removed.push(...files.map(({ threadId, file }) => `${threadId}/${file}`));
    },
    report: (error) => void reported.push(error),
  };
  const runs = () => backupRuns(store, DEFAULT_LIMITS, ports);
  const report = (threadId: string, lastChangeAt: number) =>
    threads.report({
      threadId,
      owner: '',
      entities: 1,
      observations: 1,
      relations: 0,
      firstChangeAt: 1,
      lastChangeAt,
    });

  return {
    runs,
    store,
    threads,
    clock,
    ports,
    written,
    removed,
    reported,
    report,
    /** Their ids, in order. */
    addThreads(count: number): string[] {
      const ids = Array.from({ length: count }, (_, index) => `t${100 + index}`);
      for (const id of ids) report(id, 1);
      return ids;
    },
    async finish() {
      for (;;) {
        const step = await runs().step();
        if (step.nextAt === undefined) return step;
        clock.at = Math.max(clock.at, step.nextAt);
      }
    },
  };
}

async function stepUntilWaiting(
  runs: ReturnType<typeof openTools>['runs'],
  clock: { readonly at: number },
) {
  for (;;) {
    const step = await runs().step();
    if (step.nextAt === undefined || step.nextAt > clock.at) return step;
  }
}
