/** Deletions. Each says what it removed and what was not there; all can be undone from the history. */
import { assert, refuseFaults } from '#errors.ts';
import type { Entity } from '#graph/entity.ts';
import { normaliseContent, type Fact } from '#graph/fact.ts';
import { formatId, parseId } from '#graph/ids.ts';
import { missingEntityFaults, resolveExactNames } from './entity-names.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface RemovedEntities {
  readonly deleted: readonly string[];
  readonly notFound: readonly string[];
  readonly observations: number;
  readonly relations: number;
}

export interface RemovedObservations {
  readonly entity: Entity;
  /** Ids of every version that was removed. */
  readonly deleted: readonly string[];
  readonly notFound: readonly string[];
}

export interface NamedRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export function removalUseCases(world: World, { write }: Writer) {
  const { store } = world;
  return {
    /** By exact name alone: a near match must not delete. */
    entities(names: readonly string[]): RemovedEntities {
      const found = resolveExactNames(store, names);
      const deleted = [...new Set(found.values())];
      const ids = deleted.map(({ nodeId }) => nodeId);
      const removed = write(() => store.nodes.removeEntities(ids));
      return {
        deleted: deleted.map(({ name }) => name),
        notFound: names.filter((name) => !found.has(name)),
        ...removed,
      };
    },

    /**
     * By content or id. A current observation goes with all its versions; an older version goes
     * alone, and its neighbours in the chain are joined. Throws when an entity is missing.
     */
    observations(
      deletions: readonly { entityName: string; observations: readonly string[] }[],
    ): RemovedObservations[] {
      const names = deletions.map(({ entityName }) => entityName);
      const found = resolveExactNames(store, names);
      refuseFaults(missingEntityFaults(store, names, found, (i) => `deletions[${i}].entityName`));
      return write(() =>
        deletions.map(({ entityName, observations }) => {
          const entity = found.get(entityName);
          assert(entity !== undefined, 'a checked entity is there');
          return removeFrom(world, entity, observations);
        }),
      );
    },

    /** Returns those that were there and those that were not. */
    relations(wanted: readonly NamedRelation[]): {
      deleted: NamedRelation[];
      notFound: NamedRelation[];
    } {
      const found = resolveExactNames(
        store,
        wanted.flatMap(({ from, to }) => [from, to]),
      );
      return write(() => {
        const outcomes = wanted.map((relation) => ({
          relation,
          removed: removeRelation(world, relation, found),
        }));
        return {
          deleted: outcomes.filter(({ removed }) => removed).map(({ relation }) => relation),
          notFound: outcomes.filter(({ removed }) => !removed).map(({ relation }) => relation),
        };
      });
    },
  };
}

function removeFrom(
  { store, now }: World,
  entity: Entity,
  wanted: readonly string[],
): RemovedObservations {
  const deleted: string[] = [];
  const notFound: string[] = [];
  for (const text of wanted) {
    const fact = findFact(store, entity, text);
    if (fact === undefined) {
      notFound.push(text);
      continue;
    }
    const removed = removeFact(store, fact.nodeId);
    deleted.push(...removed.map((nodeId) => formatId('observation', nodeId)));
  }
  if (deleted.length > 0) store.nodes.touch([entity.nodeId], now);
  return { entity, deleted, notFound };
}

/** Returns the ids of all versions that went with it. The caller holds the transaction. */
export function removeFact(store: World['store'], nodeId: number): number[] {
  const chain = store.facts.chain(nodeId);
  const isCurrent = chain.at(-1)?.nodeId === nodeId;
  const versions = isCurrent ? chain : chain.filter((version) => version.nodeId === nodeId);
  const ids = versions.map((version) => version.nodeId);
  if (isCurrent) store.facts.unlinkAll(ids);
  else versions.forEach((version) => store.facts.unlink(version));
  store.nodes.removeFacts(ids);
  return ids;
}

function findFact(store: World['store'], entity: Entity, text: string): Fact | undefined {
  const nodeId = parseId('observation', text);
  const [byId] = nodeId === undefined ? [] : store.facts.findByIds([nodeId]);
  if (byId?.entityId === entity.nodeId) return byId;
  return store.facts.findCurrent(entity.nodeId, normaliseContent(text));
}

function removeRelation(
  { store, now }: World,
  { from, to, relationType }: NamedRelation,
  found: ReadonlyMap<string, Entity>,
): boolean {
  const source = found.get(from);
  const target = found.get(to);
  if (source === undefined || target === undefined) return false;
  const edge = {
    fromId: source.nodeId,
    toId: target.nodeId,
    type: relationType.normalize('NFC').trim(),
  };
  const removed = store.edges.remove(edge);
  if (removed) store.nodes.touch([source.nodeId], now);
  return removed;
}
