import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import { defineTool } from '../define.ts';
import { sessionFailure } from './failure.ts';
import { EXAMPLE_TIME } from './shapes.ts';

export const stopDatabase = defineTool({
  name: 'stop_database',
  title: 'Stop database',
  description:
    'Stop this thread for everyone: every tool of every toolset refuses until start_database is called. Nothing is lost; background work pauses.',
  effect: 'control',
  answersWhenStopped: true,
  input: () => ({}),
  output: () => ({
    status: z.enum(['stopped', 'already_stopped']).describe('What came of it.'),
    stoppedAt: z.string().describe('Since when, ISO 8601.'),
    message: z.string().describe('The same as a sentence.'),
  }),
  example: {
    input: {},
    output: {
      status: 'stopped',
      stoppedAt: EXAMPLE_TIME,
      message: 'The thread is stopped. Call start_database to go on; nothing is lost.',
    },
  },
  failureText: sessionFailure,
  run(_, { stopping }) {
    const { isChanged, stoppedAt = 0 } = stopping.stop();
    const state = isChanged ? 'is stopped' : 'was stopped before';
    return {
      status: isChanged ? ('stopped' as const) : ('already_stopped' as const),
      stoppedAt: toIsoTime(stoppedAt),
      message: `The thread ${state}. Call start_database to go on; nothing is lost.`,
    };
  },
});
