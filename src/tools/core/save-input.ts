/** The entities that `save_memory` and `validate_memory` take, and what they answer. */
import * as z from 'zod';
import type { EntityDraft } from '#graph/save-request.ts';
import {
  ENTITIES_PER_CALL_MAX,
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  OBSERVATION_CHARS_MIN,
  OBSERVATIONS_PER_ENTITY_MAX,
  RELATION_TYPE_CHARS_MAX,
  RELATIONS_PER_ENTITY_MAX,
} from '#limits.ts';
import type { SaveOutcome } from '#memory/saves.ts';
import { checkedLater } from '../define.ts';
import { unit } from '../params.ts';

const relation = () =>
  z.object({
    targetEntity: z
      .string()
      .min(1)
      .max(ENTITY_NAME_CHARS_MAX)
      .describe('Another entity, in this request or in the thread.'),
    relationType: z
      .string()
      .min(1)
      .max(RELATION_TYPE_CHARS_MAX)
      .describe("Type of relationship (e.g., 'created by', 'contains', 'uses')."),
    importance: unit().default(0.7).describe('0 to 1.'),
  });

const entity = () =>
  z.object({
    name: z.string().min(1).max(ENTITY_NAME_CHARS_MAX).describe('Unique name; identity is exact.'),
    entityType: z
      .string()
      .min(1)
      .max(ENTITY_TYPE_CHARS_MAX)
      .describe(
        'Type of entity (e.g., Person, Document, File, or custom types like Patient, API). Starts with a capital letter.',
      ),
    observations: z
      .array(
        z.string().meta({ minLength: OBSERVATION_CHARS_MIN, maxLength: '{observationCharsMax}' }),
      )
      .min(1)
      .max(OBSERVATIONS_PER_ENTITY_MAX)
      .describe(
        'Array of atomic facts. Each must be ONE fact, max {observationCharsMax} chars and {observationSentencesMax} sentences.',
      ),
    relations: z
      .array(relation())
      .min(1)
      .max(RELATIONS_PER_ENTITY_MAX)
      .describe('REQUIRED: Every entity must have at least 1 relation.'),
    confidence: unit().default(1).describe('How sure, 0 to 1.'),
    importance: unit().default(0.5).describe('How important, 0 to 1.'),
  });

/** Read by `graph/save-request.ts`, which names all faults of a request at once. */
export const entitiesToSave = () =>
  z
    .array(checkedLater(entity()))
    .meta({ minItems: 1, maxItems: ENTITIES_PER_CALL_MAX })
    .describe('All or none.');

/** The same in few words: a list that shows `validate_memory` shows `save_memory` as well. */
export const entitiesToValidate = () =>
  z
    .array(z.unknown().meta({ type: 'object' }))
    .meta({ minItems: 1, maxItems: ENTITIES_PER_CALL_MAX })
    .describe('Entities as for save_memory.');

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
      ...shown.map(({ rule }) => rule),
      ...(more > 0 ? [`… and ${more} more problems. Fix these first.`] : []),
    ],
    errors: shown.map(({ rule: _, ...error }) => error),
  };
}

/** The specification's own valid request, which several examples begin with. */
export const PORTFOLIO = [
  {
    name: 'Andrii',
    entityType: 'Person',
    observations: ['Works at Google', 'Author of MCP Memory Server', 'Uses Windows'],
    relations: [
      { targetEntity: 'Python Scripts', relationType: 'created' },
      { targetEntity: 'Portfolio', relationType: 'updates for' },
    ],
    importance: 1,
  },
  {
    name: 'Python Scripts',
    entityType: 'CodeArtifact',
    observations: [
      'update_portfolio.py is main script',
      'Uses python-docx 1.2.0',
      'Uses lxml 6.0.2',
    ],
    relations: [
      { targetEntity: 'Andrii', relationType: 'created by' },
      { targetEntity: 'Portfolio', relationType: 'modifies' },
    ],
    importance: 0.6,
  },
  {
    name: 'Portfolio',
    entityType: 'Document',
    observations: [
      'Final file: shevchenko-viktoria-yevgenivna-v4.docx',
      'Contains 2 main tables',
      'Total 21 records',
    ],
    relations: [
      { targetEntity: 'Python Scripts', relationType: 'modified by' },
      { targetEntity: 'Andrii', relationType: 'updated by' },
    ],
    importance: 0.9,
  },
] satisfies (Partial<Omit<EntityDraft, 'relations'>> & { relations: object[] })[];

/** Saves the portfolio on an empty thread. */
export const GIVEN_PORTFOLIO = [{ tool: 'save_memory', input: { entities: PORTFOLIO } }];
