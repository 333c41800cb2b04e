/** What `save_memory` and `validate_memory` take. */
import * as z from 'zod';
import type { EntityDraft } from '#graph/rules/save-request.ts';
import {
  ENTITIES_PER_CALL_MAX,
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  OBSERVATION_CHARS_MIN,
  OBSERVATIONS_PER_ENTITY_MAX,
  RELATION_TYPE_CHARS_MAX,
  RELATIONS_PER_ENTITY_MAX,
} from '#limits.ts';
import { checkedLater, LISTED_AS } from '../define.ts';
import type { JsonSchema } from '../json-schema.ts';
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
        'Type of entity (e.g., Person, Document, File, or custom types like Patient, API).',
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

/** Read by `graph/rules/save-request.ts`, which names all faults of a request at once. */
export const entitiesToSave = () =>
  z
    .array(checkedLater(entity()))
    .meta({ minItems: 1, maxItems: ENTITIES_PER_CALL_MAX })
    .describe('All or none.');

export const allowTwin = () =>
  z.boolean().optional().describe('Keep a name that differs only in case or accents from another.');

/** The same in few words: a list that shows `validate_memory` shows `save_memory` as well. */
export const entitiesToValidate = () =>
  z
    .array(checkedLater(entity()).meta({ [LISTED_AS]: ENTITY_IN_SHORT }))
    .meta({ maxItems: ENTITIES_PER_CALL_MAX })
    .describe('As for save_memory.');

const TEXT = { type: 'string' };

const ENTITY_IN_SHORT: JsonSchema = {
  type: 'object',
  properties: {
    name: TEXT,
    entityType: TEXT,
    observations: { type: 'array', items: TEXT },
    relations: {
      type: 'array',
      items: { type: 'object', properties: { targetEntity: TEXT, relationType: TEXT } },
    },
  },
};

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
