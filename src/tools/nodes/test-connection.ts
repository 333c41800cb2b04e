import * as z from 'zod';
import { MemoryError } from '#errors.ts';
import { defineTool } from '../define.ts';
import { nodeFailure } from './failure.ts';
import { success } from './shapes.ts';

export const testConnection = defineTool({
  name: 'test_connection',
  title: 'Test connection',
  description:
    'Whether this memory can be reached and its store answers, no more. health_check tells what works and what does not.',
  effect: 'read',
  answersWhenStopped: true,
  input: () => ({}),
  output: () => ({ success: success(), message: z.string().describe('What was found out.') }),
  example: {
    input: {},
    output: { success: true, message: 'Connected: the store of this memory answers.' },
  },
  failure: nodeFailure,
  run(_, { health }) {
    if (health.isStoreAnswering()) {
      return { success: true, message: 'Connected: the store of this memory answers.' };
    }
    throw new MemoryError('unavailable', 'The store of this memory does not answer.', {
      hint: 'Try again in a moment.',
    });
  },
});
