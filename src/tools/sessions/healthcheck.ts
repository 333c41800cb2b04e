import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { VERSION } from '../version.ts';
import { sessionFailure } from './failure.ts';

export const healthcheck = defineTool({
  name: 'healthcheck',
  title: 'Healthcheck',
  description:
    'Whether this thread works, how many turns and summaries it has, and what it works with. It answers while the thread is stopped, too. health_check tells of each part.',
  effect: 'read',
  answersWhenStopped: true,
  input: () => ({ owner_id: ownerId() }),
  output: () => ({
    status: z
      .enum(['healthy', 'degraded', 'unhealthy'])
      .describe('degraded: answers are poorer. unhealthy: there are none.'),
    problems: z.array(z.string()).describe('What is wrong.'),
    database: z
      .object({
        connected: z.boolean().describe('Whether the store answers.'),
        running: z.boolean().describe('False after stop_database.'),
        stoppedAt: z.string().nullable().describe('ISO 8601; null while it runs.'),
      })
      .describe('The store.'),
    counts: z
      .object({
        memories: z.number().describe('Turns logged.'),
        sessions: z.number().describe('Sessions.'),
        summaries: z.number().describe('Summaries.'),
        unsummarizedSessions: z.number().describe('Sessions that wait for a summary.'),
      })
      .describe('What is stored.'),
    embedder: z
      .object({
        model: z.string().describe('What makes the vectors.'),
        backlog: z.number().describe('Texts that have none yet.'),
      })
      .describe('Search by meaning.'),
    summarizer: z.string().describe('What makes the summaries.'),
    backup: z
      .object({
        enabled: z.boolean().describe('Whether the daily run writes changed threads.'),
        lastAt: z.string().nullable().describe('ISO 8601; null before the first.'),
        file: z
          .string()
          .nullable()
          .describe('The newest one, named to admins: import_database reads it.'),
        readable: z
          .boolean()
          .nullable()
          .describe(
            'Whether an import would take all of the last one, as reading it back has shown; null if there is none.',
          ),
      })
      .describe('Backups of this thread.'),
    version: z.string().describe('Of the server.'),
    uptimeSeconds: z.number().describe('Since the thread was woken; it sleeps when it is idle.'),
  }),
  example: {
    input: {},
    output: {
      status: 'healthy',
      problems: [],
      database: { connected: true, running: true, stoppedAt: null },
      counts: { memories: 0, sessions: 0, summaries: 0, unsummarizedSessions: 0 },
      embedder: { model: 'use-lite-int8-head256@1', backlog: 0 },
      summarizer: 'extractive',
      backup: { enabled: true, lastAt: null, file: null, readable: null },
      version: VERSION,
      uptimeSeconds: 0,
    },
  },
  failureText: sessionFailure,
  async run(_, { health }) {
    const { status, problems, isStoreAnswering, stoppedAt, counts, backup, ...rest } =
      await health.wellbeing();
    return {
      status,
      problems: [...problems],
      database: {
        connected: isStoreAnswering,
        running: isStoreAnswering && stoppedAt === null,
        stoppedAt: stoppedAt === null ? null : toIsoTime(stoppedAt),
      },
      counts: {
        memories: counts.turns,
        sessions: counts.sessions,
        summaries: counts.summaries,
        unsummarizedSessions: counts.unsummarisedSessions,
      },
      embedder: { model: rest.embedder, backlog: rest.embeddingBacklog },
      summarizer: rest.summarizer,
      backup: {
        enabled: backup.isEnabled,
        lastAt: backup.lastRunAt === null ? null : toIsoTime(backup.lastRunAt),
        file: backup.file,
        readable: backup.isReadable,
      },
      version: VERSION,
      uptimeSeconds: Math.floor(rest.uptimeMs / 1000),
    };
  },
});
