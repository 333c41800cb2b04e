/** How two entities are connected. */
import { findShortestPath } from '#graph/walk.ts';
import { PATH_VISITS_MAX } from '#limits.ts';
import { resolveNames } from './naming.ts';
import type { NamedRelation } from './removing.ts';
import type { World } from './world.ts';

export interface RelationPath {
  /** Names from one end to the other, both included; empty when there is no path. */
  readonly path: readonly string[];
  /** The relations taken, in the direction they are stored. */
  readonly relations: readonly NamedRelation[];
  /** Why there is no path; undefined when there is one. */
  readonly reason?: string | undefined;
}

export function pathUseCases({ store }: World) {
  return {
    /** Shortest path with relations taken either way. Never throws: unknown names have no path. */
    between(from: string, to: string, maxDepth: number): RelationPath {
      const found = resolveNames(store, [from, to]);
      const [source, target] = [found.get(from), found.get(to)];
      if (source === undefined || target === undefined) {
        const missing = [from, to].filter((name) => !found.has(name));
        return noPath(`Not in this thread: ${missing.map((name) => `'${name}'`).join(', ')}.`);
      }
      const result = findShortestPath(source.nodeId, target.nodeId, {
        maxDepth,
        maxVisits: PATH_VISITS_MAX,
        around: (nodeIds) => store.edges.around(nodeIds),
      });
      if (result.outcome === 'none') return noPath(`No path of at most ${maxDepth} relations.`);
      if (result.outcome === 'gave_up') {
        return noPath(
          `Stopped after ${PATH_VISITS_MAX} entities without meeting; try nearer ones.`,
        );
      }
      const names = new Map(
        store.entities.findByIds(result.nodeIds).map(({ nodeId, name }) => [nodeId, name]),
      );
      const nameOf = (nodeId: number) => names.get(nodeId) ?? '';
      return {
        path: result.nodeIds.map(nameOf),
        relations: result.edges.map(({ fromId, toId, type }) => ({
          from: nameOf(fromId),
          to: nameOf(toId),
          relationType: type,
        })),
      };
    },
  };
}

function noPath(reason: string): RelationPath {
  return { path: [], relations: [], reason };
}
