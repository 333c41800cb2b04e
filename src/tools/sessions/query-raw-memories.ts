import * as z from 'zod';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { sessionFailure } from './failure.ts';
import { shortenTexts } from './shorten-texts.ts';
import {
  EXAMPLE_MEMORY,
  foundMemoryShape,
  GIVEN_TURN,
  nResults,
  query,
  sessionId,
  toMemory,
  toNearness,
} from './shapes.ts';

export const queryRawMemories = defineTool({
  name: 'query_raw_memories',
  title: 'Query raw memories',
  description:
    'Search the logged turns alone, by meaning and by words, of all sessions or of one; nearest first. To answer a question prefer recall. Long texts are cut: get_session_memories has them whole.',
  effect: 'read',
  input: () => ({
    query: query(),
    nResults: nResults(),
    sessionId: sessionId().optional().describe('Only turns of this session.'),
  }),
  output: () => ({
    query: z.string().describe('As asked.'),
    count: z.number().describe('How many were found.'),
    results: z.array(foundMemoryShape()).describe('What was found, the nearest first.'),
    note: note(),
  }),
  example: {
    given: GIVEN_TURN,
    input: { query: 'Why did tokens expire?' },
    output: {
      query: 'Why did tokens expire?',
      count: 1,
      results: [{ ...EXAMPLE_MEMORY, distance: 0.323, relevanceScore: 0.756 }],
    },
  },
  failureText: sessionFailure,
  async run(input, { sessionSearch }) {
    const found = await sessionSearch.searchTurns(input.query, input.nResults, input.sessionId);
    const { turns, charsShown } = shortenTexts(found, READ_CHARS_DEFAULT);
    return {
      query: input.query,
      count: turns.length,
      results: turns.map((turn) => ({ ...toMemory(turn), ...toNearness(turn.similarity) })),
      ...noteOnCuts([
        charsShown !== null &&
          `Texts are cut to ${charsShown} characters; get_session_memories has them whole.`,
      ]),
    };
  },
});
