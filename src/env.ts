/** The Worker's bindings and what its `vars` mean. The only place that reads a var. */
import {
  DEFAULT_CACHE_LIMITS,
  DEFAULT_LIMITS,
  DUPLICATE_SIMILARITY_DEFAULT,
  type CacheLimits,
  type Limits,
} from '#limits.ts';

/** The variables of `wrangler.toml`; all are optional, all arrive as text. */
export interface Vars {
  readonly OBSERVATION_CHARS_MAX?: string;
  readonly OBSERVATION_SENTENCES_MAX?: string;
  readonly HISTORY_RETENTION_DAYS?: string;
  /** Whether the daily run writes changed threads to R2; `true` or `false`. */
  readonly BACKUPS_ENABLED?: string;
  readonly BACKUP_RETENTION_DAYS?: string;
  readonly MAX_TEXT_LENGTH?: string;
  readonly MAX_METADATA_SIZE?: string;
  readonly MIN_TTL_DAYS?: string;
  readonly MAX_TTL_DAYS?: string;
  readonly MAX_ENTITIES?: string;
  readonly MAX_FACTS?: string;
  readonly MAX_TURNS?: string;
  readonly MAX_RELATIONS_PER_ENTITY?: string;
  readonly MAX_NEW_NODES_PER_MINUTE?: string;
  readonly MAX_STORAGE_BYTES?: string;
  readonly MAX_THREADS?: string;
  readonly MAX_NEW_THREADS_PER_HOUR?: string;
  readonly MAX_OWNERS?: string;
  /** Whether the job runs that marks what says the same as an older fact; `true` or `false`. */
  readonly DEDUP_ENABLED?: string;
  readonly DEDUP_THRESHOLD?: string;
  /** From which a memory may be outdated by a new one: a cosine, and up to 0.4 more (docs/contributing/search.md). */
  readonly SIMILAR_MEMORY_THRESHOLD?: string;
  readonly CACHE_EMBEDDINGS_ENABLED?: string;
  readonly CACHE_EMBEDDINGS_MAXSIZE?: string;
  readonly CACHE_SEARCH_ENABLED?: string;
  readonly CACHE_SEARCH_MAXSIZE?: string;
  /** Seconds. */
  readonly CACHE_SEARCH_TTL?: string;
  readonly ALLOWED_HOSTNAMES?: string;
  readonly ALLOWED_ORIGIN_HOSTNAMES?: string;
  /** `open`, `token` or `oauth`; empty to follow from what is configured (`auth/mode.ts`). */
  readonly AUTH_MODE?: string;
  /** Whether OAuth clients may register; `false` leaves those that name a document of their own. */
  readonly OAUTH_REGISTRATION_ENABLED?: string;
  /** The secret by which the owner signs in. */
  readonly OWNER_PASSPHRASE?: string;
  /** Model of the `AI` binding; empty for the default. Another one re-embeds in the background. */
  readonly EMBEDDING_MODEL?: string;
  /** Model of the `AI` binding that summarises sessions; empty for the default. */
  readonly SUMMARY_MODEL?: string;
}

/** The object behind a thread, as the Worker sees it: a namespace to be cast by `thread-client.ts`. */
export interface Env extends Vars {
  readonly THREAD: DurableObjectNamespace;
  /** Which threads a subject has, to be cast by `directory-client.ts`. Without it none is listed. */
  readonly DIRECTORY?: DurableObjectNamespace;
  /** Static files: the weights of the embedded embedder. */
  readonly ASSETS: Fetcher;
  /** Files that threads export; left out, there are none. */
  readonly FILES?: R2Bucket;
  /** Workers AI: in production alone, since it has no local emulation. */
  readonly AI?: Ai;
  /** API tokens, OAuth clients and grants, sessions: by their hashes. Without it nobody gets in but on localhost. */
  readonly OAUTH_KV?: KVNamespace;
  readonly ADDRESS_LIMIT?: RateLimit;
  readonly CREDENTIAL_LIMIT?: RateLimit;
  readonly SUBJECT_LIMIT?: RateLimit;
  readonly SIGN_IN_LIMIT?: RateLimit;
}

/** Throws when a var is set to something that is no limit, so that a typing mistake is seen at once. */
export function readLimits(vars: Vars): Limits {
  return {
    observationCharsMax: readCount(
      'OBSERVATION_CHARS_MAX',
      vars.OBSERVATION_CHARS_MAX,
      DEFAULT_LIMITS.observationCharsMax,
      { min: 20, max: 10_000 },
    ),
    observationSentencesMax: readCount(
      'OBSERVATION_SENTENCES_MAX',
      vars.OBSERVATION_SENTENCES_MAX,
      DEFAULT_LIMITS.observationSentencesMax,
      { min: 1, max: 100 },
    ),
    historyRetentionDays: readCount(
      'HISTORY_RETENTION_DAYS',
      vars.HISTORY_RETENTION_DAYS,
      DEFAULT_LIMITS.historyRetentionDays,
      { min: 0, max: 3_650 },
    ),
    backupsEnabled: readFlag(
      'BACKUPS_ENABLED',
      vars.BACKUPS_ENABLED,
      DEFAULT_LIMITS.backupsEnabled,
    ),
    backupRetentionDays: readCount(
      'BACKUP_RETENTION_DAYS',
      vars.BACKUP_RETENTION_DAYS,
      DEFAULT_LIMITS.backupRetentionDays,
      { min: 1, max: 3_650 },
    ),
    textCharsMax: readCount('MAX_TEXT_LENGTH', vars.MAX_TEXT_LENGTH, DEFAULT_LIMITS.textCharsMax, {
      min: 100,
      max: 100_000,
    }),
    // The history keeps a row before and after in one row, and a row must stay below 2 MB.
    metadataBytesMax: readCount(
      'MAX_METADATA_SIZE',
      vars.MAX_METADATA_SIZE,
      DEFAULT_LIMITS.metadataBytesMax,
      { min: 100, max: 500_000 },
    ),
    ttlDaysMin: readNumber('MIN_TTL_DAYS', vars.MIN_TTL_DAYS, DEFAULT_LIMITS.ttlDaysMin, {
      min: 0,
      max: 36_500,
    }),
    ttlDaysMax: readNumber('MAX_TTL_DAYS', vars.MAX_TTL_DAYS, DEFAULT_LIMITS.ttlDaysMax, {
      min: 0,
      max: 36_500,
    }),
    ...readCaps(vars),
    similarMemoryMin: readNumber(
      'SIMILAR_MEMORY_THRESHOLD',
      vars.SIMILAR_MEMORY_THRESHOLD,
      DEFAULT_LIMITS.similarMemoryMin,
      { min: 0.1, max: 1.4 },
    ),
    duplicateSimilarityMin: readFlag('DEDUP_ENABLED', vars.DEDUP_ENABLED, false)
      ? readNumber('DEDUP_THRESHOLD', vars.DEDUP_THRESHOLD, DUPLICATE_SIMILARITY_DEFAULT, {
          min: 0.5,
          // Vectors are rounded: the same text may fall a little short of 1.
          max: 0.99,
        })
      : null,
  };
}

function readCaps(vars: Vars) {
  const nodes = { min: 1, max: 10_000_000 };
  const threads = { min: 1, max: 1_000_000 };
  const { threadsMax, newThreadsPerHour, ownersMax } = DEFAULT_LIMITS;
  return {
    threadsMax: readCount('MAX_THREADS', vars.MAX_THREADS, threadsMax, threads),
    newThreadsPerHour: readCount(
      'MAX_NEW_THREADS_PER_HOUR',
      vars.MAX_NEW_THREADS_PER_HOUR,
      newThreadsPerHour,
      threads,
    ),
    ownersMax: readCount('MAX_OWNERS', vars.MAX_OWNERS, ownersMax, threads),
    entitiesMax: readCount('MAX_ENTITIES', vars.MAX_ENTITIES, DEFAULT_LIMITS.entitiesMax, nodes),
    factsMax: readCount('MAX_FACTS', vars.MAX_FACTS, DEFAULT_LIMITS.factsMax, nodes),
    turnsMax: readCount('MAX_TURNS', vars.MAX_TURNS, DEFAULT_LIMITS.turnsMax, nodes),
    relationsPerEntityMax: readCount(
      'MAX_RELATIONS_PER_ENTITY',
      vars.MAX_RELATIONS_PER_ENTITY,
      DEFAULT_LIMITS.relationsPerEntityMax,
      nodes,
    ),
    nodesPerMinuteMax: readCount(
      'MAX_NEW_NODES_PER_MINUTE',
      vars.MAX_NEW_NODES_PER_MINUTE,
      DEFAULT_LIMITS.nodesPerMinuteMax,
      nodes,
    ),
    storageBytesMax: readCount(
      'MAX_STORAGE_BYTES',
      vars.MAX_STORAGE_BYTES,
      DEFAULT_LIMITS.storageBytesMax,
      // With the reserve and with files on their way it must stay below the platform's 10 GB.
      { min: 1_000_000, max: 9_200_000_000 },
    ),
  };
}

/** A cache that is switched off has room for nothing. Throws as `readLimits` does. */
export function readCacheLimits(vars: Vars): CacheLimits {
  const { embeddingsMax, searchesMax, searchTtlSeconds } = DEFAULT_CACHE_LIMITS;
  return {
    embeddingsMax: readFlag('CACHE_EMBEDDINGS_ENABLED', vars.CACHE_EMBEDDINGS_ENABLED, true)
      ? readCount('CACHE_EMBEDDINGS_MAXSIZE', vars.CACHE_EMBEDDINGS_MAXSIZE, embeddingsMax, {
          min: 0,
          max: 10_000,
        })
      : 0,
    searchesMax: readFlag('CACHE_SEARCH_ENABLED', vars.CACHE_SEARCH_ENABLED, true)
      ? readCount('CACHE_SEARCH_MAXSIZE', vars.CACHE_SEARCH_MAXSIZE, searchesMax, {
          min: 0,
          max: 1_000,
        })
      : 0,
    searchTtlSeconds: readCount('CACHE_SEARCH_TTL', vars.CACHE_SEARCH_TTL, searchTtlSeconds, {
      min: 1,
      max: 3_600,
    }),
  };
}

/** Whether OAuth clients may register themselves. Throws when the var is neither `true` nor `false`. */
export function readRegistrationEnabled(vars: Vars): boolean {
  return readFlag('OAUTH_REGISTRATION_ENABLED', vars.OAUTH_REGISTRATION_ENABLED, true);
}

/** Host names from a comma-separated var, lower-cased. */
export function readHostnames(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

function readCount(
  name: string,
  value: string | undefined,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  if (value === undefined || value.trim() === '') return fallback;
  const count = Number(value);
  if (Number.isInteger(count) && count >= min && count <= max) return count;
  throw new Error(`The variable ${name} must be a whole number from ${min} to ${max}.`);
}

function readNumber(
  name: string,
  value: string | undefined,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  if (value === undefined || value.trim() === '') return fallback;
  const number = Number(value);
  if (number >= min && number <= max) return number;
  throw new Error(`The variable ${name} must be a number from ${min} to ${max}.`);
}

function readFlag(name: string, value: string | undefined, fallback: boolean): boolean {
  const text = (value ?? '').trim().toLowerCase();
  if (text === '') return fallback;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`The variable ${name} must be true or false.`);
}
