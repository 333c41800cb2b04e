import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { readHealth } from '#thread/thread-client.ts';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';

async function openAda(): Promise<TestMemory> {
  const memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', { observations: ['Plays the cello on Sundays', 'Is vegetarian'] }),
      entity('Cello', { observations: ['Made in Cremona'] }),
    ],
  });
  await memory.embedAll();
  return memory;
}

async function matchesOf(memory: TestMemory, query: string) {
  const { matches } = await memory.call('search_nodes', { query, detail: 'full' });
  return matches.map(({ entityName, content, why }: any) => ({ entityName, content, why }));
}

test('each match of a full search says what matched and why', async () => {
  await using memory = await openAda();

  const words = await matchesOf(memory, 'cello on Sundays');
  const meaning = await matchesOf(memory, 'dietary restrictions');
  const { matches } = await memory.call('search_nodes', { query: 'cello', detail: 'full' });

  expect(words).toContainEqual({
    entityName: 'Ada',
    content: 'Plays the cello on Sundays',
    why: ['full text', 'meaning'],
  });
  expect(words).toContainEqual(
    expect.objectContaining({
      entityName: 'Cello',
      content: null,
      why: expect.arrayContaining(['name']),
    }),
  );
  expect(meaning[0]).toEqual({ entityName: 'Ada', content: 'Is vegetarian', why: ['meaning'] });
  expect(matches[0]).toMatchObject({ entityName: 'Cello', id: expect.stringMatching(/^ent_/) });
  const scores = matches.map(({ score }: any) => score);
  expect(scores).toEqual([...scores].toSorted((a: number, b: number) => b - a));
});

test('a brief search has no matches, and a page names those of its own entities alone', async () => {
  await using memory = await openAda();

  const brief = await memory.call('search_nodes', { query: 'cello' });
  const page = await memory.call('search_nodes', { query: 'cello', detail: 'full', limit: 1 });

  expect(brief).not.toHaveProperty('matches');
  const names = page['entities'].map(({ name }: any) => name);
  expect(new Set(page['matches'].map(({ entityName }: any) => entityName))).toEqual(new Set(names));
});

test('a name in quotes, or with quotes in it, is a name', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('The "Big" Plan'),
      entity('The "Big" Plan'),
      entity('Roadmap', { observations: ['The big plan, the big plan, the big plan'] }),
    ],
  });
  const first = async (query: string) =>
    (await memory.call('search_nodes', { query })).entities[0].name;

  expect(await first('the "big" plan')).toBe('The "Big" Plan');
  expect(await first('"Roadmap"')).toBe('Roadmap');
});

test('the index in memory forgets what is superseded, deleted or deleted with its entity', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', { observations: ['Is vegetarian', 'Plays the cello'] }),
      entity('Bob', { observations: ['Eats no meat at all'], relations: [relatesTo('Ada')] }),
    ],
  });
  await memory.embedAll();
  // The first question loads the index; from here on it has to be told.
  expect(await matchesOf(memory, 'Who is a vegetarian?')).toContainEqual(
    expect.objectContaining({ content: 'Eats no meat at all' }),
  );
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });

  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'Repairs old radios',
  });
  await memory.call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: ['Plays the cello'] }],
  });
  await memory.call('delete_entities', { entityNames: ['Bob'] });
  await memory.embedAll();

  expect(await indexSize(memory)).toEqual(await storedVectors(memory));
  expect(await matchesOf(memory, 'Who repairs radios?')).toContainEqual(
    expect.objectContaining({ content: 'Repairs old radios' }),
  );
});

test('a save that is refused leaves the index as it was', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('search_nodes', { query: 'Ada' });

  await memory.call('save_memory', { entities: [entity('Lonely', { relations: [] })] });

  expect(await indexSize(memory)).toEqual(await storedVectors(memory));
});

test('a word that stands in all texts costs three rows a candidate and no more', async () => {
  await using memory = await openTestMemory();
  const texts = (from: number) =>
    Array.from({ length: 100 }, (_, i) => `Project ${from + i} has colour number ${from + i}`);
  for (let from = 0; from < 600; from += 100) {
    await memory.call('save_memory', {
      entities: [hub(`Box ${from}`), entity(`Box ${from}`, { observations: texts(from) })],
    });
  }
  const search = (query: string) => memory.measure('search_memories', { query, limit: 5 });
  await search('warm up');

  // 200 by words, 200 by substrings, 200 by meaning and four beside each of the best hundred.
  expect((await search('project')).rowsRead).toBeLessThanOrEqual(3 * 1_000);
});

test('what is shown though it does not match costs no more in a larger thread', async () => {
  await using memory = await openTestMemory();
  const texts = (from: number) =>
    Array.from({ length: 100 }, (_, i) => `Crate ${from + i} has colour number ${from + i}`);
  const add = (from: number) =>
    memory.call('save_memory', {
      entities: [hub(`Box ${from}`), entity(`Box ${from}`, { observations: texts(from) })],
    });
  const measure = async (tool: string, query: string) => {
    await memory.call(tool, { query: 'warm up' });
    return (await memory.measure(tool, { query })).rowsRead;
  };
  const asked = [
    ['recall', 'Which soup did grandmother like?'],
    ['recall', 'What do you know about me?'],
    ['search', 'Which opera did grandmother like?'],
    ['search_memories', 'Хто співає?'],
  ] as const;
  for (const from of [0, 100, 200]) await add(from);
  const early = [];
  for (const [tool, query] of asked) early.push(await measure(tool, query));
  for (const from of [300, 400, 500, 600, 700, 800]) await add(from);

  for (const [at, [tool, query]] of asked.entries()) {
    const late = await measure(tool, query);
    expect(late, `${tool}: ${query}`).toBeLessThanOrEqual((early[at] ?? 0) + 1_000);
    expect(late, `${tool}: ${query}`).toBeLessThanOrEqual(4_000);
  }
});

test('a question is not answered because of a word that the thread knows nothing of', async () => {
  await using memory = await openTestMemory();
  for (const topic of ['storage', 'search', 'login', 'billing', 'editor', 'export']) {
    for (const verb of ['Configured', 'Deployed', 'Tested', 'Documented', 'Refactored']) {
      await memory.call('store_memory', { content: `${verb} the ${topic} service for production` });
    }
  }
  const closenessOf = async (query: string) =>
    (await memory.call('search_memories', { query })).closeness;

  expect(await closenessOf('Where did the grandmother hide her violin?')).toBe('weak');
  expect(await closenessOf('How was the login service documented?')).toBe('close');
});

/** Vectors that the object compares a question with. */
async function indexSize({ threadId }: TestMemory): Promise<number | null> {
  const health = await readHealth(env, { subject: 'test', threadId });
  return health.ok ? health.indexedVectors : null;
}

async function storedVectors(memory: TestMemory): Promise<number> {
  const [row] = await memory.query<{ n: number }>('SELECT count(*) AS n FROM vector');
  return row?.n ?? 0;
}

test('pages of any size give each entity once, however many facts match', async () => {
  await using memory = await openTestMemory();
  const names = Array.from({ length: 30 }, (_, index) => `Person ${index}`);
  await memory.call('save_memory', {
    entities: [
      hub('Person 0'),
      ...names.map((name, index) =>
        entity(name, {
          observations: Array.from(
            { length: 5 },
            (_, fact) => `Drinks ${'very '.repeat(index % 4)}strong coffee at ${fact} o'clock`,
          ),
        }),
      ),
    ],
  });

  await memory.embedAll();

  for (const limit of [1, 5, 20]) {
    const found: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page = await memory.call('search_nodes', { query: 'strong coffee', limit, offset });
      found.push(...page['entities'].map(({ name }: any) => name));
      offset = page['nextOffset'];
    }

    expect.soft(found.length, `pages of ${limit}`).toBe(new Set(found).size);
    expect.soft(found, `pages of ${limit}`).toEqual(expect.arrayContaining(names));
  }
});

test('one entity with many near facts does not hide the others', async () => {
  await using memory = await openTestMemory();
  const about = (client: number) => `Client records of region ${client} are kept in Postgres`;
  await memory.call('save_memory', {
    entities: [
      hub('Alpha'),
      entity('Alpha', { observations: Array.from({ length: 40 }, (_, index) => about(index)) }),
      entity('Beta', { observations: ['Keeps customer data in a database'] }),
      entity('Gamma', { observations: ['Stores client information on disk'] }),
    ],
  });
  await memory.embedAll();
  const query = 'Where do we persist client information?';

  const first = await memory.call('search_nodes', { query, limit: 2 });

  expect(first['entities']).toHaveLength(2);
  expect(first['nextOffset']).toBe(2);
});

test('among many facts a name, an identifier and a file name are found, however one asks', async () => {
  await using memory = await openTestMemory();
  for (let index = 0; index < 40; index += 1) {
    await memory.call('store_memory', {
      content: `Meeting ${index} was about the quarterly budget`,
    });
  }
  const wanted = [
    'The logo was drawn by Maria',
    'The cache is Redis on port 6379',
    'Error E1017 comes from the printer',
    'The slides are in portfolio_v4',
    'The office in Lisbon has two floors',
  ];
  for (const content of wanted) await memory.call('store_memory', { content });

  for (const [query, fact] of [
    ['Maria', 0],
    ['Who is Maria?', 0],
    ['Tell me about Redis', 1],
    ['please summarise everything regarding Redis quickly', 1],
    ['status of E1017 please', 2],
    ['portfolio_v4', 3],
    ['"Lisbon" weather forecast tomorrow umbrella', 4],
  ] as const) {
    const { memories } = await memory.call('search_memories', { query });
    expect.soft(memories[0]?.content, query).toBe(wanted[fact]);
  }
});

test('an entity of a rare type is found by meaning behind hundreds that are nearer', async () => {
  await using memory = await openTestMemory();
  for (let batch = 0; batch < 3; batch += 1) {
    const names = Array.from({ length: 99 }, (_, index) => `Person ${batch} ${index}`);
    await memory.call('save_memory', {
      entities: [
        ...(batch === 0 ? [hub('Gadget')] : []),
        ...names
          .slice(batch === 0 ? 1 : 0)
          .map((name, index) =>
            entity(name, { observations: [`Drinks coffee in the morning, cup ${batch} ${index}`] }),
          ),
        ...(batch === 0
          ? [
              entity('Gadget', {
                entityType: 'Device',
                observations: ['Prepares hot beverages such as espresso before noon'],
              }),
            ]
          : []),
      ],
    });
  }
  await memory.embedAll();

  const { entities, matches } = await memory.call('search_nodes', {
    query: 'What do people drink at breakfast?',
    entityType: 'Device',
    detail: 'full',
  });

  expect(entities.map(({ name }: any) => name)).toEqual(['Gadget']);
  // What is shown though it does not match is there for no reason.
  expect(matches).toContainEqual(
    expect.objectContaining({ content: expect.stringMatching(/espresso/), why: ['meaning'] }),
  );
});

test('after a change of model a thread that is only read catches up too', async () => {
  await using memory = await openAda();
  const before = await storedVectors(memory);
  await memory.query("UPDATE vector SET model = 'old@1'");
  await memory.evict();

  await memory.call('search_nodes', { query: 'Who plays music?' });

  expect(await indexSize(memory)).toBe(0);
  await memory.embedAll();
  expect(await memory.query('SELECT DISTINCT model FROM vector')).not.toContainEqual({
    model: 'old@1',
  });
  expect(await storedVectors(memory)).toBe(before);
});

test('a large thread still finds a word within others, and a part of a word', async () => {
  await using memory = await openTestMemory();
  // Ids are what a search takes the size of a thread from.
  await memory.query(
    'INSERT INTO compaction (id, horizon, horizon_at, rebuilt_to, last_node_id) VALUES (1, 0, 0, 0, 50000)',
  );
  await memory.call('save_memory', {
    entities: [
      hub('Harbour'),
      entity('Harbour', { observations: ['The port opens at six', 'Ships carry grain'] }),
      entity('Finance', { observations: ['The portfolio grows by a tenth'] }),
      entity('Travel', { observations: ['Every passport is renewed'] }),
    ],
  });
  const contentsOf = async (query: string) =>
    (await matchesOf(memory, query)).map(({ content }: any) => content);

  const [port, part, whole] = await Promise.all(['port', 'ortfol', 'grain'].map(contentsOf));

  expect(port?.[0]).toBe('The port opens at six');
  expect(port).toEqual(
    expect.arrayContaining(['The portfolio grows by a tenth', 'Every passport is renewed']),
  );
  expect(part).toEqual(['The portfolio grows by a tenth']);
  expect(whole?.[0]).toBe('Ships carry grain');
});

test('a hash or a made-up name that some text has is looked for by its letters alone', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Harbour'),
      entity('Harbour', {
        observations: ['The build 9f86d081884c7d65 is live', 'Ships carry grain'],
      }),
    ],
  });
  await memory.embedAll();

  // Its vector would find the same text.
  expect(await matchesOf(memory, '9f86d081884c7d65')).toEqual([
    { entityName: 'Harbour', content: 'The build 9f86d081884c7d65 is live', why: ['full text'] },
  ]);
  // One that no text has may be a text's with a mistake in it.
  expect(await matchesOf(memory, '9f86d081884c7d56')).toEqual([
    expect.objectContaining({ why: expect.arrayContaining(['meaning']) }),
  ]);
});
