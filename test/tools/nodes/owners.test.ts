import { listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { threadObjectName } from '#thread/thread-address.ts';
import { TOOLSETS } from '#tools/catalog.ts';
import { openTestMemory } from '#test/memory.ts';
import { addEntity, addFact, link } from '#test/nodes.ts';

test('an owner has a memory of its own in the same thread', async () => {
  await using memory = await openTestMemory();
  await using ofBob = await openTestMemory({ threadId: memory.threadId, owner: 'bob' });

  const mine = await memory.call('create_node', { text: 'The office is in Porto' });
  const his = await memory.call('create_node', { text: 'The cat is black', owner_id: 'bob' });

  expect([mine['node'].owner_id, his['node'].owner_id]).toEqual(['default', 'bob']);
  expect(await memory.query('SELECT content FROM fact')).toEqual([
    { content: 'The office is in Porto' },
  ]);
  expect(await ofBob.query('SELECT content FROM fact')).toEqual([{ content: 'The cat is black' }]);
});

test('the owner default is the thread that every other toolset works on', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_node', { text: 'Porto', node_type: 'Entity', owner_id: 'default' });

  expect(await memory.call('list_entities')).toMatchObject({ entities: [{ name: 'Porto' }] });
  expect(await memory.call('get_node', { node_id: 'ent_1' })).toMatchObject({ success: true });
});

/** With ids that exist in the memory of both owners, and those that exist in one of them. */
test('no tool reaches the node of another owner, by whatever way', async () => {
  await using memory = await openTestMemory();
  await using ofBob = await openTestMemory({ threadId: memory.threadId, owner: 'bob' });
  const secret = 'The vault opens at noon';
  const hidden = await addFact(memory, 'Padding');
  const vault = await addEntity(memory, 'Vault');
  const fact = await addFact(memory, secret);
  const other = await addFact(memory, 'The guard sleeps at noon');
  await link(memory, fact, other);
  await link(memory, other, vault);
  await addFact(memory, 'The garden is green', { owner_id: 'bob' });
  const { file } = await memory.call('export_database');
  const before = await memory.query('SELECT * FROM change');
  const attempts: readonly (readonly [string, Record<string, unknown>])[] = [
    ['get_node', { node_id: fact }],
    ['update_node', { node_id: fact, text: 'Changed' }],
    ['delete_node', { node_id: fact }],
    ['get_node_change_history', { node_id: fact }],
    ['mark_outdated', { fact_id: fact }],
    ['search', { query: secret }],
    ['search', { query: 'Vault', include_outdated: true }],
    ['find_similar', { fact_id: fact }],
    ['create_node', { text: 'A', links: [{ node_id: fact, relation_type: 'A' }] }],
    ['create_node', { text: 'The Vault is near' }],
    ['create_triplet', { subject: 'A', predicate: 'b', object_value: 'C', fact_id: fact }],
    ['search_triplets', {}],
    ['create_relation', { from_id: hidden, to_id: fact, relation_type: 'A' }],
    ['delete_relation', { from_id: fact, to_id: other }],
    ['get_context', { node_id: fact }],
    ['get_context', { node_id: hidden, depth: 3 }],
    ['get_trace', { from_id: fact, to_id: vault }],
    ['create_summary_fact', { fact_ids: [fact], summary_text: 'S' }],
    ['get_stats', {}],
    ['healthcheck', {}],
    ['export_database', {}],
    ['list_files', {}],
    ['import_database', { file }],
    ['forget', { fact, preview: false }],
  ];
  // What delete_thread reaches is in test/thread/directory.test.ts.
  const tools = TOOLSETS.flatMap((toolset) => toolset.tools).filter(
    ({ name, hasOwner }) => hasOwner && name !== 'delete_thread',
  );
  expect(new Set(attempts.map(([tool]) => tool))).toEqual(new Set(tools.map(({ name }) => name)));

  for (const [tool, input] of attempts) {
    const outcome = await memory.outcome(tool, { ...input, owner_id: 'bob' });

    const text = JSON.stringify(outcome);
    expect(`${tool}: ${text}`).not.toMatch(/vault opens|guard sleeps|"name":"Vault"/);
  }
  expect(await memory.query('SELECT * FROM change')).toEqual(before);
  expect(await ofBob.query("SELECT * FROM edge WHERE type = 'MENTIONS_ENTITY'")).toEqual([]);
});

test('no two owners share an object, and none has that of a thread', () => {
  const parts = ['a', 'b', 'a/b', 'default', '%2F', 'a%2Fb'];
  const addresses = parts.flatMap((threadId) =>
    [undefined, ...parts].map((owner) => ({ subject: 's', threadId, owner })),
  );

  expect(new Set(addresses.map(threadObjectName)).size).toBe(addresses.length);
});

test.each(['a b', 'a/b', '../x', 'ä', '', 'x'.repeat(129), 7, {}])(
  'the owner %j is refused and wakes no object',
  async (owner) => {
    await using memory = await openTestMemory();
    await memory.call('get_stats');
    const before = await listDurableObjectIds(env.THREAD);

    const error = await memory.fail('create_node', { text: 'It rains', owner_id: owner });

    expect(error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('only letters, digits and - _ @'),
    });
    expect(await listDurableObjectIds(env.THREAD)).toHaveLength(before.length);
  },
);

test.each(['bob', 'Bob_2@team-x', 'DEFAULT'])('%s is an owner', async (owner) => {
  await using memory = await openTestMemory();

  const { node } = await memory.call('create_node', { text: 'It rains', owner_id: owner });

  expect(node).toMatchObject({ id: 'mem_1', owner_id: owner });
  expect(await memory.query('SELECT * FROM fact')).toEqual([]);
});
