import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openThread } from '#test/open-thread.ts';
import { parseThreadId, threadObjectName } from '#thread/thread-address.ts';
import { cluster, entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';
import { draws } from '#test/draws.ts';

test('nothing lives only in memory: an eviction between two calls changes no answer', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada', 'Charles') });
  await memory.evict();
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  await memory.evict();
  await memory.call('update_observation', {
    entityName: 'Ada',
    observationId: entities[0].observations[0].id,
    newContent: 'Ada wrote the first program',
  });
  await memory.evict();
  await memory.call('save_memory', {
    entities: [entity('Bob', { relations: [relatesTo('Ada')] })],
  });
  await memory.evict();

  const found = await memory.call('search_nodes', { query: 'first program' });
  expect(found['entities'][0]).toMatchObject({
    name: 'Ada',
    observations: ['Ada wrote the first program'],
  });
  const { quality } = await memory.call('get_analytics');
  expect(quality).toMatchObject({ saves_accepted: 2, relation_coverage: 1 });
});

test('each call that changes something is one revision with its actor and tool', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('search_nodes', { query: 'Ada' });
  await memory.call('save_memory', { entities: [] });
  await memory.call('delete_entities', { entityNames: ['Ada'] });

  const revisions = await memory.query(
    'SELECT actor, tool, count(*) AS changes FROM revision JOIN change ON revision_id = revision.id GROUP BY revision.id',
  );

  expect(revisions).toEqual([
    { actor: 'tester', tool: 'save_memory', changes: 10 },
    { actor: 'tester', tool: 'delete_entities', changes: 6 },
  ]);
});

test('the history keeps the row before and the row after', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.call('save_memory', { entities: [entity('Ada', { entityType: 'Person' })] });

  const [change] = await memory.query(
    "SELECT before, after FROM change WHERE table_name = 'entity' AND before IS NOT NULL",
  );

  expect(JSON.parse(change?.['before'])).toMatchObject({ name: 'Ada', type: 'Thing' });
  expect(JSON.parse(change?.['after'])).toMatchObject({ name: 'Ada', type: 'Person' });
});

test('a call that fails half-way leaves nothing behind', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('Ada') });
  await memory.query(
    "CREATE TRIGGER poison BEFORE INSERT ON edge WHEN NEW.type = 'poison' BEGIN SELECT raise(ABORT, 'poisoned row: secret'); END",
  );
  const before = await memory.query('SELECT * FROM node');

  const error = await memory.fail('save_memory', {
    entities: [entity('Bob', { relations: [relatesTo('Ada'), relatesTo('Hub', 'poison')] })],
  });

  expect(error.code).toBe('internal');
  expect(error.message).toMatch(/^Internal error \(reference [0-9a-f]{8}\)\.$/);
  expect(JSON.stringify(error)).not.toContain('secret');
  expect(await memory.query('SELECT * FROM node')).toEqual(before);
  await memory.query('DROP TRIGGER poison');
});

test('a write outside a revision is refused by the database itself', async () => {
  await using memory = await openTestMemory();

  const write = memory.query(
    "INSERT INTO node (kind, created_at, updated_at) VALUES ('entity', 1, 1)",
  );

  await expect(write).rejects.toThrow(/NOT NULL constraint failed: change.revision_id/);
});

test('parallel saves to one thread all arrive', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: cluster('First') });

  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      memory.call('save_memory', { entities: [entity(`Parallel ${index}`)] }),
    ),
  );

  expect(await memory.call('list_entities', { limit: 1 })).toMatchObject({ total: 52 });
});

test('any sequence of writes keeps the invariants and agrees with a plain model', async () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D');
  const fact = fc.constantFrom('fact one', 'fact two', 'fact three');
  const command = fc.oneof(
    fc.record({
      tool: fc.constant('save' as const),
      name,
      facts: fc.array(fact, { minLength: 1, maxLength: 3 }),
      target: name,
    }),
    fc.record({ tool: fc.constant('delete' as const), name }),
    fc.record({ tool: fc.constant('unrelate' as const), name, target: name }),
    fc.record({ tool: fc.constant('forget' as const), name, fact }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
      await using memory = await openTestMemory();
      await memory.call('save_memory', {
        entities: [hub('Hub 2'), { ...hub('Hub'), name: 'Hub 2' }],
      });
      const facts = new Map([
        ['Hub', new Set(['Hub is worth remembering'])],
        ['Hub 2', new Set(['Hub is worth remembering'])],
      ]);
      const relations = new Set(['Hub>Hub 2', 'Hub 2>Hub']);
      for (const step of commands) {
        if (step.tool === 'save') {
          const target = step.target !== step.name && facts.has(step.target) ? step.target : 'Hub';
          await memory.call('save_memory', {
            entities: [
              entity(step.name, { observations: step.facts, relations: [relatesTo(target)] }),
            ],
          });
          facts.set(step.name, new Set([...(facts.get(step.name) ?? []), ...step.facts]));
          relations.add(`${step.name}>${target}`);
        } else if (step.tool === 'delete') {
          await memory.call('delete_entities', { entityNames: [step.name] });
          facts.delete(step.name);
          for (const key of relations)
            if (key.split('>').includes(step.name)) relations.delete(key);
        } else if (step.tool === 'unrelate') {
          const relation = { from: step.name, to: step.target, relationType: 'relates to' };
          await memory.call('delete_relations', { relations: [relation] });
          relations.delete(`${step.name}>${step.target}`);
        } else if (facts.has(step.name)) {
          await memory.call('delete_observations', {
            deletions: [{ entityName: step.name, observations: [step.fact] }],
          });
          facts.get(step.name)?.delete(step.fact);
        }
      }
      const graph = await memory.call('read_graph');
      expect(new Map(graph['entities'].map((e: any) => [e.name, new Set(e.observations)]))).toEqual(
        facts,
      );
      expect(new Set(graph['relations'].map((r: any) => `${r.from}>${r.to}`))).toEqual(relations);
    }),
    draws(8),
  );
});

test('two threads share nothing', async () => {
  await using one = await openTestMemory();
  await using other = await openTestMemory();

  await one.call('save_memory', { entities: cluster('Ada') });

  expect(await other.call('list_entities')).toMatchObject({ total: 0 });
  expect(await other.call('search_nodes', { query: 'Ada' })).toMatchObject({ entities: [] });
});

test('no two addresses share an object name', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('a', 'a/b', 'b', '%2F', '/'),
  );
  fc.assert(
    fc.property(part, part, part, part, (subject, threadId, otherSubject, otherThreadId) => {
      const same = subject === otherSubject && threadId === otherThreadId;
      const left = threadObjectName({ subject, threadId });
      const right = threadObjectName({ subject: otherSubject, threadId: otherThreadId });
      expect(left === right).toBe(same);
    }),
  );
});

test.each([
  'a',
  'portfolio-update-2026',
  '5f1c9e9e-0b1c-4c7e',
  'user:42',
  'проєкт.α',
  'x'.repeat(128),
])('%s is a threadId', (threadId) => {
  expect(parseThreadId(threadId)).toBe(threadId);
});

test.each([
  '',
  ' ',
  'a b',
  'a/b',
  '../x',
  '-a',
  'a\n',
  'a\u0000',
  'x'.repeat(129),
  '\ud83d',
  7,
  null,
  undefined,
])('%j is no threadId, and the error says what is', (threadId) => {
  expect(() => parseThreadId(threadId)).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      hint: expect.stringContaining('1-128 letters'),
    }),
  );
});

test('a tool that does not exist is an error and no crash', async () => {
  const call = openThread(env, { subject: 'test', threadId: 'unknown-tool' });

  expect(await call('nonsense', {}, { threadId: 'unknown-tool', actor: 'tester' })).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  });
});

test('a thread that cannot start is an answer without a word about its insides', async () => {
  const memory = await openTestMemory();
  await memory.query("UPDATE migration SET id = '0009_secret'");
  await memory.evict();

  const error = await memory.fail('read_graph');

  expect(error).toEqual({
    code: 'unavailable',
    message: expect.stringMatching(
      /^This thread cannot be opened by this version of the server \(reference [0-9a-f]{8}\)\.$/,
    ),
    hint: expect.stringContaining('Nothing in it was changed.'),
    faults: undefined,
  });
  expect(await memory.fail('health_check')).toMatchObject({ code: 'unavailable' });
  await memory.query("UPDATE migration SET id = '0001_initial'");
  await memory.evict();
  expect(await memory.call('read_graph')).toMatchObject({ entities: [] });
});

test('the log of a call never has a word of the memory', async () => {
  const lines: string[] = [];
  const log = console.log;
  console.log = (line: string) => void lines.push(line);
  try {
    await using memory = await openTestMemory();
    await memory.call('save_memory', { entities: cluster('Sesame secret') });
    await memory.call('search_nodes', { query: 'Sesame secret' });
    await memory.fail('update_observation', {
      entityName: 'Sesame',
      observationId: 'x',
      newContent: 'y',
    });
  } finally {
    console.log = log;
  }

  // Alarms of other threads may log too.
  const calls = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'tool_call');
  expect(calls).toHaveLength(3);
  expect(calls[0]).toMatchObject({
    tool: 'save_memory',
    outcome: 'ok',
    revision: 1,
    rowsWritten: expect.any(Number),
  });
  expect(lines.join('\n')).not.toContain('Sesame');
});

test('the object of a thread answers only tools, files, its health, its soundness, its tables and names', async () => {
  const stub = env.THREAD.getByName('methods');

  const methods = await runInDurableObject(stub, (instance) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(instance)),
  );

  expect(methods).toEqual([
    'constructor',
    'call',
    'exportPage',
    'stageImport',
    'applyImport',
    'dropImport',
    'backUp',
    'health',
    'verify',
    'dumpPage',
    'completeEntities',
    'alarm',
  ]);
});
