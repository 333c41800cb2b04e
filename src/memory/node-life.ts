/** Nodes from their beginning to their end, as seed 002 has them. */
import type { MemoryNode } from '#graph/memory-node.ts';
import { getNode } from './node-ids.ts';
import type { World } from './world.ts';

export function nodeUseCases({ store }: World) {
  return {
    /** Throws `not_found`. */
    get: (id: string): MemoryNode => getNode(store, id),
  };
}
