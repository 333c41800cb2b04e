/** What a tool receives: the use cases of one thread, for one call. */
import { analyticsUseCases } from './reading/analytics.ts';
import { compactionUseCases } from './upkeep/compact.ts';
import { contextUseCases } from './nodes/node-context.ts';
import { erasureUseCases } from './delete-thread.ts';
import { entityUseCases } from './entities/create-entities.ts';
import { exportUseCases } from './files/stream-graph.ts';
import { archivingUseCases } from './files/export-thread.ts';
import { fileUseCases } from './files/file-store.ts';
import { importUseCases } from './files/import-thread.ts';
import { excerptUseCases } from './reading/export-graph.ts';
import { findingUseCases } from './recall/search-graph.ts';
import { forgettingUseCases } from './forget/forget.ts';
import { historyUseCases } from './history/revisions.ts';
import { linkUseCases } from './nodes/links.ts';
import { mergeUseCases } from './entities/merge-entities.ts';
import { neighbourhoodUseCases } from './reading/neighbourhood.ts';
import { observationUseCases } from './facts/observations.ts';
import { nodeUseCases } from './nodes/create-node.ts';
import { openingUseCases } from './reading/open-nodes.ts';
import { pastUseCases } from './history/as-of.ts';
import { pathUseCases } from './reading/paths.ts';
import { readingUseCases } from './reading/read-graph.ts';
import { healthUseCases } from './upkeep/health.ts';
import { jobUseCases } from './upkeep/jobs.ts';
import { memoryUseCases } from './facts/store-memory.ts';
import { recallUseCases } from './recall/recall.ts';
import { sessionSearchUseCases } from './sessions/search-sessions.ts';
import { stopUseCases } from './stop-switch.ts';
import { summaryUseCases } from './sessions/summarise-sessions.ts';
import { relationSearchUseCases } from './entities/search-relations.ts';
import { relationUseCases } from './entities/create-relations.ts';
import { removalUseCases } from './entities/delete.ts';
import { renamingUseCases } from './entities/rename-entity.ts';
import { saveUseCases } from './facts/save-memory.ts';
import { tripletUseCases } from './nodes/triplets.ts';
import { turnUseCases } from './sessions/turns.ts';
import { similarityUseCases } from './nodes/similar-nodes.ts';
import { undoUseCases } from './history/undo.ts';
import type { World } from './world.ts';
import { openWriter } from './transaction.ts';

export function openMemory(world: World) {
  const writer = openWriter(world);
  return {
    threadId: world.caller.threadId,
    saves: saveUseCases(world, writer),
    entities: entityUseCases(world, writer),
    relations: relationUseCases(world, writer),
    merging: mergeUseCases(world, writer),
    observations: observationUseCases(world, writer),
    reading: readingUseCases(world),
    opening: openingUseCases(world),
    neighbourhood: neighbourhoodUseCases(world),
    relationSearch: relationSearchUseCases(world),
    finding: findingUseCases(world),
    removal: removalUseCases(world, writer),
    renaming: renamingUseCases(world, writer),
    memories: memoryUseCases(world, writer),
    nodes: nodeUseCases(world, writer),
    links: linkUseCases(world, writer),
    triplets: tripletUseCases(world, writer),
    context: contextUseCases(world),
    recalling: recallUseCases(world),
    turns: turnUseCases(world, writer),
    summaries: summaryUseCases(world, writer),
    sessionSearch: sessionSearchUseCases(world),
    stopping: stopUseCases(world),
    paths: pathUseCases(world),
    excerpt: excerptUseCases(world),
    past: pastUseCases(world),
    history: historyUseCases(world),
    undoing: undoUseCases(world, writer),
    erasure: erasureUseCases(world),
    forgetting: forgettingUseCases(world, writer),
    analytics: analyticsUseCases(world),
    exporting: exportUseCases(world),
    archiving: archivingUseCases(world),
    importing: importUseCases(world, writer),
    files: fileUseCases(world),
    upkeep: compactionUseCases(world, writer),
    jobs: jobUseCases(world, writer),
    similarity: similarityUseCases(world),
    health: healthUseCases(world, writer),
    /** The revision that this call made; null when it changed nothing. */
    lastRevision: () => writer.revision,
  };
}

export type Memory = ReturnType<typeof openMemory>;
