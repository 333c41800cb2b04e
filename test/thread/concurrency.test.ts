/** Calls that overlap: what comes of them is what comes of the same calls one after another. */
import { env } from 'cloudflare:workers';
import { runDurableObjectAlarm } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { threadObjectName } from '#thread/thread-address.ts';
import { GraphModel } from '#test/graph-model.ts';
import { graphOf, readGraph, writes, type Step } from '#test/graph-steps.ts';
import { call, inNewThread, type Call } from '#test/inner-thread.ts';
import { openTestMemory } from '#test/memory.ts';
import { draws } from '#test/draws.ts';

type Graph = ReturnType<typeof graphOf>;

/** What a call said: of a write whether it was accepted, of a read the graph. */
type Observed =
  | { readonly step: Step; readonly isAccepted: boolean }
  | { readonly step: undefined; readonly graph: Graph };

test('every history of parallel calls is explained by some order of the same calls', async () => {
  const parallel = fc.array(fc.oneof({ weight: 4, arbitrary: writes }, fc.constant(undefined)), {
    minLength: 3,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { maxLength: 4 }), parallel, async (before, together) => {
      await using memory = await openTestMemory();
      const stub = env.THREAD.getByName(
        threadObjectName({ subject: 'test', threadId: memory.threadId }),
      );
      const model = new GraphModel();
      for (const { tool, input, onModel } of before) {
        await memory.outcome(tool, input);
        onModel(model);
      }

      const observed = await Promise.all([
        ...together.map(async (step): Promise<Observed> => {
          if (step === undefined) return { step, graph: await readGraph(memory) };
          const outcome = await memory.outcome(step.tool, step.input);
          return { step, isAccepted: outcome.ok && !outcome.isFailure };
        }),
        runDurableObjectAlarm(stub).then(() => undefined),
      ]);

      const calls = observed.filter((one) => one !== undefined);
      expect(isExplained(model, calls, await readGraph(memory))).toBe(true);
    }),
    draws(12),
  );
});

/** Tries every order, as Wing and Gong do (1993), leaving one as soon as a call contradicts it. */
function isExplained(model: GraphModel, calls: readonly Observed[], last: Graph): boolean {
  if (calls.length === 0) return isSame(graphOf(model), last);
  return calls.some((call, index) => {
    const next = model.clone();
    if (!agrees(next, call)) return false;
    return isExplained(next, calls.toSpliced(index, 1), last);
  });
}

/** Does the call to the model, and tells whether the thread said the same. */
function agrees(model: GraphModel, call: Observed): boolean {
  if (call.step === undefined) return isSame(graphOf(model), call.graph);
  return call.step.onModel(model) === call.isAccepted;
}

function isSame(a: Graph, b: Graph): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

test('the search for an order finds none where a write was lost, or half of one was read', () => {
  const make = (name: string): Step => ({
    tool: 'create_entities',
    input: {},
    onModel: (model) =>
      model.createEntities([{ name, entityType: 'Person', observations: ['likes tea'] }]),
  });
  const wrote = (name: string): Observed => ({ step: make(name), isAccepted: true });
  const [none, ada, both] = [[], ['Ada'], ['Ada', 'Bob']].map((names) => {
    const model = new GraphModel();
    for (const name of names) make(name).onModel(model);
    return graphOf(model);
  }) as [Graph, Graph, Graph];
  const read = (graph: Graph): Observed => ({ step: undefined, graph });

  expect(isExplained(new GraphModel(), [wrote('Ada'), wrote('Bob'), read(ada)], both)).toBe(true);
  expect(isExplained(new GraphModel(), [wrote('Ada'), wrote('Bob')], ada)).toBe(false);
  expect(isExplained(new GraphModel(), [wrote('Ada'), read(none)], ada)).toBe(true);
  const half = { ...ada, entities: ada.entities.map((one) => ({ ...one, observations: [] })) };
  expect(isExplained(new GraphModel(), [wrote('Ada'), read(half)], ada)).toBe(false);
});

const saved = (name: string, observation: string, target: string) => ({
  name,
  entityType: 'Person',
  observations: [observation],
  relations: [{ targetEntity: target, relationType: 'knows' }],
});

/** Node ids from 1 on: Ada, Grace, then their facts, a free fact, and one more. */
const GIVEN: readonly Call[] = [
  call('save_memory', {
    entities: [saved('Ada', 'Likes tea', 'Grace'), saved('Grace', 'Likes rum', 'Ada')],
  }),
  call('store_memory', { content: 'The kettle is new' }),
  call('create_node', { text: 'The kettle is old' }),
];

/** Every way to write whose answer takes a vector: it embeds first, and so lets others in before it commits. */
const PAUSED: readonly Call[] = [
  call('store_memory', { content: 'The kettle is blue' }),
  call('create_node', {
    text: 'Ada bought a kettle',
    links: [{ node_id: 'ent_1', relation_type: 'ABOUT' }],
  }),
];

/** Every other way to write, which waits for no vector. */
const UNPAUSED: readonly Call[] = [
  call('save_memory', { entities: [saved('Cyd', 'Lives in Oslo', 'Ada')] }),
  call('create_entities', {
    entities: [{ name: 'Cyd', entityType: 'Person', observations: ['Sings'] }],
  }),
  call('upsert_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['Sings'] }],
  }),
  call('add_observations', {
    observations: [{ entityName: 'Ada', contents: ['Lives in Rome', 'Likes tea'] }],
  }),
  call('update_observation', {
    entityName: 'Ada',
    observationId: 'obs_3',
    newContent: 'Likes coffee',
  }),
  call('create_node', { text: 'Cyd', node_type: 'Entity' }),
  call('create_node', { text: 'Ada sings', auto_link: false }),
  call('update_node', { node_id: 'mem_6', text: 'The kettle is green' }),
  call('rename_entity', { entityName: 'Ada', newName: 'Ada Lovelace' }),
  call('create_triplet', { subject: 'Ada', predicate: 'mentors', object_value: 'Cyd' }),
  call('create_summary_fact', {
    summary_text: 'Kettles come and go',
    fact_ids: ['mem_5', 'mem_6'],
  }),
  call('add_memory', { prompt: 'What is new?', thought: 'The kettle.', response: 'It is blue.' }),
];

/** What others do meanwhile to the very same entities. */
const TO_ENTITIES: readonly Call[] = [
  call('delete_entities', { entityNames: ['Ada'] }),
  call('merge_entities', { source: 'Ada', target: 'Grace' }),
  call('delete_observations', {
    deletions: [{ entityName: 'Ada', observations: ['Likes tea'] }],
  }),
  call('update_observation', {
    entityName: 'Ada',
    observationId: 'obs_3',
    newContent: 'Likes water',
  }),
  call('save_memory', {
    entities: [saved('Cyd', 'Lives in Oslo', 'Ada'), saved('Ada', 'Lives in Rome', 'Cyd')],
  }),
  call('update_node', { node_id: 'ent_1', text: 'Cyd' }),
];

/** The same to facts that stand alone. */
const TO_FACTS: readonly Call[] = [
  call('delete_node', { node_id: 'mem_6' }),
  call('mark_outdated', { node_id: 'mem_5', reason: 'It broke' }),
  call('store_memory', { content: 'The kettle is blue' }),
];

test.each(PAUSED.map((one) => [`${one.tool} of ${JSON.stringify(one.input)}`, one] as const))(
  'what happens while %s waits for its vectors has happened before it',
  async (_, paused) => {
    const isOfFacts = /kettle/i.test(JSON.stringify(paused.input));
    const isOfEntities = /Ada|ent_1/.test(JSON.stringify(paused.input));
    const others = [...(isOfFacts ? TO_FACTS : []), ...(isOfEntities ? TO_ENTITIES : [])];
    for (const meanwhile of others.length > 0 ? others : TO_ENTITIES) {
      const overlapping = await inNewThread(async (thread) => {
        for (const given of GIVEN) await thread.run(given);
        const gate = thread.pauseNextEmbedding();
        const running = thread.run(paused);
        // A call that never embeds would make a test of nothing.
        expect(await Promise.race([gate.reached.then(() => 'waits'), running])).toBe('waits');
        const other = await thread.run(meanwhile);
        gate.open();
        return { other, one: await running, ...thread.dump() };
      });
      const serial = await inNewThread(async (thread) => {
        for (const given of GIVEN) await thread.run(given);
        const other = await thread.run(meanwhile);
        return { other, one: await thread.run(paused), ...thread.dump() };
      });

      expect({ meanwhile, ...overlapping }).toEqual({ meanwhile, ...serial });
    }
  },
);

test.each(UNPAUSED.map((one) => [`${one.tool} of ${JSON.stringify(one.input)}`, one] as const))(
  '%s is answered while the embedder answers nothing, and waits for its vectors by itself',
  async (_, write) => {
    await inNewThread(async (thread) => {
      for (const given of GIVEN) await thread.run(given);
      await thread.embedAll();
      const gate = thread.pauseNextEmbedding();

      const answered = await Promise.race([
        thread.run(write).then(({ code }) => code ?? 'answered'),
        gate.reached.then(() => 'waits'),
      ]);

      expect(answered).toBe('answered');
      expect(thread.countWaiting()).toBeGreaterThan(0);
      gate.open();
    });
  },
);
