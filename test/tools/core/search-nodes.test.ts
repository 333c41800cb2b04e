import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cluster, entity, hub } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { draws } from '#test/draws.ts';

test.each([
  ['a stem of the word', 'running tests', 'Runner', 'It runs the test suite daily'],
  ['another case', 'GOOGLE', 'Andrii', 'Works at Google'],
  ['no diacritics', 'Malaga', 'Trip', 'Flew to Málaga in May'],
  ['diacritics that the text lacks', 'café crème', 'Bar', 'Serves cafe creme all day'],
  ['a natural question', 'Where does Andrii work these days?', 'Andrii', 'Works at Google'],
  ['a file name', 'update_portfolio.py', 'Scripts', 'update_portfolio.py is main script'],
  ['part of a file name', 'portfol', 'Scripts', 'update_portfolio.py is main script'],
  ['part of an identifier', 'Auth2Prov', 'Login', 'OAuth2Provider issues the tokens'],
  ['a version number', '1.2.0', 'Docx', 'Uses python-docx 1.2.0'],
  ['an e-mail address', 'ada@example.org', 'Ada', 'Writes from ada@example.org'],
  ['a language of two characters', 'C#', 'Team', 'Writes the backend in C#'],
  ['a language of three characters', 'c++', 'Team', 'Writes the engine in C++'],
  ['Cyrillic of another case', 'КИЇВ', 'Trip', 'Поїздка до міста Київ'],
  ['Chinese within a sentence', '北京', 'Trip', '他在北京工作了三年'],
  ['one Chinese character', '猫', 'Pet', '她养了一只猫'],
  ['a Japanese question', '東京のどこに住んでいますか', 'Home', '彼は東京タワーの近くに住む'],
  ['Korean', '서울', 'Home', '서울 강남구에 산다'],
  ['Korean before a particle', '민수', 'Home', '민수는 서울에서 일한다'],
  ['part of a Thai sentence', 'กรุงเทพ', 'Home', 'เขาอาศัยอยู่ในกรุงเทพมหานคร'],
  ['an emoji', '🌿🌿🌿', 'Garden', 'Grows 🌿🌿🌿 on the balcony'],
])('an observation is found by %s', async (_, query, name, observation) => {
  await using memory = await openTestMemory();
  const others = ['Zebra', 'Quartz', 'Violin'].map((other) =>
    entity(other, { observations: [`${other} has nothing to do with it`] }),
  );
  await memory.call('save_memory', {
    entities: [
      entity('Hub', {
        observations: ['Joins what is stored'],
        relations: [{ targetEntity: name, relationType: 'has' }],
      }),
      ...others,
      entity(name, { observations: [observation] }),
    ],
  });

  expect((await find(memory, query))[0]).toBe(name);
});

test('a name outweighs an observation, and the exact name comes first', async () => {
  await using memory = await openTestMemory();
  const mention = (name: string) =>
    entity(name, { observations: ['Mercury Mercury Mercury', 'Mercury again and again'] });
  await memory.call('save_memory', {
    entities: [
      hub('Notes'),
      mention('Notes'),
      mention('Mercury Rising'),
      entity('Mercury', { observations: ['A planet close to the sun'] }),
      mention('Mercury Falling Mercury'),
    ],
  });

  expect((await find(memory, 'mercury'))[0]).toBe('Mercury');
  expect((await find(memory, 'Mercury')).slice(-2)).toEqual(['Notes', 'Hub']);
});

test('superseded and deleted facts are never found', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', { observations: ['Lives in Seattle', 'Plays the violin'] }),
    ],
  });
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'Lives in Austin',
  });
  await memory.call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: ['Plays the violin'] }],
  });

  for (const query of ['Seattle', 'violin', 'Austin']) {
    const { entities } = await memory.call('search_nodes', { query });
    expect(JSON.stringify(entities)).not.toMatch(/Seattle|violin/);
  }
  expect((await find(memory, 'Austin'))[0]).toBe('Ada');
});

test('entityType filters, and limit with offset pages through each entity once', async () => {
  await using memory = await openTestMemory();
  const people = Array.from({ length: 7 }, (_, index) =>
    entity(`Person ${index}`, { entityType: 'Person', observations: ['Likes green tea'] }),
  );
  await memory.call('save_memory', {
    entities: [hub('Tea'), entity('Tea', { observations: ['Green tea is a drink'] }), ...people],
  });

  const found: string[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page: Record<string, any> = await memory.call('search_nodes', {
      query: 'green tea',
      entityType: 'Person',
      limit: 3,
      offset,
    });
    found.push(...page['entities'].map((e: any) => e.name));
    offset = page['nextOffset'];
  }

  expect(found.toSorted()).toEqual(people.map(({ name }) => name));
});

test('a search never denies what the thread holds: the nearest come under a label', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  expect(await memory.call('search_nodes', { query: 'xylophone' })).toMatchObject({
    entities: expect.arrayContaining([
      expect.objectContaining({ name: 'Ada' }),
      expect.objectContaining({ name: 'Hub' }),
    ]),
    closeness: 'weak',
    nextOffset: null,
    note: 'Nothing matches closely; these are the nearest.',
  });
});

test('what matches comes first and in full, the nearest after it with the facts that are near', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles') });

  const { entities, relations, ...found } = await memory.call('search_nodes', { query: 'Charles' });

  expect(entities[0].name).toBe('Charles');
  expect(entities.map(({ name }: any) => name).toSorted()).toEqual(['Ada', 'Charles', 'Hub']);
  expect(relations).toEqual([{ from: 'Charles', to: 'Hub', relationType: 'belongs to' }]);
  expect(found).toMatchObject({
    closeness: 'close',
    note: expect.stringContaining('Only the first 1 match closely; the others are the nearest.'),
  });
});

test('an empty thread, a type that no entity has and an unmet quote find none', async () => {
  await using memory = await openTestMemory();
  const none = { entities: [], relations: [], closeness: 'none', nextOffset: null };

  expect(await memory.call('search_nodes', { query: 'Ada' })).toMatchObject(none);
  await memory.call('save_memory', { entities: cluster('Ada') });
  expect(await memory.call('search_nodes', { query: 'Ada', entityType: 'Boat' })).toMatchObject(
    none,
  );
  expect(await memory.call('search_nodes', { query: '"deep sea"' })).toMatchObject(none);
});

test.each([
  '"',
  "'",
  '*',
  '-',
  'AND',
  'OR NOT',
  'NEAR(a b)',
  'title:',
  '^a',
  '(',
  '{}',
  'a" OR "b',
  '\\',
  '%',
  '_',
  '???',
  '- "',
])('the query %s is text and no syntax', async (query) => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  await memory.call('search_nodes', { query });
  await memory.call('list_entities', { namePattern: query });
});

test('any text at all can be searched for', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async (query) => {
      await memory.call('search_nodes', { query });
      await memory.call('list_entities', { namePattern: query });
    }),
    draws(50),
  );
});

test('a very long query is answered from its first words', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  expect(await find(memory, `Ada ${'lorem ipsum dolor '.repeat(100)}`)).toContain('Ada');
  expect(await memory.fail('search_nodes', { query: 'x'.repeat(2_001) })).toMatchObject({
    code: 'invalid_input',
    message: 'query: Text of 2001 chars. At most 2000 chars.',
  });
});

test('rebuilding the text index changes no answer', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles', 'Мова', '東京') });
  await memory.embedAll();
  const queries = ['Ada', 'remembering', 'Мова', '東京', 'harl'];
  const before = await Promise.all(queries.map((query) => memory.call('search_nodes', { query })));

  for (const table of ['fulltext', 'trigram']) {
    await memory.query(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  }
  expect(await memory.query('SELECT rowid FROM fulltext')).toEqual([]);
  await memory.query(
    'INSERT INTO fulltext (rowid, title, body) SELECT node_id, title, body FROM searchable',
  );
  await memory.query(
    "INSERT INTO trigram (rowid, title, body) SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  ' FROM searchable",
  );

  expect(await Promise.all(queries.map((query) => memory.call('search_nodes', { query })))).toEqual(
    before,
  );
});

async function find(memory: TestMemory, query: string): Promise<string[]> {
  const { entities } = await memory.call('search_nodes', { query });
  return entities.map((e: { name: string }) => e.name);
}
