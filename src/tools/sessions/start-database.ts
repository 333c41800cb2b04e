import * as z from 'zod';
import { defineTool } from '../define.ts';
import { sessionFailure } from './failure.ts';

export const startDatabase = defineTool({
  name: 'start_database',
  title: 'Start database',
  description: 'Let a stopped thread answer again. One that runs goes on running.',
  effect: 'control',
  answersWhenStopped: true,
  input: () => ({}),
  output: () => ({
    status: z.enum(['started', 'already_running']).describe('What came of it.'),
    message: z.string().describe('The same as a sentence.'),
  }),
  example: {
    given: [{ tool: 'stop_database', input: {} }],
    input: {},
    output: {
      status: 'started',
      message: 'The thread runs again; everything stored is there.',
    },
  },
  failureText: sessionFailure,
  run(_, { stopping }) {
    return stopping.start().isChanged
      ? {
          status: 'started' as const,
          message: 'The thread runs again; everything stored is there.',
        }
      : { status: 'already_running' as const, message: 'The thread runs already.' };
  },
});
