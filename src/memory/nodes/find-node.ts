/** Finds the nodes that a caller names by id. */
import { MemoryError, quote } from '#errors.ts';
import { adviseOnId, titleOfId, toolsForId } from '#graph/id-advice.ts';
import { parseId } from '#graph/ids.ts';
import { formatNodeId, parseNodeId, type MemoryNode } from '#graph/memory-node.ts';
import type { Summary } from '#graph/summary.ts';
import type { Turn } from '#graph/turn.ts';
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

/** Throws `not_found`, and `invalid_input` for a turn or a summary. */
export function getNode(store: Store, id: string): MemoryNode {
  const node = resolveNodeIds(store, [id]).get(id);
  if (node) return node;
  throw nodeNotFound(store, id);
}

export function nodeNotFound(store: Store, id: string): MemoryError {
  const part = findPart(store, id, 0);
  if (part !== undefined) {
    return new MemoryError('invalid_input', `${describePart(id, part)}.`, {
      hint: adviseOnId(id, FACTS_AND_ENTITIES),
    });
  }
  return new MemoryError('not_found', `No node ${quote(id)} in this memory.`, {
    hint: 'Ids look like mem_1, obs_2 or ent_3; search finds nodes by what they say.',
  });
}

/** What is wrong with an id that names no fact and no entity, without a full stop. */
export function describeMissing(store: Store, id: string): string {
  const part = findPart(store, id, 0);
  if (part === undefined) return `No node ${quote(id)} in this memory`;
  return `${describePart(id, part)} (${toolsForId(part.kind)})`;
}

const FACTS_AND_ENTITIES = ['entity', 'observation', 'memory'] as const;

function describePart(id: string, { kind }: NodePart): string {
  return `${quote(id)} is ${titleOfId(kind)}, and this takes facts and entities`;
}

/** For the id of a node of another kind. */
export function factNotFound(id: string): MemoryError {
  return new MemoryError('not_found', `No fact ${quote(id)} in this memory.`, {
    hint:
      adviseOnId(id, ['observation', 'memory']) ??
      'Ids of facts look like mem_1 or obs_2; update_node and delete_node take any node.',
  });
}

/** A turn or a summary, which is a node without metadata, life time and status of its own. */
export interface NodePart {
  readonly part: Turn | Summary;
  readonly kind: 'turn' | 'summary';
}

/** At most that many characters of each text of a turn. */
export function findPart(store: Store, id: string, charsMax: number): NodePart | undefined {
  const turnId = parseId('turn', id);
  const summaryId = parseId('summary', id);
  const [turn] = turnId === undefined ? [] : store.turns.findByIds([turnId], charsMax);
  if (turn !== undefined) return { part: turn, kind: 'turn' };
  const [summary] = summaryId === undefined ? [] : store.summaries.findByIds([summaryId]);
  return summary && { part: summary, kind: 'summary' };
}
