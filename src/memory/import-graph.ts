/** Puts what a file says into the graph, in the transaction of the caller. */
import { matchNodes, type Matches } from './import-matching.ts';
import type { ImportPlan } from './import-plan.ts';
import { writeGraph, writeHistory, type ImportMode, type WriteOptions } from './import-writing.ts';
import type { World } from './world.ts';

export interface NodeCounts {
  readonly entities: number;
  readonly facts: number;
  readonly turns: number;
  readonly summaries: number;
}

const NO_MATCHES: Matches = { ids: new Map(), facts: new Map() };

export function graphImport({ store }: World) {
  /** Nothing is here: the thread becomes what the other one was, with its ids and its history. */
  function restore(plan: ImportPlan, mode: ImportMode, records: WriteOptions['records']) {
    const ids = new Map([...plan.nodes.keys()].map((id) => [id, id]));
    const options: WriteOptions = { plan, ids, mode, matches: NO_MATCHES, records };
    writeGraph(store.archive, options);
    writeHistory(store.archive, options);
    return { added: countNodes(plan, NO_MATCHES), updated: 0, removed: 0, hasHistory: true };
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
      if (isUntouched) ids.set(id, id);
      else if (!ids.has(id)) ids.set(id, (lastId += 1));
    }
    const removed = mode === 'replace' ? removeUnmatched(matches) : 0;
    writeGraph(store.archive, { plan, matches, ids, mode, records });
    return {
      added: countNodes(plan, matches),
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

function countNodes({ nodes }: ImportPlan, { ids }: Matches): NodeCounts {
  const counts = { entity: 0, fact: 0, turn: 0, summary: 0 };
  for (const [id, { kind }] of nodes) if (!ids.has(id)) counts[kind] += 1;
  return {
    entities: counts.entity,
    facts: counts.fact,
    turns: counts.turn,
    summaries: counts.summary,
  };
}
