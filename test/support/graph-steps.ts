/** Writes at random, each with what it does to the plain model, and both graphs in one shape. */
import fc from 'fast-check';
import type { GraphModel } from './graph-model.ts';
import { relation, type PlainEntity } from './graph.ts';
import type { TestMemory } from './memory.ts';

export const NAMES = ['Ada', 'Bob', 'Cyd', 'Dot', 'Eve', 'Fay'];

/** With a prototype, as arguments that were parsed from JSON have one: RPC refuses others. */
export function record<Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) {
  return fc.record<Shape>(shape, { noNullPrototype: true });
}

export const name = fc.constantFrom(...NAMES);
export const content = fc.constantFrom('likes tea', 'likes rum', 'plays chess', 'lives in Rome');
const relationType = fc.constantFrom('knows', 'helps');
const entityType = fc.constantFrom('Person', 'Robot');
export const plainRelation = fc
  .tuple(name, relationType, name)
  .map(([from, type, to]) => relation(from, type, to));
export const plainEntity = record({
  name,
  entityType,
  observations: fc.array(content, { maxLength: 3 }),
});
const draft = record({
  name,
  entityType,
  observations: fc.array(content, { minLength: 1, maxLength: 2 }),
  relations: fc.array(record({ targetEntity: name, relationType }), {
    minLength: 1,
    maxLength: 3,
  }),
}).filter((one) => one.relations.every(({ targetEntity }) => targetEntity !== one.name));

function some<Item>(items: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  return fc.array(items, { minLength: 1, maxLength: 4 });
}

/** One call of a tool, and the same done to the model: whether it must succeed. */
export interface Step {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly onModel: (model: GraphModel) => boolean;
}

export const writes: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(draft, { minLength: 1, maxLength: 3, selector: (one) => one.name })
      .map((entities): Step => ({
        tool: 'save_memory',
        input: { entities },
        onModel: (model) => model.saveMemory(entities),
      })),
  },
  {
    weight: 2,
    arbitrary: some(plainEntity).map((entities): Step => ({
      tool: 'create_entities',
      input: { entities },
      onModel: (model) => model.createEntities(entities),
    })),
  },
  {
    weight: 2,
    arbitrary: some(plainEntity).map((entities): Step => ({
      tool: 'upsert_entities',
      input: { entities },
      onModel: (model) => model.upsertEntities(entities),
    })),
  },
  {
    weight: 4,
    arbitrary: some(plainRelation).map((relations): Step => ({
      tool: 'create_relations',
      input: { relations },
      onModel: (model) => model.createRelations(relations),
    })),
  },
  {
    weight: 1,
    arbitrary: some(record({ entityName: name, contents: some(content) })).map(
      (observations): Step => ({
        tool: 'add_observations',
        input: { observations },
        onModel: (model) => model.addObservations(observations),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: some(record({ entityName: name, observations: some(content) })).map(
      (deletions): Step => ({
        tool: 'delete_observations',
        input: { deletions },
        onModel: (model) => model.deleteObservations(deletions),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: some(plainRelation).map((relations): Step => ({
      tool: 'delete_relations',
      input: { relations },
      onModel: (model) => model.deleteRelations(relations),
    })),
  },
  {
    weight: 1,
    arbitrary: some(name).map((entityNames): Step => ({
      tool: 'delete_entities',
      input: { entityNames },
      onModel: (model) => model.deleteEntities(entityNames),
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(name, name).map(([source, target]): Step => ({
      tool: 'merge_entities',
      input: { source, target },
      onModel: (model) => model.mergeEntities(source, target),
    })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ tool: 'compact', input: {}, onModel: () => true }) },
);

export async function readGraph(memory: TestMemory) {
  const { entities, relations } = await memory.call('read_graph', { limit: 100 });
  return {
    entities: entities.map(plain).toSorted(byText),
    relations: relations.toSorted(byText),
  };
}

export function graphOf(model: GraphModel) {
  const entities = [...model.entities].map(([key, { entityType: type, facts }]) =>
    plain({ name: key, entityType: type, observations: facts.map((fact) => fact.content) }),
  );
  return { entities: entities.toSorted(byText), relations: model.relations.toSorted(byText) };
}

function plain({ name: key, entityType: type, observations }: PlainEntity): PlainEntity {
  return { name: key, entityType: type, observations: observations.toSorted() };
}

export function byText(a: unknown, b: unknown): number {
  return JSON.stringify(sorted(a)).localeCompare(JSON.stringify(sorted(b)));
}

function sorted(value: unknown): unknown {
  return Object.entries(value as object).toSorted(([a], [b]) => a.localeCompare(b));
}
