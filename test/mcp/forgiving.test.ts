/** What a client sees when its arguments are not quite right, and when its schemas are open. */
import { expect, test } from 'vitest';
import { cluster } from '#test/builders.ts';
import { fetchWorker, speakMcp } from '#test/mcp.ts';
import { findTool } from '#tools/catalog.ts';

test('an argument under a near name is read, and the answer names it', async () => {
  const mcp = speakMcp('modern', '/mcp');
  const entities = JSON.stringify([
    {
      name: 'Ada',
      type: 'Person',
      facts: 'Likes tea',
      relations: { to: 'Hub', type: 'works at', importance: '0.9' },
      confidence: null,
    },
    {
      name: 'Hub',
      entity_type: 'Place',
      observations: ['Serves tea'],
      relations: [{ target: 'Ada', type: 'has' }],
    },
  ]);

  const saved = await mcp.callTool('save_memory', {
    thread_id: 'near-names',
    entities,
    source: '',
  });
  const read = await mcp.callTool('read_graph', {
    threadId: 'near-names',
    limit: '1',
    entityType: '',
    cursor: null,
  });

  expect(saved.structuredContent).toMatchObject({
    success: true,
    created: { entities: 2, relations: 2, observations: 2 },
  });
  expect(saved.content.slice(1)).toEqual([
    {
      type: 'text',
      text: 'Read thread_id as threadId, type as entityType, facts as observations, to as targetEntity, type as relationType, entity_type as entityType, target as targetEntity.',
    },
  ]);
  expect(read.structuredContent.entities).toHaveLength(1);
  expect(read.content).toHaveLength(1);
});

test('?schema=open publishes limits in words, and lets a refusal arrive', async () => {
  const saveMemoryAt = async (path: string) => {
    const { tools } = await speakMcp('modern', path).ask('tools/list');
    return tools.find((tool: any) => tool.name === 'save_memory');
  };
  const full = await saveMemoryAt('/mcp/open-schema');
  const open = await saveMemoryAt('/mcp/open-schema?schema=open');
  const entityOf = (tool: any) => tool.inputSchema.properties.entities.items;

  expect(entityOf(full).properties.relations).toMatchObject({ minItems: 1 });
  expect(entityOf(full).properties.observations.items).toMatchObject({
    minLength: 5,
    maxLength: 150,
  });
  expect(entityOf(full).required).toContain('relations');
  expect(JSON.stringify(open)).not.toMatch(/"(?:min|max)(?:Items|Length)"/);
  expect(entityOf(open).properties.observations.items).toEqual({
    type: 'string',
    description: '5 to 150 chars.',
  });
  expect(open.description).toBe(full.description);
});

test('a form of schemas that there is not is refused', async () => {
  const response = await fetchWorker('http://localhost/mcp/open-schema?schema=loose', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: {
      code: 'invalid_input',
      message: "schema is 'loose'.",
      hint: 'Use ?schema=open, or leave it out.',
    },
  });
});

test('POST /api reads the same, and names in a header what it read under another name', async () => {
  const response = await fetchWorker('http://localhost/api/threads/near-http/tools/save_memory', {
    method: 'POST',
    body: JSON.stringify({
      entities: [
        {
          name: 'Ada',
          type: 'Person',
          observations: 'Likes tea',
          relations: { to: 'Bob', type: 'has' },
        },
        {
          name: 'Bob',
          entityType: 'Person',
          observations: ['Likes rum'],
          relations: [{ to: 'Ada', type: 'has' }],
        },
      ],
    }),
    headers: { 'content-type': 'application/json' },
  });

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ created: { entities: 2, relations: 2 } });
  expect(response.headers.get('skein-renamed')).toBe(
    'type as entityType, to as targetEntity, type as relationType',
  );
});

test('an argument that does more needs its scope under any name and in any type', async () => {
  const importDatabase = findTool('import_database');

  expect(importDatabase?.effectOf({ Mode: 'replace' })).toBe('remove');
  expect(importDatabase?.effectOf({ mode: '' })).toBe('change');
});

test('an owner under another spelling is the same owner, and an empty one is refused', async () => {
  const { callTool } = speakMcp('modern', '/mcp/near-owner?toolsets=nodes');
  await callTool('create_node', { text: 'Bob likes rum', ownerId: 'bob' });

  const bobs = await callTool('get_stats', { owner_id: 'bob' });
  const own = await callTool('get_stats', {});
  const none = await callTool('get_stats', { owner_id: '' });

  expect(bobs.structuredContent).not.toEqual(own.structuredContent);
  expect(none.isError).toBe(true);
});

test('what is missing is told with its form', async () => {
  const { callTool } = speakMcp('modern', '/mcp/missing');

  const save = await callTool('save_memory', {});
  const open = await callTool('open_nodes', {});

  expect(save.content[0].text).toBe(
    'entities: Missing.\nGive it as a list, each item an object with name, entityType, observations, relations.',
  );
  expect(open.content[0].text).toBe('names: Missing.\nGive it as a list, each item text.');
});

test('what a call was refused for may be in an argument that was not used: it is named, after the advice', async () => {
  const { callTool } = speakMcp('modern', '/mcp/unused?toolsets=all');

  const imported = await callTool('import_database', { data: '{}' });
  const added = await callTool('create_relations', {
    relations: [{ from: 'Ada', to: 'Ada', relationType: 'knows', strength: 1 }],
  });

  expect(imported.content[0].text).toMatch(
    /content is the lines themselves\. Unknown arguments: data\./,
  );
  expect(added.isError).toBe(true);
  expect(added.content[0].text).toContain('Unknown arguments: relations[0].strength.');
});

test('a refused save is a text that says each thing once', async () => {
  const { callTool } = speakMcp('modern', '/mcp/refusals');
  // An empty thread would also be told of the others.
  await callTool('save_memory', { entities: cluster('Bob') });
  const refused = await callTool('save_memory', {
    entities: [
      {
        name: 'Ada',
        entityType: 'Person',
        observations: ['Likes tea. Likes rum. Likes milk.'],
        relations: [{ targetEntity: 'Acme', relationType: 'works at' }],
      },
    ],
  });

  expect(refused.isError).toBe(true);
  expect(refused.content).toEqual([
    {
      type: 'text',
      text: [
        'Nothing was stored. Fix this and send the whole request again:',
        "- 'Ada', 'Likes tea. Likes rum. Likes milk.': Too many sentences (3). Max 2 sentences. Split into 3 observations: 1) 'Likes tea.', 2) 'Likes rum.', 3) 'Likes milk.'",
        "- 'Ada', 'works at → Acme': Target entity 'Acme' not found in request or thread. Add it to entities in the same call: { name: 'Acme', entityType: '…', observations: ['…'], relations: [{ targetEntity: 'Ada', relationType: '…' }] }",
      ].join('\n'),
    },
  ]);
  expect(refused.structuredContent).toMatchObject({
    success: false,
    errors: [{ index: 0 }, { index: 0 }],
  });
});
