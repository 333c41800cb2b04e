/** Tables of numbers behave as the maps that they are in the place of. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keyOfText,
  openKeyIndex,
  openLineIndex,
  openNumberMap,
} from '#memory/files/import-tables.ts';
import { openPlannedNodes, type PlannedNode } from '#memory/files/planned-nodes.ts';
import { openCandidates } from '#memory/files/fact-candidates.ts';

test('a map of numbers keeps what a Map keeps, ids of 15 digits included', () => {
  const aNumber = fc.oneof(fc.nat(50), fc.integer({ min: 1, max: 999_999_999_999_999 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(aNumber, aNumber), { maxLength: 200 }), (pairs) => {
      const [map, expected] = [openNumberMap(), new Map<number, number>()];
      for (const [key, value] of pairs) {
        map.set(key, value);
        expected.set(key, value);
      }

      expect(map.size).toBe(expected.size);
      for (const [key, value] of expected) expect(map.get(key)).toBe(value);
      for (const [, key] of pairs) expect(map.has(key)).toBe(expected.has(key));
    }),
  );
});

test('a hundred thousand texts that differ in little have keys of their own', () => {
  const index = openKeyIndex();
  const lines = openLineIndex();
  const texts = Array.from(
    { length: 100_000 },
    (_, number) => `edge ${number},${number + 1},knows`,
  );

  const twins = texts.filter((text, line) => lines.claim(keyOfText(text), line + 1) !== undefined);

  expect(texts.map((text) => index.add(keyOfText(text)))).toEqual([...texts.keys()]);
  expect(texts.map((text) => index.find(keyOfText(text)))).toEqual([...texts.keys()]);
  expect(index.find(keyOfText('edge 1,1,knows'))).toBeUndefined();
  expect(twins).toEqual([]);
  expect(lines.claim(keyOfText(texts[7] ?? ''), 200_000)).toBe(8);
});

test('nodes are read as they were added, in their order, without those that were removed', () => {
  const fact = { line: 3, kind: 'fact', entity: 1, version: 2, supersedes: 2, supersededBy: null };
  const entity = { ...fact, line: 2, kind: 'entity', entity: null, version: 0, supersedes: null };
  const nodes = openPlannedNodes();
  nodes.add(9, entity as PlannedNode);
  nodes.add(4, fact as PlannedNode);
  nodes.add(1, entity as PlannedNode);

  nodes.remove(9);

  expect([...nodes]).toEqual([
    [4, fact],
    [1, entity],
  ]);
  expect([...nodes.ids()]).toEqual([4, 1]);
  expect([nodes.has(9), nodes.get(9), nodes.has(4)]).toEqual([false, undefined, true]);
});

test('candidates come in the order in which they were found, until they are taken', () => {
  const candidates = openCandidates();
  const found = (id: number) => ({ id, supersedes: null, supersededBy: id + 1 });
  candidates.add(7, found(1));
  candidates.add(8, found(1));
  candidates.add(7, found(5));

  const before = candidates.freeOf(7);
  candidates.take(1);

  expect([...candidates.fileIds()]).toEqual([7, 8]);
  expect(before).toEqual([found(1), found(5)]);
  expect([candidates.freeOf(7), candidates.freeOf(8)]).toEqual([[found(5)], []]);
  expect([candidates.get(1), candidates.get(5)]).toEqual([found(1), undefined]);
});
