/** Each id that a tool returns is taken by every tool that takes ids, or refused with what it is and what takes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adviseOnId } from '#graph/id-advice.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { findTool, TOOLSETS } from '#tools/catalog.ts';
import type { JsonSchema } from '#tools/json-schema.ts';

type Kind = 'entity' | 'observation' | 'memory' | 'turn' | 'summary';
type Ids = Readonly<Record<Kind, string>>;

/** How each tool is called with an id, and the kinds that it takes. */
interface Use {
  readonly takes: readonly Kind[];
  input(id: string, ids: Ids): Record<string, unknown>;
}

const FACTS: readonly Kind[] = ['observation', 'memory'];
const NODES: readonly Kind[] = ['entity', ...FACTS];
const ALL: readonly Kind[] = [...NODES, 'turn', 'summary'];

const node = (takes: readonly Kind[], more: Record<string, unknown> = {}): Use => ({
  takes,
  input: (id) => ({ node_id: id, ...more }),
});

const USES: Readonly<Record<string, Use | readonly Use[]>> = {
  get_node: node(ALL),
  delete_node: node(ALL),
  update_node: node(NODES, { source: 'a letter' }),
  get_node_change_history: node(NODES),
  get_context: node(NODES),
  get_trace: [
    { takes: NODES, input: (id, ids) => ({ from_id: id, to_id: ids.memory }) },
    { takes: NODES, input: (id, ids) => ({ from_id: ids.memory, to_id: id }) },
  ],
  find_similar: { takes: FACTS, input: (id) => ({ fact_id: id }) },
  mark_outdated: { takes: FACTS, input: (id) => ({ fact_id: id }) },
  create_relation: [
    {
      takes: NODES,
      input: (id, ids) => ({ from_id: id, to_id: ids.memory, relation_type: 'backs' }),
    },
    {
      takes: NODES,
      input: (id, ids) => ({ from_id: ids.memory, to_id: id, relation_type: 'backs' }),
    },
  ],
  // What is there is unlinked: that there is no such link is another refusal.
  delete_relation: { takes: [], input: (id, ids) => ({ from_id: ids.memory, to_id: id }) },
  create_summary_fact: {
    takes: FACTS,
    input: (id) => ({ fact_ids: [id], summary_text: 'All in all it rains' }),
  },
  create_node: {
    takes: NODES,
    input: (id) => ({
      text: 'It rains again',
      links: [{ node_id: id, relation_type: 'repeats' }],
    }),
  },
  create_triplet: {
    takes: FACTS,
    input: (id) => ({ subject: 'Ada', predicate: 'knows', object_value: 'Bob', fact_id: id }),
  },
  update_observation: {
    takes: ['observation'],
    input: (id) => ({ entityName: 'Ada', observationId: id, newContent: 'likes coffee' }),
  },
  get_observation_history: {
    takes: ['observation'],
    input: (id) => ({ entityName: 'Ada', observationId: id }),
  },
  add_observations: {
    takes: ['observation'],
    input: (id) => ({
      observations: [{ entityName: 'Ada', contents: [{ content: 'likes cocoa', supersedes: id }] }],
    }),
  },
  delete_observations: {
    takes: ['observation'],
    input: (id) => ({ deletions: [{ entityName: 'Ada', observations: [id] }] }),
  },
  // Without `preview: false` it shows what would go.
  forget: [
    { takes: ['entity'], input: (id) => ({ entity: id }) },
    { takes: FACTS, input: (id) => ({ fact: id }) },
    { takes: ['turn'], input: (id) => ({ turn: id }) },
  ],
  supersede_memory: {
    takes: ['memory'],
    input: (id, ids) => ({ old_memory_id: ids.observation, new_memory_id: id }),
  },
  save_memory: {
    takes: ['turn'],
    input: (id) => ({
      source: id,
      entities: [
        {
          name: 'Cyd',
          entityType: 'Person',
          observations: ['Cyd is here'],
          relations: [{ targetEntity: 'Ada', relationType: 'knows' }],
        },
      ],
    }),
  },
};

/** Ids that are no nodes', and texts. */
const OTHER_FIELDS = new Set(['threadId', 'owner_id', 'sessionId', 'session_id', 'source_id']);

interface Opened {
  readonly memory: TestMemory;
  readonly ids: Ids;
}

/** For the calls that change nothing: those that read, and those that are refused. */
let unchanged: Opened;
beforeAll(async () => {
  unchanged = await openThread();
});
afterAll(() => unchanged.memory[Symbol.asyncDispose]());

async function openThread(): Promise<Opened> {
  const memory = await openTestMemory();
  await memory.call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'Person', observations: ['likes tea'] }],
  });
  const stored = await memory.call('store_memory', { content: 'It rains in Porto' });
  const turn = await memory.call('add_memory', {
    sessionId: 's1',
    prompt: 'Why does it rain?',
    thought: 'Clouds.',
    response: 'Because of the clouds.',
  });
  await memory.call('summarize_sessions');
  const { summaries } = await memory.call('get_all_summaries');
  const { entities } = await memory.call('open_nodes', { names: ['Ada'], detail: 'full' });
  return {
    memory,
    ids: {
      entity: entities[0].id,
      observation: entities[0].observations[0].id,
      memory: stored['created'].id,
      turn: turn['id'] ?? turn['memory'].id,
      summary: summaries[0].id,
    },
  };
}

test('every tool that takes an id of a node is tried here', () => {
  const takers = TOOLSETS.flatMap(({ tools }) => tools)
    .filter(({ inputSchema }) => takesId(inputSchema))
    .map(({ name }) => name);

  expect(takers.filter((name) => !Object.hasOwn(USES, name))).toEqual([]);
});

const cases = Object.entries(USES).flatMap(([tool, uses]) =>
  [uses].flat().flatMap((use, index) => ALL.map((kind) => [tool, kind, index, use] as const)),
);

test.each(cases)(
  '%s takes the id of kind %s, or says what does (%i)',
  async (...[tool, kind, , use]) => {
    const isTaken = use.takes.includes(kind);
    const isChange = isTaken && findTool(tool)?.effect !== 'read';
    const { memory, ids } = isChange ? await openThread() : unchanged;
    await using _ = isChange ? memory : undefined;
    const id = ids[kind];

    const outcome = await memory.outcome(tool, use.input(id, ids));

    const text = JSON.stringify(outcome);
    if (isTaken) {
      expect(text).toMatch(/^\{"ok":true/);
      expect(text).not.toContain('"notFound":["');
    } else if (!(tool === 'delete_relation' && NODES.includes(kind)) && !isOwnRefusal(tool, kind)) {
      const [, tools] = adviseOnId(id, [])?.replace(/\.$/, '').split(': ') ?? [];
      expect(text).toContain(`'${id}' is`);
      expect(text).toContain(tools);
    }
  },
);

/** Two facts about different things cannot follow each other; that is said of them, and not of their ids. */
function isOwnRefusal(tool: string, kind: Kind): boolean {
  return tool === 'supersede_memory' && kind === 'observation';
}

test.each(['turn', 'summary'] as const)('a %s is read by its id', async (kind) => {
  const { memory, ids } = await openThread();
  await using _ = memory;

  const { node: found } = await memory.call('get_node', { node_id: ids[kind] });

  expect(found).toMatchObject({ id: ids[kind], session_id: 's1' });
  expect(found.text).toContain('Why does it rain');
  if (kind === 'turn') expect(found.text).toContain('Clouds.\nBecause of the clouds.');
});

test('a long turn is read in part, and the answer says where it is whole', async () => {
  await using memory = await openTestMemory();
  const turn = { prompt: 'x'.repeat(20_000), thought: 'y', response: 'z' };
  const logged = await memory.call('add_memory', { sessionId: 's1', ...turn });

  const { node: found, note } = await memory.call('get_node', {
    node_id: logged['id'] ?? logged['memory'].id,
  });

  expect(found.text.length).toBeLessThan(10_000);
  expect(note).toContain("get_session_memories with sessionId 's1'");
});

test('a deleted turn is in no list and no search, and an undo brings it back', async () => {
  const { memory, ids } = await openThread();
  await using _ = memory;
  await memory.embedAll();
  const shown = async () => {
    const { memories } = await memory.call('get_session_memories', { sessionId: 's1' });
    const found = await memory.call('query_raw_memories', { query: 'clouds rain' });
    return [memories.length, found['memories']?.length ?? found['results']?.length];
  };
  const before = await shown();

  await memory.call('delete_node', { node_id: ids.turn });

  const gone = await shown();
  const left = await Promise.all(
    ['node', 'turn', 'vector', 'embedding_backlog'].map((table) =>
      memory.query(
        `SELECT 1 FROM ${table} WHERE ${table === 'node' ? 'id' : 'node_id'} = ?`,
        Number(ids.turn.slice('turn_'.length)),
      ),
    ),
  );
  const [{ revision, what }] = (await memory.call('get_recent_changes', { limit: 1 }))['changes'];
  await memory.call('undo_revision', { revision });

  expect(before).toEqual([1, 1]);
  expect(gone).toEqual([0, 0]);
  expect(left).toEqual([[], [], [], []]);
  expect(what).toEqual([`- ${ids.turn}: Why does it rain?`]);
  expect(await shown()).toEqual(before);
});

test('a deleted summary is in no list and no search, and its session can be summarised again', async () => {
  const { memory, ids } = await openThread();
  await using _ = memory;
  await memory.embedAll();

  await memory.call('delete_node', { node_id: ids.summary });

  expect((await memory.call('get_all_summaries'))['summaries']).toEqual([]);
  const found = await memory.call('search', { query: 'rain', node_types: ['Summary'] });
  expect(found['results']).toEqual([]);
  expect(await memory.fail('get_node', { node_id: ids.summary })).toMatchObject({
    code: 'not_found',
  });
  const [{ revision }] = (await memory.call('get_recent_changes', { limit: 1 }))['changes'];
  await memory.call('undo_revision', { revision });
  expect((await memory.call('get_all_summaries'))['summaries']).toMatchObject([
    { id: ids.summary },
  ]);
  await memory.call('delete_node', { node_id: ids.summary });
  expect((await memory.call('summarize_sessions'))['summaries']).toHaveLength(1);
});

/** Whether a field of the schema, at any depth, is called like an id or speaks of ids. */
function takesId(schema: JsonSchema): boolean {
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).some(
    ([name, field]) => {
      if (OTHER_FIELDS.has(name)) return false;
      const items = [field, (field['items'] ?? {}) as JsonSchema].flatMap((one) => [
        one,
        ...((one['anyOf'] ?? []) as JsonSchema[]),
      ]);
      const speaks = items.some(({ description }) =>
        /\bids? of (?!this|that)|\b[a-z]{3,4}_\d/i.test(`${description}`),
      );
      return /(?:^|_)ids?$|Ids?$/.test(name) || speaks || items.some(takesId);
    },
  );
}
