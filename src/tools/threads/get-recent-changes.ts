import * as z from 'zod';
import { REVISIONS_LIMIT_DEFAULT, REVISIONS_LIMIT_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { pageCursor, since } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR, revisionShape, toRevision } from './shapes.ts';

const listedRevisionShape = () =>
  revisionShape().extend({
    what: z
      .array(z.string())
      .describe('Some of it, shortened: + is added, ~ changed, - deleted; … is more.'),
  });

export const getRecentChanges = defineTool({
  name: 'get_recent_changes',
  title: 'Get recent changes',
  description:
    'What was changed, newest first: revision, time, actor, tool, and what each call stored or deleted. undo_revision takes one back.',
  effect: 'read',
  input: () => ({
    since: since(),
    limit: z
      .int()
      .min(1)
      .max(REVISIONS_LIMIT_MAX)
      .default(REVISIONS_LIMIT_DEFAULT)
      .describe('Revisions per page.'),
    cursor: pageCursor(),
  }),
  output: () => ({
    changes: z.array(listedRevisionShape()).describe('Revisions, newest first.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PAIR,
    input: { limit: 5 },
    output: {
      changes: [
        {
          revision: 1,
          at: '2026-01-20T10:00:00.000Z',
          actor: 'local',
          tool: 'save_memory',
          summary: 'save_memory added 2 entities, 2 observations, 2 relations',
          rows: 10,
          what: [
            '+ Ada: Lives in London',
            '+ Charles: Builds engines',
            '+ Ada (Person)',
            '+ Charles (Person)',
            '…',
          ],
        },
      ],
      nextCursor: null,
    },
  },
  run({ since: after, ...slice }, memory) {
    const { revisions, nextCursor, horizon } = memory.history.recent(after, slice);
    return {
      changes: revisions.map(({ what, ...revision }) => ({
        ...toRevision(revision),
        what: [...what],
      })),
      nextCursor,
      ...noteOnCuts([
        nextCursor !== null &&
          `There are older ones. Call get_recent_changes with cursor '${nextCursor}' for them.`,
        horizon > 0 && `compact has removed the history up to revision ${horizon}.`,
      ]),
    };
  },
});
