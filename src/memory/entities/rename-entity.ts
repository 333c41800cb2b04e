/** Gives an entity another name. What is known of it, and its history, stay with it. */
import { assert, MemoryError, quote, refuseFaults } from '#errors.ts';
import type { Entity } from '#graph/entity.ts';
import { formatId } from '#graph/ids.ts';
import { normaliseName } from '#graph/names.ts';
import { findEntityNameProblem, refuseProblems } from '#graph/rules/node-rules.ts';
import { missingEntityFaults, resolveExactNames } from './entity-names.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface Renamed {
  readonly entity: Entity;
  /** The name that it had. */
  readonly before: string;
}

export function renamingUseCases(world: World, { write }: Writer) {
  const { store, now } = world;
  return {
    /** By exact name. Throws `invalid_input` for a missing one, and `already_exists` for a name that is taken. */
    rename(entityName: string, newName: string): Renamed {
      refuseProblems([findEntityNameProblem(newName)]);
      const name = normaliseName(newName);
      return write(() => {
        const entity = findEntity(world, entityName);
        refuseTaken(world, entity, name);
        if (entity.name === name) return { entity, before: name };
        const [node] = store.memoryNodes.findByIds([entity.nodeId]);
        if (node !== undefined) store.nodeVersions.keep(node, now);
        store.entities.rename(entity.nodeId, name);
        store.nodes.touch([entity.nodeId], now);
        return { entity: { ...entity, name }, before: entity.name };
      });
    },
  };
}

function findEntity({ store }: World, name: string): Entity {
  const found = resolveExactNames(store, [name]);
  refuseFaults(missingEntityFaults(store, [name], found, () => 'entityName'));
  const [entity] = found.values();
  assert(entity !== undefined, 'a checked entity is there');
  return entity;
}

/** An entity that is hidden keeps its name too. */
function refuseTaken({ store }: World, entity: Entity, name: string): void {
  const holder = store.entities.idOf(name);
  if (holder === undefined || holder === entity.nodeId) return;
  throw new MemoryError(
    'already_exists',
    `The name ${quote(name)} belongs to ${formatId('entity', holder)} already.`,
    {
      hint: 'Choose another name; or, if both are one thing, join them with merge_entities. Nothing was changed.',
    },
  );
}
