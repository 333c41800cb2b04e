import * as z from 'zod';
import { READ_CHARS_DEFAULT, SUMMARIES_DEFAULT } from '#limits.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { sessionFailure } from './failure.ts';
import {
  category,
  EXAMPLE_SUMMARY,
  GIVEN_SUMMARY,
  nextOffset,
  offset,
  pageSize,
  summaryShape,
  toSummary,
} from './shapes.ts';

export const getAllSummaries = defineTool({
  name: 'get_all_summaries',
  title: 'Get all summaries',
  description:
    'Summaries of sessions, those made last first. A page ends early when its texts are long: go on at nextOffset.',
  effect: 'read',
  input: () => ({ limit: pageSize(SUMMARIES_DEFAULT), offset: offset(), category: category() }),
  output: () => ({
    summaries: z.array(summaryShape()).describe('The page.'),
    count: z.number().describe('Summaries on this page.'),
    total: z.number().describe('Summaries that there are, of the category if one was given.'),
    nextOffset: nextOffset(),
    note: note(),
  }),
  example: {
    given: GIVEN_SUMMARY,
    input: { category: 'bugfix' },
    output: { summaries: [EXAMPLE_SUMMARY], count: 1, total: 1, nextOffset: null },
  },
  failureText: sessionFailure,
  run({ limit, offset: from, category: wanted }, memory) {
    const request = { limit, offset: from, charsMax: READ_CHARS_DEFAULT };
    const { summaries, total, nextOffset: next } = memory.summaries.list(wanted, request);
    const isCut = next !== null && summaries.length < limit;
    return {
      summaries: summaries.map(toSummary),
      count: summaries.length,
      total,
      nextOffset: next,
      ...noteOnCuts([isCut && `More would be too long: go on with offset ${next}.`]),
    };
  },
});
