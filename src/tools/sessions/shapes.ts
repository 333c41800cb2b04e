/** Memories and summaries as seed 004 shows them, and the parameters that its tools share. */
import * as z from 'zod';
import { formatId } from '#graph/ids.ts';
import { toIsoTime } from '#graph/moment.ts';
import { findCharacterProblem } from '#graph/rules/text-rules.ts';
import { normaliseSessionId, TURN_TYPE, type Turn } from '#graph/turn.ts';
import { SUMMARY_CATEGORIES, type Summary } from '#graph/summary.ts';
import {
  OFFSET_MAX,
  PAGE_SIZE_MAX,
  QUERY_CHARS_MAX,
  SEARCH_LIMIT_MAX,
  SESSION_ID_CHARS_MAX,
  TURN_SEARCH_LIMIT_DEFAULT,
} from '#limits.ts';

export const sessionId = () =>
  z
    .string()
    .max(SESSION_ID_CHARS_MAX)
    .refine((text) => normaliseSessionId(text) !== '', { error: 'is no session id' })
    .refine((text) => findCharacterProblem(text) === undefined, {
      error: 'has control characters or broken Unicode, which a session id cannot have',
    })
    .describe('The session.');

export const offset = () => z.int().min(0).max(OFFSET_MAX).default(0).describe('How many to skip.');

export function pageSize(fallback: number) {
  return z.int().min(1).max(PAGE_SIZE_MAX).default(fallback).describe('How many at most.');
}

export const category = () =>
  z.enum(SUMMARY_CATEGORIES).optional().describe('Only summaries of this category.');

export const query = () =>
  z.string().min(1).max(QUERY_CHARS_MAX).describe('What to look for, in natural language.');

export const nResults = () =>
  z
    .int()
    .min(1)
    .max(SEARCH_LIMIT_MAX)
    .default(TURN_SEARCH_LIMIT_DEFAULT)
    .describe('Results at most.');

/** What a search adds to what it found. */
const nearness = () => ({
  distance: z.number().describe('From the query: 0 for the same, 1 for nothing in common.'),
  relevanceScore: z.number().describe('1 / (1 + distance).'),
});

export const memoryShape = () =>
  z.object({
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

export const nextOffset = () =>
  z.number().nullable().describe('offset of the next page; null for the last.');

export const foundMemoryShape = () => memoryShape().extend(nearness());

const score = () => z.number().describe('0 to 100.');

export const summaryShape = () =>
  z.object({
    id: z.string().describe('Such as sum_3.'),
    sessionId: z.string().describe('The session.'),
    timestamp: z.string().describe('When it was summarised, ISO 8601.'),
    title: z.string().describe('At most ten words.'),
    summary: z.string().describe('What it was about.'),
    category: z.enum(SUMMARY_CATEGORIES).describe('What kind of work it was.'),
    memoryCount: z.number().describe('Memories that the session had.'),
    quality: score(),
    productivity: score(),
    impact: score(),
    complexity: score(),
    technologies: z.array(z.string()).describe('Named in the session, most often first.'),
    summarizer: z.string().describe('What made it.'),
  });

export const foundSummaryShape = () => summaryShape().extend(nearness());

export type SummaryOutput = z.infer<ReturnType<typeof summaryShape>>;

export type MemoryOutput = z.infer<ReturnType<typeof memoryShape>>;

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

export function toSummary(summary: Summary): SummaryOutput {
  const { nodeId, turnCount, source, updatedAt, technologies, createdAt: _, ...content } = summary;
  return {
    ...content,
    id: formatId('summary', nodeId),
    timestamp: toIsoTime(updatedAt),
    memoryCount: turnCount,
    technologies: [...technologies],
    summarizer: source ?? 'unknown',
  };
}

/** A similarity of 0 to 1 as seed 004 tells of it. */
export function toNearness(similarity: number): { distance: number; relevanceScore: number } {
  // A rounded vector may be a little longer than 1.
  const distance = Math.max(0, 1 - similarity);
  return { distance: round(distance), relevanceScore: round(1 / (1 + distance)) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
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

/** What `summarize_sessions` makes of the example. */
export const EXAMPLE_SUMMARY: SummaryOutput = {
  id: 'sum_2',
  sessionId: 'session_login',
  timestamp: EXAMPLE_TIME,
  title: 'Why does the login fail',
  summary:
    'Why does the login fail? The clock of the server was two minutes late, so that each token had expired.',
  category: 'bugfix',
  memoryCount: 1,
  quality: 70,
  productivity: 100,
  impact: 45,
  complexity: 11,
  technologies: [],
  summarizer: 'extractive',
};

export const GIVEN_TURN = [{ tool: 'add_memory', input: EXAMPLE_TURN }];
export const GIVEN_SUMMARY = [...GIVEN_TURN, { tool: 'summarize_sessions', input: {} }];
