/** Types with how many there are of each, as both lists of types answer. */
import * as z from 'zod';

export const typeCounts = () =>
  z
    .array(
      z.object({
        type: z.string().describe('Type as stored.'),
        count: z.number().describe('How many have it.'),
      }),
    )
    .describe('Most frequent first, ties by name.');
