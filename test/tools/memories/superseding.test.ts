import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { draws } from '#test/draws.ts';

test('a superseded memory is in no search, and stays in the chain of its successor', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User lives in Seattle', 'User moved to Austin', 'User moved to Boise');

  await supersede(memory, 'mem_1', 'mem_2');
  await supersede(memory, 'mem_2', 'mem_3');

  expect(await current(memory)).toEqual(['mem_3']);
  const { memories } = await memory.call('search_memories', { query: 'Where does the user live?' });
  expect(memories).toMatchObject([{ id: 'mem_3', supersedes: 'mem_2' }]);
  expect(await chainRows(memory)).toEqual([
    { node_id: 1, version: 1, supersedes: null, superseded_by: 2 },
    { node_id: 2, version: 2, supersedes: 1, superseded_by: 3 },
    { node_id: 3, version: 3, supersedes: 2, superseded_by: null },
  ]);
});

test('one memory may replace several, as action_required asks', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'User lives in Seattle', "User's home is in Seattle", 'User left Seattle');

  await supersede(memory, 'mem_1', 'mem_3');
  await supersede(memory, 'mem_2', 'mem_3');

  expect(await current(memory)).toEqual(['mem_3']);
  expect(await memory.call('list_recent_memories')).toMatchObject({
    memories: [{ id: 'mem_3', supersedes: 'mem_2' }],
  });
});

test('what replaced several is deleted with all of them, and one of them alone', async () => {
  await using memory = await openTestMemory();
  await remember(memory, 'One', 'Two', 'Three', 'Four', 'Five');
  for (const [older, newer] of [
    ['mem_1', 'mem_2'],
    ['mem_2', 'mem_4'],
    ['mem_3', 'mem_4'],
  ] as const) {
    await supersede(memory, older, newer);
  }

  await memory.call('delete_node', { node_id: 'mem_3' });
  await memory.call('delete_node', { node_id: 'mem_2' });
  expect(await chainRows(memory)).toEqual([
    { node_id: 1, version: 1, supersedes: null, superseded_by: 4 },
    { node_id: 4, version: 3, supersedes: 1, superseded_by: null },
    { node_id: 5, version: 1, supersedes: null, superseded_by: null },
  ]);

  await memory.call('delete_node', { node_id: 'mem_4' });
  expect((await chainRows(memory)).map(({ node_id }) => node_id)).toEqual([5]);
});

test.each([
  ['itself', 'mem_4', 'mem_4', 'invalid_input', 'Memory mem_4 cannot supersede itself.', 'old'],
  [
    'a superseded one',
    'mem_1',
    'mem_4',
    'conflict',
    'Memory mem_1 has already been superseded by mem_3.',
    'supersede_memory("mem_3", "mem_4")',
  ],
  [
    'the same once more',
    'mem_2',
    'mem_3',
    'conflict',
    'Memory mem_2 has already been superseded by mem_3.',
    'Nothing has to be done.',
  ],
  [
    'by a superseded one',
    'mem_4',
    'mem_1',
    'conflict',
    'Memory mem_1 has been superseded by mem_3 and can replace no other.',
    'supersede_memory("mem_4", "mem_3")',
  ],
  [
    'in a circle',
    'mem_3',
    'mem_1',
    'invalid_input',
    'Memory mem_1 has been superseded by mem_3: the other way round would make a circle.',
    'mem_3 is the current one',
  ],
  ['an unknown one', 'mem_9', 'mem_4', 'not_found', 'Memory with ID mem_9 not found', 'mem_12'],
  ['by an unknown one', 'mem_4', 'obs_1', 'not_found', 'Memory with ID obs_1 not found', 'mem_12'],
  [
    'both unknown',
    'x',
    'ent_1',
    'not_found',
    'Memory with ID x not found; Memory with ID ent_1 not found',
    'mem_12',
  ],
])(
  'superseding %s is refused and changes nothing',
  async (_, older, newer, code, message, hint) => {
    await using memory = await openTestMemory();
    await remember(memory, 'One', 'Two', 'Three', 'Four');
    await supersede(memory, 'mem_1', 'mem_2');
    await supersede(memory, 'mem_2', 'mem_3');
    const before = await chainRows(memory);

    const error = await memory.fail('supersede_memory', {
      old_memory_id: older,
      new_memory_id: newer,
    });

    expect(error).toMatchObject({ code, message, hint: expect.stringContaining(hint) });
    expect(await chainRows(memory)).toEqual(before);
    expect(await memory.query('SELECT count(*) AS revisions FROM revision')).toEqual([
      { revisions: 6 },
    ]);
  },
);

test('an observation and its successor about the same entity are versions of one', async () => {
  await using memory = await openTestMemory();
  await addAnna(memory, 'Lives in Berlin', 'Lives in Hamburg');

  await supersede(memory, 'obs_2', 'obs_3');

  const { chains } = await memory.call('get_observation_history', { entityName: 'Anna' });
  expect(chains).toEqual([['obs_2', 'obs_3']]);
  const { entities } = await memory.call('open_nodes', { names: ['Anna'] });
  expect(entities[0].observations).toEqual(['Lives in Hamburg']);
});

test('an observation that a memory replaces is outdated, says by what, and is not replaced again', async () => {
  await using memory = await openTestMemory();
  await addAnna(memory, 'Lives in Berlin');
  await remember(memory, 'Anna moved to Hamburg', 'Anna moved to Kiel');

  await supersede(memory, 'obs_2', 'mem_3');

  const { node } = await memory.call('get_node', { node_id: 'obs_2' });
  expect(node).toMatchObject({
    status: 'outdated',
    metadata: { outdated_reason: 'Superseded by mem_3.' },
  });
  expect(await current(memory)).toEqual(['mem_4', 'mem_3']);
  const { entities } = await memory.call('open_nodes', { names: ['Anna'] });
  expect(entities[0].observations).toEqual([]);
  for (const [older, newer] of [
    ['obs_2', 'mem_4'],
    ['mem_4', 'obs_2'],
  ] as const) {
    expect(
      await memory.fail('supersede_memory', { old_memory_id: older, new_memory_id: newer }),
    ).toMatchObject({
      code: 'conflict',
      message: 'Memory obs_2 is outdated already: Superseded by mem_3.',
    });
  }
  await memory.call('delete_entities', { entityNames: ['Anna'] });
});

test('whatever supersedes whatever, what is current is what a map of successors says', async () => {
  const place = fc.integer({ min: 1, max: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(place, place), { maxLength: 12 }), async (attempts) => {
      await using memory = await openTestMemory();
      await remember(memory, 'One', 'Two', 'Three', 'Four', 'Five', 'Six');
      const successor = new Map<number, number>();
      for (const [older, newer] of attempts) {
        const isAllowed = older !== newer && !successor.has(older) && !successor.has(newer);
        const outcome = await memory.outcome('supersede_memory', {
          old_memory_id: `mem_${older}`,
          new_memory_id: `mem_${newer}`,
        });
        expect(outcome.ok).toBe(isAllowed);
        if (isAllowed) successor.set(older, newer);
      }

      expect(await current(memory)).toEqual(
        [6, 5, 4, 3, 2, 1].filter((id) => !successor.has(id)).map((id) => `mem_${id}`),
      );
    }),
    draws(8),
  );
});

async function remember(memory: TestMemory, ...contents: string[]): Promise<void> {
  for (const content of contents) await memory.call('store_memory', { content });
}

async function addAnna(memory: TestMemory, ...observations: string[]): Promise<void> {
  await memory.call('create_entities', {
    entities: [{ name: 'Anna', entityType: 'Person', observations }],
  });
}

async function supersede(memory: TestMemory, older: string, newer: string): Promise<void> {
  const { message } = await memory.call('supersede_memory', {
    old_memory_id: older,
    new_memory_id: newer,
  });
  expect(message).toBe(`Memory ${older} marked as superseded by ${newer}`);
}

/** Ids of what is not superseded, last stored first. */
async function current(memory: TestMemory): Promise<string[]> {
  const { memories } = await memory.call('list_recent_memories', { limit: 50 });
  return memories.map(({ id }: any) => id);
}

function chainRows(memory: TestMemory) {
  return memory.query(
    'SELECT node_id, version, supersedes, superseded_by FROM fact ORDER BY node_id',
  );
}
