/** Marks a memory as outdated by another. Nothing is lost: the older one stays readable. */
import { MemoryError } from '#errors.ts';
import { adviseOnId } from '#graph/id-advice.ts';
import type { Fact } from '#graph/fact.ts';
import { formatFactId, parseId } from '#graph/ids.ts';
import type { Store } from '#store/store.ts';
import type { World } from '#memory/world.ts';

/**
 * The caller holds the transaction. Versions of one chain are about the same entity, or all about
 * none. Where the two are not, the older one is marked as outdated and names its successor.
 * Throws `not_found`, `conflict` for one that is superseded already, `invalid_input` for the rest.
 */
export function supersedeFact({ store, now }: World, oldId: string, newId: string): void {
  const [older, newer] = findFacts(store, oldId, newId);
  refuseSuperseding(store, older, newer);
  if (older.entityId === newer.entityId) {
    store.facts.markSuperseded(older.nodeId, newer.nodeId);
    store.facts.placeAfter(newer.nodeId, older);
  } else {
    store.duplicates.markOutdated(older.nodeId, `Superseded by ${newId}.`, now);
  }
  const about = [older, newer].flatMap(({ entityId }) => entityId ?? []);
  if (about.length > 0) store.nodes.touch([...new Set(about)], now);
}

function findFacts(store: Store, oldId: string, newId: string): [older: Fact, newer: Fact] {
  const [older, newer] = [findFact(store, oldId), findFact(store, newId)];
  if (older !== undefined && newer !== undefined) return [older, newer];
  const missing = [older === undefined ? oldId : [], newer === undefined ? newId : []].flat();
  throw new MemoryError(
    'not_found',
    [...new Set(missing)].map((id) => `Memory with ID ${id} not found`).join('; '),
    {
      hint: [
        ...missing.flatMap((id) => adviseOnId(id, ['observation', 'memory']) ?? []),
        'Ids look like mem_12 or obs_12; search_memories and list_recent_memories show them.',
      ].join(' '),
    },
  );
}

/** Undefined for what is no fact, or is in no answer any more. Throws for one that is outdated. */
function findFact(store: Store, id: string): Fact | undefined {
  const nodeId = parseId('memory', id) ?? parseId('observation', id);
  if (nodeId === undefined) return undefined;
  const [fact] = store.facts.findByIds([nodeId]);
  if (fact !== undefined) return formatFactId(fact) === id ? fact : undefined;
  const [node] = store.memoryNodes.findByIds([nodeId]);
  if (node?.kind !== 'fact' || node.status !== 'outdated') return undefined;
  const { outdated_reason: reason } = node.metadata;
  throw new MemoryError(
    'conflict',
    `Memory ${id} is outdated already${typeof reason === 'string' ? `: ${reason}` : '.'}`,
    { hint: 'Nothing was changed. search_memories finds what is current.' },
  );
}

function refuseSuperseding(store: Store, older: Fact, newer: Fact): void {
  const [oldId, newId] = [older, newer].map(formatFactId);
  if (older.nodeId === newer.nodeId) {
    throw new MemoryError('invalid_input', `Memory ${oldId} cannot supersede itself.`, {
      hint: 'Give the outdated memory as old_memory_id and the one that replaces it as new_memory_id.',
    });
  }
  if (newer.supersededBy !== null) {
    const latest = latestOf(store, newer);
    throw latest.nodeId === older.nodeId
      ? new MemoryError(
          'invalid_input',
          `Memory ${newId} has been superseded by ${oldId}: the other way round would make a circle.`,
          { hint: `Nothing was changed: ${oldId} is the current one.` },
        )
      : new MemoryError(
          'conflict',
          `Memory ${newId} has been superseded by ${formatFactId(latest)} and can replace no other.`,
          { hint: `Call supersede_memory("${oldId}", "${formatFactId(latest)}") instead.` },
        );
  }
  if (older.supersededBy === null) return;
  const latestId = formatFactId(latestOf(store, older));
  throw new MemoryError('conflict', `Memory ${oldId} has already been superseded by ${latestId}.`, {
    hint:
      latestId === newId
        ? 'Nothing has to be done.'
        : `If ${newId} is newer than that, call supersede_memory("${latestId}", "${newId}").`,
  });
}

function latestOf(store: Store, fact: Fact): Fact {
  return store.facts.chain(fact.nodeId).at(-1) ?? fact;
}
