import * as z from 'zod';
import { AGENT_CHARS_MAX, TURN_TEXT_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { sessionFailure } from './failure.ts';
import { EXAMPLE_TIME, EXAMPLE_TURN, sessionId, toMemory } from './shapes.ts';

const text = () => z.string().max(TURN_TEXT_CHARS_MAX);
const name = () => z.string().min(1).max(AGENT_CHARS_MAX);

export const addMemory = defineTool({
  name: 'add_memory',
  title: 'Add memory',
  description:
    'Log one turn of a conversation, word for word, with the same sessionId for every turn of a session: without one, a new session begins. A fact to be recalled belongs in save_memory.',
  effect: 'add',
  input: () => ({
    prompt: text().describe("The user's verbatim prompt."),
    thought: text().describe("The agent's internal reasoning."),
    response: text().describe("The agent's final response."),
    sessionId: sessionId().optional().describe('Generated when left out.'),
    agent: name().optional().describe('Who answered.'),
    model: name().optional().describe('Which model it was.'),
  }),
  output: () => ({
    id: z.string().describe('Such as turn_7.'),
    sessionId: z.string().describe('For the next turn of the session.'),
    timestamp: z.string().describe('ISO 8601.'),
    message: z.string().describe('What was done.'),
  }),
  example: {
    input: EXAMPLE_TURN,
    output: {
      id: 'turn_1',
      sessionId: 'session_login',
      timestamp: EXAMPLE_TIME,
      message: 'Stored turn_1 in session_login.',
    },
  },
  failureText: sessionFailure,
  async run(turn, { turns }) {
    const { id, sessionId: session, timestamp } = toMemory(turns.add(turn));
    return { id, sessionId: session, timestamp, message: `Stored ${id} in ${session}.` };
  },
});
