import * as z from 'zod';
import type { CacheState } from '#memory/world.ts';
import { defineTool } from '../define.ts';
import { nodeFailure } from './failure.ts';
import { success } from './shapes.ts';

const enabled = () => z.boolean().describe('Whether it is switched on.');
const size = () => z.number().describe('What is kept.');
const maxsize = () => z.number().describe('What is kept at most.');

const jobShape = () =>
  z.object({
    name: z.string().describe('Which background work.'),
    enabled: enabled(),
    due_at: z.number().nullable().describe('When it is due; null for nothing to do.'),
    last_run_at: z.number().nullable().describe('When it last did something; null for never.'),
    failures: z.number().describe('Since it last succeeded.'),
    last_error: z.string().nullable().describe('The kind of the last failure.'),
  });

export const healthCheck = defineTool({
  name: 'health_check',
  title: 'Health check',
  description:
    'Whether this memory works, for a person who runs it: falkordb is its store, embeddings the embedder, vector_index the search by meaning; caches and background jobs. Of a stopped thread ask healthcheck.',
  effect: 'read',
  answersWhenStopped: true,
  input: () => ({}),
  output: () => ({
    success: success(),
    falkordb: z.boolean().describe('Whether the store answers: SQLite in place of FalkorDB.'),
    embeddings: z.boolean().describe('Whether the embedder answers.'),
    vector_index: z.boolean().describe('Whether every stored vector is compared.'),
    cache: z
      .object({
        embeddings: z
          .object({ enabled: enabled(), size: size(), maxsize: maxsize() })
          .describe('Vectors of texts.'),
        search: z
          .object({
            enabled: enabled(),
            size: size(),
            maxsize: maxsize(),
            ttl: z.number().describe('Seconds.'),
          })
          .describe('Answers of searches.'),
      })
      .describe('Kept in memory, for this memory alone.'),
    embedding_backlog: z.number().describe('Texts that have no vector yet.'),
    jobs: z.array(jobShape()).describe('Background work.'),
    storage: z
      .object({
        bytes: z.number().describe('What this memory takes up.'),
        max_bytes: z.number().describe('Where nothing more is added.'),
        warning: z.string().nullable().describe('What to do while there is room; null for now.'),
      })
      .describe('Its database.'),
  }),
  example: {
    input: {},
    output: {
      success: true,
      falkordb: true,
      embeddings: true,
      vector_index: true,
      cache: {
        embeddings: { enabled: true, size: 0, maxsize: 1000 },
        search: { enabled: true, size: 0, maxsize: 100, ttl: 60 },
      },
      embedding_backlog: 0,
      jobs: [
        idle('embedding', true),
        idle('expiry', true),
        idle('deduplication', false),
        idle('directory', true),
        idle('transfer', true),
        idle('backup', true),
        idle('forgetting', true),
      ],
      storage: { bytes: 270_336, max_bytes: 9_000_000_000, warning: null },
    },
  },
  failure: nodeFailure,
  async run(_, { health }) {
    const state = await health.check();
    return {
      success: true,
      falkordb: state.isStoreAnswering,
      embeddings: state.isEmbedderAnswering,
      vector_index: state.isIndexSound,
      cache: describeCaches(state.caches),
      embedding_backlog: state.embeddingBacklog,
      jobs: state.jobs.map((job) => ({
        name: job.name,
        enabled: job.isEnabled,
        due_at: job.dueAt ?? null,
        last_run_at: job.lastRunAt,
        failures: job.failures,
        last_error: job.lastError,
      })),
      storage: {
        bytes: state.storage.bytes,
        max_bytes: state.storage.bytesMax,
        warning: state.storage.isNearlyFull ? NEARLY_FULL : null,
      },
    };
  },
});

const NEARLY_FULL =
  'Four fifths of the storage are used: delete what is not needed, then compact, or go on in another thread.';

function describeCaches({ limits, embeddings, searches }: CacheState) {
  return {
    embeddings: {
      enabled: limits.embeddingsMax > 0,
      size: embeddings,
      maxsize: limits.embeddingsMax,
    },
    search: {
      enabled: limits.searchesMax > 0,
      size: searches,
      maxsize: limits.searchesMax,
      ttl: limits.searchTtlSeconds,
    },
  };
}

/** A job that has never run. */
function idle(name: string, isEnabled: boolean) {
  return {
    name,
    enabled: isEnabled,
    due_at: null,
    last_run_at: null,
    failures: 0,
    last_error: null,
  };
}
