import { expect, test } from 'vitest';
import { PORTFOLIO } from '#tools/core/save-input.ts';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';

const NOTHING = { entities: 0, relations: 0, observations: 0 };

test('the valid request of the specification is saved whole', async () => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', { entities: PORTFOLIO });

  expect(saved).toMatchObject({
    success: true,
    created: { entities: 3, relations: 6 },
    warnings: [],
  });
  const { entities, relations } = await memory.call('read_graph');
  expect(entities.map((e: { name: string }) => e.name)).toEqual([
    'Andrii',
    'Python Scripts',
    'Portfolio',
  ]);
  expect(relations).toHaveLength(6);
});

test('an observation that is too long is refused in the manner of the specification', async () => {
  await using memory = await openTestMemory();
  const observation =
    'This is a very long observation that contains multiple facts and exceeds the maximum allowed length of 150 characters which will cause validation to fail';

  const saved = await memory.call('save_memory', {
    entities: [
      entity('Test', { observations: [observation], relations: [relatesTo('Other')] }),
      entity('Other', { relations: [relatesTo('Test')] }),
    ],
  });

  expect(saved).toEqual({
    success: false,
    created: NOTHING,
    updated: { entities: 0 },
    warnings: [],
    quality_score: 0,
    validation_errors: [
      'Observation too long (153 chars). Max 150. Split into multiple observations.',
    ],
    errors: [
      {
        index: 0,
        error: 'Validation failed',
        entity: 'Test',
        observation,
        problem: 'Too long (153 chars). Max 150 chars.',
        suggestion:
          "Split into 2 observations: 1) 'This is a very long observation that contains multiple facts', 2) 'exceeds the maximum allowed length of 150 characters which will cause validation to fail'",
      },
    ],
  });
  expect(await memory.call('list_entities')).toMatchObject({ entities: [], total: 0 });
});

test('an entity without relations is refused in the manner of the specification', async () => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', {
    entities: [entity('Isolated Entity', { relations: [] })],
  });

  expect(saved['validation_errors']).toEqual([
    "Entity 'Isolated Entity' must have at least 1 relation",
  ]);
  expect(saved['errors']).toEqual([
    {
      index: 0,
      error: 'Validation failed',
      entity: 'Isolated Entity',
      problem: 'Missing relations. Every entity must have at least 1 relation.',
      suggestion:
        'Add relations to show connections: save the entity that it belongs to in the same call, such as a person or a project, and relate the two to each other.',
    },
  ]);
});

test('a relation to an unknown entity is refused with the closest names', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Portfolio Document') });

  const saved = await memory.call('save_memory', {
    entities: [entity('Andrii', { relations: [relatesTo('Portfolio Documents', 'created')] })],
  });

  expect(saved['errors']).toEqual([
    {
      index: 0,
      error: 'Validation failed',
      entity: 'Andrii',
      relation: { targetEntity: 'Portfolio Documents', relationType: 'created' },
      problem: "Target entity 'Portfolio Documents' not found in request or thread",
      suggestion:
        "Did you mean 'Portfolio Document'? If not, add it to entities in the same call: { name: 'Portfolio Documents', entityType: '…', observations: ['…'], relations: [{ targetEntity: 'Andrii', relationType: '…' }] }",
    },
  ]);
});

test('all faults of a request come back at once, in order, and nothing is stored', async () => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', {
    entities: [
      entity('One', {
        observations: ['ok', 'Likes tea. Likes coffee. Likes water.'],
        confidence: 2,
      }),
      'not an entity',
      entity('Three', { observations: 7, relations: 'Hub' }),
      entity('', { entityType: ' ', relations: [{ relationType: 'x' }, 7, relatesTo('One', '')] }),
      entity('Five', { relations: [relatesTo('Five'), relatesTo('Nobody')] }),
      entity('One'),
    ],
  });

  expect(saved['success']).toBe(false);
  expect(saved['errors'].map((e: any) => [e.index, e.problem])).toEqual([
    [0, 'Invalid confidence. 2 is not between 0 and 1.'],
    [0, 'Too short (2 chars). Min 5 chars.'],
    [0, 'Too many sentences (3). Max 2 sentences.'],
    [0, "Target entity 'Hub' not found in request or thread"],
    [1, 'Expected an object, got text.'],
    [2, 'Invalid observations. Expected a list, got a number.'],
    [2, 'Invalid relations. Expected a list, got text.'],
    [3, 'Invalid name. Empty.'],
    [3, 'Invalid entityType. Empty.'],
    [3, 'Invalid targetEntity. Missing.'],
    [3, 'Invalid relation. Expected an object, got a number.'],
    [3, 'Invalid relationType. Empty.'],
    [4, 'An entity cannot have a relation to itself.'],
    [4, "Target entity 'Nobody' not found in request or thread"],
    [5, "Entity 'One' appears twice in the request (entries 0 and 5)."],
  ]);
  expect(await memory.query('SELECT * FROM node')).toEqual([]);
});

test('too many sentences are shown split into acceptable observations', async () => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', {
    entities: [entity('One', { observations: ['Likes tea. Likes coffee. Likes water.'] })],
  });

  expect(saved['errors'][0].suggestion).toBe(
    "Split into 3 observations: 1) 'Likes tea.', 2) 'Likes coffee.', 3) 'Likes water.'",
  );
});

test('saving an existing entity merges into it and loses nothing', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', {
        entityType: 'Person',
        observations: ['Wrote the first program'],
        importance: 0.9,
      }),
    ],
  });

  const saved = await memory.call('save_memory', {
    entities: [
      entity('Ada', {
        entityType: 'Mathematician',
        observations: ['Wrote the first program', 'Knew Charles Babbage'],
        relations: [relatesTo('Hub', 'belongs to'), relatesTo('Hub', 'leads')],
        confidence: 0.8,
      }),
    ],
  });

  expect(saved).toMatchObject({
    success: true,
    created: { entities: 0, relations: 1, observations: 1 },
    updated: { entities: 1 },
    warnings: ["Observation already known for 'Ada', skipped: 'Wrote the first program'"],
  });
  const { entities, relations } = await memory.call('open_nodes', {
    names: ['Ada'],
    detail: 'full',
  });
  expect(entities[0]).toMatchObject({
    entityType: 'Mathematician',
    confidence: 0.8,
    importance: 0.9,
  });
  expect(entities[0].observations.map((o: any) => o.content)).toEqual([
    'Wrote the first program',
    'Knew Charles Babbage',
  ]);
  expect(relations).toHaveLength(3);
});

test('what a request says twice is stored once', async () => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', {
    entities: [
      hub('Ada'),
      entity('Ada', {
        observations: ['Likes engines', '  Likes engines '],
        relations: [relatesTo('Hub'), relatesTo('Hub')],
      }),
    ],
  });

  expect(saved['created']).toEqual({ entities: 2, relations: 2, observations: 2 });
  expect(saved['warnings']).toEqual([
    "Observation already known for 'Ada', skipped: 'Likes engines'",
  ]);
});

test('relations may point to entities that were saved before', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  const saved = await memory.call('save_memory', {
    entities: [entity('Charles', { relations: [relatesTo('Ada', 'admires')] })],
  });

  expect(saved['created']).toEqual({ entities: 1, relations: 1, observations: 1 });
});

test('entity types are capitalised, and spaces in them are remarked on', async () => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', {
    entities: [
      hub('Key'),
      entity('Key', { entityType: 'API Key' }),
      entity('Bob', { entityType: 'person' }),
    ],
  });

  expect(saved['warnings']).toEqual([
    "EntityType 'API Key' contains spaces. Consider using 'ApiKey' instead.",
    "EntityType 'person' should start with capital letter. Normalized to 'Person'.",
  ]);
  const { entities } = await memory.call('list_entities');
  expect(entities.map((e: any) => e.entityType)).toEqual(['Thing', 'API Key', 'Person']);
});

test('a new name that differs from an existing one only in case or accents is asked about first', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('José') });
  const entities = [entity('JOSE')];

  const asked = await memory.call('save_memory', { entities });
  const foretold = await memory.call('validate_memory', { entities });
  const insisted = await memory.call('save_memory', { entities, allowTwin: true });

  expect(asked).toMatchObject({ success: false, created: NOTHING });
  expect(asked['errors']).toEqual([
    {
      index: 0,
      error: 'Validation failed',
      entity: 'JOSE',
      problem: "'JOSE' differs only in case or accents from 'José' in the thread.",
      suggestion:
        "Use the name 'José' if both are the same, or send allowTwin: true to save 'JOSE' as another entity.",
    },
  ]);
  expect(foretold['errors']).toEqual(asked['errors']);
  expect(insisted).toMatchObject({ success: true, created: { entities: 1 }, warnings: [] });
  const again = await memory.call('save_memory', { entities });
  expect(again).toMatchObject({ success: true, updated: { entities: 1 } });
});

test('two such names within one request are asked about as well', async () => {
  await using memory = await openTestMemory();
  const entities = [...cluster('Ada'), entity('ADA')];

  const asked = await memory.call('save_memory', { entities });
  const insisted = await memory.call('save_memory', { entities, allowTwin: true });

  expect(asked['errors'].map((e: any) => [e.index, e.problem])).toEqual([
    [2, "'ADA' differs only in case or accents from 'Ada' in entry 1."],
  ]);
  expect(insisted['created'].entities).toBe(3);
});

test('an entity that has a relation in the thread needs none in the request', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });

  for (const [number, relations] of [undefined, null, [], ''].entries()) {
    const observations = [`Likes tea from shop ${number}`];
    const saved = await memory.call('save_memory', {
      entities: [{ name: 'Ada', entityType: 'Person', observations, relations }],
    });
    expect(saved).toMatchObject({ success: true, created: { relations: 0, observations: 1 } });
  }
});

test('advice names what the thread or the request has', async () => {
  await using memory = await openTestMemory();
  const lonely = (...names: string[]) =>
    memory.call('save_memory', {
      entities: names.map((name) => entity(name, { relations: [] })),
    });

  const inRequest = await lonely('Ada', 'Engine');
  await memory.call('save_memory', { entities: cluster('Kestrel') });
  const inThread = await lonely('Ada');

  expect(inRequest['errors'].map((e: any) => e.suggestion)).toEqual([
    expect.stringContaining("targetEntity: 'Engine'"),
    expect.stringContaining("targetEntity: 'Ada'"),
  ]);
  expect(inThread['errors'][0].suggestion).toMatch(/targetEntity: '(?:Hub|Kestrel)'/);
});

test('a missing target is said once, and its advice is enough to have it saved', async () => {
  await using memory = await openTestMemory();
  const entities = ['Ada', 'Bob', 'Eve'].map((name) =>
    entity(name, { relations: [relatesTo('Acme', 'works at')] }),
  );

  const refused = await memory.call('save_memory', { entities });
  const advised = {
    name: 'Acme',
    entityType: 'Company',
    observations: ['Makes anvils'],
    relations: [{ targetEntity: 'Ada', relationType: 'employs' }],
  };
  const saved = await memory.call('save_memory', { entities: [...entities, advised] });

  expect(refused['errors']).toEqual([
    {
      index: 0,
      error: 'Validation failed',
      entity: 'Ada',
      relation: { targetEntity: 'Acme', relationType: 'works at' },
      problem: "Target entity 'Acme' not found in request or thread (named by 'Bob', 'Eve' too)",
      suggestion:
        "Add it to entities in the same call: { name: 'Acme', entityType: '…', observations: ['…'], relations: [{ targetEntity: 'Ada', relationType: '…' }] }",
    },
  ]);
  expect(saved).toMatchObject({ success: true, created: { entities: 4 } });
});

test('a save tells its revision, and older facts that the new ones may contradict or repeat', async () => {
  await using memory = await openTestMemory();
  const ada = (...observations: string[]) => ({
    entities: [entity('Ada', { observations })],
  });
  const first = await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', ada('Lives in Berlin', 'Likes green tea'));

  const moved = await memory.call('save_memory', ada('Lives in Munich'));
  const known = await memory.call('save_memory', ada('Lives in Munich'));

  expect(first).toMatchObject({ revision: 1 });
  expect(first).not.toHaveProperty('similar');
  expect(moved['revision']).toBe(3);
  const [berlin, munich] = await memory.query(
    "SELECT node_id FROM fact WHERE content LIKE 'Lives in %' ORDER BY node_id",
  );
  expect(moved['similar']).toEqual([
    {
      entityName: 'Ada',
      id: `obs_${berlin?.['node_id']}`,
      content: 'Lives in Berlin',
      similarTo: `obs_${munich?.['node_id']}`,
    },
  ]);
  expect(known).toMatchObject({ success: true, created: NOTHING });
  expect(known).not.toHaveProperty('similar');
});

test('a name is the same in every Unicode normal form and with any white space around it', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Caf\u00e9') });

  const saved = await memory.call('save_memory', {
    entities: [entity('  Cafe\u0301 ', { observations: ['Serves tea'] })],
  });

  expect(saved).toMatchObject({ created: { entities: 0 }, updated: { entities: 1 }, warnings: [] });
});

test('no inverse relations are invented', async () => {
  await using memory = await openTestMemory();

  await memory.call('save_memory', { entities: cluster('Ada') });

  const { relations } = await memory.call('read_graph');
  expect(relations).toEqual([
    { from: 'Hub', to: 'Ada', relationType: 'has' },
    { from: 'Ada', to: 'Hub', relationType: 'belongs to' },
  ]);
});

test('a hundred entities are saved in one call, and a hundred and one are refused', async () => {
  await using memory = await openTestMemory();
  const names = Array.from({ length: 100 }, (_, index) => `Entity ${index}`);

  const refused = await memory.call('save_memory', { entities: cluster(...names) });
  const saved = await memory.call('save_memory', { entities: cluster(...names.slice(1)) });

  expect(refused['validation_errors'][0]).toBe(
    '101 entities given. Between 1 and 100 can be saved in one call.',
  );
  expect(saved['created']).toEqual({ entities: 100, relations: 100, observations: 100 });
});

test('an empty request is refused', async () => {
  await using memory = await openTestMemory();

  expect(await memory.call('save_memory', { entities: [] })).toMatchObject({ success: false });
  expect(await memory.fail('save_memory', {})).toMatchObject({
    code: 'invalid_input',
    message: 'entities: Missing.',
  });
  expect(await memory.fail('save_memory', { entities: 'Ada' })).toMatchObject({
    message: 'entities: Expected a list, got text.',
  });
});

test.each([
  [
    'half of a surrogate pair',
    'Likes \ud83d tea a lot',
    'Contains half of a surrogate pair, which is not valid Unicode.',
  ],
  ['a control character', 'Likes \u0000 tea a lot', 'Contains control characters.'],
])('%s is refused rather than stored as something else', async (_, text, problem) => {
  await using memory = await openTestMemory();

  const saved = await memory.call('save_memory', {
    entities: [hub('Ada'), entity('Ada', { observations: [text] })],
  });

  expect(saved['errors'].map((e: any) => e.problem)).toEqual([problem]);
});

test('an emoji counts as one character, not as two', async () => {
  await using memory = await openTestMemory();
  const observation = '🌿'.repeat(150);

  const saved = await memory.call('save_memory', {
    entities: [hub('Garden'), entity('Garden', { observations: [observation] })],
  });

  expect(saved['success']).toBe(true);
});

test('what is refused is quoted no longer than a model wants to read', async () => {
  await using memory = await openTestMemory();
  const faulty = Array.from({ length: 100 }, (_, index) =>
    entity(`E${index}`, { observations: Array.from({ length: 100 }, () => 'x'.repeat(500)) }),
  );

  const saved = await memory.call('save_memory', { entities: faulty });

  expect(saved['errors']).toHaveLength(50);
  expect(saved['validation_errors'].at(-1)).toBe('… and 9951 more problems. Fix these first.');
  expect(JSON.stringify(saved).length).toBeLessThan(40_000);
});

test('validate_memory foretells exactly what a save does, and changes nothing', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  const entities = [
    entity('Ada', { observations: ['Ada is worth remembering', 'Likes engines'] }),
    entity('charles', { entityType: 'person', relations: [relatesTo('Ada'), relatesTo('Hub')] }),
  ];

  const foretold = await memory.call('validate_memory', { entities });
  const revisions = await memory.query('SELECT id FROM revision');
  const saved = await memory.call('save_memory', { entities });

  expect(foretold).toEqual({
    valid: true,
    would_create: saved['created'],
    would_update: saved['updated'],
    warnings: saved['warnings'],
    quality_score: saved['quality_score'],
    validation_errors: [],
    errors: [],
  });
  expect(revisions).toHaveLength(1);
});

test('validate_memory names the faults that a save would name', async () => {
  await using memory = await openTestMemory();
  const entities = [entity('Ada', { observations: ['no'], relations: [] })];

  const foretold = await memory.call('validate_memory', { entities });
  const saved = await memory.call('save_memory', { entities });

  expect(foretold['valid']).toBe(false);
  expect(foretold['errors']).toEqual(saved['errors']);
  expect(foretold['validation_errors']).toEqual(saved['validation_errors']);
});

test('saves are counted, refused ones too, and dry runs are not', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', { entities: [] });
  await memory.call('validate_memory', { entities: [] });

  const { quality } = await memory.call('get_analytics');

  expect(quality).toMatchObject({ saves_accepted: 1, saves_rejected: 1, save_error_rate: 0.5 });
});
