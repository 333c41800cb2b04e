/** What breaks a rule is seen: each row here is damage that no tool could do. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { checkInvariants } from '#store/derived/invariants.ts';
import { createApp } from '#http/app.ts';
import { openThread } from '#test/open-thread.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster } from '#test/builders.ts';
import { openTables } from '#test/tables.ts';

const app = createApp();

const DAMAGE: readonly [rule: RegExp, ...statements: string[]][] = [
  [
    /every node has its own row/,
    "INSERT INTO node (kind, created_at, updated_at) VALUES ('turn', 1, 1)",
  ],
  [
    /two ends of a version chain/,
    'UPDATE fact SET superseded_by = NULL WHERE superseded_by IS NOT NULL',
  ],
  [/observation counts/, 'UPDATE entity SET observation_count = 9'],
  [/relation counts/, 'UPDATE entity SET relation_count = 9'],
  [/hidden as its node says/, 'UPDATE entity SET hidden_from = 5'],
  [/counters are what there is/, "UPDATE counter SET value = value + 1 WHERE name = 'entity'"],
  [/nodes before the latest revision/, 'UPDATE revision SET nodes_before = \'{"entity": 7}\''],
  [
    /a session is what its turns/,
    "INSERT INTO session (session_id, turn_count, last_turn_at) VALUES ('x', 1, 1)",
  ],
  [/totals are what there is/, 'UPDATE total SET turns = 5'],
  [/greatest id of a node from before/, 'UPDATE revision SET last_node_id = 1'],
  [/no counter counts/, "INSERT INTO counter (name, label, value) VALUES ('relation', 'loves', 1)"],
  [/what may be found is what is indexed/, "INSERT INTO fulltext (fulltext) VALUES ('delete-all')"],
  [
    /has a vector or waits/,
    'DELETE FROM vector',
    "INSERT OR REPLACE INTO job (name, cursor) VALUES ('embedding', 1000)",
  ],
  [/every revision has changes/, "INSERT INTO revision (at, actor, tool) VALUES (1, 'x', 'y')"],
  [/waits because it has failed/, "INSERT INTO job (name, failures) VALUES ('embedding', 2)"],
  [
    /before the horizon/,
    'INSERT INTO compaction (id, horizon, horizon_at, rebuilt_to) VALUES (1, 1, 1, 0)',
  ],
  [
    /history leads back/,
    "UPDATE change SET after = json_set(after, '$.type', 'Other') WHERE table_name = 'entity'",
  ],
  [/history leads back/, "DELETE FROM change WHERE table_name = 'edge'"],
];

test.each(DAMAGE)('a thread in which it is not so that %s', async (rule, ...statements) => {
  const { stub } = await openDamaged(statements);

  const faults = await runInDurableObject(stub, (_, state) =>
    checkInvariants(openTables(state.storage)),
  );

  const fault = faults.find((one) => rule.test(one.rule));
  expect(fault).toMatchObject({
    rows: expect.any(Number),
    examples: expect.arrayContaining([expect.any(String)]),
  });
});

test('an operator asks whether a thread is sound, and is told what is not', async () => {
  const { ask, stub } = await openDamaged([]);
  const sound = await ask();

  await runInDurableObject(stub, (_, state) =>
    state.storage.sql.exec('UPDATE entity SET observation_count = 9'),
  );

  expect(sound).toEqual({ status: 'sound', threadId: expect.any(String), faults: [] });
  expect(await ask()).toEqual({
    status: 'broken',
    threadId: sound['threadId'],
    faults: [{ rule: 'observation counts are what there is', rows: 3, examples: ['1', '2', '3'] }],
  });
});

test('every thread has a route of its own for that, and one of a bad name has not', async () => {
  expect(
    (await app.fetch(new Request('http://localhost/api/threads/-no/verify'), env)).status,
  ).toBe(400);
  const foreign = new Request('http://memory.example/api/threads/fine/verify');
  expect((await app.fetch(foreign, env)).status).toBe(403);
});

/** A thread with a hub, two entities, and an observation in two versions. */
async function openDamaged(statements: readonly string[]) {
  const address = { subject: 'local', threadId: `damaged-${crypto.randomUUID()}` };
  const stub = env.THREAD.getByName(threadObjectName(address));
  const call = (tool: string, input: Record<string, unknown>) =>
    openThread(env, address)(tool, input, { ...address, actor: 'tester' });
  await call('save_memory', { entities: cluster('Ada', 'Grace') });
  await call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Lives in Paris'] }],
  });
  const history = await call('get_observation_history', { entityName: 'Ada' });
  const { id } = history.ok ? (history.value as any).history.at(-1) : { id: '' };
  await call('update_observation', {
    entityName: 'Ada',
    observationId: id,
    newContent: 'Lives in Rome',
  });
  await runInDurableObject(stub, (_, state) => {
    state.storage.transactionSync(() => {
      if (statements.some((one) => /node|fact/.test(one))) {
        state.storage.sql.exec(
          "INSERT INTO revision (at, actor, tool) VALUES (1, 'tester', 'damage')",
        );
      }
      for (const statement of statements) state.storage.sql.exec(statement);
    });
  });
  const ask = async () => {
    const url = `http://localhost/api/threads/${address.threadId}/verify`;
    return (await app.fetch(new Request(url), env)).json<Record<string, unknown>>();
  };
  return { stub, ask };
}
