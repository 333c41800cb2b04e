import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { readCacheLimits, readLimits } from '#env.ts';
import { cachedEmbedder } from '#search/embed/cached-embedder.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { hybrid } from '#search/hybrid.ts';
import { openSearchCache } from '#search/search-cache.ts';
import { openSemantics } from '#search/semantics.ts';
import { openStore } from '#store/store.ts';
import { openCaches } from '#thread/caches.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { ALL_WAIT, NOTHING_WAITS } from '#test/waiting.ts';
import { openTables } from '#test/tables.ts';

test('a question asked again is answered from the cache, and reads no row', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge');
  await memory.call('search', { query: 'milk' });

  const again = await memory.measure('search_memories', { query: 'milk', limit: 10 });
  const third = await memory.measure('search_memories', { query: 'milk', limit: 10 });

  expect(third.rowsRead).toBeLessThan(again.rowsRead);
  // What the fact says is read each time: one row of the list, its fact and its node; and whether the thread is stopped, and whether it holds anything.
  expect(third.rowsRead).toBeLessThanOrEqual(6);
  expect(await cacheOf(memory)).toMatchObject({
    search: { enabled: true, size: 2, maxsize: 100, ttl: 60 },
  });
});

test('other arguments are another question', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge', 'Milk is white');
  const count = async (input: object) =>
    (await memory.call('search', { query: 'milk', ...input }))['results'].length;

  expect(await count({ limit: 1 })).toBe(1);
  expect(await count({ limit: 2 })).toBe(2);
  expect(await count({ limit: 2, status: 'outdated' })).toBe(0);
  expect(await count({ limit: 2, node_types: ['Entity'] })).toBe(0);
  expect((await cacheOf(memory))['search'].size).toBe(4);
});

test('every write drops the answers: what is new is found, what is gone is not', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge');
  expect(await find(memory, 'milk')).toHaveLength(1);

  await remember(memory, 'Milk is white');
  expect((await cacheOf(memory))['search'].size).toBe(0);
  expect(await find(memory, 'milk')).toHaveLength(2);
  await memory.call('save_memory', {
    entities: [
      {
        name: 'Milk',
        entityType: 'Food',
        observations: ['Keeps for a week'],
        relations: [{ targetEntity: 'Fridge', relationType: 'stands in' }],
      },
      {
        name: 'Fridge',
        entityType: 'Thing',
        observations: ['Hums at night'],
        relations: [{ targetEntity: 'Milk', relationType: 'has' }],
      },
    ],
  });
  expect(await find(memory, 'milk')).toContain('Milk');
  await memory.call('delete_entities', { entityNames: ['Milk'] });
  expect(await find(memory, 'milk')).not.toContain('Milk');
});

test('an answer ends with what expires in it, whether or not the job comes to it', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge');
  await memory.query(
    "CREATE TRIGGER poison BEFORE UPDATE OF status ON node BEGIN SELECT raise(ABORT, 'no') ; END",
  );
  await memory.query('UPDATE node SET expires_at = ?', Date.now() + 1_500);
  await memory.evict();

  expect(await find(memory, 'milk')).toHaveLength(1);
  expect((await cacheOf(memory))['search'].size).toBe(1);
  const startedAt = Date.now();
  while ((await cacheOf(memory))['search'].size > 0) await pause(50);

  expect(Date.now() - startedAt).toBeLessThan(30_000);
  expect(await find(memory, 'milk')).toEqual([]);
});

test('an answer ends when vectors arrive that it was made without', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User is vegetarian and avoids mushrooms', 'The build takes a while');
  await memory.query(NOTHING_WAITS);
  await memory.query('DELETE FROM vector');
  await memory.evict();
  expect((await find(memory, 'dietary restrictions'))[0]).toBe('The build takes a while');
  await memory.query(ALL_WAIT);
  await memory.evict();
  expect(await find(memory, 'dietary restrictions')).toEqual(expect.any(Array));

  // The object that woke sees to the backlog.
  while ((await memory.query('SELECT * FROM awaiting_vector')).length > 0) await pause(20);

  expect((await find(memory, 'dietary restrictions'))[0]).toBe(
    'User is vegetarian and avoids mushrooms',
  );
});

test('texts that were embedded are kept, each kind and text once', async () => {
  await using memory = await openTestMemory();

  await remember(memory, 'Milk is in the fridge');
  await memory.call('search', { query: 'Where is the milk?' });
  await memory.call('search', { query: 'Where is the milk?', limit: 3 });
  await remember(memory, 'Milk is in the fridge');

  expect(await cacheOf(memory)).toMatchObject({
    embeddings: { enabled: true, size: 2, maxsize: 1_000 },
  });
  await memory.evict();
  expect((await cacheOf(memory))['embeddings'].size).toBe(0);
});

test('the embedder is asked for what is missing alone, and its answers come back in order', async () => {
  const asked: string[][] = [];
  const embedder = cachedEmbedder(fakeEmbedder(asked), 10);

  const first = await embedder.embed(['a', 'bb', 'a'], 'query');
  const second = await embedder.embed(['ccc', 'bb', 'a'], 'query');
  await embedder.embed(['a'], 'passage');

  expect(asked).toEqual([['a', 'bb'], ['ccc'], ['a']]);
  expect(first.map(lengthIn)).toEqual([1, 2, 1]);
  expect(second.map(lengthIn)).toEqual([3, 2, 1]);
  expect(embedder.cacheSize).toBe(4);
});

test('the pause of a caller reaches the embedder behind the cache', async () => {
  const pauses: unknown[] = [];
  const inner = fakeEmbedder([]);
  const embedder = cachedEmbedder(
    {
      ...inner,
      async embed(texts, kind, pause) {
        pauses.push(pause);
        return inner.embed(texts, kind);
      },
    },
    10,
  );
  const pause = async () => {};

  await embedder.embed(['a'], 'passage', pause);
  await embedder.embed(['b'], 'passage');

  expect(pauses).toEqual([pause, undefined]);
});

test('the vector that was used longest ago goes first, and long texts take more room', async () => {
  const asked: string[][] = [];
  const embedder = cachedEmbedder(fakeEmbedder(asked), 2);
  await embedder.embed(['a'], 'query');
  await embedder.embed(['b'], 'query');
  await embedder.embed(['a'], 'query');
  await embedder.embed(['c'], 'query');
  asked.length = 0;

  await embedder.embed(['a', 'b'], 'query');
  expect(asked).toEqual([['b']]);

  const roomy = cachedEmbedder(fakeEmbedder([]), 1_000);
  for (let index = 0; index < 10; index += 1) {
    await roomy.embed([`${index}`.repeat(500_000)], 'passage');
  }
  expect(roomy.cacheSize).toBe(4);
});

test('an embedder that fails leaves nothing in the cache', async () => {
  const embedder = cachedEmbedder(
    { ...fakeEmbedder([]), embed: () => Promise.reject(new Error('down')) },
    10,
  );

  await expect(embedder.embed(['a'], 'query')).rejects.toThrow('down');

  expect(embedder.cacheSize).toBe(0);
});

const NOTHING = { hits: [], closeness: 'none' } as const;

test('an answer lives as long as the shorter of its two times', () => {
  let now = 1_000_000;
  const cache = openSearchCache({ itemsMax: 2, ttlSeconds: 60 }, () => now);
  cache.keep('soon', NOTHING, now + 5_000);
  cache.keep('late', NOTHING, Infinity);
  cache.keep('over', NOTHING, now);

  expect(cache.size).toBe(2);
  now += 5_001;
  expect([cache.find('soon'), cache.find('late')]).toEqual([undefined, NOTHING]);
  now += 55_000;
  expect(cache.size).toBe(0);
});

test('the variables of seed 002 switch and size the caches', () => {
  const embedder = fakeEmbedder([]);
  const off = readCacheLimits({ CACHE_EMBEDDINGS_ENABLED: 'false', CACHE_SEARCH_ENABLED: 'False' });
  const caches = openCaches(off, embedder);

  expect(readCacheLimits({})).toEqual({
    embeddingsMax: 1_000,
    searchesMax: 100,
    searchTtlSeconds: 60,
  });
  expect(
    readCacheLimits({
      CACHE_EMBEDDINGS_MAXSIZE: '5',
      CACHE_SEARCH_MAXSIZE: '7',
      CACHE_SEARCH_TTL: '9',
    }),
  ).toEqual({ embeddingsMax: 5, searchesMax: 7, searchTtlSeconds: 9 });
  expect(caches).toMatchObject({ embedder, searches: undefined });
  expect(caches.state()).toEqual({ limits: off, embeddings: 0, searches: 0 });
  expect(() => readCacheLimits({ CACHE_SEARCH_ENABLED: 'yes' })).toThrow('CACHE_SEARCH_ENABLED');
  expect(() => readCacheLimits({ CACHE_SEARCH_TTL: '0' })).toThrow('CACHE_SEARCH_TTL');
});

test('an answer is not given any more at the moment from which one of its nodes has expired', () => {
  let now = 1_000;
  const cache = openSearchCache({ itemsMax: 1, ttlSeconds: 60 }, () => now);
  cache.keep('milk', NOTHING, 1_500);

  now = 1_499;
  expect(cache.find('milk')).toEqual(NOTHING);
  now = 1_500;
  expect(cache.find('milk')).toBeUndefined();
});

test('an answer that a write came between is not kept', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'Milk is in the fridge');
  const searches = openSearchCache({ itemsMax: 10, ttlSeconds: 60 });
  const stub = env.THREAD.getByName(
    threadObjectName({ subject: 'test', threadId: memory.threadId }),
  );

  const sizes = await runInDurableObject(stub, async (_, state) => {
    const store = openStore(openTables(state.storage));
    const write = { now: () => {} };
    const embedder = fakeEmbedder([]);
    const semantics = openSemantics(store, {
      ...embedder,
      async embed(texts, kind) {
        write.now();
        return embedder.embed(texts, kind);
      },
    });
    const filter = { kinds: ['fact'], entityType: null, isOfGraph: false, perEntity: 10 } as const;
    const ask = () => hybrid({ store, semantics, searches }, 'milk', filter, { limit: 10 });
    write.now = () => searches.clear();
    await ask();
    const between = searches.size;
    write.now = () => {};
    await ask();
    return [between, searches.size];
  });

  expect(sizes).toEqual([0, 1]);
});

test('de-duplication is off until it is switched on', () => {
  expect(readLimits({}).duplicateSimilarityMin).toBeNull();
  expect(readLimits({ DEDUP_THRESHOLD: '0.9' }).duplicateSimilarityMin).toBeNull();
  expect(readLimits({ DEDUP_ENABLED: 'true' }).duplicateSimilarityMin).toBe(0.95);
  expect(readLimits({ DEDUP_ENABLED: 'true', DEDUP_THRESHOLD: '0.9' }).duplicateSimilarityMin).toBe(
    0.9,
  );
  expect(() => readLimits({ DEDUP_ENABLED: 'true', DEDUP_THRESHOLD: '95' })).toThrow(
    'DEDUP_THRESHOLD',
  );
});

async function remember(memory: TestMemory, ...contents: string[]): Promise<void> {
  for (const content of contents) await memory.call('store_memory', { content });
}

async function find(memory: TestMemory, query: string): Promise<string[]> {
  const { results } = await memory.call('search', { query });
  return results.map(({ text }: any) => text);
}

async function cacheOf(memory: TestMemory): Promise<Record<string, any>> {
  return (await memory.call('health_check'))['cache'];
}

/** A vector tells the length of its text. */
function fakeEmbedder(asked: string[][]): Embedder {
  return {
    model: 'fake@1',
    dimensions: 2,
    understands: () => true,
    async embed(texts) {
      asked.push([...texts]);
      return texts.map((text) => Float32Array.of(text.length, 0));
    },
  };
}

function lengthIn(vector: Float32Array): number | undefined {
  return vector[0];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
