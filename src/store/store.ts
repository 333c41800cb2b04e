/** All tables of one thread behind one object. */
import { additionStore } from './graph/additions.ts';
import { archiveReadingStore } from './bulk/archive-reading.ts';
import { archiveWritingStore } from './bulk/archive-writing.ts';
import { compactionStore } from './history/horizon.ts';
import { bulkStore } from './bulk/bulk.ts';
import { changeStore } from './history/changes.ts';
import { counterStore } from './derived/counters.ts';
import { derivedStore } from './derived/derived.ts';
import { edgeStore } from './graph/edges.ts';
import { duplicateStore } from './graph/duplicates.ts';
import { entityStore } from './graph/entities.ts';
import { expiryStore } from './graph/expiry.ts';
import { factStore } from './graph/facts.ts';
import { forgettingStore } from './history/forget.ts';
import { foremostStore } from './graph/foremost.ts';
import { fulltextStore } from './search/fulltext.ts';
import { growthStore } from './derived/growth.ts';
import { jobStore } from './upkeep/jobs.ts';
import { memoryNodeStore } from './graph/node-views.ts';
import { mentionStore } from './search/mentions.ts';
import { nodeEdgeStore } from './graph/node-edges.ts';
import { nodeVersionStore } from './graph/node-versions.ts';
import { nodeStore } from './graph/nodes.ts';
import { revisionStore } from './history/revisions.ts';
import { rewindingStore } from './history/take-back.ts';
import { checkInvariants } from './derived/invariants.ts';
import type { Sql } from './sql.ts';
import { scopeStore } from './search/session-scope.ts';
import { sessionStore } from './sessions/sessions.ts';
import { summaryStore } from './sessions/summaries.ts';
import { transferStore } from './bulk/transfers.ts';
import { stopStore } from './upkeep/stops.ts';
import { turnStore } from './sessions/turns.ts';
import { vectorStore } from './search/vectors.ts';

export function openStore(sql: Sql) {
  return {
    /** All of `work` or nothing of it; `work` must not return a promise. */
    transaction: <Result>(work: () => Result) => sql.transaction(work),
    nodes: nodeStore(sql),
    memoryNodes: memoryNodeStore(sql),
    nodeEdges: nodeEdgeStore(sql),
    nodeVersions: nodeVersionStore(sql),
    entities: entityStore(sql),
    facts: factStore(sql),
    edges: edgeStore(sql),
    additions: additionStore(sql),
    turns: turnStore(sql),
    summaries: summaryStore(sql),
    sessions: sessionStore(sql),
    scopes: scopeStore(sql),
    stops: stopStore(sql),
    counters: counterStore(sql),
    revisions: revisionStore(sql),
    changes: changeStore(sql),
    rewinding: rewindingStore(sql),
    growth: growthStore(sql),
    fulltext: fulltextStore(sql),
    foremost: foremostStore(sql),
    mentions: mentionStore(sql),
    forgetting: forgettingStore(sql),
    vectors: vectorStore(sql),
    bulk: bulkStore(sql),
    derived: derivedStore(sql),
    compactions: compactionStore(sql),
    expiry: expiryStore(sql),
    duplicates: duplicateStore(sql),
    jobs: jobStore(sql),
    archive: { ...archiveReadingStore(sql), ...archiveWritingStore(sql) },
    transfers: transferStore(sql),
    /** Reads everything; nothing for a sound thread. */
    checkInvariants: () => checkInvariants(sql),
    /** Bytes of the whole database, free pages not counted. */
    sizeBytes: () => sql.sizeBytes(),
  };
}

export type Store = ReturnType<typeof openStore>;
