import { expect, test } from 'vitest';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { addEntity, addFact, link, readable } from '#test/nodes.ts';

test('a fact is linked to the entities that it names, whatever their case and accents', async () => {
  await using memory = await openTestMemory();
  for (const name of ['Zoë Müller', 'Node.js', 'C++', 'Acme', '東京', 'Berlin']) {
    await addEntity(memory, name);
  }

  const fact = await addFact(
    memory,
    "ZOE MÜLLER's team at acme, in 東京支社, left node.js for C++.",
  );

  expect(await mentionsOf(memory, fact)).toEqual(['Zoë Müller', 'Acme', '東京', 'Node.js', 'C++']);
  expect(await memory.query('SELECT DISTINCT type, metadata FROM edge')).toEqual([
    { type: 'MENTIONS_ENTITY', metadata: '{"auto_linked":true}' },
  ]);
});

test('part of a word is no name, and a short name is meant only as it is written', async () => {
  await using memory = await openTestMemory();
  for (const name of ['IT', 'Art', 'May', 'A']) await addEntity(memory, name);

  const fact = await addFact(memory, 'It may start a party in May, says a man');

  expect(await mentionsOf(memory, fact)).toEqual(['May']);
});

test('at most ten entities are linked, those that are named first', async () => {
  await using memory = await openTestMemory();
  const names = Array.from(
    { length: 12 },
    (_, index) => `Project ${String.fromCharCode(65 + index)}`,
  );
  for (const name of names) await addEntity(memory, name);

  const fact = await addFact(memory, `These go on: ${names.join(', ')}`);

  expect(await mentionsOf(memory, fact)).toEqual(names.slice(0, 10));
});

test('an entity that is not named is linked when it is alike enough', async () => {
  await using memory = await openTestMemory();
  await addEntity(memory, 'veterinarian');
  await addEntity(memory, 'spreadsheet');
  await memory.embedAll();
  const text = 'The animal doctor looked after the sick dog';

  const strict = await addFact(memory, text);
  const loose = await addFact(memory, text, { semantic_threshold: 0.3 });
  const unlinked = await addFact(memory, text, { semantic_threshold: 0.3, auto_link: false });

  expect(await mentionsOf(memory, strict)).toEqual([]);
  expect(await mentionsOf(memory, loose)).toEqual(['veterinarian']);
  expect(await mentionsOf(memory, unlinked)).toEqual([]);
});

test('an entity is linked that stands behind many facts which are more alike', async () => {
  await using memory = await openTestMemory();
  await addEntity(memory, 'veterinarian');
  const text = 'The animal doctor looked after the sick dog';
  const first = await addFact(memory, text, { auto_link: false });
  await memory.embedAll();
  await memory.query(
    `INSERT INTO node (kind, created_at, updated_at)
     SELECT 'fact', 1, 1 FROM json_each('[' || substr(replace(hex(zeroblob(120)), '00', ',1'), 2) || ']')`,
  );
  await memory.query(
    `INSERT INTO vector SELECT node.id, model, scale, vector FROM node JOIN vector ON node_id = ?
     WHERE node.id > ?`,
    Number(first.slice(4)),
    Number(first.slice(4)),
  );
  await memory.query(
    `INSERT INTO fact (node_id, content, content_hash, is_atomic)
     SELECT id, ?, 1, 1 FROM node WHERE id NOT IN (SELECT node_id FROM fact) AND kind = 'fact'`,
    text,
  );

  const loose = await addFact(memory, text, { semantic_threshold: 0.3 });

  expect(await mentionsOf(memory, loose)).toEqual(['veterinarian']);
});

test('an entity that is not active is not linked', async () => {
  await using memory = await openTestMemory();
  await addEntity(memory, 'Acme', { status: 'outdated' });
  await addEntity(memory, 'Globex', { expires_at: 1 });

  const fact = await addFact(memory, 'Acme buys Globex');

  expect(await mentionsOf(memory, fact)).toEqual([]);
});

test('links that are asked for are made with the node', async () => {
  await using memory = await openTestMemory();
  const [acme, old] = [await addEntity(memory, 'Acme'), await addFact(memory, 'It rains')];

  const fact = await addFact(memory, 'The sun shines', {
    links: [
      { node_id: acme, node_type: 'Entity', relation_type: 'DESCRIBES' },
      { node_id: old, node_type: 'Fact', relation_type: 'CONTRADICTS' },
      { node_id: old, node_type: 'Fact', relation_type: 'FOLLOWS_FROM' },
    ],
  });

  const { edges } = await memory.call('get_context', { node_id: fact });
  expect(readable(edges)).toEqual([
    `${fact} DESCRIBES ${acme}`,
    `${fact} CONTRADICTS ${old}`,
    `${fact} FOLLOWS_FROM ${old}`,
  ]);
});

test('one bad link of many, and nothing is written', async () => {
  await using memory = await openTestMemory();
  const acme = await addEntity(memory, 'Acme');
  const revisions = await memory.query('SELECT * FROM revision');

  for (const node_type of ['Fact', 'Entity']) {
    const error = await memory.fail('create_node', {
      text: 'The sun shines',
      node_type,
      links: [
        { node_id: acme, node_type: 'Entity', relation_type: 'DESCRIBES' },
        { node_id: 'mem_9', relation_type: 'DESCRIBES' },
        { node_id: acme, node_type: 'Fact', relation_type: 'DESCRIBES' },
        { node_id: acme, relation_type: 'is about' },
      ],
    });

    expect(error).toMatchObject({
      code: 'invalid_input',
      message: [
        "links[1]: No node 'mem_9' in this memory",
        "links[2]: 'ent_1' is no Fact but an entity (open_nodes shows it by its name, get_node by its id; update_node changes it)",
        "links[3]: Invalid relation_type 'is about' (only letters, digits and _, 1-50 chars)",
      ].join('; '),
    });
  }
  expect(await memory.query('SELECT * FROM revision')).toEqual(revisions);
});

test('an entity that exists gains the links', async () => {
  await using memory = await openTestMemory();
  const [acme, globex] = [await addEntity(memory, 'Acme'), await addEntity(memory, 'Globex')];

  await addEntity(memory, 'Acme', { links: [{ node_id: globex, relation_type: 'OWNS' }] });

  expect(await memory.call('search_relations')).toMatchObject({
    relations: [{ from: 'Acme', relationType: 'OWNS', to: 'Globex' }],
  });
  expect(acme).toBe('ent_1');
});

test('a relation is made once, with its properties', async () => {
  await using memory = await openTestMemory();
  const [one, two] = [await addFact(memory, 'One'), await addFact(memory, 'Two')];
  const relation = { from_id: one, to_id: two, relation_type: 'FOLLOWS_FROM' };

  const first = await memory.call('create_relation', { ...relation, properties: { weight: 2 } });
  const again = await memory.call('create_relation', { ...relation, properties: { weight: 3 } });

  expect(first).toEqual({ success: true, relation_type: 'FOLLOWS_FROM' });
  expect(again).toMatchObject({ note: 'The relation exists and was left as it is.' });
  const { edges } = await memory.call('get_context', { node_id: one });
  expect(edges).toEqual([{ ...relation, metadata: { weight: 2 } }]);
});

test('a relation to nothing is refused and names every end that is missing', async () => {
  await using memory = await openTestMemory();
  await addFact(memory, 'One');

  const error = await memory.fail('create_relation', {
    from_id: 'mem_8',
    to_id: 'mem_9',
    relation_type: 'LEADS TO',
  });

  expect(error).toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(/Invalid relation_type 'LEADS TO'.*'mem_8'.*'mem_9'/),
  });
});

test('relations are deleted by type or all together, in one direction', async () => {
  await using memory = await openTestMemory();
  const [one, two] = [await addFact(memory, 'One'), await addFact(memory, 'Two')];
  for (const type of ['A', 'B', 'C']) await link(memory, one, two, type);
  await link(memory, two, one, 'A');

  await memory.call('delete_relation', { from_id: one, to_id: two, relation_type: 'A' });
  expect(await edgesAround(memory, one)).toEqual([
    'mem_1 B mem_2',
    'mem_1 C mem_2',
    'mem_2 A mem_1',
  ]);

  await memory.call('delete_relation', { from_id: one, to_id: two });
  expect(await edgesAround(memory, one)).toEqual(['mem_2 A mem_1']);

  const error = await memory.fail('delete_relation', { from_id: one, to_id: two });
  expect(error).toMatchObject({
    code: 'not_found',
    message: "No relation from 'mem_1' to 'mem_2'.",
  });
});

test('a triplet creates both entities, or uses those that exist, and is there once', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', { entities: [{ name: 'Ada', entityType: 'Person' }] });
  const triplet = { subject: ' Ada ', predicate: 'works at', object_value: 'Acme' };

  const first = await memory.call('create_triplet', { ...triplet, metadata: { since: 1840 } });
  const again = await memory.call('create_triplet', triplet);

  expect(first['triplet']).toEqual({
    subject: 'Ada',
    predicate: 'works at',
    object_value: 'Acme',
    subject_id: 'ent_1',
    object_id: 'ent_2',
    metadata: { since: 1840 },
    created_at: expect.any(Number),
  });
  expect(again).toEqual({ ...first, note: 'The triplet exists and was left as it is.' });
  expect(await memory.query('SELECT name, type FROM entity')).toEqual([
    { name: 'Ada', type: 'Person' },
    { name: 'Acme', type: 'Entity' },
  ]);
});

test('the fact of a triplet is linked to both of its entities', async () => {
  await using memory = await openTestMemory();
  const fact = await addFact(memory, 'She joined them in spring');

  await memory.call('create_triplet', {
    subject: 'Ada',
    predicate: 'joined',
    object_value: 'Acme',
    fact_id: fact,
  });

  expect(await mentionsOf(memory, fact)).toEqual(['Ada', 'Acme']);
});

test('a fact changes when a triplet is linked to it, and only then', async () => {
  await using memory = await openTestMemory();
  const fact_id = await addFact(memory, 'She joined the firm', { auto_link: false });
  const triplet = { subject: 'Ada', predicate: 'works_at', object_value: 'Acme', fact_id };
  const changedAt = async () => {
    await memory.query('UPDATE node SET updated_at = 1');
    await memory.call('create_triplet', triplet);
    return (await memory.call('get_node', { node_id: fact_id }))['node'].updated_at;
  };

  expect(await changedAt()).toBeGreaterThan(1);
  expect(await changedAt()).toBe(1);
});

test.each(['mem_9', 'ent_1'])('a triplet of %s, which is no fact, changes nothing', async (id) => {
  await using memory = await openTestMemory();
  await addEntity(memory, 'Ada');

  const error = await memory.fail('create_triplet', {
    subject: 'Ada',
    predicate: 'joined',
    object_value: 'Acme',
    fact_id: id,
  });

  expect(error).toMatchObject({
    code: 'invalid_input',
    message: `No fact '${id}' in this memory.`,
  });
  expect(await memory.query('SELECT name FROM entity')).toEqual([{ name: 'Ada' }]);
});

test('triplets are found by either end and by the predicate', async () => {
  await using memory = await openTestMemory();
  for (const [subject, predicate, object_value] of [
    ['Ada', 'knows', 'Bob'],
    ['Bob', 'knows', 'Cem'],
    ['Ada', 'likes', 'Cem'],
  ]) {
    await memory.call('create_triplet', { subject, predicate, object_value });
  }
  const find = async (filter: Record<string, unknown>) => {
    const { triplets } = await memory.call('search_triplets', filter);
    return triplets.map((t: any) => `${t.subject} ${t.predicate} ${t.object_value}`);
  };

  expect(await find({})).toEqual(['Ada knows Bob', 'Ada likes Cem', 'Bob knows Cem']);
  expect(await find({ subject: 'ADA' })).toEqual(['Ada knows Bob', 'Ada likes Cem']);
  expect(await find({ object_value: 'Cem' })).toEqual(['Ada likes Cem', 'Bob knows Cem']);
  expect(await find({ predicate: 'knows' })).toEqual(['Ada knows Bob', 'Bob knows Cem']);
  expect(await find({ subject: 'Ada', predicate: 'likes', object_value: 'Cem' })).toHaveLength(1);
  expect(await find({ subject: 'Ghost' })).toEqual([]);
  expect(await memory.call('search_triplets', { limit: 2 })).toMatchObject({
    triplets: [{}, {}],
    note: expect.stringContaining('There are more'),
  });
});

test('a summary is a fact linked to those that it sums up', async () => {
  await using memory = await openTestMemory();
  const facts = [await addFact(memory, 'It rained'), await addFact(memory, 'It snowed')];

  const { node } = await memory.call('create_summary_fact', {
    fact_ids: [...facts, ...facts],
    summary_text: 'The weather was bad',
  });

  expect(node).toMatchObject({ id: 'mem_3', node_type: 'Fact', text: 'The weather was bad' });
  expect(await edgesAround(memory, 'mem_3')).toEqual([
    'mem_3 SUMMARIZES mem_1',
    'mem_3 SUMMARIZES mem_2',
  ]);
});

test('a summary of what is missing or no fact is not stored', async () => {
  await using memory = await openTestMemory();
  await addFact(memory, 'It rained');
  await addEntity(memory, 'Ada');

  const error = await memory.fail('create_summary_fact', {
    fact_ids: ['mem_1', 'ent_2', 'mem_9'],
    summary_text: 'The weather was bad',
  });

  expect(error).toMatchObject({
    code: 'invalid_input',
    message:
      "fact_ids[1]: 'ent_2' is no Fact but an entity (open_nodes shows it by its name, get_node by its id; update_node changes it); fact_ids[2]: No node 'mem_9' in this memory",
  });
  expect(await memory.query('SELECT * FROM fact')).toHaveLength(1);
});

test('the context of a node is what is near, nearest first, with the edges among it', async () => {
  await using memory = await openTestMemory();
  const ids: string[] = [];
  for (const text of ['Zero', 'One', 'Two', 'Three', 'Four']) ids.push(await addFact(memory, text));
  const [zero = '', one = '', two = '', three = '', four = ''] = ids;
  await link(memory, three, two);
  await link(memory, three, four);
  await link(memory, one, zero);
  await link(memory, one, two);
  await link(memory, two, zero, 'CLOSES');

  const contextOf = async (input: Record<string, unknown>) => {
    const { nodes, edges } = await memory.call('get_context', { node_id: zero, ...input });
    return [nodes.map(({ id }: any) => id), readable(edges).toSorted()];
  };

  expect(await contextOf({})).toEqual([
    [zero, one, two],
    [`${one} RELATED_TO ${zero}`, `${one} RELATED_TO ${two}`, `${two} CLOSES ${zero}`],
  ]);
  expect((await contextOf({ depth: 2 }))[0]).toEqual([zero, one, two, three]);
  expect((await contextOf({ depth: 9 }))[0]).toEqual([zero, one, two, three, four]);
  expect((await contextOf({ depth: 0 }))[0]).toEqual([zero]);
  expect(await contextOf({ depth: 3, max_nodes: 2 })).toEqual([
    [zero, one],
    [`${one} RELATED_TO ${zero}`],
  ]);
});

test('a context stops at three links and at fifty nodes, whatever is asked for', async () => {
  await using memory = await openTestMemory();
  const chain: string[] = [];
  for (const text of ['Zero', 'One', 'Two', 'Three', 'Four'])
    chain.push(await addFact(memory, text));
  for (const [index, id] of chain.slice(1).entries()) await link(memory, chain[index] ?? '', id);
  const hub = await addEntity(memory, 'Hub');
  for (let index = 0; index < 55; index += 1) await addFact(memory, `Hub has part ${index}`);

  const far = await memory.call('get_context', { node_id: chain[0], depth: 9 });
  const wide = await memory.call('get_context', { node_id: hub, max_nodes: 1_000 });
  const usual = await memory.call('get_context', { node_id: hub });

  expect(far['nodes'].map(({ id }: any) => id)).toEqual(chain.slice(0, 4));
  expect(wide).toMatchObject({ note: expect.stringContaining('There is more') });
  expect([wide['nodes'].length, usual['nodes'].length]).toEqual([50, 20]);
});

test('the facts about an entity are its context, behind what it is linked to', async () => {
  await using memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Likes engines'] }],
  });
  await memory.call('create_triplet', { subject: 'Ada', predicate: 'knows', object_value: 'Bob' });

  const { nodes, edges } = await memory.call('get_context', { node_id: 'ent_1' });

  expect(nodes.map(({ text }: any) => text)).toEqual(['Ada', 'Bob', 'Likes engines']);
  expect(readable(edges)).toEqual(['ent_1 knows ent_3', 'obs_2 DESCRIBES ent_1']);
});

test('long texts are left out of a context and said to be', async () => {
  await using memory = await openTestMemory();
  const first = await addFact(memory, 'a'.repeat(10_000));
  for (const letter of ['b', 'c', 'd']) {
    await link(memory, first, await addFact(memory, letter.repeat(10_000)));
  }

  const { nodes, note } = await memory.call('get_context', { node_id: first });

  expect(nodes).toHaveLength(2);
  expect(note).toContain('There is more');
});

test('a trace is the shortest paths along the direction of the links', async () => {
  await using memory = await openTestMemory();
  const ids: string[] = [];
  for (const text of ['A', 'B', 'C', 'D']) ids.push(await addFact(memory, text));
  const [a = '', b = '', c = '', d = ''] = ids;
  for (const [from, to] of [
    [a, b],
    [b, d],
    [a, c],
    [c, d],
    [b, c],
    [d, a],
  ]) {
    await link(memory, from ?? '', to ?? '');
  }
  const trace = async (input: Record<string, unknown>) => {
    const { paths } = await memory.call('get_trace', input);
    return paths.map(({ nodes }: any) => nodes.map(({ text }: any) => text).join('')).toSorted();
  };

  expect(await trace({ from_id: a, to_id: d })).toEqual(['ABCD', 'ABD', 'ACD']);
  expect(await trace({ from_id: a, to_id: d, max_paths: 2 })).toEqual(['ABD', 'ACD']);
  expect(await trace({ from_id: d, to_id: b })).toEqual(['DAB']);
  expect(await trace({ from_id: c, to_id: b })).toEqual(['CDAB']);
  expect(await trace({ from_id: a, to_id: a })).toEqual(['A']);
});

test('a trace to a neighbour does not read what is far away', async () => {
  await using memory = await openTestMemory();
  for (const name of ['Start', 'End', 'Far']) await addEntity(memory, name);
  await link(memory, 'ent_1', 'ent_2');
  await link(memory, 'ent_2', 'ent_3');
  const asked = { from_id: 'ent_1', to_id: 'ent_2', max_paths: 1 };
  const alone = await memory.measure('get_trace', asked);
  for (let count = 0; count < 20; count += 1) {
    await link(memory, 'ent_3', await addEntity(memory, `Further ${count}`));
  }

  const beside = await memory.measure('get_trace', asked);
  const { paths, note } = await memory.call('get_trace', asked);
  const all = await memory.call('get_trace', { ...asked, max_paths: 5 });

  expect(beside.rowsRead).toBeLessThanOrEqual(alone.rowsRead + 1);
  expect(paths).toEqual(all['paths']);
  expect(note).toContain('There may be more paths');
  expect(all).not.toHaveProperty('note');
});

test('a trace finds a path of sixteen links, and none of seventeen', async () => {
  await using memory = await openTestMemory();
  for (let place = 0; place <= 17; place += 1) await addEntity(memory, `Stop ${place}`);
  for (let place = 1; place <= 17; place += 1) {
    await link(memory, `ent_${place}`, `ent_${place + 1}`);
  }

  const near = await memory.call('get_trace', { from_id: 'ent_1', to_id: 'ent_17' });
  const far = await memory.call('get_trace', { from_id: 'ent_1', to_id: 'ent_18' });

  expect(near['paths'].map(({ edges }: any) => edges.length)).toEqual([16]);
  expect(far['paths']).toEqual([]);
});

test('paths with much metadata are left out of a trace and said to be', async () => {
  await using memory = await openTestMemory();
  const [from, to] = [await addEntity(memory, 'Start'), await addEntity(memory, 'End')];
  await link(memory, from, to);
  const properties = { text: 'x'.repeat(15_000) };
  for (const name of ['One', 'Two']) {
    const between = await addEntity(memory, name);
    const type = { relation_type: 'LEADS_TO', properties };
    await memory.call('create_relation', { from_id: from, to_id: between, ...type });
    await memory.call('create_relation', { from_id: between, to_id: to, ...type });
  }

  const { paths, note } = await memory.call('get_trace', { from_id: from, to_id: to });

  expect(paths.map(({ edges }: any) => edges.length)).toEqual([1]);
  expect(note).toBe('Longer paths would make this too long.');
});

test('triplets are found without reading what facts mention', async () => {
  await using memory = await openTestMemory();
  await addFact(memory, 'The first fact');
  await memory.call('create_triplet', { subject: 'Ada', predicate: 'is', object_value: 'Ada' });
  const alone = await memory.measure('search_triplets', {});
  for (let count = 0; count < 20; count += 1) await addFact(memory, 'Ada again', { links: [] });
  await memory.query(
    `INSERT OR IGNORE INTO edge (from_id, to_id, type, created_at)
     SELECT node_id, 2, 'MENTIONS_ENTITY', 1 FROM fact`,
  );

  const beside = await memory.measure('search_triplets', {});

  expect(beside.rowsRead).toBeLessThanOrEqual(alone.rowsRead + 1);
});

test('where no links lead there is no path, and a node on the way that is outdated is none', async () => {
  await using memory = await openTestMemory();
  const ids: string[] = [];
  for (const text of ['A', 'B', 'C']) ids.push(await addFact(memory, text));
  const [a = '', b = '', c = ''] = ids;
  await link(memory, a, b);
  await link(memory, b, c);
  const trace = (from_id: string, to_id: string) => memory.call('get_trace', { from_id, to_id });
  expect((await trace(a, c))['paths'][0].edges).toEqual([
    { from_id: a, to_id: b, relation_type: 'RELATED_TO', metadata: {} },
    { from_id: b, to_id: c, relation_type: 'RELATED_TO', metadata: {} },
  ]);

  expect(await trace(c, a)).toEqual({ success: true, paths: [] });
  await memory.call('mark_outdated', { fact_id: b });
  expect(await trace(a, c)).toEqual({ success: true, paths: [] });
});

async function mentionsOf(memory: TestMemory, factId: string): Promise<string[]> {
  const rows = await memory.query<{ name: string }>(
    `SELECT name FROM edge JOIN entity ON node_id = to_id
     WHERE edge.type = 'MENTIONS_ENTITY' AND from_id = ?
     ORDER BY (SELECT min(seq) FROM change WHERE table_name = 'edge'
       AND row_key = json_array(from_id, to_id, edge.type))`,
    Number(factId.replace('mem_', '')),
  );
  return rows.map(({ name }) => name);
}

async function edgesAround(memory: TestMemory, node_id: string): Promise<string[]> {
  return readable((await memory.call('get_context', { node_id }))['edges']).toSorted();
}
