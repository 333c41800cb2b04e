/** What `save_memory` and `validate_memory` answer. */
import * as z from 'zod';
import { quote } from '#errors.ts';
import { formatId } from '#graph/ids.ts';
import type { SimilarFact } from '#memory/facts/observations.ts';
import type { SaveOutcome } from '#memory/facts/save-memory.ts';

export const createdShape = () =>
  z.object({
    entities: z.number().describe('New entities.'),
    relations: z.number().describe('New relations.'),
    observations: z.number().describe('New observations.'),
  });

export const updatedShape = () =>
  z.object({
    entities: z.number().describe('Entities that were there before.'),
  });

export const saveErrorShape = () =>
  z.object({
    index: z.number().describe('Position of the entity in the request, from 0.'),
    error: z.literal('Validation failed').describe('Always this.'),
    entity: z.string().describe('Name of the entity.'),
    observation: z.string().optional().describe('The observation refused.'),
    relation: z
      .object({
        targetEntity: z.string().describe('As given.'),
        relationType: z.string().describe('As given.'),
      })
      .optional()
      .describe('The relation refused.'),
    problem: z.string().describe('What is wrong.'),
    suggestion: z.string().describe('What to do about it.'),
  });

/** More would fill a model's context; it fixes these first. */
const ERRORS_SHOWN_MAX = 50;

export function toSaveErrors({ faults }: SaveOutcome) {
  const shown = faults.slice(0, ERRORS_SHOWN_MAX);
  const more = faults.length - shown.length;
  return {
    validation_errors: [
      ...new Set(shown.map(({ rule }) => rule)),
      ...(more > 0 ? [`… and ${more} more problems. Fix these first.`] : []),
    ],
    errors: shown.map(({ rule: _, ...error }) => error),
  };
}

/** As a model reads it: each fault once, with what to do about it. */
export function describeRefusal(
  errors: readonly z.infer<ReturnType<typeof saveErrorShape>>[] = [],
): string {
  const lines = errors.map(({ entity, observation, relation, problem, suggestion }) => {
    const part = observation ?? (relation && `${relation.relationType} → ${relation.targetEntity}`);
    const where = part === undefined ? quote(entity) : `${quote(entity)}, ${quote(part)}`;
    return `- ${where}: ${problem.replace(/[^.]$/u, '$&.')} ${suggestion}`;
  });
  return ['Nothing was stored. Fix this and send the whole request again:', ...lines].join('\n');
}

export const similarShape = () =>
  z.object({
    entityName: z.string().describe('The entity.'),
    id: z.string().describe('Id of the older fact.'),
    content: z.string().describe('What it says.'),
    similarTo: z.string().describe('Id of the fact just saved.'),
  });

export function toSimilar({ entity, fact, added }: SimilarFact) {
  return {
    entityName: entity.name,
    id: formatId('observation', fact.nodeId),
    content: fact.content,
    similarTo: formatId('observation', added.nodeId),
  };
}
