/** The nodes of a file, by their ids in it: what is needed of each to write it, and no text. */
import type { NodeKind } from '#graph/ids.ts';
import { columns, keyOfNumber, openKeyIndex } from './import-tables.ts';

export interface PlannedNode {
  readonly line: number;
  readonly kind: NodeKind;
  /** Of a fact; null for none. */
  readonly entity: number | null;
  /** 0 for what has no versions. */
  readonly version: number;
  readonly supersedes: number | null;
  readonly supersededBy: number | null;
}

export interface PlannedNodes extends Iterable<readonly [number, PlannedNode]> {
  has(id: number): boolean;
  get(id: number): PlannedNode | undefined;
  /** In the order of the file. */
  ids(): Iterable<number>;
}

export interface GrowingNodes extends PlannedNodes {
  /** An id is added once. */
  add(id: number, node: PlannedNode): void;
  remove(id: number): void;
}

const KINDS: readonly NodeKind[] = ['entity', 'fact', 'turn', 'summary'];

export function openPlannedNodes(): GrowingNodes {
  const index = openKeyIndex();
  const id = columns.ids();
  const line = columns.counts();
  /** 0 for one that was removed, else its place among the kinds, from 1. */
  const kind = columns.flags();
  const version = columns.ids();
  const links = { entity: columns.ids(), supersedes: columns.ids(), supersededBy: columns.ids() };

  function find(of: number): number | undefined {
    const row = index.find(keyOfNumber(of));
    return row === undefined || kind.get(row) === 0 ? undefined : row;
  }

  function read(row: number): PlannedNode {
    const of = KINDS[kind.get(row) - 1];
    if (of === undefined) throw new Error('A node that was removed is not read.');
    return {
      line: line.get(row),
      kind: of,
      version: version.get(row),
      entity: links.entity.get(row) || null,
      supersedes: links.supersedes.get(row) || null,
      supersededBy: links.supersededBy.get(row) || null,
    };
  }

  function* rows(): Generator<number> {
    for (let row = 0; row < index.size; row += 1) if (kind.get(row) > 0) yield row;
  }

  return {
    has: (of) => find(of) !== undefined,
    get(of) {
      const row = find(of);
      return row === undefined ? undefined : read(row);
    },
    *ids() {
      for (const row of rows()) yield id.get(row);
    },
    *[Symbol.iterator]() {
      for (const row of rows()) yield [id.get(row), read(row)] as const;
    },
    add(of, node) {
      const row = index.add(keyOfNumber(of));
      id.set(row, of);
      line.set(row, node.line);
      kind.set(row, KINDS.indexOf(node.kind) + 1);
      version.set(row, node.version);
      links.entity.set(row, node.entity ?? 0);
      links.supersedes.set(row, node.supersedes ?? 0);
      links.supersededBy.set(row, node.supersededBy ?? 0);
    },
    remove(of) {
      const row = find(of);
      if (row !== undefined) kind.set(row, 0);
    },
  };
}
