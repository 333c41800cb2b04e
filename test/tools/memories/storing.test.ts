import { expect, test } from 'vitest';
import { readLimits } from '#env.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('what is stored is there at once, with the defaults of the seed', async () => {
  await using memory = await openTestMemory();

  const { created, similar, action_required } = await memory.call('store_memory', {
    content: '  User prefers window seats on flights ',
  });

  expect(created).toMatchObject({
    content: 'User prefers window seats on flights',
    confidence: 1,
    source: 'extracted',
  });
  expect({ similar, action_required }).toEqual({ similar: [], action_required: null });
  expect(await contents(memory)).toEqual(['User prefers window seats on flights']);
});

test('what is said twice is stored twice, and names the first one', async () => {
  await using memory = await openTestMemory();
  // No model understands it: the vector cannot tell.
  for (const content of ['User lives in Seattle', '東京で働いています']) {
    const first = await memory.call('store_memory', { content });

    const second = await memory.call('store_memory', { content: `${content} ` });

    expect(second['similar'].map(({ id }: any) => id)).toEqual([first['created'].id]);
    expect(second['created'].id).not.toBe(first['created'].id);
  }
});

test('neither other facts about the same subject nor the same fact about others are similar', async () => {
  await using memory = await openTestMemory();
  for (const content of [
    'Tom lives in Berlin',
    'Anna plays chess',
    'Anna has two brothers',
    'The build takes twenty minutes',
  ]) {
    await memory.call('store_memory', { content });
  }

  const stored = await memory.call('store_memory', { content: 'Anna lives in Berlin' });

  expect(stored).toMatchObject({ similar: [], action_required: null });
});

test('at most five are similar, and each is named with what to call', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 7; index += 1) {
    await memory.call('store_memory', { content: `User's favourite number is ${index}` });
  }

  const { created, similar, action_required } = await memory.call('store_memory', {
    content: "User's favourite number is 12",
  });

  expect(similar).toHaveLength(5);
  for (const { id } of similar) {
    expect(action_required).toContain(`supersede_memory("${id}", "${created.id}")`);
  }
});

test('an observation that may be outdated is similar too, whatever its entity is called', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [
      { name: 'Anna', entityType: 'Person', observations: ['Lives in Berlin', 'Is tall'] },
    ],
  });
  await memory.embedAll();

  const { similar } = await memory.call('store_memory', { content: 'Anna moved to Hamburg' });

  expect(similar).toMatchObject([{ id: 'obs_2', content: 'Lives in Berlin' }]);
});

test('entities that resemble a memory more than any fact do not hide the fact', async () => {
  await using memory = await openTestMemory();
  await memory.call('store_memory', { content: 'User lives in Seattle' });
  const entities = Array.from({ length: 12 }, (_, index) => ({
    name: `User moved to Austin ${index}`,
    entityType: 'Move',
    observations: [],
  }));
  await memory.call('create_entities', { entities });
  await memory.embedAll();

  const { similar } = await memory.call('store_memory', { content: 'User moved to Austin' });

  expect(similar.map(({ content }: any) => content)).toEqual(['User lives in Seattle']);
});

test.each([
  [{ content: '' }, 'content'],
  [{ content: ' \n' }, 'empty'],
  [{ content: 'a\u0000b' }, 'control characters'],
  [{ content: 'x'.repeat(10_001) }, '10000'],
  [{}, 'content: Missing'],
  [{ content: 'a', confidence: 1.5 }, 'confidence'],
  [{ content: 'a', source: 'guessed' }, 'source'],
])('store_memory refuses %j and stores nothing', async (input, problem) => {
  await using memory = await openTestMemory();

  const error = await memory.fail('store_memory', input);

  expect(error.code).toBe('invalid_input');
  expect(error.message).toContain(problem);
  expect(await memory.query('SELECT id FROM node')).toEqual([]);
});

test('a deployer sets from where on a memory is similar, and mistakes are seen at once', () => {
  expect(readLimits({ SIMILAR_MEMORY_THRESHOLD: '1.1' }).similarMemoryMin).toBe(1.1);
  expect(readLimits({}).similarMemoryMin).toBe(0.85);
  expect(() => readLimits({ SIMILAR_MEMORY_THRESHOLD: '2' })).toThrow('SIMILAR_MEMORY_THRESHOLD');
});

async function contents(memory: TestMemory): Promise<string[]> {
  const { memories } = await memory.call('search_memories', { query: 'seats on flights' });
  return memories.map(({ content }: any) => content);
}
