/** How two entities are connected. */
import { MemoryError, quote } from '#errors.ts';
import { findAllPaths, type AllPaths } from '#graph/walks/all-paths.ts';
import type { Entity } from '#graph/entity.ts';
import { findShortestPath, type EdgesAround, type PathResult } from '#graph/walks/walk.ts';
import { ALL_PATHS_STEPS_MAX, PATH_EDGES_MAX, PATH_VISITS_MAX } from '#limits.ts';
import { getEntity, resolveNames } from '#memory/entities/entity-names.ts';
import type { NamedRelation } from '#memory/entities/delete.ts';
import type { World } from '#memory/world.ts';

export interface RelationPath {
  /** Names from one end to the other, both included; empty when there is no path. */
  readonly path: readonly string[];
  /** The relations taken, in the direction they are stored. */
  readonly relations: readonly NamedRelation[];
  /** Why there is no path; undefined when there is one. */
  readonly reason?: string | undefined;
}

export interface NamedPaths {
  /** Shortest first, each from one end to the other. */
  readonly paths: readonly (readonly string[])[];
  readonly rest: AllPaths['rest'];
}

export function pathUseCases({ store }: World) {
  const shortest = (from: Entity, to: Entity, maxDepth: number): PathResult =>
    findShortestPath(from.nodeId, to.nodeId, {
      maxDepth,
      maxVisits: PATH_VISITS_MAX,
      around: boundedEdges(store),
    });

  return {
    /** Shortest path with relations taken either way. Never throws: unknown names have no path. */
    between(from: string, to: string, maxDepth: number): RelationPath {
      const found = resolveNames(store, [from, to]);
      const [source, target] = [found.get(from), found.get(to)];
      if (source === undefined || target === undefined) {
        const missing = [from, to].filter((name) => !found.has(name));
        return noPath(`Not in this thread: ${missing.map((name) => `'${name}'`).join(', ')}.`);
      }
      const result = shortest(source, target, maxDepth);
      if (result.outcome === 'none') return noPath(`No path of at most ${maxDepth} relations.`);
      if (result.outcome === 'gave_up') return noPath(GAVE_UP);
      const nameOf = nameReader(store, result.nodeIds);
      return {
        path: result.nodeIds.map(nameOf),
        relations: result.edges.map(({ fromId, toId, type }) => ({
          from: nameOf(fromId),
          to: nameOf(toId),
          relationType: type,
        })),
      };
    },

    /** Names along the shortest path of any length. Throws `not_found` when there is none. */
    shortest(from: string, to: string): string[] {
      const result = shortest(getEntity(store, from), getEntity(store, to), PATH_VISITS_MAX);
      if (result.outcome === 'none') throw unreachable(from, to);
      if (result.outcome === 'gave_up') {
        throw new MemoryError('limit_exceeded', GAVE_UP, { hint: 'Look for nearer entities.' });
      }
      return result.nodeIds.map(nameReader(store, result.nodeIds));
    },

    /** Simple paths, shortest first. Throws `not_found` when there is none. */
    all(from: string, to: string, limits: { maxDepth: number; maxPaths: number }): NamedPaths {
      const [source, target] = [getEntity(store, from), getEntity(store, to)];
      const { paths, rest } = findAllPaths(source.nodeId, target.nodeId, {
        ...limits,
        maxSteps: ALL_PATHS_STEPS_MAX,
        around: boundedEdges(store),
      });
      if (paths.length === 0 && rest === 'unknown') {
        throw new MemoryError('limit_exceeded', GAVE_UP, { hint: 'Ask for a smaller maxDepth.' });
      }
      if (paths.length === 0) throw unreachable(from, to, limits.maxDepth);
      const nameOf = nameReader(store, [...new Set(paths.flat())]);
      return { paths: paths.map((path) => path.map(nameOf)), rest };
    },
  };
}

const GAVE_UP = `Stopped after ${PATH_VISITS_MAX} entities or ${PATH_EDGES_MAX} relations without an answer; try nearer ones.`;

/** Edges of whole frontiers, until so many were read that the walk has to give up. */
function boundedEdges(store: World['store']): EdgesAround {
  let left = PATH_EDGES_MAX;
  return (nodeIds) => {
    const edges = store.edges.around(nodeIds, left + 1);
    left -= edges.length;
    return left < 0 ? undefined : edges;
  };
}

function nameReader(store: World['store'], nodeIds: readonly number[]) {
  const names = new Map(
    store.entities.findByIds(nodeIds).map(({ nodeId, name }) => [nodeId, name]),
  );
  return (nodeId: number): string => names.get(nodeId) ?? '';
}

function noPath(reason: string): RelationPath {
  return { path: [], relations: [], reason };
}

function unreachable(from: string, to: string, maxDepth?: number): MemoryError {
  const within = maxDepth === undefined ? '' : ` of at most ${maxDepth} relations`;
  return new MemoryError(
    'not_found',
    `No path${within} found between ${quote(from)} and ${quote(to)}.`,
    { hint: 'Call get_neighbors or extract_subgraph to see what surrounds each of them.' },
  );
}
