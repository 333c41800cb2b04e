/**
 * The embedder behind the `AI` binding. A service can be slow, busy or wrong: each request has a
 * timeout, is tried again a little later, and a service that keeps failing is left alone for a while,
 * during which `embed` rejects at once and callers go on with full text. Nothing of a text, and
 * nothing that the service says, stands in an error.
 */
import { MemoryError } from '#errors.ts';
import type { Embedder, TextKind } from './embedder.ts';

/** The part of the `AI` binding that is used. */
export interface AiBinding {
  run(
    model: string,
    input: Record<string, unknown>,
    options: { signal: AbortSignal },
  ): Promise<unknown>;
}

/**
 * Of the embedding models on the list (bge-*-en, bge-m3, EmbeddingGemma, PLaMo, Qwen3), three are
 * made for many languages. Qwen3 leads bge-m3 on multilingual retrieval (MTEB: 64.6 against 57.9) at
 * the same price, takes questions and passages apart, and its vectors may be cut (see `dimensions`).
 * EmbeddingGemma lies between them, and has no price on the list.
 */
export const WORKERS_AI_MODEL_DEFAULT = '@cf/qwen/qwen3-embedding-0.6b';

export interface WorkersAiOptions {
  readonly model?: string | undefined;
  /** Fewer than the model's own are its first ones: for a model that is trained for that. */
  readonly dimensions?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What time and chance are taken from. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Ends early, without an error, when the signal says so. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

interface ModelForm {
  /** Numbers in a vector as the service answers it. */
  readonly dimensionsAnswered: number;
  /** Numbers that are kept. */
  readonly dimensions: number;
  readonly textsPerRequestMax: number;
  request(texts: readonly string[], kind: TextKind): Record<string, unknown>;
}

/** How the models differ. Any other is asked in the form that most of them share. */
const FORMS: ReadonlyMap<string, ModelForm> = new Map([
  [
    '@cf/qwen/qwen3-embedding-0.6b',
    {
      dimensionsAnswered: 1_024,
      // Its first numbers say most (Matryoshka training). Half of them, as int8, keep a thread of
      // 50,000 vectors at 26 MB instead of 51, of the 128 MB that all threads of an isolate share.
      dimensions: 512,
      textsPerRequestMax: 32,
      request: (texts, kind) =>
        kind === 'query' ? { queries: texts, instruction: INSTRUCTION } : { documents: texts },
    },
  ],
  [
    '@cf/baai/bge-m3',
    {
      dimensionsAnswered: 1_024,
      dimensions: 1_024,
      textsPerRequestMax: 100,
      request: (texts) => ({ text: texts, truncate_inputs: true }),
    },
  ],
]);

/** Qwen3 is told what a question is for. It changes the vectors of questions alone: none is stored. */
const INSTRUCTION =
  'Given a question to a memory of facts about people, projects and decisions, retrieve the facts that answer it';

/**
 * UTF-16 units of a text that are sent: 8,192 tokens, the least context of the models, at two tokens
 * a unit. What a longer text is about stands in its beginning.
 */
const TEXT_UNITS_MAX = 4_000;

/** UTF-16 units in one request: bge-m3 takes 60,000 tokens. A text more than that waits for the next. */
const REQUEST_UNITS_MAX = 60_000;

/** Someone waits for a search; a passage is embedded in the background, or again by the next job. */
const PATIENCE: Readonly<Record<TextKind, { timeoutMs: number; attemptsMax: number }>> = {
  query: { timeoutMs: 2_000, attemptsMax: 2 },
  passage: { timeoutMs: 10_000, attemptsMax: 4 },
};

/** Before the second attempt; twice as much before each further one. */
const BACKOFF_MS = 200;

/** Attempts that fail in a row before the service is left alone, and for how long it then is. */
const FAILURES_MAX = 5;
const REST_MS = 30_000;

/** Codes of Workers AI for what the same request will meet again: no such model, no access, too large. */
const LASTING = /^(?:3003|3006|3023|3036|3039|3041|3042|5004|5005|5007|5016|5018|5019)\b/;

/**
 * Make one an isolate where that can be: what it learnt about the service holds for all threads.
 * Throws for a model of which it cannot know the dimensions.
 */
export function workersAiEmbedder(ai: AiBinding, options: WorkersAiOptions = {}): Embedder {
  const { model = WORKERS_AI_MODEL_DEFAULT, clock = SYSTEM_CLOCK } = options;
  const form = findForm(model, options.dimensions);
  const breaker = circuitBreaker(clock);

  async function attempt(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    const { timeoutMs } = PATIENCE[kind];
    const input = form.request(texts, kind);
    const answer = await withTimeout(clock, timeoutMs, (signal) =>
      ai.run(model, input, { signal }),
    );
    return readVectors(answer, texts.length, form);
  }

  async function embedBatch(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    const { attemptsMax } = PATIENCE[kind];
    for (let attempts = 1; ; attempts += 1) {
      breaker.enter();
      try {
        // eslint-disable-next-line no-await-in-loop -- An attempt follows the failure of another.
        const vectors = await attempt(texts, kind);
        breaker.succeed();
        return vectors;
      } catch (error) {
        const isOpen = breaker.fail();
        if (isOpen || attempts === attemptsMax || isLasting(error)) throw describe(error);
      }
      // eslint-disable-next-line no-await-in-loop
      await clock.sleep(backoffMs(attempts, clock.random()));
    }
  }

  return {
    model: `${model}:${form.dimensions}`,
    dimensions: form.dimensions,
    understands: () => true,
    async embed(texts, kind) {
      const vectors: Float32Array[] = [];
      for (const batch of cutBatches(texts.map(prepareText), form.textsPerRequestMax)) {
        // eslint-disable-next-line no-await-in-loop -- A long list must not use up the rate that searches need.
        vectors.push(...(await embedBatch(batch, kind)));
      }
      return vectors;
    },
  };
}

function findForm(model: string, dimensions: number | undefined): ModelForm {
  const known = FORMS.get(model);
  const wanted = dimensions ?? known?.dimensions;
  const answered = known?.dimensionsAnswered ?? dimensions;
  if (wanted === undefined || answered === undefined) {
    throw new Error(
      `The embedding model ${model} is not known here: say how many dimensions it has.`,
    );
  }
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > answered) {
    throw new Error(`The embedding model ${model} has ${answered} dimensions, not ${wanted}.`);
  }
  if (known) return { ...known, dimensions: wanted };
  return {
    dimensionsAnswered: answered,
    dimensions: wanted,
    // No model of the list takes fewer.
    textsPerRequestMax: 32,
    request: (texts) => ({ text: texts }),
  };
}

/** The service refuses an empty text, and with it all others of the request. */
function prepareText(text: string): string {
  const start = text.slice(0, TEXT_UNITS_MAX).toWellFormed().trim();
  return start === '' ? '.' : start;
}

function cutBatches(texts: readonly string[], textsMax: number): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let units = 0;
  for (const text of texts) {
    const isFull = batch.length === textsMax || units + text.length > REQUEST_UNITS_MAX;
    if (batch.length === 0 || isFull) {
      batch = [];
      batches.push(batch);
      units = 0;
    }
    batch.push(text);
    units += text.length;
  }
  return batches;
}

/** What went wrong, in words that hold nothing of what was sent or answered. */
class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
}

/** A lost answer is no use any more: the request is called off, and its end not waited for. */
async function withTimeout(
  clock: Clock,
  timeoutMs: number,
  request: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const abort = new AbortController();
  const settled = new AbortController();
  const timeout = clock.sleep(timeoutMs, settled.signal).then(() => {
    if (settled.signal.aborted) return;
    abort.abort();
    throw new ServiceFault(`it did not answer within ${timeoutMs} ms`);
  });
  try {
    return await Promise.race([request(abort.signal), timeout]);
  } finally {
    settled.abort();
  }
}

/** Unit vectors; throws when the answer is anything but one vector of finite numbers a text. */
function readVectors(answer: unknown, count: number, form: ModelForm): Float32Array[] {
  const { dimensionsAnswered, dimensions } = form;
  const data: unknown = isRecord(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data)) throw new ServiceFault('its answer has no vectors');
  if (data.length !== count) {
    throw new ServiceFault(`it answered ${data.length} vectors for ${count} texts`);
  }
  return data.map((numbers: unknown) => {
    if (!Array.isArray(numbers) || numbers.length !== dimensionsAnswered) {
      throw new ServiceFault(`a vector of its answer has not ${dimensionsAnswered} numbers`);
    }
    if (!numbers.every(Number.isFinite))
      throw new ServiceFault('a vector is not of finite numbers');
    return toUnit(Float32Array.from(numbers.slice(0, dimensions)));
  });
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  if (length === 0 || !Number.isFinite(length)) throw new ServiceFault('a vector has no direction');
  return vector.map((number) => number / length);
}

/** The error of the binding begins with the service's code. */
function isLasting(error: unknown): boolean {
  return error instanceof Error && LASTING.test(error.message);
}

function describe(error: unknown): MemoryError {
  const code = error instanceof Error ? /^\d{4}\b/.exec(error.message)?.[0] : undefined;
  const fallback = code === undefined ? 'it failed' : `it failed with code ${code}`;
  return unavailable(error instanceof ServiceFault ? error.message : fallback);
}

function unavailable(what: string): MemoryError {
  return new MemoryError('unavailable', `The embedding service cannot be used: ${what}.`, {
    hint: 'Search by words goes on without it; search by meaning comes back with the service.',
  });
}

/** Doubled each time, and half of it by chance: callers that failed together do not come back together. */
function backoffMs(attempts: number, random: number): number {
  const ms = BACKOFF_MS * 2 ** (attempts - 1);
  return ms / 2 + (ms / 2) * random;
}

/**
 * Closed: requests pass. Open, after so many failures in a row: none does. Half-open, after a rest: a
 * single one does, and its end decides.
 */
function circuitBreaker(clock: Clock) {
  let failures = 0;
  let openedAt = 0;
  let isProbing = false;
  return {
    /** Throws when no request may pass. */
    enter(): void {
      if (failures < FAILURES_MAX) return;
      if (isProbing || clock.now() - openedAt < REST_MS) {
        throw unavailable('it failed several times in a row and is left alone for a while');
      }
      isProbing = true;
    },
    succeed(): void {
      failures = 0;
      isProbing = false;
    },
    /** Says whether it is open now. */
    fail(): boolean {
      failures += 1;
      isProbing = false;
      openedAt = clock.now();
      return failures >= FAILURES_MAX;
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
  random: () => Math.random(),
};
