/** Puts what a file says into the graph, in the transaction of the caller. */
import { matchNodes, type Matches } from './import-matching.ts';
import type { ImportPlan } from './import-check.ts';
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

const NO_MATCHES: Matches = { ids: new Map(), facts: new Map() };

export function graphImport({ store }: World) {
  /** Nothing is here: the thread becomes what the other one was, with its ids and its history. */
  function restore(plan: ImportPlan, mode: ImportMode, records: WriteOptions['records']) {
    const ids = new Map([...plan.nodes.keys()].map((id) => [id, id]));
    const options: WriteOptions = { plan, ids, mode, matches: NO_MATCHES, records };
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
    const matches = isUntouched ? NO_MATCHES : matchNodes(store, plan, records());
    const ids = new Map(matches.ids);
    let lastId = store.archive.lastNodeId();
    for (const id of plan.nodes.keys()) {
      if (isUntouched && plan.keepsIds) ids.set(id, id);
      else if (!ids.has(id)) ids.set(id, (lastId += 1));
    }
    const removed = mode === 'replace' ? removeUnmatched(matches) : 0;
    const relations = writeGraph(store.archive, { plan, matches, ids, mode, records });
    return {
      added: countAdded(plan, matches, relations),
      updated: store.archive.countUpdated(),
      removed,
      hasHistory: false,
    };
  }

  function removeUnmatched({ ids }: Matches): number {
    const kept = new Set(ids.values());
    const gone = store.archive.allNodeIds().filter((id) => !kept.has(id));
    store.archive.removeNodes(gone);
    return gone.length;
  }

  return { restore, write };
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
