import * as z from 'zod';
import { defineTool } from '../define.ts';
import { confidence, entityName, importance, observationId } from '../params.ts';
import { observationShape, toObservation } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const updateObservation = defineTool({
  name: 'update_observation',
  title: 'Update observation',
  description:
    'Replace a fact by its next version; the old one stays in the history. Only the latest version can be updated.',
  effect: 'change',
  input: () => ({
    entityName: entityName(),
    observationId: observationId(),
    newContent: z
      .string()
      .meta({ minLength: 5, maxLength: '{observationCharsMax}' })
      .describe('The fact as it is now, max {observationCharsMax} chars.'),
    confidence: confidence().optional(),
    importance: importance().optional(),
  }),
  output: () => ({
    entityName: z.string().describe('Name as stored.'),
    observation: observationShape().describe('The new version.'),
    superseded: observationShape().describe('The version before.'),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: {
      entityName: 'Portfolio',
      observationId: 'obs_12',
      newContent: 'Total 24 records',
    },
    output: {
      entityName: 'Portfolio',
      observation: {
        id: 'obs_13',
        content: 'Total 24 records',
        timestamp: '2026-01-20T10:00:00.000Z',
        version: 2,
        supersedes: 'obs_12',
        agentThreadId: 'example',
        confidence: 1,
        importance: 0.9,
      },
      superseded: {
        id: 'obs_12',
        content: 'Total 21 records',
        timestamp: '2026-01-20T10:00:00.000Z',
        version: 1,
        superseded_by: 'obs_13',
        agentThreadId: 'example',
        confidence: 1,
        importance: 0.9,
      },
    },
  },
  async run({ entityName: name, observationId: id, newContent, ...weights }, memory) {
    const { entity, fact, previous } = memory.observations.update(name, id, {
      content: newContent,
      ...weights,
    });
    return {
      entityName: entity.name,
      observation: toObservation(fact, memory.threadId),
      superseded: toObservation(previous, memory.threadId),
    };
  },
});
