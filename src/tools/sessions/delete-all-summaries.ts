import * as z from 'zod';
import { defineTool } from '../define.ts';
import { sessionFailure } from './failure.ts';
import { GIVEN_SUMMARY } from './shapes.ts';

export const deleteAllSummaries = defineTool({
  name: 'delete_all_summaries',
  title: 'Delete all summaries',
  description:
    'Delete every summary of every session. The turns stay: summarize_sessions makes new summaries of them.',
  effect: 'remove',
  input: () => ({}),
  output: () => ({
    deleted: z.number().describe('Summaries that there were.'),
    message: z.string().describe('What was done.'),
  }),
  example: {
    given: GIVEN_SUMMARY,
    input: {},
    output: { deleted: 1, message: 'Deleted 1 summary. All turns are still there.' },
  },
  failureText: sessionFailure,
  run(_, { summaries }) {
    const deleted = summaries.removeAll();
    const what = deleted === 1 ? '1 summary' : `${deleted} summaries`;
    return { deleted, message: `Deleted ${what}. All turns are still there.` };
  },
});
