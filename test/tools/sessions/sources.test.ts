/** A fact may say which turn it came from. */
import { expect, test } from 'vitest';
import { cluster, entity } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';

const TURN = { prompt: 'I moved to Kyiv', thought: '', response: 'Noted.', sessionId: 's' };

test('facts saved from a turn name it in full detail and in a description', async () => {
  await using memory = await openTestMemory();
  const { id } = await memory.call('add_memory', TURN);
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', {
    entities: [entity('Ada', { observations: ['Lives in Kyiv now'] })],
    source: id,
  });

  const described = await memory.call('describe_entity', { name: 'Ada' });
  const full = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  const brief = await memory.call('open_nodes', { names: ['Ada'] });

  const sources = (observations: { content: string; sourceTurn?: string }[]) =>
    observations.map(({ content, sourceTurn }) => [content, sourceTurn]);
  const expected = [
    ['Ada is worth remembering', undefined],
    ['Lives in Kyiv now', 'turn_1'],
  ];
  expect(sources(described['entity'].observations)).toEqual(expected);
  expect(sources(full['entities'][0].observations)).toEqual(expected);
  expect(brief['entities'][0].observations).toEqual(expected.map(([content]) => content));
});

test.each(['turn_99', 'obs_1', 'the last one', ' '])(
  'a source that is no turn is refused, and nothing is stored: %j',
  async (source) => {
    await using memory = await openTestMemory();

    const error = await memory.fail('save_memory', { entities: cluster('Ada'), source });

    expect(error.code).toBe('not_found');
    expect(error.message).toBe(`Turn '${source}' not found.`);
    expect(error.hint).toMatch(/add_memory/);
    expect(await memory.query('SELECT id FROM node')).toEqual([]);
  },
);

test('a source that names a summary or an entity by number alone is no turn', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  const error = await memory.fail('save_memory', { entities: cluster('Ada'), source: 'turn_1' });

  expect(error.code).toBe('not_found');
});
