import { expect, test } from 'vitest';
import { readLimits } from '#env.ts';
import { DEFAULT_LIMITS } from '#limits.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import { ERAS, speakMcp } from '#test/mcp.ts';
import { openTestMemory } from '#test/memory.ts';
import { addFact } from '#test/nodes.ts';

const TOO_LONG = 'x'.repeat(10_001);

test.each([
  ['create_node', { text: TOO_LONG }, 'Text too long (max 10000 chars)'],
  ['create_node', { text: ' \n' }, 'Text is empty'],
  ['create_node', { text: 'a\u0000b' }, 'Text refused: Contains control characters.'],
  ['create_node', {}, 'text: Missing.'],
  ['create_node', { text: null }, 'text: Expected text, got null.'],
  [
    'create_node',
    { text: 'x'.repeat(101), node_type: 'Entity' },
    'Entity name too long (max 100 chars)',
  ],
  [
    'create_node',
    { text: 'a', source: 'a\u0000b' },
    'Source refused: Contains control characters.',
  ],
  [
    'create_node',
    { text: 'a', source: 'a\ud800' },
    'Source refused: Contains half of a surrogate pair, which is not valid Unicode.',
  ],
  ['create_node', { text: 'a', ttl_days: 0 }, ttlMessage(0)],
  ['create_node', { text: 'a', ttl_days: -1 }, ttlMessage(-1)],
  ['create_node', { text: 'a', ttl_days: 3_650.5 }, ttlMessage(3_650.5)],
  ['create_node', { text: 'a', metadata: bytes(100_001) }, 'Metadata too large (max 100000 bytes)'],
  [
    'create_node',
    { text: 'a', metadata: nested(101) },
    'Metadata nested too deep (max 100 levels)',
  ],
  ['create_node', { text: 'a', metadata: ['a'] }, `metadata: '["a"]' is no JSON object.`],
  [
    'create_node',
    { text: 'a', status: 'gone' },
    "status: 'gone' is none of: active, outdated, archived.",
  ],
  ['create_node', { text: 'a', node_type: 'Turn' }, "node_type: 'Turn' is none of: Fact, Entity."],
  [
    'create_node',
    { text: 'a', semantic_threshold: 1.5 },
    "Invalid semantic_threshold '1.5' (must be between 0 and 1)",
  ],
  [
    'create_node',
    { text: TOO_LONG, ttl_days: 0 },
    `Text too long (max 10000 chars); ${ttlMessage(0)}`,
  ],
  ['update_node', { node_id: 'mem_1', text: TOO_LONG }, 'Text too long (max 10000 chars)'],
  ['update_node', { node_id: 'mem_1', ttl_days: 4_000 }, ttlMessage(4_000)],
  [
    'update_node',
    { node_id: 'mem_1', metadata: bytes(100_001) },
    'Metadata too large (max 100000 bytes)',
  ],
  ['update_node', { node_id: 'mem_1', entity_type: 'x' }, 'entity_type is for entities only'],
  [
    'update_node',
    { node_id: 'mem_1', versioning: true },
    'Nothing to update: give text, metadata, status or another field',
  ],
  [
    'create_relation',
    { from_id: 'mem_1', to_id: 'mem_1', relation_type: 'a-b' },
    "Invalid relation_type 'a-b' (only letters, digits and _, 1-50 chars)",
  ],
  [
    'create_relation',
    { from_id: 'mem_1', to_id: 'mem_1', relation_type: 'A', properties: bytes(100_001) },
    'Metadata too large (max 100000 bytes)',
  ],
  [
    'create_triplet',
    { subject: '', predicate: 'p', object_value: 'o' },
    'subject: Entity name is empty',
  ],
  ['create_triplet', { subject: 's', predicate: ' ', object_value: 'o' }, 'Predicate is empty'],
  [
    'create_summary_fact',
    { fact_ids: ['mem_1'], summary_text: TOO_LONG },
    'Text too long (max 10000 chars)',
  ],
  [
    'create_summary_fact',
    { fact_ids: [], summary_text: 'a' },
    'fact_ids: List of 0 items. At least 1 items.',
  ],
])('%s refuses %j', async (tool, input, message) => {
  await using memory = await openTestMemory();
  await addFact(memory, 'It rains');
  const before = await memory.query('SELECT * FROM revision');

  const error = await memory.fail(tool, input);

  expect(error).toMatchObject({ code: 'invalid_input', message });
  expect(await memory.query('SELECT * FROM revision')).toEqual(before);
});

test('metadata comes back as it was given, whatever its keys', async () => {
  await using memory = await openTestMemory();
  const json = String.raw`{"__proto__":{"a":1},"constructor":2,"toString":null,"":"\ud800"}`;
  const metadata = JSON.parse(json);

  const { node } = await memory.call('create_node', { text: 'One', metadata });
  await memory.call('mark_outdated', { fact_id: node.id, reason: 'so' });
  const marked = await memory.call('get_node', { node_id: node.id });

  expect(JSON.stringify(node.metadata)).toBe(json);
  expect(JSON.stringify(marked['node'].metadata)).toBe(
    json.replace(/}$/, ',"outdated_reason":"so"}'),
  );
});

test('what is just within the limits is stored', async () => {
  await using memory = await openTestMemory();
  const metadata = bytes(100_000);

  const { node } = await memory.call('create_node', {
    text: '🙂'.repeat(10_000),
    metadata,
    ttl_days: 3_650,
  });

  expect(node.metadata).toEqual(metadata);
  expect(await memory.call('create_node', { text: 'a', ttl_days: 1e-6 })).toMatchObject({
    success: true,
  });
});

test.each(ERAS)('a failure has its contract’s shape in every place (%s)', async (era) => {
  const client = speakMcp(era, '/mcp?toolsets=nodes');
  const threadId = `shape-${era}-${crypto.randomUUID()}`;
  const failures = [
    [
      'get_node',
      { threadId, node_id: 'mem_1' },
      'memory_not_found',
      "No node 'mem_1' in this memory.",
    ],
    [
      'create_node',
      { threadId, text: TOO_LONG },
      'memory_validation_error',
      'Text too long (max 10000 chars)',
    ],
    [
      'create_node',
      { threadId, text: 7 },
      'memory_validation_error',
      'text: Expected text, got a number.',
    ],
    [
      'create_node',
      { threadId, text: 'a', owner_id: 'a b' },
      'memory_validation_error',
      "Invalid owner_id 'a b' (only letters, digits and - _ @, 1-128 chars)",
    ],
    ['create_node', { text: 'a' }, 'memory_validation_error', 'threadId is missing.'],
  ] as const;

  for (const [tool, input, code, error] of failures) {
    const result = await client.callTool(tool, input);

    const shape = { success: false, error, code, error_code: code };
    expect(result['isError']).toBe(true);
    expect(result['structuredContent']).toEqual(shape);
    expect(JSON.parse(result['content'][0].text)).toEqual(shape);
  }
});

test('several faults of one call are all in the error', async () => {
  const client = speakMcp('modern', '/mcp/several-faults?toolsets=nodes');

  const { structuredContent } = await client.callTool('create_node', { text: 1, status: 2 });

  expect(structuredContent.error.split('\n')).toEqual([
    '2 arguments are wrong; nothing was changed.',
    'text: Expected text, got a number.',
    "status: '2' is none of: active, outdated, archived.",
  ]);
});

test('a success names its thread beside the contract', async () => {
  const client = speakMcp('modern', '/mcp/nodes-meta?toolsets=nodes');

  const result = await client.callTool('create_node', { text: 'It rains', owner_id: 'bob' });

  expect(result).toMatchObject({
    structuredContent: { success: true, node: { owner_id: 'bob' } },
    _meta: { threadId: 'nodes-meta' },
  });
});

test('every tool of the contract answers failures in its shape, and no other tool does', () => {
  const error = { code: 'unavailable', message: 'Not now.' } as const;
  const shaped = TOOLSETS.map(({ name, tools }) => [
    name,
    tools.filter((tool) => tool.failure(error) !== undefined).length,
  ]);

  expect(Object.fromEntries(shaped)).toEqual({
    core: 0,
    graph: 0,
    memories: 4,
    nodes: 18,
    sessions: 0,
    threads: 0,
  });
  expect(TOOLSETS.find(({ name }) => name === 'nodes')?.tools[0]?.failure(error)).toEqual({
    success: false,
    error: 'Not now.',
    code: 'connection_error',
    error_code: 'connection_error',
  });
});

test.each([
  ['conflict', 'memory_service_error'],
  ['internal', 'memory_service_error'],
  ['limit_exceeded', 'memory_service_error'],
  ['already_exists', 'memory_validation_error'],
] as const)('%s is a %s', (code, expected) => {
  const tool = TOOLSETS.flatMap(({ tools }) => tools).find(({ name }) => name === 'get_node');

  expect(tool?.failure({ code, message: 'x' })).toMatchObject({ code: expected });
});

test('a deployer may change the limits, by the names of the contract', () => {
  const limits = readLimits({
    MAX_TEXT_LENGTH: '500',
    MAX_METADATA_SIZE: '2000',
    MIN_TTL_DAYS: '0.5',
    MAX_TTL_DAYS: '30.5',
    BACKUPS_ENABLED: 'false',
    BACKUP_RETENTION_DAYS: '7',
  });

  expect(limits).toMatchObject({
    textCharsMax: 500,
    metadataBytesMax: 2_000,
    ttlDaysMin: 0.5,
    ttlDaysMax: 30.5,
    backupsEnabled: false,
    backupRetentionDays: 7,
  });
  expect(readLimits({})).toMatchObject(DEFAULT_LIMITS);
});

test.each([
  ['MAX_TEXT_LENGTH', '1.5'],
  ['MAX_TEXT_LENGTH', '1000000'],
  ['MAX_METADATA_SIZE', 'much'],
  ['MIN_TTL_DAYS', '-1'],
  ['MAX_TTL_DAYS', 'never'],
  ['BACKUPS_ENABLED', 'no'],
  ['BACKUP_RETENTION_DAYS', '0'],
])('%s cannot be %s', (name, value) => {
  expect(() => readLimits({ [name]: value })).toThrow(`The variable ${name} must be`);
});

test('the listing tells the limits of this deployment', async () => {
  const client = speakMcp('modern', '/mcp/limits?toolsets=nodes', { MAX_TEXT_LENGTH: '500' });

  const { tools } = await client.ask('tools/list');

  const createNode = tools.find(({ name }: { name: string }) => name === 'create_node');
  expect(createNode.inputSchema.properties).toMatchObject({
    text: { maxLength: 500 },
    ttl_days: { exclusiveMinimum: 0, maximum: 3_650 },
  });
});

function ttlMessage(days: number): string {
  return `Invalid ttl_days '${days}' (must be more than 0 and at most 3650)`;
}

/** Metadata that is so many bytes long as JSON; each é takes two. */
function bytes(count: number): Record<string, string> {
  const frame = '{"a":""}'.length;
  const rest = count - frame;
  return { a: 'é'.repeat(Math.floor(rest / 2)) + 'x'.repeat(rest % 2) };
}

function nested(levels: number): Record<string, unknown> {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}
