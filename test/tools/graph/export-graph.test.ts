import { expect, test } from 'vitest';
import { numbered, person, relate, relation } from '#test/graph.ts';
import { openTestMemory } from '#test/memory.ts';

test('an export as JSON is the graph as read_graph has it', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice', 'likes "tea"')] });
  await relate(memory, [relation('Alice', 'knows', 'Bob')]);

  const exported = await memory.call('export_graph');

  expect(JSON.parse(exported['content'])).toEqual({
    entities: [person('Alice', 'likes "tea"'), person('Bob')],
    relations: [relation('Alice', 'knows', 'Bob')],
  });
  expect(exported).toMatchObject({ format: 'json', entities: 2, relations: 1 });
  expect(exported['note']).toBeUndefined();
});

test.each(['json', 'jsonl', 'mermaid', 'dot', 'graphml'])(
  'a graph too large for an answer is cut as %s, whole within, and the note names the route',
  async (format) => {
    await using memory = await openTestMemory();
    const names = numbered('An entity of a rather long name, numbered ', 400);
    await relate(
      memory,
      names.map((name, index) => relation(name, 'knows', names[(index + 1) % 400] ?? '')),
    );

    const exported = await memory.call('export_graph', { format });

    expect(exported['entities']).toBeGreaterThan(50);
    expect(exported['entities']).toBeLessThan(400);
    expect(exported['relations']).toBe(exported['entities'] - 1);
    expect(exported['content'].length).toBeLessThanOrEqual(24_000);
    expect(exported['content'].length).toBeGreaterThan(23_000);
    expect(exported['total']).toEqual({ entities: 400, relations: 400 });
    expect(exported['note']).toBe(
      `Exported are ${exported['entities']} of 400 entities and ${exported['relations']} of 400 relations. GET /api/threads/${memory.threadId}/export?format=${format} streams all of it.`,
    );
  },
);

test('an entity with more facts than an answer shows is exported with the first of them', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [person('Alice', ...numbered('Fact ', 60))] });

  const whole = await memory.call('export_graph', { format: 'dot' });
  const cut = await memory.call('export_graph', { format: 'json' });

  expect(whole['note']).toBeUndefined();
  expect(JSON.parse(cut['content']).entities[0].observations).toHaveLength(50);
  expect(cut['note']).toMatch(/only the first 50 facts.*streams all of it\.$/);
});

test('an empty thread is exported as an empty graph, and an unknown format is refused', async () => {
  await using memory = await openTestMemory();

  const { content } = await memory.call('export_graph', {});

  expect(JSON.parse(content)).toEqual({ entities: [], relations: [] });
  expect(await memory.fail('export_graph', { format: 'yaml' })).toMatchObject({
    code: 'invalid_input',
    message: "format: 'yaml' is none of: json, jsonl, mermaid, dot, graphml.",
  });
});
