/** Finds the nodes that a caller names by id. */
import { MemoryError, quote } from '#errors.ts';
import { formatNodeId, parseNodeId, type MemoryNode } from '#graph/memory-node.ts';
import type { Store } from '#store/store.ts';

/** Nodes by the id that was asked for; those that there are not are left out. */
export function resolveNodeIds(store: Store, ids: readonly string[]): Map<string, MemoryNode> {
  const numbers = ids.flatMap((id) => parseNodeId(id) ?? []);
  const found = store.memoryNodes.findByIds([...new Set(numbers)]);
  // An id tells what it names: mem_3 is not ent_3.
  const byId = new Map(found.map((node) => [formatNodeId(node), node]));
  return new Map(
    ids.flatMap((id) => {
      const node = byId.get(id);
      return node ? [[id, node] as const] : [];
    }),
  );
}

/** Throws `not_found`. */
export function getNode(store: Store, id: string): MemoryNode {
  const node = resolveNodeIds(store, [id]).get(id);
  if (node) return node;
  throw nodeNotFound(id);
}

export function nodeNotFound(id: string): MemoryError {
  return new MemoryError('not_found', `No node ${quote(id)} in this memory.`, {
    hint: 'Ids look like mem_1, obs_2 or ent_3; search finds nodes by what they say.',
  });
}

/** For the id of a node of another kind. */
export function factNotFound(id: string): MemoryError {
  return new MemoryError('not_found', `No fact ${quote(id)} in this memory.`, {
    hint: 'Ids of facts look like mem_1 or obs_2; update_node and delete_node take any node.',
  });
}
