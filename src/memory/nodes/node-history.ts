/** What a node was before: states that its updates kept, and earlier versions of a fact. */
import type { MemoryNode } from '#graph/memory-node.ts';
import { NODE_VERSIONS_MAX } from '#limits.ts';
import type { KeptState } from '#store/graph/node-versions.ts';
import type { Store } from '#store/store.ts';

export interface NodeHistory {
  /** Newest first. */
  readonly versions: readonly KeptState[];
  /** True when there are older ones. */
  readonly isCut: boolean;
}

export function readHistory(store: Store, node: MemoryNode): NodeHistory {
  const kept = store.nodeVersions.list(node.nodeId, NODE_VERSIONS_MAX + 1);
  // A version before was replaced when this one began. Times would not tell: two calls at once may
  // be stored in another order than they came.
  const earlier = node.kind === 'fact' ? earlierVersions(store, node.nodeId) : [];
  const versions = [...kept, ...earlier.toReversed()];
  return {
    versions: versions.slice(0, NODE_VERSIONS_MAX),
    isCut: versions.length > NODE_VERSIONS_MAX,
  };
}

/** A fact that was superseded is a node of its own; the one that took its place says when. */
function earlierVersions(store: Store, nodeId: number): KeptState[] {
  const chain = store.facts.chain(nodeId);
  const earlier = chain.slice(
    0,
    chain.findIndex((fact) => fact.nodeId === nodeId),
  );
  const nodes = new Map(
    store.memoryNodes
      .findByIds(earlier.map((fact) => fact.nodeId))
      .map((node) => [node.nodeId, node]),
  );
  return earlier.flatMap((fact, position) => {
    const node = nodes.get(fact.nodeId);
    const next = chain[position + 1];
    return node && next ? [{ node, replacedAt: next.createdAt }] : [];
  });
}
