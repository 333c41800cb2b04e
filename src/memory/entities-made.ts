/** New entities, as the reference memory server makes them: what is there already is left as it is. */
import { refuseFaults } from '#errors.ts';
import { readNewEntities, SEND_AGAIN, type NewEntity } from '#graph/create-request.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { UNTYPED } from '#graph/memory-node.ts';
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
        const taken = findIds(world, entities);
        const created: NewEntity[] = [];
        const skipped: string[] = [];
        for (const entity of entities) {
          if (taken.has(entity.name)) {
            skipped.push(entity.name);
            continue;
          }
          taken.set(entity.name, createWithFacts(world, entity));
          created.push(entity);
        }
        return { created, skipped };
      });
    },

    /** As `create`, but an entity that is there gains the facts it lacks and keeps its type. */
    upsert(given: readonly unknown[]): UpsertedEntity[] {
      const entities = readEntities(world, given);
      return write(() => {
        const taken = findIds(world, entities);
        return entities.map((entity) => {
          const { name, observations } = entity;
          const nodeId = taken.get(name);
          if (nodeId !== undefined) {
            const added = addMissingFacts(world, { nodeId, name }, observations);
            return { name, created: false, addedObservations: added };
          }
          taken.set(name, createWithFacts(world, entity));
          return { name, created: true, addedObservations: observations };
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

function createWithFacts(world: World, entity: NewEntity): number {
  const nodeId = addEntity(world, entity);
  for (const content of entity.observations) {
    // An entity that came back may know it.
    if (world.store.facts.findCurrent(nodeId, content) === undefined) {
      addFact(world, { entity: { nodeId, name: entity.name }, content });
    }
  }
  return nodeId;
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
