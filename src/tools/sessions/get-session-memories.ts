import * as z from 'zod';
import { READ_CHARS_DEFAULT, SESSION_TURNS_DEFAULT } from '#limits.ts';
import { defineTool } from '../define.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { sessionFailure } from './failure.ts';
import {
  EXAMPLE_MEMORY,
  GIVEN_TURN,
  memoryShape,
  nextOffset,
  offset,
  pageSize,
  sessionId,
  toMemory,
} from './shapes.ts';

export const getSessionMemories = defineTool({
  name: 'get_session_memories',
  title: 'Get session memories',
  description:
    'The turns of one session, oldest first, whole. A page ends early when its texts are long: go on at nextOffset.',
  effect: 'read',
  input: () => ({
    sessionId: sessionId(),
    limit: pageSize(SESSION_TURNS_DEFAULT),
    offset: offset(),
  }),
  output: () => ({
    sessionId: z.string().describe('As asked for.'),
    memories: z.array(memoryShape()).describe('The page; none for an unknown session.'),
    count: z.number().describe('Memories on this page.'),
    total: z.number().describe('Memories of the session.'),
    nextOffset: nextOffset(),
    note: note(),
  }),
  example: {
    given: GIVEN_TURN,
    input: { sessionId: 'session_login' },
    output: {
      sessionId: 'session_login',
      memories: [EXAMPLE_MEMORY],
      count: 1,
      total: 1,
      nextOffset: null,
    },
  },
  failureText: sessionFailure,
  run({ sessionId: session, limit, offset: from }, { turns: log }) {
    const request = { limit, offset: from, charsMax: READ_CHARS_DEFAULT };
    const { turns, total, nextOffset: next } = log.listOfSession(session, request);
    const isCut = next !== null && turns.length < limit;
    return {
      sessionId: session,
      memories: turns.map(toMemory),
      count: turns.length,
      total,
      nextOffset: next,
      ...noteOnCuts([isCut && `The texts are long: go on with offset ${next}.`]),
    };
  },
});
