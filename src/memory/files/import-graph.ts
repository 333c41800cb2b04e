/** Puts what a file says into the graph, in the transaction of the caller. */
import { openCandidates } from './fact-candidates.ts';
import { matchNodes, type Matches } from './import-matching.ts';
import type { ImportPlan } from './import-check.ts';
import { openNumberMap } from './import-tables.ts';
import { writeGraph, writeHistory, type ImportMode, type WriteOptions } from './import-apply.ts';
import type { World } from '#memory/world.ts';

export interface AddedCounts {
  readonly entities: number;
  readonly facts: number;
  /** Between nodes of any kind. */
  readonly relations: number;
  readonly turns: number;
  readonly summaries: number;
}

const NO_MATCHES: Matches = { ids: openNumberMap(), facts: openCandidates() };

export function graphImport({ store }: World) {
  /** Nothing is here: the thread becomes what the other one was, with its ids and its history. */
  function restore(plan: ImportPlan, mode: ImportMode, records: WriteOptions['records']) {
    const options: WriteOptions = { plan, ids: keep(plan), mode, matches: NO_MATCHES, records };
    const relations = writeGraph(store.archive, options);
    writeHistory(store.archive, options);
    const added = countAdded(plan, NO_MATCHES, relations);
    return { added, updated: 0, removed: 0, hasHistory: true };
  }

  function write(
    plan: ImportPlan,
    mode: ImportMode,
    records: WriteOptions['records'],
    isUntouched: boolean,
  ) {
    const matches = isUntouched ? NO_MATCHES : matchNodes(store, plan, records('node'));
    const keepsIds = isUntouched && plan.keepsIds;
    const ids = keepsIds ? keep(plan) : giveIds(plan, matches, store.archive.lastNodeId());
    const removed = mode === 'replace' ? removeUnmatched(plan, matches) : 0;
    const relations = writeGraph(store.archive, { plan, matches, ids, mode, records });
    return {
      added: countAdded(plan, matches, relations),
      updated: store.archive.countUpdated(),
      removed,
      hasHistory: false,
    };
  }

  function removeUnmatched({ nodes }: ImportPlan, { ids }: Matches): number {
    const kept = openNumberMap();
    for (const fileId of nodes.ids()) {
      const id = ids.get(fileId);
      if (id !== undefined) kept.set(id, fileId);
    }
    const gone = store.archive.allNodeIds().filter((id) => !kept.has(id));
    store.archive.removeNodes(gone);
    return gone.length;
  }

  return { restore, write };
}

/** Ids as they are in the file. */
function keep({ nodes }: ImportPlan): WriteOptions['ids'] {
  return { get: (id) => (nodes.has(id) ? id : undefined) };
}

/** Those of the thread for nodes that it has, and new ones for the others. */
function giveIds({ nodes }: ImportPlan, matches: Matches, lastId: number): WriteOptions['ids'] {
  const ids = openNumberMap();
  let last = lastId;
  for (const id of nodes.ids()) ids.set(id, matches.ids.get(id) ?? (last += 1));
  return ids;
}

function countAdded({ nodes }: ImportPlan, { ids }: Matches, relations: number): AddedCounts {
  const counts = { entity: 0, fact: 0, turn: 0, summary: 0 };
  for (const [id, { kind }] of nodes) if (!ids.has(id)) counts[kind] += 1;
  return {
    entities: counts.entity,
    facts: counts.fact,
    relations,
    turns: counts.turn,
    summaries: counts.summary,
  };
}
