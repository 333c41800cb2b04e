import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findAllPaths } from '#graph/walks/all-paths.ts';
import type { Edge } from '#graph/edge.ts';
import { collectNeighbourhood, type Direction } from '#graph/walks/neighbourhood.ts';

const NODES = 8;
const node = fc.nat(NODES - 1);
const edges = fc.array(fc.record({ fromId: node, toId: node, type: fc.constantFrom('x', 'y') }), {
  maxLength: 24,
});

test('on any graph the paths found are all the simple ones, shortest first, as far as was asked', () => {
  fc.assert(
    fc.property(
      edges,
      node,
      node,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 400 }),
      fc.boolean(),
      (graph, from, to, maxDepth, maxPaths, isDirected) => {
        const way = isDirected ? 'out' : 'both';
        const expected = simplePaths(graph, [from], to, maxDepth, way).map((path) => path.join());

        const { paths, rest } = findAllPaths(from, to, {
          isDirected,
          maxDepth,
          maxPaths,
          maxSteps: 1_000_000,
          around: edgesAround(graph),
        });

        const found = paths.map((path) => path.join());
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((path) => !expected.includes(path))).toEqual([]);
        expect(found).toHaveLength(Math.min(expected.length, maxPaths));
        const lengths = expected.map((path) => path.split(',').length).toSorted((a, b) => a - b);
        expect(paths.map((path) => path.length)).toEqual(lengths.slice(0, maxPaths));
        expect(rest).toBe(expected.length > maxPaths ? 'more' : 'none');
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a search that runs out of edges or steps does not claim to have found all', () => {
  const ring = [0, 1, 2, 3, 4, 5].map((id) => ({ fromId: id, toId: (id + 1) % 6, type: 'x' }));
  const search = { maxDepth: 6, maxPaths: 50, maxSteps: 1_000, around: edgesAround(ring) };

  const found = findAllPaths(0, 2, search);
  expect(found).toMatchObject({
    paths: [
      [0, 1, 2],
      [0, 5, 4, 3, 2],
    ],
    rest: 'none',
  });
  expect(found.stepsLeft).toBeGreaterThan(0);
  expect(found.stepsLeft).toBeLessThan(search.maxSteps - 8);
  expect(findAllPaths(0, 2, { ...search, maxSteps: 8 }).rest).toBe('unknown');
  expect(findAllPaths(0, 2, { ...search, around: () => undefined })).toMatchObject({
    paths: [],
    rest: 'unknown',
  });
});

test('a detour that was found while shorter paths were taken is not found again', () => {
  const graph = edgesOf([0, 1, 9], [1, 2, 9], [0, 3, 4, 5, 9]);
  const search = { maxDepth: 6, maxPaths: 50, maxSteps: 1_000, around: edgesAround(graph) };

  expect(findAllPaths(0, 9, search).paths).toEqual([
    [0, 1, 9],
    [0, 1, 2, 9],
    [0, 3, 4, 5, 9],
  ]);
});

test('a way that leads too far from the goal is not followed to its end', () => {
  const crowd = Array.from({ length: 100 }, (_, index) => [14, 100 + index]);
  const graph = edgesOf([0, 1, 2, 3], [0, 10, 11, 12, 13, 14], ...crowd);
  const search = { maxDepth: 10, maxPaths: 50, maxSteps: 60, around: edgesAround(graph) };

  expect(findAllPaths(0, 3, search)).toMatchObject({ paths: [[0, 1, 2, 3]], rest: 'none' });
});

test('frontiers are fetched at once, and each node in one of them only', () => {
  const fetched: number[][] = [];
  const clique = pairs(12);
  findAllPaths(0, 11, {
    maxDepth: 6,
    maxPaths: 50,
    maxSteps: 1_000_000,
    around(ids) {
      fetched.push([...ids]);
      return edgesAround(clique)(ids);
    },
  });

  expect(fetched.length).toBeLessThanOrEqual(6);
  expect(new Set(fetched.flat()).size).toBe(fetched.flat().length);
});

test('on any graph a neighbourhood is what breadth first search reaches, nearest first', () => {
  const direction = fc.constantFrom<Direction>('in', 'out', 'both');
  fc.assert(
    fc.property(
      edges,
      fc.array(node, { maxLength: 3 }),
      fc.nat(5),
      direction,
      (graph, seeds, depth, way) => {
        const distances = distancesFrom(graph, seeds, depth, way);
        const search = {
          depth,
          direction: way,
          maxNodes: 100,
          maxEdges: 100,
          leaving: (ids: readonly number[]) => edgesAround(graph)(ids),
        };

        const { nodeIds, isCut } = collectNeighbourhood(seeds, search);

        expect(isCut).toBe(false);
        expect(nodeIds.toSorted()).toEqual([...distances.keys()].toSorted());
        const order = nodeIds.map((id) => distances.get(id) ?? -1);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        const cut = collectNeighbourhood(seeds, { ...search, maxNodes: 2 });
        expect(cut.nodeIds).toEqual(nodeIds.slice(0, 2));
        expect(cut.isCut).toBe(nodeIds.length > 2);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a neighbourhood of more edges than are looked at says that it may be cut', () => {
  const star = Array.from({ length: 50 }, (_, id) => ({ fromId: 0, toId: id + 1, type: 'x' }));
  const search = {
    depth: 1,
    direction: 'out' as const,
    maxNodes: 100,
    leaving: (_: readonly number[], limit: number) => star.slice(0, limit),
  };

  expect(collectNeighbourhood([0], { ...search, maxEdges: 50 }).isCut).toBe(false);
  expect(collectNeighbourhood([0], { ...search, maxEdges: 49 }).isCut).toBe(true);
});

function edgesAround(graph: readonly Edge[]) {
  return (ids: readonly number[]) =>
    graph.filter(({ fromId, toId }) => ids.includes(fromId) || ids.includes(toId));
}

/** Edges along some paths. */
function edgesOf(...paths: readonly number[][]): Edge[] {
  return paths.flatMap((path) =>
    path.slice(1).map((toId, index) => ({ fromId: path[index] ?? 0, toId, type: 'x' })),
  );
}

function pairs(count: number): Edge[] {
  const ids = Array.from({ length: count }, (_, id) => id);
  return ids.flatMap((fromId) =>
    ids.slice(fromId + 1).map((toId) => ({ fromId, toId, type: 'x' })),
  );
}

function neighbours(graph: readonly Edge[], id: number, way: Direction): number[] {
  return graph.flatMap(({ fromId, toId }) => [
    ...(fromId === id && way !== 'in' ? [toId] : []),
    ...(toId === id && way !== 'out' ? [fromId] : []),
  ]);
}

/** Every simple path that begins so and has at most so many edges more, by trying all. */
function simplePaths(
  graph: readonly Edge[],
  path: readonly number[],
  to: number,
  edgesMax: number,
  way: Direction,
): number[][] {
  const last = path.at(-1) ?? -1;
  if (last === to) return [[...path]];
  if (edgesMax === 0) return [];
  const next = new Set(neighbours(graph, last, way).filter((id) => !path.includes(id)));
  return [...next].flatMap((id) => simplePaths(graph, [...path, id], to, edgesMax - 1, way));
}

function distancesFrom(
  graph: readonly Edge[],
  seeds: readonly number[],
  depth: number,
  way: Direction,
): Map<number, number> {
  const distances = new Map(seeds.map((id) => [id, 0]));
  for (let distance = 1; distance <= depth; distance += 1) {
    const near = [...distances].filter(([, at]) => at === distance - 1).map(([id]) => id);
    for (const id of near.flatMap((one) => neighbours(graph, one, way))) {
      if (!distances.has(id)) distances.set(id, distance);
    }
  }
  return distances;
}
