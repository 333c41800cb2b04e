import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import { THREADS_LIMIT_DEFAULT, THREADS_LIMIT_MAX } from '#limits.ts';
import { defineDirectoryTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { GIVEN_PAIR } from './shapes.ts';

export const listThreads = defineDirectoryTool({
  name: 'list_threads',
  title: 'List threads',
  description:
    'The threads there are, changed last first, and how much is in each, a minute late at most.',
  effect: 'read',
  input: () => ({
    limit: z
      .int()
      .min(1)
      .max(THREADS_LIMIT_MAX)
      .default(THREADS_LIMIT_DEFAULT)
      .describe('Threads per page.'),
    cursor: z.string().max(2_000).optional().describe('The last nextCursor.'),
  }),
  output: () => ({
    threads: z
      .array(
        z.object({
          threadId: z.string().describe('Its id.'),
          owner_id: z.string().optional().describe('Whose memory in the thread, if not its own.'),
          entities: z.number().describe('Entities.'),
          observations: z.number().describe('Current facts about them.'),
          relations: z.number().describe('Relations between them.'),
          firstChange: z.string().describe('When it was begun, ISO 8601.'),
          lastChange: z.string().describe('When it was last changed, ISO 8601.'),
        }),
      )
      .describe('Threads that something was written to.'),
    total: z.number().describe('On all pages together.'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null for the last.'),
    note: note(),
  }),
  example: {
    given: GIVEN_PAIR,
    input: { limit: 10 },
    output: {
      threads: [
        {
          threadId: 'example',
          entities: 2,
          observations: 2,
          relations: 2,
          firstChange: '2026-01-20T10:00:00.000Z',
          lastChange: '2026-01-20T10:00:00.000Z',
        },
      ],
      total: 1,
      nextCursor: null,
    },
  },
  run(request, directory) {
    const { threads, total, nextCursor } = directory.list(request);
    return {
      threads: threads.map(({ owner, firstChangeAt, lastChangeAt, ...thread }) => ({
        ...thread,
        ...(owner !== '' && { owner_id: owner }),
        firstChange: toIsoTime(firstChangeAt),
        lastChange: toIsoTime(lastChangeAt),
      })),
      total,
      nextCursor,
      ...noteOnCuts([
        nextCursor !== null &&
          `Page of ${threads.length} of ${total} threads. Call list_threads with cursor '${nextCursor}' for the next.`,
      ]),
    };
  },
});
