/** The daily run, from the event to the restored thread. */
import {
  createScheduledController,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { beginBackups } from '#thread/directory-client.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster, entity, relatesTo } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { DAY_MS } from '#test/nodes.ts';
import { addTurn } from '#test/sessions.ts';
import { readContent, readState } from '#test/thread-state.ts';
import worker from '../../src/worker.ts';

/** A morning long ago: a run's time is that of its event. */
const DAY_1 = Date.parse('2026-01-20T03:17:00Z');
const FILE_1 = 'backup-20260120T031700Z.jsonl';

test('what was changed and deleted after a backup comes back, in one revision that can be undone', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await fill(memory);
  const before = await readContent(memory);
  await runBackups(subject, DAY_1);
  await memory.call('delete_entities', { entityNames: ['Ada'] });
  await memory.call('store_memory', { content: 'Written after the backup' });
  const after = await readContent(memory);

  const { backup } = await memory.call('healthcheck');
  const imported = await memory.call('import_database', { file: backup.file, mode: 'replace' });
  const restored = await readContent(memory);
  const { changes } = await memory.call('get_recent_changes', { limit: 1 });
  await memory.call('undo_revision', { revision: changes[0].revision });

  expect(backup).toEqual({
    enabled: true,
    lastAt: '2026-01-20T03:17:00.000Z',
    file: FILE_1,
    readable: true,
  });
  expect(imported).toMatchObject({ mode: 'replace', removed: 1, historyRestored: false });
  expect(restored).toEqual(before);
  expect(changes[0].tool).toBe('import_database');
  expect(await readContent(memory)).toEqual(after);
});

test('a run writes what has changed since the one before, and nothing else', async () => {
  const subject = newSubject();
  await using changing = await openTestMemory({ subject });
  await using still = await openTestMemory({ subject });
  for (const memory of [changing, still]) await remember(memory);

  const first = await runBackups(subject, DAY_1);
  const second = await runBackups(subject, DAY_1 + DAY_MS);
  await changing.call('store_memory', { content: 'It changes' });
  await report(changing);
  const third = await runBackups(subject, DAY_1 + 2 * DAY_MS);
  const sameEvent = await runBackups(subject, DAY_1 + 2 * DAY_MS);

  expect(first).toMatchObject({ outcome: 'ok', written: 2, failed: 0, pruned: 0 });
  expect(first.bytes).toBe(
    (await sizesOf(changing, subject))[0]! + (await sizesOf(still, subject))[0]!,
  );
  expect(second).toMatchObject({ written: 0, bytes: 0 });
  expect(third).toMatchObject({ written: 1 });
  expect(sameEvent).toBeUndefined();
  expect(await filesOf(changing, subject)).toEqual([FILE_1, 'backup-20260122T031700Z.jsonl']);
  expect(await filesOf(still, subject)).toEqual([FILE_1]);
});

test('a backup that no import would take is told of, and the readable one before it stays the newest', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await runBackups(subject, DAY_1);
  const first = await memory.call('healthcheck');
  await memory.call('store_memory', { content: 'Is spoilt below' });
  await memory.query(
    "UPDATE fact SET content = 'a' || char(0) || 'b' WHERE content LIKE 'Is spoilt%'",
  );
  await report(memory);

  const spoilt = await runBackups(subject, DAY_1 + DAY_MS);
  const second = await memory.call('healthcheck');
  const error = await memory.fail('import_database', { file: 'backup-20260121T031700Z.jsonl' });
  const later = await runBackups(subject, DAY_1 + 40 * DAY_MS);

  expect(first).toMatchObject({ status: 'healthy', backup: { file: FILE_1, readable: true } });
  expect(spoilt).toMatchObject({ outcome: 'failed', written: 1, failed: 0, unreadable: 1 });
  expect(second).toMatchObject({ status: 'degraded', backup: { file: FILE_1, readable: false } });
  expect(second['problems']).toEqual([
    'The last backup cannot be read back: an import would not take all of it.',
  ]);
  expect(error.message).toContain('U+0000');
  expect(later).toMatchObject({ outcome: 'ok', written: 0, pruned: 1 });
  expect(await filesOf(memory, subject)).toEqual([FILE_1]);
});

test('a subject that has nothing has no run, and leaves no alarm', async () => {
  const subject = newSubject();

  expect(await runBackups(subject, DAY_1)).toBeUndefined();
  expect(await rowsOf(subject, 'backup_run')).toEqual([]);
});

test('a backup is kept until a newer one is older than the retention, and the newest for ever', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await runBackups(subject, DAY_1);
  await memory.call('store_memory', { content: 'It changes' });
  await report(memory);

  // The first holds the state of all these days.
  await runBackups(subject, DAY_1 + 200 * DAY_MS);
  const keptFor30Days = await runBackups(subject, DAY_1 + 230 * DAY_MS);
  const files = await filesOf(memory, subject);
  const later = await runBackups(subject, DAY_1 + 231 * DAY_MS);
  const muchLater = await runBackups(subject, DAY_1 + 900 * DAY_MS);

  expect(keptFor30Days).toMatchObject({ pruned: 0 });
  expect(files).toEqual([FILE_1, 'backup-20260808T031700Z.jsonl']);
  expect([later.pruned, muchLater.pruned]).toEqual([1, 0]);
  expect(await filesOf(memory, subject)).toEqual(['backup-20260808T031700Z.jsonl']);
});

test('a deleted thread comes back from its backup, ids and history included', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await fill(memory);
  const before = await readState(memory);
  await runBackups(subject, DAY_1);
  const deletedAt = Date.now();

  const { backup, ...answer } = await memory.call('delete_thread', { confirm: memory.threadId });
  const { backup: ofNew } = await memory.call('healthcheck');
  const { historyRestored } = await memory.call('import_database', { file: backup.file });

  expect(answer).toEqual({ deleted: true, owners: 0 });
  expect(backup.file).toBe(FILE_1);
  expect(Date.parse(backup.keptUntil)).toBeGreaterThanOrEqual(deletedAt + 30 * DAY_MS);
  expect(ofNew).toEqual({ enabled: true, lastAt: null, file: null, readable: null });
  expect(historyRestored).toBe(true);
  expect(await readState(memory)).toEqual(before);
  // What came back is backed up again, so that its retention begins anew.
  await report(memory);
  expect(await runBackups(subject, Date.now() + DAY_MS)).toMatchObject({ written: 1 });
  expect((await memory.call('healthcheck'))['backup'].lastAt).not.toBeNull();
});

test('a backup outlives its thread by the retention, also where another thread takes the name', async () => {
  const subject = newSubject();
  await using gone = await openTestMemory({ subject });
  await using reused = await openTestMemory({ subject });
  for (const memory of [gone, reused]) {
    await remember(memory);
    await memory.call('delete_thread', { confirm: memory.threadId });
    await remember(memory);
  }
  // Long before, so that it is old enough to go when it is replaced.
  await runBackups(subject, DAY_1);
  for (const memory of [gone, reused]) {
    await memory.call('delete_thread', { confirm: memory.threadId });
  }
  await reused.call('store_memory', { content: 'Another thread' });
  await report(reused);

  const soon = await runBackups(subject, Date.now() + 29 * DAY_MS);
  const late = await runBackups(subject, Date.now() + 31 * DAY_MS);

  expect(soon).toMatchObject({ written: 1, pruned: 0 });
  expect(late).toMatchObject({ written: 0, pruned: 2 });
  expect(await filesOf(gone, subject)).toEqual([]);
  expect(await filesOf(reused, subject)).toHaveLength(1);
  expect(await rowsOf(subject, 'backup')).toMatchObject([{ thread_id: reused.threadId }]);
  expect(await rowsOf(subject, 'backup_file')).toHaveLength(1);
});

test('delete_files takes all files with the thread and its owners at once', async () => {
  const subject = newSubject();
  await using thread = await openTestMemory({ subject });
  const { threadId } = thread;
  await using ada = await openTestMemory({ subject, threadId, owner: 'ada' });
  for (const memory of [thread, ada]) {
    await memory.call('create_node', { text: 'Milk', node_type: 'Entity' });
    await memory.register();
  }
  await runBackups(subject, DAY_1);
  await thread.call('export_database');

  const answer = await thread.call('delete_thread', { confirm: threadId, delete_files: true });

  expect(answer).toEqual({ deleted: true, owners: 1 });
  expect(await filesOf(thread, subject)).toEqual([]);
  expect(await filesOf(ada, subject, 'ada')).toEqual([]);
  expect(await rowsOf(subject, 'backup_file')).toEqual([]);
  expect(await rowsOf(subject, 'backup')).toEqual([]);
});

test('files can still be deleted when the thread is gone', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await runBackups(subject, DAY_1);
  const confirm = memory.threadId;

  const first = await memory.call('delete_thread', { confirm });
  const again = await memory.call('delete_thread', { confirm });
  const last = await memory.call('delete_thread', { confirm, delete_files: true });

  expect(again).toEqual(first);
  expect(last).toEqual({ deleted: true, owners: 0 });
  expect(await filesOf(memory, subject)).toEqual([]);
});

test('the memory of an owner has backups of its own, named and read by its owner_id', async () => {
  const subject = newSubject();
  await using thread = await openTestMemory({ subject });
  const { threadId } = thread;
  await using bob = await openTestMemory({ subject, threadId, owner: 'bob' });
  const { node } = await thread.call('create_node', { text: 'The cat is black', owner_id: 'bob' });
  await bob.register();
  await runBackups(subject, DAY_1);
  await thread.call('delete_node', { node_id: node.id, owner_id: 'bob' });

  const { backup } = await thread.call('healthcheck', { owner_id: 'bob' });
  await thread.call('import_database', { owner_id: 'bob', file: backup.file, mode: 'replace' });

  expect(backup.file).toBe(FILE_1);
  expect((await thread.call('healthcheck'))['backup'].file).toBeNull();
  expect(await bob.query('SELECT content, status FROM fact JOIN node ON id = node_id')).toEqual([
    { content: 'The cat is black', status: 'active' },
  ]);
  expect(await thread.query('SELECT * FROM fact')).toEqual([]);
  const [header = ''] = (await textOf(bob, subject, FILE_1, 'bob')).split('\n');
  expect(JSON.parse(header)).toMatchObject({ threadId, owner: 'bob' });
  expect((await thread.fail('import_database', { file: FILE_1 })).code).toBe('not_found');
});

test('a stopped thread is backed up, and stays stopped', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await memory.call('stop_database');

  const run = await runBackups(subject, DAY_1);

  expect(run).toMatchObject({ written: 1, failed: 0 });
  expect(await memory.call('healthcheck')).toMatchObject({
    database: { running: false },
    backup: { file: FILE_1 },
  });
  await memory.call('start_database');
});

test('a thread that fails is tried three times, holds up no other, and says so', async () => {
  const subject = newSubject();
  const memories = await Promise.all(
    ['a', 'b', 'c'].map((id) =>
      openTestMemory({ subject, threadId: `${id}-${crypto.randomUUID()}` }),
    ),
  );
  const [first, failing, last] = memories as [TestMemory, TestMemory, TestMemory];
  for (const memory of memories) await remember(memory);
  await failing.query(
    "CREATE TRIGGER poison BEFORE INSERT ON transfer BEGIN SELECT raise(ABORT, 'secret milk'); END",
  );

  const lines = await listen(() => runBackups(subject, DAY_1));

  expect(lines.find(({ event }) => event === 'backup_run')).toEqual({
    event: 'backup_run',
    directory: expect.stringMatching(/^[0-9a-f]{12}$/),
    outcome: 'failed',
    at: '2026-01-20T03:17:00.000Z',
    written: 2,
    bytes: expect.any(Number),
    failed: 1,
    unreadable: 0,
    pruned: 0,
  });
  expect(JSON.stringify(lines)).not.toContain('milk');
  expect(
    lines.filter(({ tool, outcome }) => tool === 'backup' && outcome === 'internal'),
  ).toHaveLength(3);
  for (const memory of [first, last]) expect(await filesOf(memory, subject)).toEqual([FILE_1]);
  expect(await filesOf(failing, subject)).toEqual([]);
  expect(await failing.call('healthcheck')).toMatchObject({
    status: 'degraded',
    problems: ['The job backup has failed 3 times in a row.'],
  });

  await failing.query('DROP TRIGGER poison');
  expect(await runBackups(subject, DAY_1 + DAY_MS)).toMatchObject({ outcome: 'ok', written: 1 });
  expect((await failing.call('healthcheck'))['status']).toBe('healthy');
  for (const memory of memories) await memory[Symbol.asyncDispose]();
});

test('a thread that is emptied while its file is written leaves no part of it', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await memory.query(
    'CREATE TRIGGER lose AFTER INSERT ON transfer_piece BEGIN DELETE FROM transfer_piece; END',
  );

  expect(await runBackups(subject, DAY_1)).toMatchObject({ written: 0, failed: 1 });
  expect(await filesOf(memory, subject)).toEqual([]);
});

test('a directory that is thrown out of memory between any two steps goes on', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await runInDurableObject(directoryOf(subject), async (directory) =>
    (directory as any).backUp(subject, DAY_1),
  );
  const isOver = async () => (await rowsOf(subject, 'backup_run'))[0]?.['is_finished'] === 1;

  while (!(await isOver())) {
    await evictDurableObject(directoryOf(subject));
    await runDurableObjectAlarm(directoryOf(subject));
  }

  expect(await filesOf(memory, subject)).toEqual([FILE_1]);
  expect(await rowsOf(subject, 'backup_run')).toMatchObject([{ written: 1, failed: 0 }]);
});

test('while backups are switched off none is written, and old ones still go', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  await runBackups(subject, DAY_1);
  await memory.call('store_memory', { content: 'It changes' });
  await report(memory);
  await runBackups(subject, DAY_1 + DAY_MS);
  await memory.call('store_memory', { content: 'It changes again' });
  await report(memory);

  const off = { BACKUPS_ENABLED: 'false', BACKUP_RETENTION_DAYS: '7' };
  const run = await withVars(subject, off, () => runBackups(subject, DAY_1 + 9 * DAY_MS));

  expect(run).toMatchObject({ written: 0, pruned: 1 });
  expect(await filesOf(memory, subject)).toEqual(['backup-20260121T031700Z.jsonl']);
});

test('who asks for a file that is not there is told the newest that are', async () => {
  const subject = newSubject();
  await using memory = await openTestMemory({ subject });
  await remember(memory);
  const none = await memory.fail('import_database', { file: 'backup.jsonl' });
  await runBackups(subject, DAY_1);
  await memory.call('store_memory', { content: 'It changes' });
  await report(memory);
  await runBackups(subject, DAY_1 + DAY_MS);

  const error = await memory.fail('import_database', { file: 'backup.jsonl' });

  expect(none.hint).toMatch(/^It has none: export_database writes one\./);
  expect(error.hint).toMatch(
    /^Its newest files: backup-20260121T031700Z.jsonl, backup-20260120T031700Z.jsonl\./,
  );
});

test('the event reaches the threads of the owner and those of the machine, by one call each', async () => {
  const asked: unknown[][] = [];
  const directory = (name: string) => ({
    backUp: async (...args: unknown[]) => void asked.push([name, ...args]),
  });
  const controller = createScheduledController({ scheduledTime: new Date(DAY_1) });
  const bindings = { ...env, DIRECTORY: { getByName: directory } as any };

  await worker.scheduled(controller, bindings);

  expect(asked).toEqual([
    ['owner', 'owner', DAY_1],
    ['local', 'local', DAY_1],
  ]);
  expect(exports.default).toHaveProperty('scheduled');

  // A page may ask a local server for any time: one that is still to come counts as now.
  asked.length = 0;
  const before = Date.now();
  await worker.scheduled(createScheduledController({ scheduledTime: new Date(4e12) }), bindings);
  for (const [, , at] of asked) {
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  }
  expect(asked).toHaveLength(2);
});

test('a directory that cannot be reached holds up no other, and the event fails', async () => {
  const asked: string[] = [];
  const DIRECTORY = {
    getByName: (name: string) => ({
      async backUp() {
        asked.push(name);
        if (name === 'one') throw new Error('reset');
      },
    }),
  } as any;

  await expect(beginBackups({ ...env, DIRECTORY }, ['one', 'two'], DAY_1)).rejects.toThrow('reset');
  expect(asked).toEqual(['one', 'two']);
});

/** One memory, which the directory knows of. */
async function remember(memory: TestMemory): Promise<void> {
  await memory.call('store_memory', { content: 'Milk is in the fridge' });
  await report(memory);
}

/** Something of every kind that a client writes, which the directory knows of. */
async function fill(memory: TestMemory): Promise<void> {
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', {
    entities: [entity('Bob', { relations: [relatesTo('Ada')] })],
  });
  await memory.call('update_observation', {
    entityName: 'Bob',
    observationId: (await memory.query('SELECT max(node_id) AS id FROM fact')).map(
      ({ id }) => `obs_${id}`,
    )[0],
    newContent: 'Bob has a newer version',
  });
  await addTurn(memory, { prompt: 'Who is it?', response: 'Ada.' });
  await report(memory);
}

/** Tells the directory of the last change without waiting for the minute to be over. */
async function report(memory: TestMemory): Promise<void> {
  await memory.query("UPDATE job SET cursor = NULL, last_run_at = NULL WHERE name = 'directory'");
  // Sets the alarm, which may have gone off by itself before.
  await memory.call('healthcheck');
  await memory.register();
}

/** The event and all that follows; what the log says of it. Waiting for a retry is left out. */
async function runBackups(subject: string, at: number): Promise<any> {
  const stub = directoryOf(subject);
  const lines = await listen(async () => {
    await beginBackups(env, [subject], at);
    const isOver = async () =>
      (await rowsOf(subject, 'backup_run')).every((run) => run['is_finished'] === 1);
    while (!(await isOver())) {
      await runInDurableObject(stub, (_, state) => {
        state.storage.sql.exec('UPDATE backup SET retry_at = 1 WHERE retry_at IS NOT NULL');
      });
      await runDurableObjectAlarm(stub);
    }
  });
  return lines.find(({ event }) => event === 'backup_run');
}

async function listen(work: () => Promise<unknown>): Promise<Record<string, any>[]> {
  const lines: Record<string, any>[] = [];
  const { log, error } = console;
  const note = (line: string) => void lines.push(JSON.parse(line));
  Object.assign(console, { log: note, error: note });
  try {
    await work();
  } finally {
    Object.assign(console, { log, error });
    for (const line of lines) console.log(JSON.stringify(line));
  }
  return lines;
}

async function withVars<Value>(
  subject: string,
  vars: Record<string, string>,
  work: () => Promise<Value>,
): Promise<Value> {
  const set = (values: Record<string, unknown>) =>
    runInDurableObject(directoryOf(subject), (directory) => {
      const { env: own } = directory as unknown as { env: Record<string, unknown> };
      const before = Object.fromEntries(Object.keys(values).map((name) => [name, own[name]]));
      Object.assign(own, values);
      return before;
    });
  const before = await set(vars);
  try {
    return await work();
  } finally {
    await set(before);
  }
}

function directoryOf(subject: string) {
  return env.DIRECTORY.getByName(encodeURIComponent(subject));
}

function rowsOf(subject: string, table: string): Promise<Record<string, any>[]> {
  return runInDurableObject(directoryOf(subject), (_, state) =>
    state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
  );
}

async function listFiles({ threadId }: TestMemory, subject: string, owner?: string) {
  const id = env.THREAD.idFromName(threadObjectName({ subject, threadId, owner })).toString();
  const { objects } = await env.FILES!.list({ prefix: `${id}/` });
  return objects.map(({ key, size }) => ({ name: key.slice(id.length + 1), key, size }));
}

async function filesOf(memory: TestMemory, subject: string, owner?: string): Promise<string[]> {
  const listed = await listFiles(memory, subject, owner);
  // The mark of a deletion is none.
  return listed.map(({ name }) => name).filter((name) => name !== '.deleted');
}

async function sizesOf(memory: TestMemory, subject: string): Promise<number[]> {
  return (await listFiles(memory, subject)).map(({ size }) => size);
}

async function textOf(memory: TestMemory, subject: string, file: string, owner?: string) {
  const found = (await listFiles(memory, subject, owner)).find(({ name }) => name === file);
  const stored = await env.FILES!.get(found?.key ?? '');
  return (await stored?.text()) ?? '';
}

function newSubject(): string {
  return `backups/${crypto.randomUUID()}`;
}
