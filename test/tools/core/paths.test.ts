import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Edge } from '#graph/edge.ts';
import { findShortestPath } from '#graph/walks/walk.ts';
import { entity, hub, relatesTo } from '#test/builders.ts';
import { openTestMemory } from '#test/memory.ts';

const chain = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name, index, names) =>
  entity(name, { relations: [relatesTo(names[index + 1] ?? 'F', 'next')] }),
);

test('a path is found against the direction of its relations', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: chain });

  expect(await memory.call('find_relation_path', { from: 'D', to: 'A' })).toEqual({
    found: true,
    path: ['D', 'C', 'B', 'A'],
    relations: [
      { from: 'C', to: 'D', relationType: 'next' },
      { from: 'B', to: 'C', relationType: 'next' },
      { from: 'A', to: 'B', relationType: 'next' },
    ],
  });
});

test('a path may have maxDepth relations and no more', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: chain });

  expect(await memory.call('find_relation_path', { from: 'A', to: 'F' })).toMatchObject({
    found: true,
  });
  expect(await memory.call('find_relation_path', { from: 'A', to: 'G' })).toEqual({
    found: false,
    path: [],
    relations: [],
    reason: 'No path of at most 5 relations.',
  });
  expect(
    await memory.call('find_relation_path', { from: 'A', to: 'G', maxDepth: 6 }),
  ).toMatchObject({
    found: true,
  });
});

test('an entity is its own path, and unknown names have none', async () => {
  await using memory = await openTestMemory();
  await memory.call('save_memory', { entities: [hub('Ada'), entity('Ada')] });

  expect(await memory.call('find_relation_path', { from: 'Ada', to: 'ada' })).toEqual({
    found: true,
    path: ['Ada'],
    relations: [],
  });
  expect(await memory.call('find_relation_path', { from: 'Ghost', to: 'Ghost' })).toEqual({
    found: false,
    path: [],
    relations: [],
    reason: "Not in this thread: 'Ghost', 'Ghost'.",
  });
});

test('on any graph the path found is a path, and none is shorter', () => {
  const edges = fc.array(
    fc.record({ fromId: fc.nat(14), toId: fc.nat(14), type: fc.constant('x') }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(
      edges,
      fc.nat(14),
      fc.nat(14),
      fc.integer({ min: 1, max: 8 }),
      (graph, from, to, maxDepth) => {
        const result = findShortestPath(from, to, {
          maxDepth,
          maxVisits: 1_000,
          around: (ids) => graph.filter((e) => ids.includes(e.fromId) || ids.includes(e.toId)),
        });
        const distance = distanceBetween(graph, from, to);
        if (distance === undefined || distance > maxDepth) {
          expect(result.outcome).toBe('none');
          return;
        }
        if (result.outcome !== 'found')
          throw new Error(`No path found, though there is one of ${distance}.`);
        expect(result.nodeIds.at(0)).toBe(from);
        expect(result.nodeIds.at(-1)).toBe(to);
        expect(result.edges).toHaveLength(distance);
        result.edges.forEach((edge, index) => {
          const step = [result.nodeIds[index], result.nodeIds[index + 1]].toSorted();
          expect([edge.fromId, edge.toId].toSorted()).toEqual(step);
        });
      },
    ),
    { numRuns: 500 },
  );
});

test('a search that visits too much gives up and says so', () => {
  const star = [...Array(100).keys()].map((index) => ({ fromId: 0, toId: index + 1, type: 'x' }));
  const around = (ids: readonly number[]) =>
    [...star, { fromId: 998, toId: 999, type: 'x' }].filter(
      (e) => ids.includes(e.fromId) || ids.includes(e.toId),
    );
  const search = { maxDepth: 10, around };

  expect(findShortestPath(0, 999, { ...search, maxVisits: 50 }).outcome).toBe('gave_up');
  expect(findShortestPath(0, 999, { ...search, maxVisits: 500 }).outcome).toBe('none');
});

/** Plain breadth-first search, to compare with. */
function distanceBetween(graph: readonly Edge[], from: number, to: number): number | undefined {
  let reached = new Set([from]);
  for (let distance = 0; distance <= 15; distance += 1) {
    if (reached.has(to)) return distance;
    reached = new Set([
      ...reached,
      ...graph.flatMap(({ fromId, toId }) => [
        ...(reached.has(fromId) ? [toId] : []),
        ...(reached.has(toId) ? [fromId] : []),
      ]),
    ]);
  }
  return undefined;
}
