import { expect, test, vi } from 'vitest';
import { MemoryError } from '#errors.ts';
import {
  WORKERS_AI_MODEL_DEFAULT,
  workersAiEmbedder,
  type AiBinding,
  type Clock,
} from '#search/embed/workers-ai-embedder.ts';

const QWEN = '@cf/qwen/qwen3-embedding-0.6b';
const BGE = '@cf/baai/bge-m3';

type Run = AiBinding['run'];

test('vectors come in the order of their texts, over as many requests as it takes', async () => {
  const { ai, run } = service();
  const texts = Array.from({ length: 70 }, (_, place) => `text ${place}`);

  const vectors = await workersAiEmbedder(ai, { clock: virtualClock() }).embed(texts, 'passage');

  expect(run.mock.calls.map(([, input]) => textsOf(input).length)).toEqual([32, 32, 6]);
  expect(vectors).toHaveLength(70);
  for (const [place, vector] of vectors.entries()) {
    expect(vector).toEqual(workedOut(`text ${place}`, 512));
  }
});

test('long texts share a request with fewer others, and are cut to their beginning', async () => {
  const { ai, run } = service();
  const texts = Array.from({ length: 20 }, (_, place) => `${place} ${'long '.repeat(2_000)}`);

  await workersAiEmbedder(ai, { clock: virtualClock() }).embed(texts, 'passage');

  expect(run.mock.calls.map(([, input]) => textsOf(input).length)).toEqual([15, 5]);
  const [[, first] = []] = run.mock.calls;
  expect(textsOf(first).every((text) => text.length <= 4_000)).toBe(true);
});

test('nothing is asked for no texts', async () => {
  const { ai, run } = service();

  expect(await workersAiEmbedder(ai).embed([], 'query')).toEqual([]);
  expect(run).not.toHaveBeenCalled();
});

test('texts that the service would refuse are sent as something that it takes', async () => {
  const { ai, run } = service();
  const clock = virtualClock();

  const vectors = await workersAiEmbedder(ai, { clock }).embed(['', ' \n', 'a\ud800'], 'passage');

  expect(vectors).toHaveLength(3);
  expect(run.mock.calls[0]?.[1]).toEqual({ documents: ['.', '.', 'a\ufffd'] });
});

test('the default model is asked for questions and passages in forms of their own', async () => {
  const { ai, run } = service();
  const embedder = workersAiEmbedder(ai, { clock: virtualClock() });

  await embedder.embed(['who?'], 'query');
  await embedder.embed(['Ada.'], 'passage');

  expect(WORKERS_AI_MODEL_DEFAULT).toBe(QWEN);
  expect(run.mock.calls.map(([model]) => model)).toEqual([QWEN, QWEN]);
  expect(run.mock.calls.map(([, input]) => input)).toEqual([
    { queries: ['who?'], instruction: expect.stringContaining('retrieve the facts') },
    { documents: ['Ada.'] },
  ]);
});

test.each([
  [{ model: BGE }, { text: ['who?'], truncate_inputs: true }, `${BGE}:1024`, 1_024],
  [{ model: QWEN, dimensions: 1_024 }, { documents: ['who?'] }, `${QWEN}:1024`, 1_024],
  [{ model: '@cf/some/other', dimensions: 96 }, { text: ['who?'] }, '@cf/some/other:96', 96],
])(
  'a model by configuration is asked in its form: %j',
  async (options, input, model, dimensions) => {
    const { ai, run } = service(dimensions);
    const embedder = workersAiEmbedder(ai, { ...options, clock: virtualClock() });

    const [vector] = await embedder.embed(['who?'], 'passage');

    expect(run.mock.calls[0]?.[1]).toEqual(input);
    expect([embedder.model, embedder.dimensions]).toEqual([model, dimensions]);
    expect(vector).toEqual(workedOut('who?', dimensions));
  },
);

test.each([
  [{ model: '@cf/some/other' }, 'say how many dimensions it has'],
  [{ model: BGE, dimensions: 2_048 }, 'has 1024 dimensions, not 2048'],
  [{ dimensions: 0 }, 'has 1024 dimensions, not 0'],
  [{ dimensions: 1.5 }, 'has 1024 dimensions, not 1.5'],
])('a configuration that cannot be is refused at once: %j', (options, reason) => {
  expect(() => workersAiEmbedder(service().ai, options)).toThrow(reason);
});

test('vectors are unit vectors, cut ones too', async () => {
  const { ai } = service();

  const [vector = []] = await workersAiEmbedder(ai).embed(['Ada'], 'query');

  expect(vector).toHaveLength(512);
  expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-6);
});

/** Ways for a service to fail, and what is told of it. */
const failures: [string, Run, string][] = [
  ['throws', async () => Promise.reject(new Error('boom')), 'it failed'],
  ['throws before it promises', () => throwNow(new Error('boom')), 'it failed'],
  ['throws what is no error', () => throwNow('boom'), 'it failed'],
  ['is out of capacity', async () => Promise.reject(upstream(3040)), 'it failed with code 3040'],
  ['hangs', () => new Promise(() => {}), 'it did not answer within 2000 ms'],
  ['answers nothing', async () => undefined, 'its answer has no vectors'],
  ['answers null', async () => null, 'its answer has no vectors'],
  ['answers with a text', async () => 'ok', 'its answer has no vectors'],
  ['answers with another shape', async () => ({ response: [[1, 2]] }), 'its answer has no vectors'],
  ['answers too few', async () => ({ data: [] }), 'it answered 0 vectors for 1 texts'],
  ['answers too many', answer([1, 2]), 'it answered 2 vectors for 1 texts'],
  ['answers no list of numbers', answer(['no']), 'a vector of its answer has not 1024 numbers'],
  ['answers short vectors', async () => ({ data: [[1, 2, 3]] }), 'has not 1024 numbers'],
  ['answers NaN', answer([Number.NaN]), 'a vector is not of finite numbers'],
  ['answers infinity', answer([Infinity]), 'a vector is not of finite numbers'],
  ['answers null for a number', answer([null]), 'a vector is not of finite numbers'],
  ['answers zeros', answer([0]), 'a vector has no direction'],
  ['answers more than a number holds', answer([1e300]), 'a vector has no direction'],
];

test.each(failures)('a service that %s is told of, after two attempts', async (_, run, reason) => {
  const calls = vi.fn<Run>(run);
  const embedder = workersAiEmbedder({ run: calls }, { clock: virtualClock() });

  const error = await failureOf(embedder.embed(['Ada'], 'query'));

  expect(error.code).toBe('unavailable');
  expect(error.message).toContain(reason);
  expect(error.hint).toContain('Search by words goes on');
  expect(calls).toHaveBeenCalledTimes(2);
});

test.each(failures)('a service that %s once is asked again, and answers', async (_, run) => {
  const { ai, run: healthy } = service();
  healthy.mockImplementationOnce(run);

  const [vector] = await workersAiEmbedder(ai, { clock: virtualClock() }).embed(['Ada'], 'query');

  expect(vector).toEqual(workedOut('Ada', 512));
  expect(healthy).toHaveBeenCalledTimes(2);
});

test('passages are tried four times, with pauses that double and vary by chance', async () => {
  const pauses = async (random: number) => {
    const clock = virtualClock(random);
    await failureOf(workersAiEmbedder(failing().ai, { clock }).embed(['Ada'], 'passage'));
    return clock.slept.filter((ms) => ms < 10_000);
  };

  expect(await pauses(1)).toEqual([200, 400, 800]);
  expect(await pauses(0)).toEqual([100, 200, 400]);
});

test('a slow answer counts when it is in time, and a request that is too slow is called off', async () => {
  const clock = virtualClock();
  const { ai, run } = service();
  const delayed =
    (ms: number): Run =>
    (model, input, options) =>
      clock.sleep(ms).then(() => service().ai.run(model, input, options));
  const embedder = workersAiEmbedder(ai, { clock });

  run.mockImplementationOnce(delayed(1_900));
  expect(await embedder.embed(['Ada'], 'query')).toHaveLength(1);
  run.mockImplementation(delayed(2_100));
  const error = await failureOf(embedder.embed(['Ada'], 'query'));

  expect(error.message).toContain('within 2000 ms');
  expect(run.mock.calls.map(([, , { signal }]) => signal.aborted)).toEqual([false, true, true]);
});

test.each([5007, 3036, 3006])('what will fail again is not tried again: code %i', async (code) => {
  const { ai, run } = failing(upstream(code));

  const error = await failureOf(
    workersAiEmbedder(ai, { clock: virtualClock() }).embed(['Ada'], 'passage'),
  );

  expect(error.message).toContain(`code ${code}`);
  expect(run).toHaveBeenCalledTimes(1);
});

test('one batch that fails fails the whole list, and no more is asked', async () => {
  const { ai, run } = service();
  run.mockImplementationOnce(async (...args) => service().ai.run(...args));
  run.mockRejectedValue(upstream(5004));
  const texts = Array.from({ length: 96 }, () => 'Ada');

  await failureOf(workersAiEmbedder(ai, { clock: virtualClock() }).embed(texts, 'passage'));

  expect(run).toHaveBeenCalledTimes(2);
});

test('a service that fails five times in a row is left alone, and callers know at once', async () => {
  const clock = virtualClock();
  const { ai, run } = failing();
  const embedder = workersAiEmbedder(ai, { clock });
  for (let i = 0; i < 3; i += 1) await failureOf(embedder.embed(['Ada'], 'query'));
  const [asked, now] = [run.mock.calls.length, clock.now()];

  const error = await failureOf(embedder.embed(['Ada'], 'query'));

  expect(error.message).toContain('left alone for a while');
  expect(asked).toBe(5);
  expect(run).toHaveBeenCalledTimes(asked);
  expect(clock.now()).toBe(now);
});

test('failures with successes between them do not add up', async () => {
  const { ai, run } = service();
  const embedder = workersAiEmbedder(ai, { clock: virtualClock() });

  for (let i = 0; i < 12; i += 1) {
    run.mockRejectedValueOnce(new Error('boom'));
    expect(await embedder.embed(['Ada'], 'query')).toHaveLength(1);
  }
});

test('after a rest one request may try, and when it is answered all may', async () => {
  const clock = virtualClock();
  const { ai, run } = await openBreaker(clock);
  const embedder = ai.embedder;
  clock.pass(30_000);
  run.mockImplementation((...args) => clock.sleep(500).then(() => service().ai.run(...args)));

  const [probe, other] = await Promise.allSettled([
    embedder.embed(['Ada'], 'query'),
    embedder.embed(['Bob'], 'query'),
  ]);

  expect(probe.status).toBe('fulfilled');
  expect(other).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  expect(
    await Promise.all([embedder.embed(['Ada'], 'query'), embedder.embed(['Bob'], 'query')]),
  ).toHaveLength(2);
});

test('a rest that is not over lets nothing pass, and one that ends in a failure begins anew', async () => {
  const clock = virtualClock();
  const { ai, run } = await openBreaker(clock);
  const asked = run.mock.calls.length;

  clock.pass(29_000);
  await failureOf(ai.embedder.embed(['Ada'], 'passage'));
  expect(run).toHaveBeenCalledTimes(asked);
  clock.pass(1_000);
  await failureOf(ai.embedder.embed(['Ada'], 'passage'));
  expect(run).toHaveBeenCalledTimes(asked + 1);
  clock.pass(29_000);
  await failureOf(ai.embedder.embed(['Ada'], 'passage'));

  expect(run).toHaveBeenCalledTimes(asked + 1);
});

test('an error holds nothing of the texts, nor of what the service said', async () => {
  const { ai } = failing(new Error('3040: cannot embed "the secret of Ada"'));

  const error = await failureOf(
    workersAiEmbedder(ai, { clock: virtualClock() }).embed(['the secret of Ada'], 'query'),
  );

  expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain('secret');
  expect(error.cause).toBeUndefined();
});

test('the clock of the system is the default', async () => {
  const { ai, run } = service();
  run.mockRejectedValueOnce(new Error('boom'));

  expect(await workersAiEmbedder(ai).embed(['Ada'], 'query')).toHaveLength(1);
});

/** A service that answers vectors worked out from the texts, not of unit length. */
function service(dimensions = 1_024) {
  const run = vi.fn<Run>(async (_, input) => ({
    shape: [textsOf(input).length, dimensions],
    data: textsOf(input).map((text) => numbersOf(text, dimensions)),
  }));
  return { ai: { run }, run };
}

function failing(error = new Error('boom')) {
  const run = vi.fn<Run>(async () => Promise.reject(error));
  return { ai: { run }, run };
}

/** An embedder whose service has just failed for the fifth time. */
async function openBreaker(clock: Clock) {
  const { ai, run } = failing();
  const embedder = workersAiEmbedder(ai, { clock });
  for (let i = 0; i < 3; i += 1) await failureOf(embedder.embed(['Ada'], 'query'));
  return { ai: { embedder }, run };
}

function textsOf(input: Record<string, unknown> = {}): string[] {
  return (input['queries'] ?? input['documents'] ?? input['text'] ?? []) as string[];
}

/** Any numbers that tell texts apart. */
function numbersOf(text: string, dimensions: number): number[] {
  const seed = Array.from(text).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9_973, 7);
  return Array.from({ length: dimensions }, (_, place) => Math.sin(seed * (place + 1)) * 3);
}

/** What becomes of those numbers: the first ones, as a unit vector. */
function workedOut(text: string, dimensions: number): Float32Array {
  const numbers = Float32Array.from(numbersOf(text, dimensions));
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
  return numbers.map((number) => number / length);
}

/** One vector for each: all of its numbers are the same. */
function answer(each: readonly unknown[]): Run {
  return async () => ({
    data: each.map((value) =>
      typeof value === 'string' ? value : Array.from({ length: 1_024 }, () => value),
    ),
  });
}

function upstream(code: number): Error {
  return Object.assign(new Error(`${code}: whatever the service says`), {
    name: 'InferenceUpstreamError',
  });
}

function throwNow(what: unknown): never {
  throw what;
}

async function failureOf(promise: Promise<unknown>): Promise<MemoryError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof MemoryError) return error;
  throw new Error('It did not fail as it ought to.', { cause: error });
}

/** Time that passes only while everybody sleeps, and then at once. */
function virtualClock(random = 0.5) {
  let now = 0;
  const slept: number[] = [];
  const sleepers = new Set<{ until: number; wake: () => void }>();

  function wakeNext(): void {
    const [next] = [...sleepers].toSorted((a, b) => a.until - b.until);
    if (next === undefined) return;
    sleepers.delete(next);
    now = Math.max(now, next.until);
    next.wake();
  }

  return {
    slept,
    now: () => now,
    random: () => random,
    pass(ms: number): void {
      now += ms;
    },
    sleep(ms: number, signal?: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        const sleeper = {
          until: now + ms,
          wake: () => {
            slept.push(ms);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          resolve();
        });
        setTimeout(wakeNext, 0);
      });
    },
  };
}
