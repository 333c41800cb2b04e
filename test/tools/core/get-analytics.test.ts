import { expect, test } from 'vitest';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';

test('an empty thread has empty lists and nothing to measure', async () => {
  await using memory = await openTestMemory();

  expect(await memory.call('get_analytics')).toEqual({
    recent_changes: [],
    top_important: [],
    most_connected: [],
    orphaned_entities: [],
    quality: {
      saves_accepted: 0,
      saves_rejected: 0,
      save_error_rate: null,
      relation_coverage: null,
      observation_atomicity: null,
      relations_per_entity: null,
    },
  });
});

test('relationCount counts incident relations and connectedTo names distinct neighbours', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      entity('Ada', {
        relations: [relatesTo('Bob', 'knows'), relatesTo('Bob', 'likes'), relatesTo('Cy')],
      }),
      entity('Bob', { relations: [relatesTo('Ada', 'knows')] }),
      entity('Cy', { relations: [relatesTo('Ada')] }),
    ],
  });

  const { most_connected } = await memory.call('get_analytics', { limit: 1 });

  expect(most_connected).toEqual([
    { entityName: 'Ada', entityType: 'Thing', relationCount: 5, connectedTo: ['Bob', 'Cy'] },
  ]);
});

test('an entity is created until something about it changes', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles') });
  await memory.query(
    'UPDATE node SET created_at = created_at - 1000, updated_at = updated_at - 1000',
  );
  await memory.query("DELETE FROM change WHERE table_name = 'node' AND before IS NOT NULL");
  await memory.query(
    "UPDATE change SET after = (SELECT json_set(after, '$.created_at', created_at, '$.updated_at', updated_at) FROM node WHERE id = row_key) WHERE table_name = 'node'",
  );

  await memory.call('add_observations', {
    observations: [{ entityName: 'Charles', contents: ['Built an engine'] }],
  });

  const { recent_changes } = await memory.call('get_analytics');
  expect(recent_changes.map((c: any) => [c.entityName, c.changeType])).toEqual([
    ['Charles', 'updated'],
    ['Ada', 'created'],
    ['Hub', 'created'],
  ]);
});

test('entities without a relation are orphans, and coverage counts them', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles') });
  await memory.call('delete_entities', { entityNames: ['Hub'] });
  await memory.call('save_memory', {
    entities: [entity('Bob', { relations: [relatesTo('Ada')] })],
  });

  const { orphaned_entities, quality } = await memory.call('get_analytics');

  expect(orphaned_entities).toEqual([
    { entityName: 'Charles', entityType: 'Thing', reason: 'no_relations' },
  ]);
  expect(quality).toMatchObject({ relation_coverage: 0.667, relations_per_entity: 0.333 });
});

test('the lists are sorted, and limit bounds each of them', async () => {
  await using memory = await openTestMemory();
  const entities = Array.from({ length: 15 }, (_, index) =>
    entity(`E${index}`, { importance: index / 20 }),
  );
  await memory.call('save_memory', { entities: [{ ...hub('E0'), importance: 0 }, ...entities] });

  const ten = await memory.call('get_analytics');
  const two = await memory.call('get_analytics', { limit: 2 });

  expect(ten['top_important']).toHaveLength(10);
  expect(two['top_important'].map((e: any) => e.entityName)).toEqual(['E14', 'E13']);
  expect(two['most_connected']).toHaveLength(2);
});

test('the first of a list are the same however many are asked for', async () => {
  await using memory = await openTestMemory();
  const names = Array.from({ length: 14 }, (_, index) => `N${index}`);
  await memory.call('save_memory', {
    entities: names.map((name, index) =>
      entity(name, {
        // Three have eight relations or more, and three are important.
        relations: names
          .slice(0, index < 3 ? 12 - index : 1)
          .filter((other) => other !== name)
          .map((other) => relatesTo(other)),
        ...(index > 10 && { importance: 0.5 + index / 100 }),
      }),
    ),
  });

  const all = await memory.call('get_analytics', { limit: 14 });
  expect(all['top_important']).toHaveLength(14);
  for (const limit of [1, 3, 4, 9]) {
    const some = await memory.call('get_analytics', { limit });
    for (const list of ['recent_changes', 'top_important', 'most_connected']) {
      expect(some[list]).toEqual(all[list].slice(0, limit));
    }
  }
});

test('the rows read are a few for each entity, and no more', async () => {
  await using memory = await openTestMemory();
  const grow = async (from: number, to: number) => {
    for (let start = from; start < to; start += 50) {
      const names = Array.from({ length: 50 }, (_, index) => `N${start + index}`);
      await memory.call('save_memory', {
        entities: names.map((name, index) =>
          entity(name, { relations: [relatesTo(names[(index + 1) % 50] ?? '')] }),
        ),
      });
    }
  };
  await grow(0, 100);
  const small = await memory.measure('get_analytics');
  await grow(100, 600);
  const large = await memory.measure('get_analytics');

  expect(small.rowsRead).toBeGreaterThan(0);
  expect(large.rowsRead).toBeLessThanOrEqual(small.rowsRead + 500 * 11);
});
