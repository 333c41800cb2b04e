/** Joins two entities that are one: what is known of the source becomes known of the target. */
import { MemoryError, quote, refuseFaults } from '#errors.ts';
import type { Entity } from '#graph/entity.ts';
import { missingEntityFaults, resolveExactNames } from './entity-names.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface MergedEntities {
  readonly source: string;
  readonly target: string;
  /** Current observations that the source had. */
  readonly movedObservations: number;
  /** Those of them that the target had not, word for word. */
  readonly addedObservations: number;
  /** Relations of the source that the target has gained. */
  readonly redirectedRelations: number;
}

export function mergeUseCases(world: World, { write }: Writer) {
  return {
    /** Names are exact: a near match must not be merged away. All of it is one revision. */
    merge(sourceName: string, targetName: string): MergedEntities {
      const { source, target } = getPair(world, sourceName, targetName);
      const { store, now } = world;
      return write(() => {
        const duplicates = store.facts.duplicatesBetween(source.nodeId, target.nodeId);
        const known = new Set(duplicates.map(({ ours }) => ours.nodeId));
        dropDuplicates(world, duplicates);
        store.facts.moveAll(source.nodeId, target.nodeId);
        const redirected = store.edges.redirect(source.nodeId, target.nodeId);
        store.nodes.removeEntities([source.nodeId]);
        store.nodes.touch([target.nodeId], now);
        return {
          source: source.name,
          target: target.name,
          movedObservations: source.observationCount,
          addedObservations: source.observationCount - known.size,
          redirectedRelations: redirected,
        };
      });
    },
  };
}

function getPair(
  world: World,
  sourceName: string,
  targetName: string,
): { source: Entity; target: Entity } {
  const names = [sourceName, targetName];
  const found = resolveExactNames(world.store, names);
  const paths = ['source', 'target'];
  refuseFaults(missingEntityFaults(world.store, names, found, (i) => paths[i] ?? ''));
  const [source, target] = [found.get(sourceName), found.get(targetName)];
  if (source !== undefined && target !== undefined && source.nodeId !== target.nodeId) {
    return { source, target };
  }
  throw new MemoryError(
    'invalid_input',
    `Source and target are the same entity, ${quote(targetName)}.`,
    { hint: 'Name the entity to be merged away in source, and the one to keep in target.' },
  );
}

/**
 * Of two facts that say the same one stays: the one with a history, so that no version is lost, and
 * the target's when that does not decide.
 */
function dropDuplicates(
  { store }: World,
  duplicates: ReturnType<World['store']['facts']['duplicatesBetween']>,
): void {
  const dropped = duplicates.map(({ ours, theirs }) =>
    ours.supersedes !== null && theirs.supersedes === null ? theirs.nodeId : ours.nodeId,
  );
  store.nodes.removeFacts(store.facts.withEarlierVersions(dropped));
}
