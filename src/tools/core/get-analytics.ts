import * as z from 'zod';
import type { Entity } from '#graph/entity.ts';
import { toIsoTime } from '#graph/moment.ts';
import { ANALYTICS_LIMIT_DEFAULT, ANALYTICS_LIMIT_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { qualityShape } from '../shapes.ts';
import { GIVEN_PORTFOLIO } from './save-input.ts';

const named = () => ({
  entityName: z.string().describe('Entity name.'),
  entityType: z.string().describe('Entity type.'),
});

export const getAnalytics = defineTool({
  name: 'get_analytics',
  title: 'Get analytics',
  description:
    'Entities recently changed, most important, most connected, orphaned; figures of quality. For tending the memory.',
  effect: 'read',
  input: () => ({
    limit: z
      .int()
      .min(1)
      .max(ANALYTICS_LIMIT_MAX)
      .default(ANALYTICS_LIMIT_DEFAULT)
      .describe('Entries per list.'),
  }),
  output: () => ({
    recent_changes: z
      .array(
        z.object({
          ...named(),
          lastModified: z.string().describe('ISO 8601.'),
          changeType: z.enum(['created', 'updated']).describe('Whether it changed since creation.'),
        }),
      )
      .describe('Last changed first.'),
    top_important: z
      .array(
        z.object({
          ...named(),
          importance: z.number().describe('0 to 1.'),
          observationCount: z.number().describe('Current facts.'),
        }),
      )
      .describe('Most important first.'),
    most_connected: z
      .array(
        z.object({
          ...named(),
          relationCount: z.number().describe('Relations in both directions.'),
          connectedTo: z.array(z.string()).describe('Distinct neighbours, the first 25.'),
        }),
      )
      .describe('Most relations first.'),
    orphaned_entities: z
      .array(
        z.object({
          ...named(),
          reason: z.enum(['no_relations', 'broken_relation']).describe('Why it is an orphan.'),
        }),
      )
      .describe('Entities without any relation.'),
    quality: qualityShape(),
  }),
  example: {
    given: GIVEN_PORTFOLIO,
    input: { limit: 1 },
    output: {
      recent_changes: [
        {
          entityName: 'Portfolio',
          entityType: 'Document',
          lastModified: '2026-01-20T10:00:00.000Z',
          changeType: 'created',
        },
      ],
      top_important: [
        { entityName: 'Andrii', entityType: 'Person', importance: 1, observationCount: 3 },
      ],
      most_connected: [
        {
          entityName: 'Portfolio',
          entityType: 'Document',
          relationCount: 4,
          connectedTo: ['Andrii', 'Python Scripts'],
        },
      ],
      orphaned_entities: [],
      quality: {
        saves_accepted: 1,
        saves_rejected: 0,
        save_error_rate: 0,
        relation_coverage: 1,
        observation_atomicity: 1,
        relations_per_entity: 2,
      },
    },
  },
  run({ limit }, memory) {
    const { recent, important, connected, orphaned, quality } = memory.analytics.measure(limit);
    return {
      recent_changes: recent.map((entity) => ({
        ...toNamed(entity),
        lastModified: toIsoTime(entity.updatedAt),
        changeType:
          entity.updatedAt > entity.createdAt ? ('updated' as const) : ('created' as const),
      })),
      top_important: important.map((entity) => ({
        ...toNamed(entity),
        importance: entity.importance,
        observationCount: entity.observationCount,
      })),
      most_connected: connected.map(({ entity, neighbours }) => ({
        ...toNamed(entity),
        relationCount: entity.relationCount,
        connectedTo: [...neighbours],
      })),
      // Foreign keys leave no relation that points nowhere, so there is one reason only.
      orphaned_entities: orphaned.map((entity) => ({
        ...toNamed(entity),
        reason: 'no_relations' as const,
      })),
      quality,
    };
  },
});

function toNamed({ name, entityType }: Entity) {
  return { entityName: name, entityType };
}
