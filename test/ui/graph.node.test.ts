/** The pure parts of the drawn graph: what is shown, where labels stand, where an arrow key leads. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { condense, replaceEntities } from '#ui/data/graph-data.ts';
import { nearestInDirection } from '#ui/graph/nearest-in-direction.ts';
import { placeLabels } from '#ui/graph/place-labels.ts';
import { startingPoints } from '#ui/graph/starting-points.ts';
import { neighboursOf, NO_FILTERS, shortestPath, showGraph } from '#ui/graph/visible-graph.ts';

const entity = (name: string, entityType = 'T', importance = 0.5, updatedAt = '2026-01-02') => ({
  name,
  entityType,
  importance,
  updatedAt,
  createdAt: '2026-01-01',
  facts: 0,
});
const relation = (from: string, to: string, relationType = 'knows') => ({ from, to, relationType });

const GRAPH = {
  entities: [
    entity('a'),
    entity('b', 'U'),
    entity('c', 'T', 0.9),
    entity('d', 'T', 0.1, '2025-01-01'),
  ],
  relations: [relation('a', 'b'), relation('b', 'c'), relation('c', 'b', 'asks')],
};
const names = (filters: object, max = 10) =>
  showGraph(GRAPH, { ...NO_FILTERS, ...filters }, max).entities.map(({ name }) => name);

test('filters leave out what they say, with its relations', () => {
  expect(names({})).toEqual(['a', 'b', 'c', 'd']);
  expect(names({ types: new Set(['U']) })).toEqual(['a', 'c', 'd']);
  expect(names({ importance: 0.5 })).toEqual(['a', 'b', 'c']);
  expect(names({ since: '2026-01-01' })).toEqual(['a', 'b', 'c']);
  expect(names({ focus: new Set(['a', 'b']), hidden: new Set(['b']) })).toEqual(['a']);
  expect(showGraph(GRAPH, { ...NO_FILTERS, hidden: new Set(['b']) }, 10).relations).toEqual([]);
  expect(
    showGraph(GRAPH, { ...NO_FILTERS, relations: new Set(['asks']) }, 10).relations,
  ).toHaveLength(2);
});

test('of too many the most connected are shown, and how many there are is known', () => {
  const shown = showGraph(GRAPH, NO_FILTERS, 2);

  expect(shown.entities.map(({ name }) => name)).toEqual(['b', 'c']);
  expect(shown.matching).toBe(4);
});

test('a path goes along relations in either direction', () => {
  expect(shortestPath('a', 'c', GRAPH.relations)).toEqual(['a', 'b', 'c']);
  expect(shortestPath('c', 'a', GRAPH.relations)).toEqual(['c', 'b', 'a']);
  expect(shortestPath('a', 'd', GRAPH.relations)).toBeUndefined();
  expect(shortestPath('a', 'a', GRAPH.relations)).toEqual(['a']);
  expect(neighboursOf('b', GRAPH.relations)).toEqual(new Set(['b', 'a', 'c']));
});

test('no label covers another one', () => {
  const label = fc.record({
    name: fc.string(),
    x: fc.integer({ min: 0, max: 300 }),
    y: fc.integer({ min: 0, max: 300 }),
    size: fc.integer({ min: 2, max: 20 }),
    width: fc.integer({ min: 5, max: 120 }),
    height: fc.constant(14),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(label, { selector: ({ name }) => name, maxLength: 40 }),
      (labels) => {
        const placed = placeLabels(labels, { width: 300, height: 300 });
        const boxes = placed.map(({ name, x, y }) => {
          const { width = 0 } = labels.find((one) => one.name === name) ?? {};
          return { left: x, right: x + width, top: y - 7, bottom: y + 7 };
        });
        for (const [i, a] of boxes.entries()) {
          for (const b of boxes.slice(i + 1)) {
            const isApart =
              a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
            expect(isApart).toBe(true);
          }
        }
      },
    ),
  );
});

test('the first label gets its place, at the right of its node', () => {
  const label = { name: 'a', x: 50, y: 50, size: 4, width: 30, height: 14 };

  expect(placeLabels([label], { width: 300, height: 300 })).toEqual([{ name: 'a', x: 58, y: 50 }]);
});

test('an arrow key leads to the neighbour that lies that way', () => {
  const at = { x: 0, y: 0 };
  const others = [
    { name: 'right', x: 10, y: 1 },
    { name: 'far right', x: 50, y: 0 },
    { name: 'up', x: 2, y: -10 },
  ];

  expect(nearestInDirection(at, others, 'right')).toBe('right');
  expect(nearestInDirection(at, others, 'up')).toBe('up');
  expect(nearestInDirection(at, others, 'left')).toBeUndefined();
});

test('nodes begin apart, and a new one beside its neighbour', () => {
  const nodes = ['a', 'b', 'c'].map((name, i) => ({ name, degree: i }));
  const fresh = startingPoints(nodes, [], new Map());
  const beside = startingPoints(nodes, [['a', 'b']], new Map([['a', { x: 500, y: 500 }]]));
  const b = beside.get('b') ?? { x: 0, y: 0 };

  expect(new Set([...fresh.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(3);
  expect(beside.get('a')).toEqual({ x: 500, y: 500 });
  expect(Math.hypot(b.x - 500, b.y - 500)).toBeLessThan(20);
});

test('after a write the entities that it touched are replaced, and nothing else', () => {
  const wire = (name: string, contents: string[]) => ({
    name,
    entityType: 'T',
    observations: contents.map((content, i) => ({
      id: `obs_${name}${i}`,
      content,
      timestamp: '2026-01-01',
      version: 1,
      confidence: 1,
      importance: 0.5,
    })),
  });
  const before = {
    ...condense(
      [wire('a', ['one']), wire('b', ['two']), wire('c', [])],
      [relation('a', 'b'), relation('b', 'c'), relation('c', 'c')],
    ),
    total: { entities: 3, relations: 3, observations: 2 },
    isCut: false,
  };
  const after = replaceEntities(
    before,
    new Set(['b']),
    [wire('b', ['two', 'three'])],
    [relation('b', 'a')],
  );
  const gone = replaceEntities(before, new Set(['b']), [], []);

  expect(after.entities.map(({ name, facts }) => [name, facts])).toEqual([
    ['a', 1],
    ['c', 0],
    ['b', 2],
  ]);
  expect(after.relations.map(({ from, to }) => from + to)).toEqual(['cc', 'ba']);
  expect(after.total).toEqual({ entities: 3, relations: 2, observations: 3 });
  expect(gone.total).toEqual({ entities: 2, relations: 1, observations: 1 });
});
