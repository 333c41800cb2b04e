/** What a tool receives: the use cases of one thread, for one call. */
import { analyticsUseCases } from './analytics.ts';
import { findingUseCases } from './finding.ts';
import { observationUseCases } from './observing.ts';
import { pathUseCases } from './paths.ts';
import { readingUseCases } from './reading.ts';
import { memoryUseCases } from './remembering.ts';
import { recallUseCases } from './recalling.ts';
import { removalUseCases } from './removing.ts';
import { saveUseCases } from './saves.ts';
import type { World } from './world.ts';
import { openWriter } from './writing.ts';

export function openMemory(world: World) {
  const writer = openWriter(world);
  return {
    threadId: world.caller.threadId,
    saves: saveUseCases(world, writer),
    observations: observationUseCases(world, writer),
    reading: readingUseCases(world),
    finding: findingUseCases(world),
    removal: removalUseCases(world, writer),
    memories: memoryUseCases(world, writer),
    recalling: recallUseCases(world),
    paths: pathUseCases(world),
    analytics: analyticsUseCases(world),
    /** The revision that this call made; null when it changed nothing. */
    lastRevision: () => writer.revision,
  };
}

export type Memory = ReturnType<typeof openMemory>;
