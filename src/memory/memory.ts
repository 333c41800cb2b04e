/** What a tool receives: the use cases of one thread, for one call. */
import { analyticsUseCases } from './analytics.ts';
import { compactionUseCases } from './compacting.ts';
import { contextUseCases } from './context.ts';
import { erasureUseCases } from './erasing.ts';
import { entityUseCases } from './entities-made.ts';
import { exportUseCases } from './exporting.ts';
import { archivingUseCases } from './archiving.ts';
import { fileUseCases } from './files.ts';
import { importUseCases } from './importing.ts';
import { excerptUseCases } from './excerpt.ts';
import { findingUseCases } from './finding.ts';
import { historyUseCases } from './history.ts';
import { linkUseCases } from './linking.ts';
import { mergeUseCases } from './merging.ts';
import { neighbourhoodUseCases } from './neighbourhood.ts';
import { observationUseCases } from './observing.ts';
import { nodeUseCases } from './node-life.ts';
import { openingUseCases } from './opening.ts';
import { pastUseCases } from './past.ts';
import { pathUseCases } from './paths.ts';
import { readingUseCases } from './reading.ts';
import { healthUseCases } from './health.ts';
import { jobUseCases } from './jobs.ts';
import { memoryUseCases } from './remembering.ts';
import { recallUseCases } from './recalling.ts';
import { sessionSearchUseCases } from './session-search.ts';
import { stopUseCases } from './stopping.ts';
import { summaryUseCases } from './summarising.ts';
import { relationSearchUseCases } from './relations-found.ts';
import { relationUseCases } from './relating.ts';
import { removalUseCases } from './removing.ts';
import { renamingUseCases } from './renaming.ts';
import { saveUseCases } from './saves.ts';
import { tripletUseCases } from './triplets.ts';
import { turnUseCases } from './turns.ts';
import { similarityUseCases } from './similarity.ts';
import { undoUseCases } from './undoing.ts';
import type { World } from './world.ts';
import { openWriter } from './writing.ts';

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
