/** Memories and summaries as seed 004 shows them, and the parameters that its tools share. */
import { z } from 'zod';
import { formatId } from '#graph/ids.ts';
import { normaliseSessionId, TURN_TYPE, type Turn } from '#graph/turn.ts';
import { OFFSET_MAX, PAGE_SIZE_MAX, SESSION_ID_CHARS_MAX } from '#limits.ts';
import { toIsoTime } from '../shapes.ts';

export const sessionId = z
  .string()
  .max(SESSION_ID_CHARS_MAX)
  .refine((text) => normaliseSessionId(text) !== '', { error: 'is no session id' })
  .describe('The session.');

export const offset = z.int().min(0).max(OFFSET_MAX).default(0).describe('How many to skip.');

export function pageSize(fallback: number) {
  return z.int().min(1).max(PAGE_SIZE_MAX).default(fallback).describe('How many at most.');
}

export const memoryShape = z.object({
  id: z.string().describe('Such as turn_7.'),
  sessionId: z.string().describe('The session.'),
  timestamp: z.string().describe('When it was logged, ISO 8601.'),
  prompt: z.string().describe('What was asked.'),
  thought: z.string().describe('What was thought.'),
  response: z.string().describe('What was answered.'),
  type: z.literal(TURN_TYPE).describe('Always this.'),
  agent: z.string().optional().describe('Who answered, when it was told.'),
  model: z.string().optional().describe('Which model, when it was told.'),
});

export const nextOffset = z
  .number()
  .nullable()
  .describe('offset of the next page; null for the last.');

export type MemoryOutput = z.infer<typeof memoryShape>;

export function toMemory(turn: Turn): MemoryOutput {
  return {
    id: formatId('turn', turn.nodeId),
    sessionId: turn.sessionId,
    timestamp: toIsoTime(turn.createdAt),
    prompt: turn.prompt,
    thought: turn.thought,
    response: turn.response,
    type: TURN_TYPE,
    ...(turn.agent !== null && { agent: turn.agent }),
    ...(turn.model !== null && { model: turn.model }),
  };
}

/** The moment of all examples. */
export const EXAMPLE_TIME = '2026-01-20T10:00:00.000Z';

/** A turn that several examples begin with. */
export const EXAMPLE_TURN = {
  prompt: 'Why does the login fail?',
  thought: 'The token may have expired. Check the clock of the server first.',
  response: 'The clock of the server was two minutes late, so that each token had expired. Fixed.',
  sessionId: 'session_login',
} as const;

export const EXAMPLE_MEMORY: MemoryOutput = {
  id: 'turn_1',
  timestamp: EXAMPLE_TIME,
  type: TURN_TYPE,
  ...EXAMPLE_TURN,
};
