/** The Memory object of seed 003. */
import * as z from 'zod';
import type { Fact } from '#graph/fact.ts';
import { formatFactId } from '#graph/ids.ts';
import { toIsoTime } from '#graph/moment.ts';

export const memoryShape = () =>
  z.object({
    id: z.string().describe('Such as mem_12; obs_12 for a fact about an entity.'),
    content: z.string().describe('The memory text.'),
    confidence: z.number().describe('0 to 1.'),
    source: z.enum(['explicit', 'extracted']).describe('Whether it was asked to be remembered.'),
    created_at: z.string().describe('ISO 8601.'),
    updated_at: z.string().describe('ISO 8601.'),
    accessed_at: z.string().describe('When a search last returned it, to the hour. ISO 8601.'),
    supersedes: z
      .string()
      .optional()
      .describe('Id of the memory this replaces, the last if several.'),
    superseded_by: z.string().optional().describe('Id of the memory that replaces this.'),
  });

export function toMemory(fact: Fact): z.infer<ReturnType<typeof memoryShape>> {
  const id = (nodeId: number) => formatFactId({ nodeId, entityId: fact.entityId });
  return {
    id: id(fact.nodeId),
    content: fact.content,
    confidence: fact.confidence,
    source: fact.source === 'explicit' ? 'explicit' : 'extracted',
    created_at: toIsoTime(fact.createdAt),
    updated_at: toIsoTime(fact.updatedAt),
    accessed_at: toIsoTime(fact.accessedAt ?? fact.createdAt),
    ...(fact.supersedes !== null && { supersedes: id(fact.supersedes) }),
    ...(fact.supersededBy !== null && { superseded_by: id(fact.supersededBy) }),
  };
}

/** A memory that nothing has happened to since it was stored, as examples print it. */
export function exampleMemory({ id, content }: { id: string; content: string }) {
  return {
    id,
    content,
    confidence: 1,
    source: 'extracted',
    created_at: '2026-01-20T10:00:00.000Z',
    updated_at: '2026-01-20T10:00:00.000Z',
    accessed_at: '2026-01-20T10:00:00.000Z',
  } as const;
}
