/** New entities, as the reference memory server makes them: what is there already is left as it is. */
import { assert, refuseFaults } from '#errors.ts';
import { readNewEntities, SEND_AGAIN, type NewEntity } from '#graph/create-request.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { UNTYPED } from '#graph/memory-node.ts';
import { isAtomic } from '#graph/observation-rules.ts';
import type { NodeFields } from '#store/nodes.ts';
import { addFact } from './observing.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

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

export function entityUseCases(world: World, { write }: Writer) {
  return {
    /** All or nothing: throws `invalid_input` with every faulty item. */
    create(given: readonly unknown[]): MadeEntities {
      const entities = readEntities(world, given);
      return write(() => {
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
      return write(() => {
        const created = findNew(world, entities);
        createAll(world, created);
        const isCreated = new Set(created);
        const idOf = findIds(world, entities);
        return entities.map((entity) => {
          const { name, observations } = entity;
          if (isCreated.has(entity))
            return { name, created: true, addedObservations: observations };
          const nodeId = idOf.get(name);
          assert(nodeId !== undefined, 'an entity that is not new is there');
          const added = addMissingFacts(world, { nodeId, name }, observations);
          return { name, created: false, addedObservations: added };
        });
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
  const { store, now } = world;
  const hiddenId = store.entities.idOf(entity.name);
  if (hiddenId !== undefined) return bringBack(world, hiddenId, entity);
  const nodeId = store.nodes.insert({
    ...entity,
    kind: 'entity',
    confidence: entity.confidence ?? DEFAULT_CONFIDENCE,
    importance: entity.importance ?? DEFAULT_IMPORTANCE,
    at: now,
  });
  store.entities.insert(nodeId, entity.name, entity.entityType ?? UNTYPED);
  return nodeId;
}

function bringBack({ store, now }: World, nodeId: number, entity: EntityToAdd): number {
  const [before] = store.memoryNodes.findByIds([nodeId]);
  const entityType = entity.entityType ?? before?.entityType ?? UNTYPED;
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

/** Stores entities that no read finds, with their facts, by one statement for each table. */
function createAll(world: World, entities: readonly NewEntity[]): void {
  const { store, limits, now } = world;
  const hidden = store.entities.takenAmong(entities.map(({ name }) => name));
  const fresh = entities.filter(({ name }) => !hidden.has(name));
  const rows = fresh.flatMap((entity) => [
    { kind: 'entity' as const, entity, content: '' },
    ...[...new Set(entity.observations)].map((content) => ({
      kind: 'fact' as const,
      entity,
      content,
    })),
  ]);
  const ids = store.nodes.insertMany(
    rows.map(({ kind }) => ({
      kind,
      confidence: DEFAULT_CONFIDENCE,
      importance: DEFAULT_IMPORTANCE,
      at: now,
    })),
  );
  const stored = rows.map((row, index) => ({ ...row, nodeId: ids[index] ?? 0 }));
  const made = stored.filter(({ kind }) => kind === 'entity');
  store.entities.insertMany(made.map(({ nodeId, entity }) => ({ ...entity, nodeId })));
  const idOf = new Map(made.map(({ nodeId, entity }) => [entity, nodeId]));
  store.facts.insertMany(
    stored
      .filter(({ kind }) => kind === 'fact')
      .map(({ nodeId, entity, content }) => ({
        nodeId,
        entityId: idOf.get(entity) ?? null,
        content,
        isAtomic: isAtomic(content, limits),
        version: 1,
        supersedes: null,
      })),
  );
  for (const entity of entities) if (hidden.has(entity.name)) createWithFacts(world, entity);
}

/** For an entity that is hidden: it comes back, and may know some of it. */
function createWithFacts(world: World, entity: NewEntity): void {
  const nodeId = addEntity(world, entity);
  for (const content of entity.observations) {
    if (world.store.facts.findCurrent(nodeId, content) === undefined) {
      addFact(world, { entity: { nodeId, name: entity.name }, content });
    }
  }
}

/** Returns what was added. */
function addMissingFacts(
  world: World,
  entity: { readonly nodeId: number; readonly name: string },
  contents: readonly string[],
): string[] {
  const { store, now } = world;
  const missing = contents.filter(
    (content) => store.facts.findCurrent(entity.nodeId, content) === undefined,
  );
  for (const content of missing) addFact(world, { entity, content });
  if (missing.length > 0) store.nodes.touch([entity.nodeId], now);
  return missing;
}
