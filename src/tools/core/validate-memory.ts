import * as z from 'zod';
import { defineTool } from '../define.ts';
import { allowTwin, entitiesToValidate } from './save-input.ts';
import { createdShape, saveErrorShape, toSaveErrors, updatedShape } from './save-output.ts';

export const validateMemory = defineTool({
  name: 'validate_memory',
  title: 'Validate memory',
  description:
    'Check entities as save_memory would and store nothing. Answers with every fault, or what a save would create.',
  effect: 'read',
  input: () => ({ entities: entitiesToValidate(), allowTwin: allowTwin().describe('As there.') }),
  output: () => ({
    valid: z.boolean().describe('Whether save_memory would accept it.'),
    would_create: createdShape().describe('What a save would add.'),
    would_update: updatedShape().describe('What a save would merge into.'),
    warnings: z.array(z.string()).describe('Soft remarks.'),
    quality_score: z.number().describe('As save_memory would give it; 0 when invalid.'),
    validation_errors: z.array(z.string()).describe('Every broken rule.'),
    errors: z.array(saveErrorShape()).describe('The same with what to do about each.'),
  }),
  example: {
    input: {
      entities: [
        { name: 'Isolated Entity', entityType: 'Test', observations: ['Some fact'], relations: [] },
      ],
    },
    output: {
      valid: false,
      would_create: { entities: 0, relations: 0, observations: 0 },
      would_update: { entities: 0 },
      warnings: [],
      quality_score: 0,
      validation_errors: ["Entity 'Isolated Entity' must have at least 1 relation"],
      errors: [
        {
          index: 0,
          error: 'Validation failed',
          entity: 'Isolated Entity',
          problem: 'Missing relations. Every entity must have at least 1 relation.',
          suggestion:
            'Add relations to show connections: save the entity that it belongs to in the same call, such as a person or a project, and relate the two to each other.',
        },
      ],
    },
  },
  run({ entities, allowTwin: isTwin }, memory) {
    const outcome = memory.saves.validate(entities, { allowTwin: isTwin });
    return {
      valid: outcome.accepted,
      would_create: outcome.created,
      would_update: outcome.updated,
      warnings: [...outcome.warnings],
      quality_score: outcome.qualityScore,
      ...toSaveErrors(outcome),
    };
  },
});
