/** All tables of one thread behind one object. */
import { additionStore } from './additions.ts';
import { archiveReadingStore } from './archive-reading.ts';
import { archiveWritingStore } from './archive-writing.ts';
import { compactionStore } from './compactions.ts';
import { bulkStore } from './bulk.ts';
import { changeStore } from './changes.ts';
import { counterStore } from './counters.ts';
import { derivedStore } from './derived.ts';
import { edgeStore } from './edges.ts';
import { duplicateStore } from './duplicates.ts';
import { entityStore } from './entities.ts';
import { expiryStore } from './expiry.ts';
import { factStore } from './facts.ts';
import { foremostStore } from './foremost.ts';
import { fulltextStore } from './fulltext.ts';
import { growthStore } from './growth.ts';
import { jobStore } from './jobs.ts';
import { memoryNodeStore } from './memory-nodes.ts';
import { nodeEdgeStore } from './node-edges.ts';
import { nodeVersionStore } from './node-versions.ts';
import { nodeStore } from './nodes.ts';
import { revisionStore } from './revisions.ts';
import { rewindingStore } from './rewinding.ts';
import { checkInvariants } from './invariants.ts';
import type { Sql } from './sql.ts';
import { scopeStore } from './scopes.ts';
import { sessionStore } from './sessions.ts';
import { summaryStore } from './summaries.ts';
import { transferStore } from './transfers.ts';
import { stopStore } from './stops.ts';
import { turnStore } from './turns.ts';
import { vectorStore } from './vectors.ts';

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
