import * as z from 'zod';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { sessionFailure } from './failure.ts';
import {
  category,
  EXAMPLE_SUMMARY,
  foundSummaryShape,
  GIVEN_SUMMARY,
  nResults,
  query,
  toNearness,
  toSummary,
} from './shapes.ts';

export const querySummaries = defineTool({
  name: 'query_summaries',
  title: 'Query summaries',
  description:
    'Search the summaries of sessions alone, by meaning and by words, nearest first: which session was about something. To answer a question prefer recall.',
  effect: 'read',
  input: () => ({ query: query(), nResults: nResults(), category: category() }),
  output: () => ({
    query: z.string().describe('As asked.'),
    count: z.number().describe('How many are shown.'),
    results: z.array(foundSummaryShape()).describe('What was found, the nearest first.'),
    note: note(),
  }),
  example: {
    given: GIVEN_SUMMARY,
    input: { query: 'login failure' },
    output: {
      query: 'login failure',
      count: 1,
      results: [{ ...EXAMPLE_SUMMARY, distance: 0.436, relevanceScore: 0.696 }],
    },
  },
  failureText: sessionFailure,
  async run(input, { sessionSearch }) {
    const found = await sessionSearch.searchSummaries(input.query, input.nResults, input.category);
    const results = found.map((one) => ({ ...toSummary(one), ...toNearness(one.similarity) }));
    const shown = takeShown(results);
    const left = results.length - shown.length;
    return {
      query: input.query,
      count: shown.length,
      results: shown,
      ...noteOnCuts([left > 0 && `${left} more would make this too long: lower nResults.`]),
    };
  },
});

/** The nearest, as many as fit, and one in any case. */
function takeShown<Result>(results: readonly Result[]): Result[] {
  let chars = 0;
  return results.filter((result, at) => {
    chars += JSON.stringify(result).length;
    return at === 0 || chars <= READ_CHARS_DEFAULT;
  });
}
