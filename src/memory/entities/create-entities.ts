/** New entities, as the reference memory server makes them: what is there already is left as it is. */
import { assert, refuseFaults } from '#errors.ts';
import { readNewEntities, SEND_AGAIN, type NewEntity } from '#graph/rules/create-request.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { UNTYPED } from '#graph/memory-node.ts';
import type { NewFact } from '#store/graph/facts.ts';
import type { NewNode, NodeFields } from '#store/graph/nodes.ts';
import { firstVersion } from '#memory/facts/observations.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface MadeEntities {
  readonly created: readonly NewEntity[];
  /** Names that the thread had, or that stood earlier in the request. */
  readonly skipped: readonly string[];
}

export interface UpsertedEntity {
  readonly name: string;
  readonly created: boolean;
  readonly addedObservations: readonly string[];
}

export function entityUseCases(world: World, { writeAdditions }: Writer) {
  return {
    /** All or nothing: throws `invalid_input` with every faulty item. */
    create(given: readonly unknown[]): MadeEntities {
      const entities = readEntities(world, given);
      return writeAdditions(() => {
        const created = findNew(world, entities);
        createAll(world, created);
        const isCreated = new Set(created);
        const skipped = entities.filter((entity) => !isCreated.has(entity));
        return { created, skipped: skipped.map(({ name }) => name) };
      });
    },

    /** As `create`, but an entity that is there gains the facts it lacks and keeps its type. */
    upsert(given: readonly unknown[]): UpsertedEntity[] {
      const entities = readEntities(world, given);
      return writeAdditions(() => {
        const created = findNew(world, entities);
        createAll(world, created);
        const isCreated = new Set(created);
        const idOf = findIds(world, entities);
        const facts = openFactPlan(world);
        const upserted = entities.map((entity) => {
          const { name, observations } = entity;
          if (isCreated.has(entity))
            return { name, created: true, addedObservations: observations };
          const nodeId = idOf.get(name);
          assert(nodeId !== undefined, 'an entity that is not new is there');
          const added = facts.addMissing(nodeId, observations);
          return { name, created: false, addedObservations: added };
        });
        facts.write();
        return upserted;
      });
    },
  };
}

/** An entity to be stored. */
interface EntityToAdd extends NodeFields {
  readonly name: string;
  /** Undefined when the request leaves it open. */
  readonly entityType?: string | undefined;
  readonly confidence?: number | undefined;
  readonly importance?: number | undefined;
}

/**
 * Stores an entity that no read finds, without facts. The caller holds the transaction. A name is an
 * identity: an entity of that name that is outdated, archived or expired comes back with what was
 * known of it.
 */
export function addEntity(world: World, entity: EntityToAdd): number {
  const { store } = world;
  const hiddenId = store.entities.idOf(entity.name);
  if (hiddenId !== undefined) return bringBack(world, hiddenId, entity);
  const [nodeId] = store.nodes.insertMany([newNode(world, 'entity', entity)]);
  assert(nodeId !== undefined, 'a node that was inserted has an id');
  store.entities.insert(nodeId, entity.name, entity.entityType ?? UNTYPED);
  return nodeId;
}

/** The node of a new entity or fact, with what the request leaves open. */
export function newNode(
  { now }: World,
  kind: 'entity' | 'fact',
  fields: NodeFields & { confidence?: number | undefined; importance?: number | undefined } = {},
): NewNode {
  return {
    ...fields,
    kind,
    confidence: fields.confidence ?? DEFAULT_CONFIDENCE,
    importance: fields.importance ?? DEFAULT_IMPORTANCE,
    at: now,
  };
}

/** Brings back those of the entities whose names hidden ones have. Returns their nodes by name. */
export function bringBackHidden(
  world: World,
  entities: readonly EntityToAdd[],
): Map<string, number> {
  const { store } = world;
  const taken = store.entities.takenAmong(entities.map(({ name }) => name));
  const hidden = new Map<string, number>();
  for (const entity of entities) {
    const nodeId = taken.has(entity.name) ? store.entities.idOf(entity.name) : undefined;
    if (nodeId !== undefined) hidden.set(entity.name, bringBack(world, nodeId, entity));
  }
  return hidden;
}

function bringBack({ store, now }: World, nodeId: number, entity: EntityToAdd): number {
  const [before] = store.memoryNodes.findByIds([nodeId]);
  const entityType = entity.entityType ?? before?.entityType ?? UNTYPED;
  if (before !== undefined) store.nodeVersions.keep(before, now);
  store.nodes.update(
    nodeId,
    {
      ...entity,
      status: entity.status ?? 'active',
      ttlDays: entity.ttlDays ?? null,
      expiresAt: entity.expiresAt ?? null,
    },
    now,
  );
  store.nodes.reweigh(nodeId, entity);
  if (entityType !== before?.entityType) store.entities.setType(nodeId, entityType);
  return nodeId;
}

function readEntities({ limits }: World, given: readonly unknown[]): readonly NewEntity[] {
  const { items, faults } = readNewEntities(given, limits);
  refuseFaults(faults, SEND_AGAIN);
  return items;
}

function findIds({ store }: World, entities: readonly NewEntity[]): Map<string, number> {
  const names = [...new Set(entities.map(({ name }) => name))];
  return new Map(store.entities.findMany(names).map(({ name, nodeId }) => [name, nodeId]));
}

/** Those of the request that no read finds, each name once. */
function findNew(world: World, entities: readonly NewEntity[]): NewEntity[] {
  const taken = new Set(findIds(world, entities).keys());
  return entities.filter(({ name }) => {
    if (taken.has(name)) return false;
    taken.add(name);
    return true;
  });
}

/** Stores entities that no read finds, with their facts. One that is hidden comes back, and may know some of them. */
function createAll(world: World, entities: readonly NewEntity[]): void {
  const { store } = world;
  const hidden = bringBackHidden(world, entities);
  const fresh = entities.filter(({ name }) => !hidden.has(name));
  // The facts of an entity have the ids after its own.
  const rows = fresh.flatMap((entity) => [
    { entity, content: undefined },
    ...[...new Set(entity.observations)].map((content) => ({ entity, content })),
  ]);
  const ids = store.nodes.insertMany(
    rows.map(({ content }) => newNode(world, content === undefined ? 'entity' : 'fact')),
  );
  const idOf = new Map<NewEntity, number>();
  const facts: NewFact[] = [];
  for (const [index, { entity, content }] of rows.entries()) {
    const nodeId = ids[index] ?? 0;
    if (content === undefined) idOf.set(entity, nodeId);
    else facts.push({ ...firstVersion(world, idOf.get(entity) ?? null, content), nodeId });
  }
  store.additions.add({
    entities: [...idOf].map(([entity, nodeId]) => ({ ...entity, nodeId })),
    facts,
  });
  const missing = openFactPlan(world);
  for (const { name, observations } of entities) {
    const nodeId = hidden.get(name);
    if (nodeId !== undefined) missing.addMissing(nodeId, observations);
  }
  missing.write({ touches: false });
}

/** Facts that entities lack, to be written together. */
function openFactPlan(world: World) {
  const { store, now } = world;
  const planned = new Map<number, Set<string>>();
  return {
    /** Returns what the entity lacks. */
    addMissing(nodeId: number, contents: readonly string[]): string[] {
      const own = planned.get(nodeId) ?? new Set();
      planned.set(nodeId, own);
      const missing = contents.filter((content) => {
        if (own.has(content) || store.facts.findCurrent(nodeId, content) !== undefined)
          return false;
        own.add(content);
        return true;
      });
      return missing;
    },
    write({ touches = true } = {}): void {
      const rows = [...planned].flatMap(([entityId, contents]) =>
        [...contents].map((content) => ({ entityId, content })),
      );
      if (rows.length === 0) return;
      if (touches) store.nodes.touch([...new Set(rows.map(({ entityId }) => entityId))], now);
      const ids = store.nodes.insertMany(rows.map(() => newNode(world, 'fact')));
      store.additions.add({
        facts: rows.map(({ entityId, content }, index) => ({
          ...firstVersion(world, entityId, content),
          nodeId: ids[index] ?? 0,
        })),
      });
    },
  };
}
