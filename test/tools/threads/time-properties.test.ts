/** Whatever is written: the past reads as it was read then, and every call can be taken back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { relation } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { draws } from '#test/draws.ts';

const NAMES = ['Ada', 'Bob', 'Cyd', 'Dot'];

/** With a prototype, as arguments that were parsed from JSON have one: RPC refuses others. */
function record<Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) {
  return fc.record<Shape>(shape, { noNullPrototype: true });
}

const name = fc.constantFrom(...NAMES);
const content = fc.constantFrom('likes tea', 'likes rum', 'plays chess', 'lives in Rome');
const entityType = fc.constantFrom('Person', 'Robot');
const relationType = fc.constantFrom('knows', 'helps');
const plainRelation = fc
  .tuple(name, relationType, name)
  .map(([from, type, to]) => relation(from, type, to));

/** A call whose arguments may name what only the thread knows: the first fact or node of an entity. */
interface Step {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly about?: string;
}

const draft = record({
  name,
  entityType,
  observations: fc.uniqueArray(content, { minLength: 1, maxLength: 2 }),
  relations: fc.array(record({ targetEntity: name, relationType }), { minLength: 1, maxLength: 2 }),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(draft, { minLength: 2, maxLength: 4, selector: (one) => one.name })
      .map((entities) => ({ tool: 'save_memory', input: { entities } })),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(record({ name, entityType, observations: fc.array(content, { maxLength: 2 }) }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((entities) => ({ tool: 'upsert_entities', input: { entities } })),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(plainRelation, { minLength: 1, maxLength: 3 })
      .map((relations) => ({ tool: 'create_relations', input: { relations } })),
  },
  {
    weight: 1,
    arbitrary: plainRelation.map((one) => ({
      tool: 'delete_relations',
      input: { relations: [one] },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(name, content).map(([entityName, fact]) => ({
      tool: 'delete_observations',
      input: { deletions: [{ entityName, observations: [fact] }] },
    })),
  },
  {
    weight: 1,
    arbitrary: name.map((one) => ({ tool: 'delete_entities', input: { entityNames: [one] } })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, name)
      .map(([source, target]) => ({ tool: 'merge_entities', input: { source, target } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(name, name)
      .map(([entityName, newName]) => ({ tool: 'rename_entity', input: { entityName, newName } })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(name, content).map(([about, text]) => ({
      tool: 'update_observation',
      input: { entityName: about, newContent: `${text} again` },
      about,
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, fc.constantFrom('active', 'outdated', 'archived'), fc.boolean())
      .map(([about, status, versioning]) => ({
        tool: 'update_node',
        input: { status, versioning, metadata: { seen: true } },
        about,
      })),
  },
  {
    weight: 1,
    arbitrary: content.map((text) => ({ tool: 'store_memory', input: { content: text } })),
  },
  {
    weight: 1,
    arbitrary: name.map((one) => ({
      tool: 'create_node',
      input: { text: `A note about ${one}`, ttl_days: 20 },
    })),
  },
  { weight: 1, arbitrary: fc.constant({ tool: 'compact', input: { dropSuperseded: true } }) },
);

const sequences = fc.array(steps, { minLength: 3, maxLength: 12 });

test('reading as of each revision gives what was read at that revision', async () => {
  await fc.assert(
    fc.asyncProperty(sequences, async (all) => {
      await using memory = await openTestMemory();
      const seen = new Map<number, unknown>([[0, await look(memory, undefined)]]);
      for (const step of all) {
        await take(memory, step);
        const revision = await lastRevision(memory);
        seen.set(revision, await look(memory, undefined));
      }
      const words = new Map<number, unknown>();
      for (const [revision, then] of seen) {
        expect(await look(memory, revision)).toEqual(then);
        words.set(revision, await lookByWords(memory, revision));
      }
      // What is found by words alone stays the same too, however much is written later.
      await take(memory, {
        tool: 'store_memory',
        input: { content: 'Somebody likes tea and rum' },
      });
      await memory.call('delete_entities', { entityNames: NAMES });
      for (const [revision, then] of words) {
        expect(await lookByWords(memory, revision)).toEqual(then);
      }
    }),
    draws(4),
  );
}, 150_000);

test('undoing all revisions, last first, gives the empty thread; undoing the undos gives all back', async () => {
  await fc.assert(
    fc.asyncProperty(sequences, async (all) => {
      await using memory = await openTestMemory();
      for (const step of all) await take(memory, step);
      const full = await tables(memory);
      const made = await lastRevision(memory);
      const undos: number[] = [];
      for (const revision of (await revisions(memory)).toReversed()) {
        const { revision: undo } = await memory.call('undo_revision', { revision });
        undos.push(undo);
      }

      expect((await tables(memory)).every(({ rows }) => rows.length === 0)).toBe(true);
      for (const revision of undos.toReversed()) await memory.call('undo_revision', { revision });
      expect(await tables(memory)).toEqual(full);
      expect(await look(memory, made)).toEqual(await look(memory, undefined));
    }),
    draws(5),
  );
}, 150_000);

test('undoing any revision with all that was built on it leaves a sound thread, and can be undone', async () => {
  await fc.assert(
    fc.asyncProperty(sequences, fc.nat(), async (all, pick) => {
      await using memory = await openTestMemory();
      for (const step of all) await take(memory, step);
      const made = await revisions(memory);
      if (made.length === 0) return;
      const revision = made[pick % made.length];
      const before = await tables(memory);

      const alone = await memory.outcome('undo_revision', { revision });
      if (!alone.ok) expect(alone.error.code).toBe('conflict');
      if (!alone.ok) expect(await tables(memory)).toEqual(before);
      const undone = alone.ok
        ? (alone.value as any)
        : await memory.call('undo_revision', { revision, cascade: true });
      expect(undone.undone.map((one: any) => one.revision)).toContain(revision);
      if (undone.revision !== null) {
        await memory.call('undo_revision', { revision: undone.revision });
      }

      expect(await tables(memory)).toEqual(before);
    }),
    draws(6),
  );
}, 150_000);

/** A call may be refused; then it has changed nothing, and there is nothing to see. */
async function take(memory: TestMemory, { tool, input, about }: Step): Promise<void> {
  const own = about === undefined ? {} : await aim(memory, tool, about);
  if (own !== undefined) await memory.outcome(tool, { ...input, ...own });
}

/** Undefined when there is nothing to aim at. */
async function aim(memory: TestMemory, tool: string, about: string) {
  const [found] = await memory.query<{ node_id: number; fact_id: number | null }>(
    `SELECT node_id, (SELECT max(fact.node_id) FROM fact
       WHERE entity_id = entity.node_id AND superseded_by IS NULL) AS fact_id
     FROM entity WHERE name = ?`,
    about,
  );
  if (found === undefined) return undefined;
  if (tool === 'update_node') return { node_id: `ent_${found.node_id}` };
  return found.fact_id === null ? undefined : { observationId: `obs_${found.fact_id}` };
}

async function revisions(memory: TestMemory): Promise<number[]> {
  const rows = await memory.query<{ id: number }>('SELECT id FROM revision ORDER BY id');
  return rows.map(({ id }) => id);
}

async function lastRevision(memory: TestMemory): Promise<number> {
  return (await revisions(memory)).at(-1) ?? 0;
}

/** What the graph tools show, without the sentence that names the moment. */
async function look(memory: TestMemory, revision: number | undefined): Promise<unknown> {
  const asOf = revision === undefined ? {} : { asOf: revision };
  const graph = await memory.call('read_graph', { detail: 'full', ...asOf });
  const opened = await memory.call('open_nodes', { names: NAMES, ...asOf });
  return [graph, opened].map(({ note: _, ...answer }) => answer);
}

/** In no order: how rare a word is, the index also counts by what has been deleted. */
async function lookByWords(memory: TestMemory, asOf: number): Promise<unknown> {
  const found = [];
  for (const query of ['who likes tea', 'ches', 'Ada']) {
    const { entities, relations } = await memory.call('search_nodes', { query, asOf });
    found.push([entities, relations].map(inOrder));
  }
  const { text } = await memory.call('recall', {
    query: 'likes rum in Rome',
    maxTokens: 8_000,
    asOf,
  });
  return [...found, inOrder(text.split('\n').filter((line: string) => line.startsWith('- [')))];
}

function inOrder(items: readonly unknown[]): string[] {
  return items.map((item) => JSON.stringify(item)).toSorted();
}

/** Every row that is history, as it is. */
function tables(memory: TestMemory): Promise<{ name: string; rows: unknown[] }[]> {
  const columns: Record<string, string> = {
    node: 'id, kind, status, confidence, importance, source, metadata, created_at, updated_at, expires_at, ttl_days',
    entity: 'node_id, name, folded_name, type, observation_count, relation_count, hidden_from',
    fact: '*',
    edge: '*',
    node_version: '*',
  };
  return Promise.all(
    Object.entries(columns).map(async ([table, selected]) => ({
      name: table,
      rows: await memory.query(`SELECT ${selected} FROM ${table} ORDER BY 1, 2, 3`),
    })),
  );
}
