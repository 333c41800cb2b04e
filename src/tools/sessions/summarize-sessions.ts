import * as z from 'zod';
import type { SummarisedSessions } from '#memory/sessions/summarise-sessions.ts';
import { defineTool } from '../define.ts';
import { sessionFailure } from './failure.ts';
import { EXAMPLE_SUMMARY, GIVEN_TURN, sessionId, summaryShape, toSummary } from './shapes.ts';

export const summarizeSessions = defineTool({
  name: 'summarize_sessions',
  title: 'Summarize sessions',
  description:
    'Make the summaries of sessions that have none or have new turns, as many as one call can: call it again while any remain.',
  effect: 'change',
  input: () => ({
    sessionId: sessionId().optional().describe('Only this session.'),
  }),
  output: () => ({
    processed: z.number().describe('Sessions summarised by this call.'),
    summaries: z.array(summaryShape()).describe('Their summaries.'),
    remaining: z.number().describe('Sessions of the thread that wait for a summary.'),
    message: z.string().describe('What was done and what to do next.'),
  }),
  example: {
    given: GIVEN_TURN,
    input: {},
    output: {
      processed: 1,
      summaries: [EXAMPLE_SUMMARY],
      remaining: 0,
      message: 'Summarised 1 session.',
    },
  },
  failureText: sessionFailure,
  async run({ sessionId: session }, memory) {
    const done = await memory.summaries.summarise(session);
    return {
      processed: done.summaries.length,
      summaries: done.summaries.map(toSummary),
      remaining: done.remaining,
      message: describe(done, session),
    };
  },
});

function describe(
  { summaries, overtaken, remaining }: SummarisedSessions,
  session: string | undefined,
): string {
  const count = summaries.length;
  const isIdle = count === 0 && overtaken === 0;
  const isOfOne = session !== undefined;
  return [
    isIdle &&
      (isOfOne
        ? 'Nothing to do: the session has no turns, or no new ones since its summary.'
        : 'Nothing to do: every session has an up-to-date summary.'),
    count > 0 && `Summarised ${count} session${count === 1 ? '' : 's'}.`,
    overtaken > 0 && `${overtaken} got new turns meanwhile and still wait.`,
    remaining > 0 && !isOfOne && `${remaining} remain: call summarize_sessions again.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}
