import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Embedder } from '#search/embed/embedder.ts';
import { openSemantics } from '#search/semantics.ts';
import { isolateScanKernel } from '#search/isolate-scan.ts';
import { startScanKernel, type ScanKernel } from '#search/scan-kernel.ts';
import scanModule from '#search/scan.wasm';
import { dequantise, quantise, VectorIndex } from '#search/vector-index.ts';
import { openStore } from '#store/store.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { cluster, entity, hub } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { ALL_WAIT } from '#test/waiting.ts';
import { openTables } from '#test/tables.ts';

test('a paraphrase that shares no word is found, and comes first', async () => {
  await using memory = await openTestMemory();
  for (const content of [
    'User is vegetarian and avoids mushrooms',
    'The API gateway rejects requests larger than 6 MB',
    'Deploys to production happen on Tuesdays and Thursdays only',
    "Tom's daughter Mia starts kindergarten in September",
  ]) {
    await memory.call('store_memory', { content });
  }
  const first = async (query: string) =>
    (await memory.call('search_memories', { query }))['memories'][0]?.content;

  expect(await first('dietary restrictions')).toMatch(/vegetarian/);
  expect(await first('maximum payload size')).toMatch(/6 MB/);
  expect(await first("when does Tom's kid begin school")).toMatch(/kindergarten/);
});

test('a memory is found by the graph when it is about an entity, and by search_memories in any case', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [hub('Ada'), entity('Ada', { observations: ['Plays the violin every evening'] })],
  });
  await memory.call('store_memory', { content: 'The cello was sold last year' });
  await memory.embedAll();

  const { memories } = await memory.call('search_memories', { query: 'Who plays the violin?' });
  const { entities } = await memory.call('search_nodes', { query: 'cello' });

  expect(memories[0]).toMatchObject({ id: expect.stringMatching(/^obs_/), source: 'extracted' });
  expect(JSON.stringify(entities)).not.toContain('cello');
});

test('a store lists similar memories and says what to call', async () => {
  await using memory = await openTestMemory();
  const old = await memory.call('store_memory', { content: 'User lives in Seattle' });
  await memory.call('store_memory', { content: 'The build takes twenty minutes' });

  const stored = await memory.call('store_memory', { content: 'User lives in Austin now' });

  expect(stored['similar'].map((m: any) => m.id)).toEqual([old['created'].id]);
  expect(stored['action_required']).toBe(
    `Call supersede_memory("${old['created'].id}", "${stored['created'].id}") to mark the old memory as outdated.`,
  );
});

test('among many memories a question without an answer says that nothing matches closely', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 30; index += 1) {
    await memory.call('store_memory', { content: `Release ${index} fixed the login page` });
  }

  const { memories, closeness } = await memory.call('search_memories', {
    query: 'favourite soup of grandmother',
  });

  expect(closeness).toBe('weak');
  expect(memories).toHaveLength(5);
});

test('an update moves the vector with it, and a deletion takes it away', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'Ada repairs old radios',
  });
  await memory.embedAll();

  expect(await memory.query('SELECT count(*) AS n FROM vector')).toEqual([{ n: 4 }]);
  await memory.call('delete_entities', { entityNames: ['Ada'] });
  expect(await memory.query('SELECT count(*) AS n FROM vector')).toEqual([{ n: 2 }]);
});

test('a save waits for no vector, and the alarm makes them all', async () => {
  await using memory = await openTestMemory();
  const names = Array.from({ length: 40 }, (_, index) => `Entity ${index}`);

  await memory.call('save_memory', { entities: cluster(...names) });

  const [made] = await memory.query<{ vectors: number; waiting: number }>(
    'SELECT (SELECT count(*) FROM vector) AS vectors, (SELECT count(*) FROM awaiting_vector) AS waiting',
  );
  // The alarm may have begun already.
  expect(made?.waiting).toBeGreaterThan(0);
  expect((made?.vectors ?? 0) + (made?.waiting ?? 0)).toBe(82);
  await memory.embedAll();
  expect(await memory.query('SELECT * FROM awaiting_vector')).toEqual([]);
  expect(await memory.query('SELECT count(*) AS n FROM vector')).toEqual([{ n: 82 }]);
});

test('an embedder that fails loses no text: it is found by its words, and the vector follows', async () => {
  await using memory = await openTestMemory();
  let isDown = true;
  const embedder = fakeEmbedder('fake@1', () => isDown);

  await onSemantics(memory, embedder, async (semantics) => {
    expect(await semantics.prepare(passage('Tea is green'))).toBeUndefined();
    expect(await semantics.ask(['What is green?'], ['active'])).toBeUndefined();
  });
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.embedAll();
  await memory.query('DELETE FROM vector');
  await memory.query(ALL_WAIT);
  await onSemantics(memory, embedder, async (semantics) => {
    await expect(semantics.catchUp()).rejects.toThrow('down');
    expect(semantics.backlogSize).toBe(4);
    isDown = false;
    expect(await semantics.catchUp()).toBe(false);
    expect(semantics.backlogSize).toBe(0);
  });
});

test('vectors of another model are never compared: they are dropped and made anew', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.embedAll();

  await onSemantics(
    memory,
    fakeEmbedder('fake@2', () => false),
    async (semantics) => {
      const [question] = (await semantics.ask(['Ada?'], ['active'])) ?? [];
      expect(question?.size).toBe(0);
      expect(semantics.backlogSize).toBe(4);
      await semantics.catchUp();
    },
  );

  expect(await memory.query('SELECT DISTINCT model FROM vector')).toEqual([{ model: 'fake@2' }]);
});

test('a script that the model never learnt is left to the words', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 30; index += 1) {
    await memory.call('store_memory', { content: `Запис номер ${index} про різні речі` });
  }
  await memory.call('store_memory', { content: 'Андрій живе у Києві' });

  const { memories, closeness } = await memory.call('search_memories', { query: 'Києві' });

  expect(closeness).toBe('close');
  expect(memories[0].content).toBe('Андрій живе у Києві');
});

test('the index gives the nearest first, forgets what is deleted, and keeps its mean', () => {
  const index = new VectorIndex(4, isolateScanKernel());
  const vectors = [unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(1, 1, 0, 0), unit(0, 0, 0, -1)];
  vectors.forEach((vector, place) => index.set(place + 1, quantise(vector)));
  const query = unit(1, 0.2, 0, 0);

  expect(index.scan(query, 2).neighbours.map(({ nodeId }) => nodeId)).toEqual([1, 3]);
  index.delete(1);
  index.set(2, quantise(unit(0, 0, 1, 0)));
  const { neighbours, mean } = index.scan(query, 9);

  expect(neighbours.map(({ nodeId }) => nodeId)).toEqual([3, 4, 2]);
  const cosines = neighbours.map(({ similarity }) => similarity);
  expect(mean).toBeCloseTo(cosines.reduce((sum, cosine) => sum + cosine, 0) / 3, 5);
  expect(index.similarityTo(query, 1)).toBeUndefined();
});

test('a scan finds what comparing one by one finds, however many vectors there are', () => {
  // More than the kernel takes at a time, and no multiple of what an instruction takes.
  const [rows, dimensions] = [9_000, 25];
  const index = new VectorIndex(dimensions, isolateScanKernel());
  const random = () => Math.sin((place += 1) * 12.9898) * 1e4;
  let place = 0;
  const vectors = Array.from({ length: rows }, () =>
    unit(...Array.from({ length: dimensions }, () => (random() % 1) - 0.5 * (random() % 1))),
  );
  vectors.forEach((vector, row) => index.set(row + 1, quantise(vector)));
  const query = unit(...(vectors[4_321] ?? []).map((part, at) => part + (at % 3) * 0.05));

  const { neighbours, highest, lowest } = index.scan(query, 50);

  const cosines = vectors.map((vector) => dot(query, dequantise(quantise(vector))));
  const expected = cosines
    .map((cosine, row) => ({ cosine, nodeId: row + 1 }))
    .toSorted((a, b) => b.cosine - a.cosine)
    .slice(0, 50);
  expect(neighbours.map(({ nodeId }) => nodeId)).toEqual(expected.map(({ nodeId }) => nodeId));
  for (const [at, { nodeId, similarity }] of neighbours.entries()) {
    expect(similarity).toBeCloseTo(expected[at]?.cosine ?? 0, 4);
    expect(index.similarityTo(query, nodeId)).toBe(similarity);
  }
  expect(highest).toBeCloseTo(Math.max(...cosines), 4);
  expect(lowest).toBeCloseTo(Math.min(...cosines), 4);
});

test.each([
  ['are kept', undefined],
  ['are too many to be kept', 1_000],
])('vectors that %s are compared as they are at the time', (_, keptBytesMax) => {
  const kernel = startScanKernel(scanModule, keptBytesMax);
  const [one, other] = [new VectorIndex(16, kernel), new VectorIndex(16, kernel)];
  let drawn = 0;
  const component = () => Math.sin((drawn += 1) * 12.9898);
  const vector = () => quantise(unit(...Array.from({ length: 16 }, component)));
  const query = dequantise(vector());
  for (let nodeId = 1; nodeId <= 300; nodeId += 1) {
    one.set(nodeId, vector());
    other.set(nodeId, vector());
  }

  const changes: ((index: VectorIndex) => void)[] = [
    () => {},
    (index) => index.set(301, vector()),
    (index) => index.set(7, vector()),
    (index) => index.delete(301),
    (index) => index.delete(3),
    (index) => index.set(302, vector()),
  ];
  for (const change of changes) {
    // By turns, so that each finds what the other left.
    for (const index of [one, one, other]) {
      change(index);
      const { neighbours } = index.scan(query, Infinity);
      expect(neighbours).toHaveLength(index.size);
      for (const { nodeId, similarity } of neighbours) {
        expect(index.similarityTo(query, nodeId)).toBe(similarity);
      }
    }
  }
});

test('a vector that a node has already leaves the index as it was compared', () => {
  const unchanged: number[] = [];
  const kernel: ScanKernel = {
    compare(asked, rows) {
      unchanged.push(rows.unchangedRows);
      return isolateScanKernel().compare(asked, rows);
    },
  };
  const index = new VectorIndex(4, kernel);
  const query = unit(1, 0, 0, 0);
  const vectors = [unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(1, 1, 0, 0)].map(quantise);
  vectors.forEach((vector, place) => index.set(place + 1, vector));
  index.scan(query, 3);

  index.set(1, quantise(unit(1, 0, 0, 0)));
  index.scan(query, 3);
  index.set(2, quantise(unit(0, 1, 0, 1)));
  const { mean } = index.scan(query, 3);

  expect(unchanged).toEqual([0, 3, 1]);
  expect(mean).toBeCloseTo((1 + 0 + Math.SQRT1_2) / 3, 2);
});

test('rounding to a byte keeps the direction of a vector', () => {
  const vector = unit(0.9, -0.3, 0.2, 0.05);

  const restored = dequantise(quantise(vector));

  expect(dot(vector, restored) / Math.sqrt(dot(restored, restored))).toBeGreaterThan(0.9999);
});

/** Works on the thread's own tables with another embedder than its own. */
async function onSemantics(
  memory: TestMemory,
  embedder: Embedder,
  work: (semantics: ReturnType<typeof openSemantics>) => Promise<void>,
): Promise<void> {
  const stub = env.THREAD.getByName(
    threadObjectName({ subject: 'test', threadId: memory.threadId }),
  );
  await runInDurableObject(stub, (_, state) =>
    work(openSemantics(openStore(openTables(state.storage)), embedder)),
  );
}

function fakeEmbedder(model: string, isDown: () => boolean): Embedder {
  return {
    model,
    dimensions: 4,
    understands: () => true,
    async embed(texts) {
      if (isDown()) throw new Error('down');
      return texts.map((text) => unit(text.length, 1, 0, 0));
    },
  };
}

function passage(body: string) {
  return { kind: 'fact', title: '', body } as const;
}

function unit(...components: number[]): Float32Array {
  const length = Math.sqrt(components.reduce((sum, component) => sum + component ** 2, 0));
  return Float32Array.from(components, (component) => component / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, index) => sum + component * (b[index] ?? 0), 0);
}
