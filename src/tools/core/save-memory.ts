import * as z from 'zod';
import type { SaveOutcome } from '#memory/facts/save-memory.ts';
import { defineTool } from '../define.ts';
import { allowTwin, entitiesToSave, PORTFOLIO } from './save-input.ts';
import {
  createdShape,
  describeRefusal,
  saveErrorShape,
  similarShape,
  toSaveErrors,
  toSimilar,
  updatedShape,
} from './save-output.ts';

export const saveMemory = defineTool({
  name: 'save_memory',
  title: 'Save memory',
  description:
    'Save entities and their relations to the memory graph, all or nothing. Each observation max {observationCharsMax} chars (atomic facts only). Each entity must have at least 1 relation, here or in the thread. An existing name gets the new facts and loses none.',
  effect: 'add',
  input: () => ({
    entities: entitiesToSave(),
    source: z.string().max(32).optional().describe('Turn it came from, as turn_7.'),
    allowTwin: allowTwin(),
  }),
  output: () => ({
    success: z.boolean().describe('False when anything was wrong; then nothing was stored.'),
    created: createdShape().describe('What is new in the thread.'),
    updated: updatedShape().describe('What was there already.'),
    revision: z.number().optional().describe('What it is in the history, if it changed anything.'),
    similar: z
      .array(similarShape())
      .optional()
      .describe('Older facts that the new ones may contradict or repeat, if there are any.'),
    warnings: z.array(z.string()).describe('Soft remarks; the save was made all the same.'),
    quality_score: z.number().describe('0 to 1: relations per entity and brevity of observations.'),
    validation_errors: z.array(z.string()).optional().describe('Every broken rule, if refused.'),
    errors: z.array(saveErrorShape()).optional().describe('The same with what to do about each.'),
    note: z.string().optional().describe('Of a refusal: that the thread is empty.'),
  }),
  example: {
    input: { entities: PORTFOLIO },
    output: {
      success: true,
      created: { entities: 3, relations: 6, observations: 9 },
      updated: { entities: 0 },
      revision: 1,
      warnings: [],
      quality_score: 0.953,
    },
  },
  isFailure: ({ success }) => !success,
  text: (output) => (output.success ? JSON.stringify(output) : describeRefusal(output.errors)),
  async run({ entities, source, allowTwin: isTwin }, memory) {
    const outcome = memory.saves.save(entities, { source, allowTwin: isTwin });
    return toOutput(outcome, memory.lastRevision());
  },
});

function toOutput(outcome: SaveOutcome, revision: number | null) {
  return {
    success: outcome.accepted,
    created: outcome.created,
    updated: outcome.updated,
    ...(outcome.accepted && revision !== null && { revision }),
    ...(outcome.similar.length > 0 && { similar: outcome.similar.map(toSimilar) }),
    warnings: [...outcome.warnings],
    quality_score: outcome.qualityScore,
    ...(!outcome.accepted && toSaveErrors(outcome)),
  };
}
