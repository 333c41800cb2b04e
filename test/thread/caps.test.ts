/** What a thread holds at most: it says so, changes nothing, and still lets itself be emptied. */
import { expect, test } from 'vitest';
import { call, inNewThread, type InnerThread } from '#test/inner-thread.ts';

const person = (name: string, ...observations: string[]) => ({
  name,
  entityType: 'Person',
  observations,
});

const create = (...names: string[]) =>
  call('create_entities', { entities: names.map((name) => person(name)) });

const relate = (from: string, to: string) =>
  call('create_relations', { relations: [{ from, to, relationType: 'knows' }] });

test('a thread that has as many entities as it may takes no more, and all of a batch or nothing', async () => {
  await inNewThread(
    async (thread) => {
      await thread.run(create('Ada', 'Bob'));

      expect(await thread.run(create('Cyd', 'Dot'))).toEqual({
        code: 'limit_exceeded',
        message: 'This thread is full: it holds 3 entities at most.',
        hint: 'Nothing was changed. Delete what is not needed any more, or go on in another thread.',
      });
      expect(await countEntities(thread)).toBe(2);
      await thread.run(create('Cyd'));
      expect(await thread.run(create('Dot'))).toMatchObject({ code: 'limit_exceeded' });
      await thread.run(call('delete_entities', { entityNames: ['Ada'] }));
      await thread.run(create('Dot'));
      expect(await countEntities(thread)).toBe(3);
    },
    { entitiesMax: 3 },
  );
});

test('former versions count as facts, whoever writes them', async () => {
  await inNewThread(
    async (thread) => {
      await thread.run(call('upsert_entities', { entities: [person('Ada', 'Likes tea')] }));
      const update = (observationId: string, newContent: string) =>
        thread.run(call('update_observation', { entityName: 'Ada', observationId, newContent }));
      await update('obs_2', 'Likes rum');

      for (const refused of [
        await update('obs_3', 'Likes milk'),
        await thread.run(call('store_memory', { content: 'The kettle is new' })),
        await thread.run(call('create_node', { text: 'The kettle is old' })),
      ]) {
        expect(refused.message).toBe(
          'This thread is full: it holds 2 facts, former versions included at most.',
        );
      }
    },
    { factsMax: 2 },
  );
});

test('a thread that has as many turns as it may logs no more', async () => {
  await inNewThread(
    async (thread) => {
      const log = (prompt: string) =>
        thread.run(
          call('add_memory', { prompt, thought: '', response: 'Done.', sessionId: 'monday' }),
        );
      await log('Plant the fig tree');
      await log('Water the fig tree');

      expect(await log('Prune the fig tree')).toEqual({
        code: 'limit_exceeded',
        message: 'This thread is full: it holds 2 turns at most.',
        hint: 'Nothing was changed. Delete what is not needed any more, or go on in another thread.',
      });
      const { total } = (await thread.run(call('get_session_memories', { sessionId: 'monday' })))
        .value;
      expect(total).toBe(2);
    },
    { turnsMax: 2 },
  );
});

test('an entity with as many relations as it may have is named', async () => {
  await inNewThread(
    async (thread) => {
      await thread.run(create('Hub', 'Ada', 'Bob', 'Cyd'));
      await thread.run(relate('Hub', 'Ada'));
      await thread.run(relate('Bob', 'Hub'));

      const refused = await thread.run(relate('Cyd', 'Hub'));

      expect(refused).toMatchObject({
        code: 'limit_exceeded',
        message: "The entity 'Hub' has 2 relations, which is the most.",
      });
      await thread.run(relate('Ada', 'Cyd'));
      expect((await thread.run(call('graph_stats'))).value.relations).toBe(3);
    },
    { relationsPerEntityMax: 2 },
  );
});

test('a full database takes nothing more, gives back what it has, and warns long before', async () => {
  const empty = await inNewThread((thread) => bytesOf(thread));
  await inNewThread(
    async (thread) => {
      await thread.run(create('Ada', 'Bob'));

      expect(await countEntities(thread)).toBe(2);
      const { storage } = (await thread.run(call('health_check'))).value;
      expect(storage.warning).toMatch(/Four fifths/);
    },
    { storageBytesMax: Math.ceil(empty * 1.2) },
  );
  await inNewThread(
    async (thread) => {
      expect(await thread.run(create('Ada'))).toMatchObject({
        code: 'limit_exceeded',
        message: expect.stringMatching(/^This thread is full: it takes up \d+ bytes of 100000\.$/),
      });
      expect((await thread.run(call('read_graph'))).value.entities).toEqual([]);
      expect((await thread.run(call('compact'))).value).toBeDefined();
    },
    { storageBytesMax: 100_000 },
  );
  await inNewThread(async (thread) => {
    const { storage } = (await thread.run(call('health_check'))).value;
    expect(storage).toEqual({
      bytes: expect.any(Number),
      max_bytes: 9_000_000_000,
      warning: null,
    });
  });
});

test('a full thread takes no update and no relation either, and lets itself be emptied', async () => {
  const empty = await inNewThread((thread) => bytesOf(thread));
  const storageBytesMax = empty + 1_500_000;
  await inNewThread(
    async (thread) => {
      const blob = (letter: string) => ({ blob: letter.repeat(90_000) });
      await thread.run(create('Ada', 'Bob'));
      await thread.run(call('create_node', { text: 'Milk is in the fridge', metadata: blob('a') }));
      const update = (letter: string) =>
        thread.run(call('update_node', { node_id: 'mem_3', metadata: blob(letter) }));
      const outcomes = [];
      for (let time = 0; time < 30; time += 1) outcomes.push(await update('bc'[time % 2]!));
      const refusedRelation = await thread.run(
        call('create_relation', {
          from_id: 'ent_1',
          to_id: 'ent_2',
          relation_type: 'knows',
          properties: blob('d'),
        }),
      );

      const refused = outcomes.find(({ code }) => code !== undefined);
      expect(refused).toMatchObject({
        code: 'limit_exceeded',
        hint: expect.stringContaining('compact'),
      });
      expect(refusedRelation.code).toBe('limit_exceeded');
      expect(await bytesOf(thread)).toBeLessThanOrEqual(storageBytesMax);
      const removed = await thread.run(call('delete_node', { node_id: 'mem_3' }));
      expect(removed.value).toMatchObject({ success: true });
      thread.execute('UPDATE revision SET at = at - 1');
      await thread.run(call('compact', { olderThanDays: 0 }));
      expect(await bytesOf(thread)).toBeLessThan(empty + 300_000);
      expect((await thread.run(call('create_node', { text: 'Room again' }))).value).toBeDefined();
    },
    { storageBytesMax },
  );
});

test('files on their way are not counted, are two at most, and one that pauses makes way', async () => {
  const empty = await inNewThread((thread) => bytesOf(thread));
  const line = JSON.stringify({
    type: 'entity',
    name: 'Eve',
    entityType: 'Person',
    observations: [],
  });
  const piece = new TextEncoder().encode(`${line}\n${`${' '.repeat(999)}\n`.repeat(1_000)}`);
  await inNewThread(
    async (thread) => {
      thread.stageImport('one', piece);
      thread.stageImport('two', piece);

      expect(() => thread.stageImport('three', piece)).toThrow(
        '2 files are being imported into this thread already.',
      );
      expect((await thread.run(create('Ada'))).code).toBeUndefined();
      thread.stageImport('one', piece);
      thread.execute('UPDATE transfer SET touched_at = touched_at - ?', 5 * 60_000);
      thread.stageImport('three', piece);
      expect((await thread.run(create('Bob'))).code).toBeUndefined();
    },
    { storageBytesMax: empty + 300_000 },
  );
});

test('what would make a row of the history too large is refused before SQLite does', async () => {
  await inNewThread(
    async (thread) => {
      const blob = (size: number) => ({ blob: 'x'.repeat(size) });
      await thread.run(call('create_node', { text: 'A small one', metadata: blob(1_000_000) }));

      const refused = await thread.run(
        call('update_node', { node_id: 'mem_1', metadata: blob(1_000_001) }),
      );

      expect(refused).toMatchObject({
        code: 'limit_exceeded',
        message: expect.stringMatching(/^This is too much for one row: .* of 1900000\.$/),
        hint: 'Nothing was changed. Store less text or metadata in one item.',
      });
    },
    { metadataBytesMax: 1_500_000 },
  );
});

async function countEntities(thread: InnerThread): Promise<number> {
  return (await thread.run(call('read_graph'))).value.entities.length;
}

async function bytesOf(thread: InnerThread): Promise<number> {
  return (await thread.run(call('health_check'))).value.storage.bytes;
}
