import * as z from 'zod';
import { ENTITY_NAME_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { entityType, pageCursor, pageLimit } from '../params.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

export const listEntities = defineTool({
  name: 'list_entities',
  title: 'List entities',
  description:
    'Names and types without facts, in order of creation: a cheap look before saving or opening.',
  effect: 'read',
  input: () => ({
    entityType: entityType().optional(),
    namePattern: z
      .string()
      .min(1)
      .max(ENTITY_NAME_CHARS_MAX)
      .optional()
      .describe('Part of the name, in any case.'),
    limit: pageLimit(),
    cursor: pageCursor(),
  }),
  output: () => ({
    entities: z
      .array(
        z.object({
          name: z.string().describe('Entity name.'),
          entityType: z.string().describe('Entity type.'),
          observationCount: z.number().describe('Current facts.'),
          relationCount: z.number().describe('Relations in both directions.'),
        }),
      )
      .describe('The page.'),
    total: z.number().describe('Entities that match, on all pages together.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { namePattern: 'PORT' },
    output: {
      entities: [
        { name: 'Portfolio', entityType: 'Document', observationCount: 3, relationCount: 4 },
      ],
      total: 1,
      nextCursor: null,
    },
  },
  run({ entityType: type, namePattern, ...request }, memory) {
    const page = memory.reading.list({ entityType: type, namePattern }, request);
    return {
      entities: page.entities.map((entity) => ({
        name: entity.name,
        entityType: entity.entityType,
        observationCount: entity.observationCount,
        relationCount: entity.relationCount,
      })),
      total: page.total,
      nextCursor: page.nextCursor,
    };
  },
});
