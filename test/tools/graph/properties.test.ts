import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GraphModel } from '#test/graph-model.ts';
import {
  byText,
  content,
  graphOf,
  name,
  NAMES,
  plainEntity,
  plainRelation,
  readGraph,
  record,
  writes,
  type Step,
} from '#test/graph-steps.ts';
import type { PlainEntity } from '#test/graph.ts';
import { openTestMemory, type TestMemory } from '#test/memory.ts';
import { draws } from '#test/draws.ts';

/** A step, or the wish to update a fact, whose id only the thread knows. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: writes },
    { weight: 1, arbitrary: record({ update: name, content }) },
  ),
  { minLength: 5, maxLength: 18 },
);

test('any sequence of writes leaves the graph that a plain model has, and every read agrees', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      name,
      name,
      fc.integer({ min: 0, max: 4 }),
      async (all, a, b, depth) => {
        await using memory = await openTestMemory();
        const model = new GraphModel();
        for (const [index, step] of all.entries()) {
          if ('update' in step) await update(memory, model, step.update, step.content, index);
          else await take(memory, model, step);
        }

        expect(await readGraph(memory)).toEqual(graphOf(model));
        await checkVersions(memory, model);
        await checkCounts(memory, model);
        await checkPaths(memory, model, a, b);
        await checkNeighbourhood(memory, model, [a, b], depth);
        await checkPages(memory, model);
      },
    ),
    draws(10),
  );
}, 150_000);

test('merging several into one gives the same graph in whatever order', async () => {
  const people = fc.array(plainEntity, { minLength: 3, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      people,
      fc.array(plainRelation, { maxLength: 20 }),
      fc.shuffledSubarray(NAMES, { minLength: 3, maxLength: 4 }),
      async (entities, relations, [target = '', ...sources]) => {
        const merged = [];
        for (const order of [sources, sources.toReversed()]) {
          await using memory = await openTestMemory();
          await memory.call('upsert_entities', { entities: [...entities, ...NAMES.map(unknown)] });
          if (relations.length > 0) await memory.call('create_relations', { relations });
          for (const source of order) await memory.call('merge_entities', { source, target });
          merged.push(await readGraph(memory));
        }
        expect(merged[0]).toEqual(merged[1]);
      },
    ),
    draws(5),
  );
}, 100_000);

function unknown(one: string): PlainEntity {
  return { name: one, entityType: 'Unknown', observations: [] };
}

/** A refused call must leave no trace, which the comparison at the end would find. */
async function take(memory: TestMemory, model: GraphModel, { tool, input, onModel }: Step) {
  const outcome = await memory.outcome(tool, input);
  const isAccepted = outcome.ok && !outcome.isFailure;
  expect({ tool, input, isAccepted }).toEqual({ tool, input, isAccepted: onModel(model) });
}

/** The new content is one that no other fact has. */
async function update(
  memory: TestMemory,
  model: GraphModel,
  entityName: string,
  old: string,
  index: number,
): Promise<void> {
  if (!model.entities.get(entityName)?.facts.some((fact) => fact.content === old)) return;
  const { entities } = await memory.call('open_nodes', { names: [entityName], detail: 'full' });
  const fact = entities[0].observations.find((one: any) => one.content === old);
  const newContent = `is updated in step ${index}`;
  await memory.call('update_observation', { entityName, observationId: fact.id, newContent });
  model.updateObservation(entityName, old, newContent);
}

async function checkVersions(memory: TestMemory, model: GraphModel): Promise<void> {
  for (const [entityName, { facts }] of model.entities) {
    const { history } = await memory.call('get_observation_history', { entityName });
    const versions = facts.reduce((sum, fact) => sum + fact.versions, 0);
    expect(history).toHaveLength(versions);
  }
}

async function checkCounts(memory: TestMemory, model: GraphModel): Promise<void> {
  const facts = [...model.entities.values()].flatMap((entity) => entity.facts);
  expect(await memory.call('graph_stats')).toMatchObject({
    entities: model.entities.size,
    relations: model.relations.length,
    totalObservations: facts.length,
  });
  for (const [tool, types] of [
    ['list_entity_types', [...model.entities.values()].map((entity) => entity.entityType)],
    ['list_relation_types', model.relations.map((one) => one.relationType)],
  ] as const) {
    const counts = Map.groupBy(types, (type) => type);
    const expected = [...counts].map(([type, all]) => ({ type, count: all.length }));
    expect(await memory.call(tool)).toEqual({
      types: expected.toSorted((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1)),
    });
  }
}

async function checkPaths(memory: TestMemory, model: GraphModel, from: string, to: string) {
  const [one, all] = [
    await memory.outcome('find_path', { from, to }),
    await memory.outcome('find_all_paths', { from, to, maxPaths: 200 }),
  ];
  const expected =
    model.entities.has(from) && model.entities.has(to) ? simplePaths(model, [from], to) : [];
  expect([one.ok, all.ok]).toEqual([expected.length > 0, expected.length > 0]);
  if (!one.ok || !all.ok) return;
  const { path } = one.value as { path: string[] };
  const { paths } = all.value as { paths: string[][] };
  expect(path.length - 1).toBe(model.distances([from], 16).get(to));
  expect(expected).toContainEqual(path);
  expect(paths.toSorted(byText)).toEqual(expected.toSorted(byText));
  const lengths = paths.map((found) => found.length);
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
}

/** Every simple path that begins so, by trying all. */
function simplePaths(model: GraphModel, path: readonly string[], to: string): string[][] {
  const last = path.at(-1) ?? '';
  if (last === to) return [[...path]];
  const next = new Set(model.neighbours(last).filter((one) => !path.includes(one)));
  return [...next].flatMap((one) => simplePaths(model, [...path, one], to));
}

async function checkNeighbourhood(
  memory: TestMemory,
  model: GraphModel,
  names: string[],
  depth: number,
): Promise<void> {
  const { entities, relations, missing } = await memory.call('extract_subgraph', { names, depth });
  const seeds = names.filter((one) => model.entities.has(one));
  const distances = model.distances(seeds, depth);
  const found: string[] = entities.map((entity: any) => entity.name);
  expect(found.toSorted()).toEqual([...distances.keys()].toSorted());
  const order = found.map((one) => distances.get(one) ?? -1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  const within = model.relations.filter(({ from, to }) => distances.has(from) && distances.has(to));
  expect(relations.toSorted(byText)).toEqual(within.toSorted(byText));
  expect(missing ?? []).toEqual(names.filter((one) => !model.entities.has(one)));
}

async function checkPages(memory: TestMemory, model: GraphModel): Promise<void> {
  for (const [tool, items, count] of [
    ['read_graph', 'entities', model.entities.size],
    ['read_graph', 'relations', model.relations.length],
    ['search_relations', 'relations', model.relations.length],
  ] as const) {
    const seen = [];
    let cursor: string | undefined;
    do {
      const page = await memory.call(tool, { limit: 2, cursor });
      seen.push(...page[items].map((item: unknown) => JSON.stringify(item)));
      cursor = page['nextCursor'] ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(count);
    expect(new Set(seen).size).toBe(count);
  }
}
