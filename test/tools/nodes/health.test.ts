import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { cachedEmbedder } from '#search/embed/cached-embedder.ts';
import { openSemantics } from '#search/semantics.ts';
import { openStore } from '#store/store.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { until } from '#test/until.ts';
import { ALL_WAIT } from '#test/waiting.ts';
import { openTables } from '#test/tables.ts';

test('a sound memory says so, with what waits and what has run', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Milk is in the fridge' });
  await memory.query('UPDATE node SET expires_at = 1');
  await runAlarm(memory);
  const before = Date.now();

  const health = await memory.call('health_check');

  expect(health).toMatchObject({
    success: true,
    falkordb: true,
    embeddings: true,
    vector_index: true,
    embedding_backlog: 0,
  });
  const [embedding, expiry, deduplication] = health['jobs'];
  expect(embedding).toMatchObject({ name: 'embedding', enabled: true, last_run_at: null });
  expect(expiry).toMatchObject({ name: 'expiry', due_at: null, failures: 0, last_error: null });
  expect(before - expiry.last_run_at).toBeLessThan(60_000);
  expect(deduplication).toMatchObject({ name: 'deduplication', enabled: false });
});

test('it tells of texts that wait, and of a job that fails and when it is tried again', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'Milk is in the fridge' });
  await memory.query(
    "CREATE TRIGGER poison BEFORE INSERT ON vector BEGIN SELECT raise(ABORT, 'secret milk'); END",
  );
  await memory.query('DELETE FROM vector');
  await memory.query(ALL_WAIT);
  // The platform may be running the alarm for another job.
  await until(async () => {
    await runAlarm(memory);
    return (
      (await memory.query("SELECT 1 FROM job WHERE name = 'embedding' AND failures > 0")).length > 0
    );
  });

  const health = await memory.call('health_check');

  expect(health['embedding_backlog']).toBe(1);
  expect(health['jobs'][0]).toMatchObject({ name: 'embedding', failures: 1, last_error: 'Error' });
  expect(health['jobs'][0].due_at).toBeGreaterThan(Date.now());
  expect(JSON.stringify(health)).not.toContain('milk');
  await memory.query('DROP TRIGGER poison');
});

test('a vector that is not in memory is seen', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.embedAll();
  expect(await memory.call('health_check')).toMatchObject({ vector_index: true });

  // Past the object, which does not get to know of it.
  await memory.query('DELETE FROM vector WHERE node_id = 1');
  await memory.query(ALL_WAIT);
  expect(await memory.call('health_check')).toMatchObject({ vector_index: false });

  await memory.evict();
  expect(await memory.call('health_check')).toMatchObject({ vector_index: true });
});

test('an embedder that does not answer is seen past the cache', async () => {
  await using memory = await openTestMemory();
  let isDown = false;
  const embedder = cachedEmbedder(
    {
      model: 'fake@1',
      dimensions: 2,
      understands: () => true,
      embed: async (texts) => {
        if (isDown) throw new Error('down');
        return texts.map(() => Float32Array.of(1, 0));
      },
    },
    10,
  );

  const answers = await runInDurableObject(stubOf(memory), async (_, state) => {
    const semantics = openSemantics(openStore(openTables(state.storage)), embedder);
    const before = await semantics.isAnswering();
    isDown = true;
    return [before, await semantics.isAnswering()];
  });

  expect(answers).toEqual([true, false]);
  expect(embedder.cacheSize).toBe(0);
});

test('test_connection says that the store answers', async () => {
  await using memory = await openTestMemory();

  expect(await memory.call('test_connection')).toEqual({
    success: true,
    message: expect.stringContaining('answers'),
  });
});

test('get_stats counts facts and entities by their status as it is now', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  for (const content of ['One thing', 'Another thing', 'A third thing', 'A fourth thing']) {
    await memory.call('store_memory', { content });
  }
  await memory.query("UPDATE node SET status = 'outdated' WHERE id = 5");
  await memory.query("UPDATE node SET status = 'archived' WHERE id = 6");
  await memory.query('UPDATE node SET expires_at = 1 WHERE id = 7');

  await memory.call('update_node', { node_id: 'mem_8', text: 'A newer thing', versioning: true });
  await memory.call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Plays the cello'] }],
  });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations.at(-1).id,
    newContent: 'Plays the violin',
  });

  const { stats } = await memory.call('get_stats');

  expect(stats).toMatchObject({
    owner_id: 'default',
    nodes: 10,
    facts: { total: 8, active: 4, outdated: 2, archived: 2 },
    entities: { total: 2, active: 2, outdated: 0, archived: 0 },
    relations: 2,
  });
});

function stubOf({ threadId }: TestMemory) {
  return env.THREAD.getByName(threadObjectName({ subject: 'test', threadId }));
}

async function runAlarm(memory: TestMemory): Promise<void> {
  await runInDurableObject(stubOf(memory), (thread) => (thread as any).alarm());
}
