/** What one toolset writes, the others read: for each of them with `nodes`, in both directions. */
import { expect, test } from 'vitest';
import { entity, hub } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';
import { addEntity, addFact, link, readable } from '#test/nodes.ts';

test('core reads what nodes wrote', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_triplet', {
    subject: 'Ada',
    predicate: 'works at',
    object_value: 'Acme',
  });
  await addFact(memory, 'Acme moves its office to Lisbon');

  expect(await memory.call('open_nodes', { names: ['Ada'] })).toMatchObject({
    entities: [{ name: 'Ada', entityType: 'Entity' }],
    relations: [{ from: 'Ada', to: 'Acme', relationType: 'works at' }],
  });
  expect(await memory.call('search_nodes', { query: 'Acme' })).toMatchObject({
    entities: [{ name: 'Acme' }, { name: 'Ada' }],
  });
  expect(await memory.call('read_graph')).toMatchObject({ total: { entities: 2, relations: 1 } });
  const { ids, text } = await memory.call('recall', { query: 'Where does the office move?' });
  expect(ids).toEqual(['mem_3']);
  expect(text).toContain('Acme moves its office to Lisbon');
});

test('nodes reads what core wrote', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', {
    entities: [hub('Ada'), entity('Ada', { observations: ['Builds engines in London'] })],
  });

  const { results } = await memory.call('search', { query: 'engines', node_types: ['Fact'] });
  expect(results[0]).toMatchObject({ text: 'Builds engines in London', node_type: 'Fact' });
  expect(await memory.call('get_node', { node_id: results[0].id })).toMatchObject({
    node: { entity_id: 'ent_2', source: 'mcp', metadata: {} },
  });
  expect(await memory.call('search_triplets', { subject: 'Ada' })).toMatchObject({
    triplets: [{ subject: 'Ada', object_value: 'Hub' }],
  });
  const { edges } = await memory.call('get_context', { node_id: 'ent_2' });
  expect(readable(edges).toSorted()).toEqual([
    'ent_1 has ent_2',
    'ent_2 belongs to ent_1',
    `${results[0].id} DESCRIBES ent_2`,
  ]);
});

test('graph reads what nodes wrote', async () => {
  await using memory = await openTestMemory();
  const [ada, acme] = [await addEntity(memory, 'Ada'), await addEntity(memory, 'Acme')];
  await link(memory, ada, acme, 'WORKS_AT');
  await addFact(memory, 'Ada leads Acme');

  expect(await memory.call('describe_entity', { name: 'Ada' })).toMatchObject({
    relations: [{ from: 'Ada', to: 'Acme', relationType: 'WORKS_AT' }],
  });
  expect(await memory.call('find_path', { from: 'Ada', to: 'Acme' })).toEqual({
    path: ['Ada', 'Acme'],
  });
  // An edge between a fact and an entity is no relation.
  expect(await memory.call('graph_stats')).toMatchObject({ entities: 2, relations: 1 });
  expect(await memory.call('search_relations')).toMatchObject({ relations: [{}] });
});

test('nodes reads what graph wrote', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [
      { name: 'Ada', entityType: 'person', observations: ['Likes coffee'] },
      { name: 'Acme', entityType: 'company' },
    ],
  });
  await memory.call('create_relations', {
    relations: [{ from: 'Ada', to: 'Acme', relationType: 'works at' }],
  });

  expect(await memory.call('get_node', { node_id: 'ent_1' })).toMatchObject({
    node: { name: 'Ada', type: 'person' },
  });
  const { paths } = await memory.call('get_trace', { from_id: 'obs_2', to_id: 'ent_3' });
  expect(paths.map(({ edges }: any) => readable(edges))).toEqual([
    ['obs_2 DESCRIBES ent_1', 'ent_1 works at ent_3'],
  ]);
  const fact = await addFact(memory, 'Ada has left');
  const { edges } = await memory.call('get_context', { node_id: fact });
  expect(readable(edges)).toEqual([`${fact} MENTIONS_ENTITY ent_1`]);
  await memory.call('delete_relation', {
    from_id: 'ent_1',
    to_id: 'ent_3',
    relation_type: 'works at',
  });
  expect(await memory.call('search_relations')).toMatchObject({ relations: [] });
});

test('memories reads what nodes wrote', async () => {
  await using memory = await openTestMemory();
  const id = await addFact(memory, 'The user lives in Austin', { source: 'mail' });

  expect(await memory.call('search_memories', { query: 'Austin' })).toMatchObject({
    memories: [{ id, content: 'The user lives in Austin', source: 'extracted' }],
  });
  const { similar } = await memory.call('store_memory', {
    content: 'The user lives in Austin, Texas',
  });
  expect(similar).toMatchObject([{ id }]);
});

test('nodes reads what memories wrote', async () => {
  await using memory = await openTestMemory();
  const { created } = await memory.call('store_memory', {
    content: 'The user lives in Austin',
    source: 'explicit',
  });

  expect(await memory.call('get_node', { node_id: created.id })).toMatchObject({
    node: { node_type: 'Fact', text: 'The user lives in Austin', source: 'explicit' },
  });
  expect(await memory.call('search', { query: 'Austin' })).toMatchObject({
    facts: [{ id: created.id }],
  });
  await memory.call('mark_outdated', { fact_id: created.id });
  expect(await memory.call('search_memories', { query: 'Austin' })).toEqual({
    memories: [],
    closeness: 'none',
  });
});

test('merging and deleting entities elsewhere leaves nodes that hold together', async () => {
  await using memory = await openTestMemory();
  const [ada, lovelace] = [await addEntity(memory, 'Ada'), await addEntity(memory, 'Lovelace')];
  const fact = await addFact(memory, 'Lovelace wrote the first program');
  await memory.call('update_node', { node_id: lovelace, entity_type: 'x', versioning: true });

  await memory.call('merge_entities', { source: 'Lovelace', target: 'Ada' });

  const { edges } = await memory.call('get_context', { node_id: fact });
  expect(edges).toEqual([
    {
      from_id: fact,
      to_id: ada,
      relation_type: 'MENTIONS_ENTITY',
      metadata: { auto_linked: true },
    },
  ]);
  await memory.call('delete_entities', { entityNames: ['Ada'] });
  expect(await memory.call('get_context', { node_id: fact })).toMatchObject({
    nodes: [{ id: fact }],
    edges: [],
  });
});
