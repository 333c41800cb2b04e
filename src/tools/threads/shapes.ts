/** Shapes that the thread tools share. */
import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import type { RevisionSummary } from '#memory/history/revisions.ts';

export const revisionId = () => z.int().min(1).describe('From get_recent_changes.');

export const revisionShape = () =>
  z.object({
    revision: z.number().describe('Its number; each call that changes something has one.'),
    at: z.string().describe('When, ISO 8601.'),
    actor: z.string().describe('Who called.'),
    tool: z.string().describe('Which tool was called; job:… for background work.'),
    summary: z.string().describe('What it did, in one line.'),
    rows: z.number().describe('Rows that it changed, steps between included.'),
  });

export function toRevision({ id, at, actor, tool, summary, changes }: RevisionSummary) {
  return { revision: id, at: toIsoTime(at), actor, tool, summary, rows: changes };
}

/** Two entities that know each other, each with a fact. */
export const GIVEN_PAIR = [
  {
    tool: 'save_memory',
    input: {
      entities: [
        {
          name: 'Ada',
          entityType: 'Person',
          observations: ['Lives in London'],
          relations: [{ targetEntity: 'Charles', relationType: 'works with' }],
        },
        {
          name: 'Charles',
          entityType: 'Person',
          observations: ['Builds engines'],
          relations: [{ targetEntity: 'Ada', relationType: 'works with' }],
        },
      ],
    },
  },
];
