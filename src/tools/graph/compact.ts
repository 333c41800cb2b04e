import * as z from 'zod';
import { COMPACT_DAYS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PEOPLE } from './graph-input.ts';

export const compact = defineTool({
  name: 'compact',
  title: 'Compact',
  description:
    'Forget changes older than {historyRetentionDays} days, which can then not be undone, and rebuild indexes and counts. The graph stays as it is.',
  effect: 'remove',
  input: () => ({
    olderThanDays: z
      .int()
      .min(0)
      .max(COMPACT_DAYS_MAX)
      .optional()
      .describe('Another age than {historyRetentionDays} days; 0 forgets all history.'),
    dropSuperseded: z.boolean().optional().describe('Delete replaced facts too.'),
  }),
  output: () => ({
    prunedRevisions: z.number().describe('Calls that are forgotten.'),
    prunedChanges: z.number().describe('Changed rows that these had kept.'),
    droppedVersions: z.number().describe('Replaced facts that were deleted.'),
    indexedTexts: z.number().describe('Texts indexed anew.'),
    mendedTexts: z.number().describe('Those that had been indexed wrongly or not at all.'),
    removedVectors: z.number().describe('Vectors of what is gone.'),
    mendedCounts: z.number().describe('Counts that were wrong.'),
    freedBytes: z.number().describe('By how much the database has shrunk.'),
    done: z.boolean().describe('False when there is more to do: call it again.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PEOPLE,
    input: {},
    output: {
      prunedRevisions: 0,
      prunedChanges: 0,
      droppedVersions: 0,
      indexedTexts: 7,
      mendedTexts: 0,
      removedVectors: 0,
      mendedCounts: 0,
      freedBytes: 0,
      done: true,
    },
  },
  run(options, memory) {
    const done = memory.upkeep.compact(options);
    return {
      prunedRevisions: done.revisions,
      prunedChanges: done.changes,
      droppedVersions: done.versions,
      indexedTexts: done.texts,
      mendedTexts: done.strayTexts,
      removedVectors: done.vectors,
      mendedCounts: done.counts,
      freedBytes: done.bytes,
      done: done.isDone,
      ...noteOnCuts([!done.isDone && 'There is more to do. Call compact again to go on.']),
    };
  },
});
