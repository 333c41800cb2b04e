import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import type { TextKind } from '#search/embed/embedder.ts';
import { embeddedEmbedder, loadFromAssets } from '#search/embed/embedded-embedder.ts';
import reference from './reference-vectors.json';

/**
 * The least cosine between a vector and the reference, which is worked out in float32. Measured:
 * 0.9978 for a text of unknown signs, 0.9986 and more for all others, 0.9991 on average. The rest is
 * the rounding of weights to 8 bits and of activations to 7.
 */
const COSINE_MIN = 0.995;

/** More than the 128 tokens that the model reads. */
const LONG_TEXT = 'The quick brown fox jumps over the lazy dog near the old stone bridge. '.repeat(
  12,
);

const load = loadFromAssets(env.ASSETS);
const embedder = embeddedEmbedder(load);

test('the reference is that of this model', () => {
  expect(reference.model).toBe(embedder.model);
  expect(reference.sentences.length).toBeGreaterThanOrEqual(24);
});

test.each(reference.sentences)(
  '$text has the vectors of the float32 reference',
  async (sentence) => {
    const query = await embedOne(sentence.text, 'query');
    const passage = await embedOne(sentence.text, 'passage');

    expect(cosine(query, decodeFloats(sentence.query))).toBeGreaterThan(COSINE_MIN);
    expect(cosine(passage, decodeFloats(sentence.passage))).toBeGreaterThan(COSINE_MIN);
  },
);

test('every vector has 256 finite numbers and the length 1', async () => {
  const texts = [
    ...reference.sentences.map(({ text }) => text),
    '\ud800',
    '\0',
    'x'.repeat(20_000),
  ];

  const vectors = [
    ...(await embedder.embed(texts, 'query')),
    ...(await embedder.embed(texts, 'passage')),
  ];

  for (const vector of vectors) {
    expect(vector).toHaveLength(embedder.dimensions);
    expect(vector.every(Number.isFinite)).toBe(true);
    expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-5);
  }
});

test('a batch has the vectors of its texts one by one, to the last bit and whatever came before', async () => {
  const texts = reference.sentences.map(({ text }) => text);

  const batch = await embedder.embed(texts, 'passage');

  for (const [place, text] of [...texts.entries()].toReversed()) {
    expect(await embedOne(text, 'passage')).toEqual(batch[place]);
  }
});

test('between two slices others have their turn, and no vector changes by it', async () => {
  const texts = reference.sentences.map(({ text }) => text);
  const whole = await embedder.embed(texts, 'passage');
  const question = await embedOne('Who has their turn?', 'query');
  const asked: (Float32Array | undefined)[] = [];
  const pause = vi.fn<() => Promise<void>>(async () => {
    asked.push(await embedOne('Who has their turn?', 'query'));
  });

  expect(await embedder.embed(texts, 'passage', pause)).toEqual(whole);
  expect(pause.mock.calls.length).toBeGreaterThan(5);
  for (const vector of asked) expect(vector).toEqual(question);
});

test('two long lists that give way to each other have the vectors that each has alone', async () => {
  const texts = [LONG_TEXT, ...reference.sentences.map(({ text }) => text), LONG_TEXT];
  const passages = await embedder.embed(texts, 'passage');
  const queries = await embedder.embed(texts.toReversed(), 'query');
  const order: string[] = [];
  const turn = (name: string) => async () => {
    order.push(name);
    await scheduler.wait(0);
  };

  const both = await Promise.all([
    embedder.embed(texts, 'passage', turn('passages')),
    embedder.embed(texts.toReversed(), 'query', turn('queries')),
  ]);

  expect(both).toEqual([passages, queries]);
  expect(order.slice(0, 6)).toEqual([
    'passages',
    'queries',
    'passages',
    'queries',
    'passages',
    'queries',
  ]);
});

test('one text as long as the model reads gives way in its midst', async () => {
  const pause = vi.fn<() => Promise<void>>(async () => {
    await embedOne('Who has their turn?', 'query');
  });

  const [vector] = await embedder.embed([LONG_TEXT], 'passage', pause);

  expect(vector).toEqual(await embedOne(LONG_TEXT, 'passage'));
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(2);
});

test('short texts share a slice', async () => {
  const pause = vi.fn<() => Promise<void>>(async () => {});

  await embedder.embed(['Ada likes tea', 'Tom owns a boat', 'Mia sings'], 'passage', pause);

  expect(pause).not.toHaveBeenCalled();
});

test('work that is left in a pause for ever holds up nobody', async () => {
  const alone = await embedOne(LONG_TEXT, 'passage');
  let pauses = 0;
  void embedder.embed([LONG_TEXT, LONG_TEXT], 'query', () => {
    pauses += 1;
    return new Promise(() => {});
  });
  await scheduler.wait(0);

  expect(await embedOne(LONG_TEXT, 'passage')).toEqual(alone);
  expect(pauses).toBe(1);
});

test('an error of the pause ends the work', async () => {
  const stop = async () => {
    throw new Error('Stopped.');
  };

  await expect(embedder.embed(['a'.repeat(4_000), 'b'], 'passage', stop)).rejects.toThrow(
    'Stopped.',
  );
});

test('vectors stay as they are when others are made', async () => {
  const vector = await embedOne('Ada likes tea', 'passage');
  const copy = vector.slice();

  await embedOne('Something else altogether', 'query');

  expect(vector).toEqual(copy);
});

test('a text is read up to its 128th token', async () => {
  const start = 'one two three four five six seven eight '.repeat(16).trim();

  const vector = await embedOne(start, 'passage');

  expect(await embedOne(`${start} Ada owns a submarine.`, 'passage')).toEqual(vector);
  expect(await embedOne(`Ada owns a submarine. ${start}`, 'passage')).not.toEqual(vector);
});

/** A fact, and a question that it answers in other words. */
const PAIRS: [string, string][] = [
  ['User prefers dark theme in every editor', 'what color scheme does the user like'],
  ['Tom is a vegetarian', 'dietary restrictions'],
  ['Sarah is the CTO of Northwind', 'who leads engineering'],
  ['We moved from MySQL to PostgreSQL', 'which database do we run'],
  ['Releases happen on Tuesdays and Thursdays', 'deployment schedule'],
  ['Mia starts kindergarten in September', 'when does the kid begin school'],
  ['The billing worker crashes on empty invoices', 'known bug with bills'],
  ['Maria plays the cello in an orchestra', 'musical hobbies'],
  ['The office is in the centre of Lisbon', 'where is the company located'],
  ['John broke his leg while skiing', 'injuries and accidents'],
  ['Anna adopted a puppy from the shelter', 'what pet does she have'],
  ['The API rejects requests above 6 MB', 'maximum payload size'],
];

test('a question lies nearest to what answers it', async () => {
  const facts = await embedder.embed(
    PAIRS.map(([fact]) => fact),
    'passage',
  );
  const questions = await embedder.embed(
    PAIRS.map(([, question]) => question),
    'query',
  );

  const right = questions.filter((question, place) => {
    const cosines = facts.map((fact) => cosine(question, fact));
    return cosines[place] === Math.max(...cosines);
  });

  expect(right.length).toBeGreaterThanOrEqual(PAIRS.length - 2);
});

test('a question lies nearer to its answer when it is embedded as a question', async () => {
  const facts = await embedder.embed(
    PAIRS.map(([fact]) => fact),
    'passage',
  );
  const asQueries = await embedder.embed(
    PAIRS.map(([, question]) => question),
    'query',
  );
  const asPassages = await embedder.embed(
    PAIRS.map(([, question]) => question),
    'passage',
  );

  expect(meanMargin(asQueries, facts)).toBeGreaterThan(meanMargin(asPassages, facts));
});

test('what says the same lies nearer than what says something else', async () => {
  const [moved, relocated, other] = await embedder.embed(
    ['Maria moved to Oslo', 'Maria relocated to Norway', 'The invoice was paid twice'],
    'passage',
  );

  expect(cosine(moved, relocated)).toBeGreaterThan(cosine(moved, other) + 0.3);
});

test('the weights are loaded by the first text and never again', async () => {
  const { embeddedEmbedder: fresh } = await freshModule();
  const counted = vi.fn<typeof load>(load);
  const embedders = [fresh(counted), fresh(counted)];

  expect(await embedders[0]?.embed([], 'query')).toEqual([]);
  expect(counted).not.toHaveBeenCalled();
  await Promise.all([embedders[0]?.embed(['a'], 'query'), embedders[0]?.embed(['b'], 'query')]);
  await embedders[1]?.embed(['c'], 'passage');

  expect(counted).toHaveBeenCalledTimes(1);
});

test('a word that it can only spell is told from one that it knows in pieces', async () => {
  await embedder.embed(['The weights are loaded.'], 'query');
  const spelt = (word: string) => embedder.spells?.(word);

  expect(['hangpronbroogloongpoal', '9f86d081884c7d65'].map(spelt)).toEqual([true, true]);
  const known = ['portfolio', 'harbour', 'kubernetes', 'getUserAccountSettingsById'];
  expect(known.map(spelt)).toEqual(known.map(() => false));
});

test('before its weights are loaded it calls no word spelt', async () => {
  const { embeddedEmbedder: fresh } = await freshModule();

  expect(fresh(load).spells?.('hangpronbroogloongpoal')).toBe(false);
});

test('a load that fails is tried again by the next text', async () => {
  const { embeddedEmbedder: fresh } = await freshModule();
  const failing = vi.fn<typeof load>(load).mockRejectedValueOnce(new Error('The asset is away.'));
  const retried = fresh(failing);

  await expect(retried.embed(['a'], 'query')).rejects.toThrow('The asset is away.');

  expect(await retried.embed(['a'], 'query')).toHaveLength(1);
});

test('a load that never ends holds up no other embedder', async () => {
  const { embeddedEmbedder: fresh } = await freshModule();
  void fresh(() => new Promise(() => {})).embed(['a'], 'query');

  expect(await fresh(load).embed(['a'], 'query')).toHaveLength(1);
});

test('an asset that is missing is named, with the command that makes it', async () => {
  const missing = loadFromAssets({ fetch: async () => new Response('Not found', { status: 404 }) });

  await expect(missing()).rejects.toThrow(
    /embedder\/.+ is missing \(status 404\)\. Make it: npm run build:embedder/,
  );
});

test.each<[string, (file: ArrayBuffer) => ArrayBuffer, string]>([
  ['is empty', () => new ArrayBuffer(0), 'it has 0 bytes'],
  [
    'is a page',
    () => bytesOf('<!doctype html><title>Not found</title>'),
    'does not begin with SKEM',
  ],
  ['was cut short', (file) => file.slice(0, -1_000), 'bytes instead of'],
  ['has another version', (file) => patch(file, 4, [9]), 'its format is version 9'],
  [
    'has an index without end',
    (file) => patch(file, 8, [0xff, 0xff, 0xff, 0]),
    'index is cut short',
  ],
  ['has an index that is no JSON', (file) => patch(file, 16, [0xff]), 'JSON cannot be read'],
  ['has an index of nothing', (file) => patchText(file, '"tensors"', '"tensorz"'), 'no tensors'],
  [
    'has a tensor of another name',
    (file) => patchText(file, '"widen"', '"wider"'),
    'widen is missing',
  ],
  [
    'has a tensor of another shape',
    (file) => patchText(file, '[8002,256]', '[2001,256]'),
    'int8[2001',
  ],
  ['has a tensor of no known type', (file) => patchText(file, '"int8"', '"int4"'), 'is not one of'],
  ['is another model', (file) => patchText(file, '@1"', '@0"'), 'instead of'],
])('a weight file that %s is refused with the reason', async (_, spoil, reason) => {
  const { embeddedEmbedder: fresh } = await freshModule();
  const spoilt = fresh(async () => spoil(await load()));

  await expect(spoilt.embed(['a'], 'query')).rejects.toThrow(reason);
});

async function embedOne(text: string, kind: TextKind): Promise<Float32Array> {
  const [vector = new Float32Array()] = await embedder.embed([text], kind);
  return vector;
}

/** The module as a new isolate has it. */
async function freshModule(): Promise<{ embeddedEmbedder: typeof embeddedEmbedder }> {
  vi.resetModules();
  return import('#search/embed/embedded-embedder.ts');
}

function decodeFloats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer);
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b || a.length !== b.length) return Number.NaN;
  return a.reduce((sum, number, i) => sum + number * (b[i] ?? 0), 0);
}

/** By how much the right answer is nearer than the others are on average. */
function meanMargin(questions: readonly Float32Array[], facts: readonly Float32Array[]): number {
  const margins = questions.map((question, place) => {
    const cosines = facts.map((fact) => cosine(question, fact));
    return (cosines[place] ?? 0) - mean(cosines.filter((_, other) => other !== place));
  });
  return mean(margins);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(new TextEncoder().encode(text)).buffer;
}

function patch(file: ArrayBuffer, place: number, bytes: readonly number[]): ArrayBuffer {
  const copy = file.slice(0);
  new Uint8Array(copy).set(bytes, place);
  return copy;
}

/** Another text of the same length, at its first place in the index. */
function patchText(file: ArrayBuffer, from: string, to: string): ArrayBuffer {
  const index = new TextDecoder().decode(new Uint8Array(file, 0, 8_192));
  return patch(file, index.indexOf(from), [...new TextEncoder().encode(to)]);
}
