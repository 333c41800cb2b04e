import { expect, test } from 'vitest';
import { estimateTokens } from '#graph/text/tokens.ts';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

test('the default page of a large graph is readable and says how to get the rest', async () => {
  await using memory = await openTestMemory();
  await fill(memory, 200, 150);

  const page = await memory.call('read_graph');

  expect(JSON.stringify(page).length).toBeLessThan(30_000);
  expect(page['total']).toEqual({ entities: 201, relations: 400, observations: 601 });
  expect(page['note']).toMatch(
    /^Page of \d+ of 201 entities\. Call read_graph with cursor '\w+' for the next/,
  );
});

test('following nextCursor yields each entity and each relation once', async () => {
  await using memory = await openTestMemory();
  await fill(memory, 60, 40);

  for (const limit of [undefined, 7, 30, 61, 1000]) {
    const { entities, relations } = await readAll(memory, 'read_graph', { limit });
    expect(new Set(entities).size).toBe(61);
    expect(entities).toHaveLength(61);
    expect(new Set(relations).size).toBe(120);
    expect(relations).toHaveLength(120);
  }
});

test('offset skips as many entities as it says', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('A', 'B', 'C', 'D') });

  const { entities } = await memory.call('read_graph', { offset: 2, limit: 2 });

  expect(entities.map((e: any) => e.name)).toEqual(['B', 'C']);
});

test('a page of one type has the relations within the page only', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', {
        entityType: 'Person',
        relations: [relatesTo('Charles', 'knows'), relatesTo('Hub')],
      }),
      entity('Charles', { entityType: 'Person' }),
    ],
  });

  const page = await memory.call('read_graph', { entityType: 'Person' });

  expect(page).toMatchObject({
    entities: [{ name: 'Ada' }, { name: 'Charles' }],
    relations: [{ from: 'Ada', to: 'Charles', relationType: 'knows' }],
    total: { entities: 2 },
    nextCursor: null,
  });
});

test('an entity with many facts and relations is shown in part, and the answer says so', async () => {
  await using memory = await openTestMemory();
  const names = Array.from({ length: 99 }, (_, index) => `Spoke ${index}`);
  await memory.call('save_memory', { entities: cluster(...names) });
  for (const round of [1, 2, 3]) {
    const entities = Array.from({ length: 99 }, (_, index) =>
      entity(`Rim ${round}.${index}`, { relations: [relatesTo('Hub')] }),
    );
    await memory.call('save_memory', { entities });
  }
  const contents = Array.from({ length: 60 }, (_, index) => `Fact number ${index} about the hub`);
  await memory.call('add_observations', { observations: [{ entityName: 'Hub', contents }] });

  const opened = await memory.call('open_nodes', { names: ['Hub'] });
  const whole = await memory.call('open_nodes', { names: ['Hub'], maxTokens: 12_000 });

  expect(tokens(opened)).toBeLessThanOrEqual(3_000);
  expect(opened['entities'][0].observations).toHaveLength(50);
  expect(opened['relations'].length).toBeGreaterThan(20);
  expect(whole['entities'][0].observations).toHaveLength(50);
  expect(whole['entities'][0].moreObservations).toBe(11);
  expect(whole['relations']).toHaveLength(200);
  expect(whole['note']).toBe(
    'moreObservations counts 11 facts left out: raise maxTokens, or search_nodes finds what you need. Only the first 200 relations are shown: raise maxTokens or open fewer entities.',
  );
});

test('a search that finds much shows fewer facts of each entity, and counts the rest', async () => {
  await using memory = await openTestMemory();
  await fill(memory, 30, 20);
  const contents = Array.from({ length: 14 }, (_, index) => `${index} ${'tea '.repeat(34)}`.trim());
  for (let index = 0; index < 20; index += 1) {
    await memory.call('add_observations', {
      observations: [{ entityName: `Entity ${index}`, contents }],
    });
  }

  for (const detail of ['brief', 'full']) {
    const found = await memory.call('search_nodes', { query: 'tea', detail });
    const large = await memory.call('search_nodes', { query: 'tea', detail, maxTokens: 10_000 });
    expect(found['entities'].length).toBeGreaterThan(5);
    expect(found['nextOffset']).toBe(found['entities'].length);
    expect(found['note']).toMatch(
      /moreObservations counts \d+ facts left out: open_nodes shows them\./,
    );
    expect(tokens(found)).toBeLessThanOrEqual(3_000);
    expect(large['entities']).toHaveLength(20);
    expect(large['entities'][0].moreObservations).toBeGreaterThan(0);
    expect(tokens(large)).toBeLessThanOrEqual(10_000);
  }
});

test('a cursor that the server did not make is refused', async () => {
  await using memory = await openTestMemory();

  for (const cursor of ['nonsense', 'YWZ0ZXI6', ' ', "after:1' --"]) {
    expect(await memory.fail('read_graph', { cursor })).toMatchObject({
      code: 'invalid_input',
      message: `'${cursor}' is no cursor of this server.`,
    });
  }
});

test('open_nodes keeps the order asked for, gives each entity once, and names what is missing', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Élise') });

  const opened = await memory.call('open_nodes', {
    names: ['elise', 'Ghost', 'Ada', 'ADA', 'Hub'],
  });

  expect(opened['entities'].map((e: any) => e.name)).toEqual(['Élise', 'Ada', 'Hub']);
  expect(opened['missing']).toEqual(['Ghost']);
});

test('an exact name wins over one that folds alike', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: cluster('ada', 'Ada', 'ADA'),
    allowTwin: true,
  });

  const { entities } = await memory.call('open_nodes', { names: ['ADA', 'aDa'] });

  expect(entities.map((e: any) => e.name)).toEqual(['ADA', 'ada']);
});

test.each([
  ['PORT', ['Portfolio', 'Airport']],
  ['ünï', ['Café Ünïcode']],
  ['a', ['Ada', 'Airport', 'Café Ünïcode']],
  ['rt', ['Portfolio', 'Airport']],
  ['%', []],
  ['_', []],
])('list_entities finds names that contain %s', async (namePattern, names) => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: cluster('Ada', 'Portfolio', 'Airport', 'Café Ünïcode'),
  });

  const listed = await memory.call('list_entities', { namePattern });

  expect(listed['entities'].map((e: any) => e.name)).toEqual(names);
  expect(listed['total']).toBe(names.length);
});

test('list_entities pages a pattern and a type with totals', async () => {
  await using memory = await openTestMemory();
  await fill(memory, 50, 20);

  const all = await readAll(memory, 'list_entities', { namePattern: 'entity 1', limit: 4 });
  const typed = await memory.call('list_entities', { entityType: 'Person', limit: 5 });

  expect(all.entities).toEqual([
    'Entity 1',
    ...Array.from({ length: 10 }, (_, i) => `Entity 1${i}`),
  ]);
  expect(typed).toMatchObject({ total: 25, nextCursor: expect.any(String) });
});

test('query_nodes keeps to every bound at once', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('A'),
      entity('A', { importance: 0.9, confidence: 0.2 }),
      entity('B', { importance: 0.9, confidence: 0.8 }),
      entity('C', { importance: 0.1, confidence: 0.8, entityType: 'Person' }),
    ],
  });
  const names = async (input: Record<string, unknown>) =>
    (await memory.call('query_nodes', input))['entities'].map((e: any) => e.name);

  expect(await names({ importanceMin: 0.9 })).toEqual(['A', 'B']);
  expect(await names({ importanceMin: 0.9, confidenceMin: 0.5 })).toEqual(['B']);
  expect(await names({ confidenceMax: 0.2 })).toEqual(['A']);
  expect(await names({ entityType: 'Person' })).toEqual(['C']);
  expect(await names({ importanceMin: 0.2, importanceMax: 0.6 })).toEqual(['Hub']);
  expect(await memory.call('query_nodes', { confidenceMin: 0.5, limit: 1 })).toMatchObject({
    total: 3,
    nextCursor: expect.any(String),
  });
});

test('query_nodes understands times, dates and zones, and refuses what is neither', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.query(
    "UPDATE node SET updated_at = unixepoch('2026-01-20T10:00:00Z') * 1000 WHERE kind = 'entity'",
  );
  const total = async (input: Record<string, unknown>) =>
    (await memory.call('query_nodes', input))['total'];

  expect(await total({ timestampStart: '2026-01-20', timestampEnd: '2026-01-20' })).toBe(2);
  expect(await total({ timestampStart: '2026-01-20T10:00:00Z' })).toBe(2);
  expect(await total({ timestampStart: '2026-01-20T10:00:00.001Z' })).toBe(0);
  expect(await total({ timestampEnd: '2026-01-20T12:30:00+02:00' })).toBe(2);
  expect(await total({ timestampEnd: '2026-01-20T11:59:59+02:00' })).toBe(0);
  expect(await memory.fail('query_nodes', { timestampStart: 'yesterday' })).toMatchObject({
    code: 'invalid_input',
    message:
      "timestampStart: 'yesterday' is neither a time such as 2026-01-20T10:00:00Z nor a day such as 2026-01-20.",
  });
});

/** Entities with three facts each, every one related to the hub in both directions. */
async function fill(memory: TestMemory, count: number, chars: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `Entity ${index}`);
  await memory.call('save_memory', {
    entities: cluster(names[0] ?? '')
      .slice(0, 1)
      .concat(entity(names[0] ?? '', described(0, chars))),
  });
  for (let start = 1; start < count; start += 90) {
    const part = names.slice(start, start + 90);
    await memory.call('save_memory', {
      entities: [
        { ...hub(''), relations: part.map((name) => relatesTo(name, 'has')) },
        ...part.map((name, index) => entity(name, described(start + index, chars))),
      ],
    });
  }
}

function described(index: number, chars: number) {
  const observations = ['first', 'second', 'third'].map((word) =>
    `The ${word} of ${index}: ${'memory '.repeat(30)}`.slice(0, chars).trim(),
  );
  return { observations, entityType: index % 2 === 0 ? 'Person' : 'Thing' };
}

async function readAll(memory: TestMemory, tool: string, input: Record<string, unknown>) {
  const entities: string[] = [];
  const relations: string[] = [];
  let cursor: string | undefined;
  do {
    const page: Record<string, any> = await memory.call(tool, { ...input, cursor });
    entities.push(...page['entities'].map((e: any) => e.name));
    relations.push(...(page['relations'] ?? []).map((r: any) => JSON.stringify(r)));
    cursor = page['nextCursor'] ?? undefined;
  } while (cursor !== undefined);
  return { entities, relations };
}

function tokens(value: unknown): number {
  return estimateTokens(JSON.stringify(value));
}
