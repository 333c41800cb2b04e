import * as z from 'zod';
import { REVISION_CHANGES_DEFAULT, REVISION_CHANGES_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { pageCursor } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR, revisionId, revisionShape, toRevision } from './shapes.ts';

export const describeRevision = defineTool({
  name: 'describe_revision',
  title: 'Describe revision',
  description:
    'What one call did: each entity, fact and relation before and after. Dates that merely moved on are left out, and long texts are cut.',
  effect: 'read',
  input: () => ({
    revision: revisionId(),
    limit: z
      .int()
      .min(1)
      .max(REVISION_CHANGES_MAX)
      .default(REVISION_CHANGES_DEFAULT)
      .describe('Changes per page.'),
    cursor: pageCursor(),
  }),
  output: () => ({
    ...revisionShape().shape,
    changes: z
      .array(
        z.object({
          action: z.enum(['added', 'changed', 'deleted']).describe('What happened to it.'),
          what: z
            .enum(['entity', 'observation', 'memory', 'relation', 'turn', 'summary', 'version'])
            .describe('What it is.'),
          id: z.string().nullable().describe('Such as obs_12; null for a relation.'),
          about: z.string().nullable().describe('The entity; for a relation both.'),
          before: z.string().nullable().describe('What it said; null for what is new.'),
          after: z.string().nullable().describe('What it says since; null for what is gone.'),
        }),
      )
      .describe('In the order in which they were made.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: [
      ...GIVEN_PAIR,
      {
        tool: 'delete_observations',
        input: { deletions: [{ entityName: 'Ada', observations: ['Lives in London'] }] },
      },
    ],
    input: { revision: 2 },
    output: {
      revision: 2,
      at: '2026-01-20T10:00:00.000Z',
      actor: 'local',
      tool: 'delete_observations',
      summary: 'delete_observations deleted 1 observation',
      rows: 3,
      changes: [
        {
          action: 'deleted',
          what: 'observation',
          id: 'obs_3',
          about: 'Ada',
          before: 'Lives in London',
          after: null,
        },
      ],
      nextCursor: null,
    },
  },
  run({ revision: id, ...slice }, memory) {
    const { revision, changes, nextCursor } = memory.history.describe(id, slice);
    return {
      ...toRevision(revision),
      changes: [...changes],
      nextCursor,
      ...noteOnCuts([
        nextCursor !== null &&
          `There are more changes. Call describe_revision with cursor '${nextCursor}' for them.`,
      ]),
    };
  },
});
