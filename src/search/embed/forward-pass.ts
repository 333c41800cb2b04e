/**
 * From tokens to vectors: Universal Sentence Encoder *lite*, a transformer of two layers, with our
 * head behind it. This file says what happens in which order, and where it is in the kernel's
 * memory; the arithmetic is in `kernel/`. `[rows, columns]` is the shape of a matrix.
 *
 * Several texts go through the model together: their tokens are the rows of one matrix, so that the
 * weights are read once for all of them. Only attention works on each text by itself. A row's
 * numbers do not depend on the other rows.
 */
import type { TextKind } from './embedder.ts';
import type { Kernel } from './kernels.ts';
import {
  EMBEDDING_WIDTH,
  INNER_WIDTH,
  TOKENS_MAX,
  WIDTH,
  findModel,
  type Layer,
  type Linear,
  type Model,
} from './model.ts';
import { EMBEDDED_DIMENSIONS, alignUp, type Weights } from './weights.ts';

export interface ForwardPass {
  /** Tokens of a batch at most, together. */
  readonly batchTokensMax: number;
  /** Tokens that take about 5 ms on a shared core: work that gives way does no more at a time. */
  readonly sliceTokens: number;
  /**
   * Unit vectors, one for each text of a batch. Each text has 1 to 128 tokens (`cutTokens`), and all
   * together no more than `batchTokensMax`. With `givesWay` it yields after each slice: what it needs
   * to go on is outside the shared memory by then, so other texts can be run in between, and nothing
   * is lost when it is never resumed.
   */
  run(
    batch: readonly (readonly number[])[],
    kind: TextKind,
    givesWay: boolean,
  ): Generator<undefined, Float32Array[], undefined>;
}

/** What `multiply` does with a result; the kernel names the same three. */
const STORE = 0;
const STORE_POSITIVE = 1;
const ADD = 2;

/** Rows that the kernel multiplies and writes at once. */
const ROWS_AT_ONCE = 2;

/** Rows beyond the last one that the kernel may read and write. */
const ROWS_BEYOND = 4;

/** Shares of the work on a token: multiplications, as the matrices' sizes say. */
const SHARES = {
  mixFirst: 0.1,
  joinFirst: 0.12,
  innerFirst: 0.36,
  mixSecond: 0.18,
  joinSecond: 0.06,
  innerSecond: 0.18,
} as const;

const FLOAT_BYTES = 4;
const PAGE_BYTES = 65_536;

/** The tokens of a text that the model reads. */
export function cutTokens(tokens: readonly number[]): readonly number[] {
  return tokens.slice(0, TOKENS_MAX);
}

/** Copies the weights into a memory of its own: 10 MB, which last as long as the forward pass. */
export function createForwardPass(module: WebAssembly.Module, weights: Weights): ForwardPass {
  const kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;
  const start = alignUp(kernel.firstFreeByte());
  const model = findModel(weights, start);
  const room = planRoom(start + weights.data.byteLength);
  kernel.memory.grow(
    Math.ceil(room.end / PAGE_BYTES) - kernel.memory.buffer.byteLength / PAGE_BYTES,
  );
  new Uint8Array(kernel.memory.buffer).set(weights.data, start);
  const steps = namedSteps(kernel, model, room);
  const sliceTokens = kernel.isRelaxed() === 1 ? 48 : 20;

  return {
    batchTokensMax: TOKENS_MAX,
    sliceTokens,
    *run(batch, kind, givesWay) {
      const places = placeTexts(batch);
      const { count } = places;
      let spent = 0;
      for (const { share, run } of planStages(steps, model, places)) {
        if (givesWay && spent > 0 && spent + share * count > sliceTokens) {
          const state = copyState(kernel, room, places);
          yield;
          restoreState(kernel, state);
          spent = 0;
        }
        run();
        spent += share * count;
      }
      return steps.readVectors(kind, places.texts.length);
    },
  };
}

interface Stage {
  /** Of the work on a token. */
  readonly share: number;
  run(): void;
}

/** What one needs of those before it is in the areas that `copyState` copies. */
function planStages(steps: Steps, model: Model, places: Places): Stage[] {
  const [first, second] = model.layers;
  const { count } = places;
  // Half of the rows at a time, since no other stage is as long. The kernel writes two rows at a
  // time, and those beyond the last one would be rows of the other half.
  const half = Math.min(count, Math.ceil(count / 2 / ROWS_AT_ONCE) * ROWS_AT_ONCE);
  const halves = (share: number, run: (firstRow: number, rows: number) => void): Stage[] => [
    { share: share / 2, run: () => run(0, half) },
    { share: share / 2, run: () => run(half, count - half) },
  ];
  return [
    {
      share: SHARES.mixFirst,
      run() {
        steps.lookUpTokens(places);
        steps.mixTokens(first, 'embedded', places);
      },
    },
    {
      share: SHARES.joinFirst,
      run() {
        steps.widenEmbedded(count);
        steps.addMixed(first, count);
      },
    },
    ...halves(SHARES.innerFirst, (firstRow, rows) => steps.addInner(first, firstRow, rows)),
    { share: SHARES.mixSecond, run: () => steps.mixTokens(second, 'stream', places) },
    {
      share: SHARES.joinSecond,
      run() {
        steps.addMixed(second, count);
        steps.clearSums(places);
      },
    },
    ...halves(SHARES.innerSecond, (firstRow, rows) => {
      steps.sumInner(second, firstRow, rows, places);
    }),
    { share: 0, run: () => steps.average(second, places) },
  ];
}

/** The texts of a batch as rows. */
interface Places {
  readonly texts: readonly { readonly tokens: readonly number[]; readonly firstRow: number }[];
  /** Of all rows. */
  readonly count: number;
}

function placeTexts(batch: readonly (readonly number[])[]): Places {
  let count = 0;
  const texts = batch.map((tokens) => {
    const firstRow = count;
    count += tokens.length;
    return { tokens, firstRow };
  });
  return { texts, count };
}

type Steps = ReturnType<typeof namedSteps>;

/** The parts of the forward pass. Both layers add to `stream`; everything else is made again. */
function namedSteps(kernel: Kernel, model: Model, room: Room) {
  /** output [rows, outputs] = input [rows, inputs] × weights + bias, over integers. */
  function project(
    input: number,
    { weights, scales, sums, bias, inputs, outputs, digits }: Linear,
    output: number,
    rows: number,
    mode: number,
  ): void {
    const { integers, integerScales, integerZeros } = room;
    kernel.quantiseRows(input, integers, integerScales, integerZeros, rows, inputs, digits);
    kernel.multiply(
      integers,
      integerScales,
      integerZeros,
      weights,
      scales,
      sums,
      bias,
      output,
      rows,
      inputs,
      outputs,
      digits,
      mode,
    );
  }

  /** wide [count, 1536] = what is positive of these rows of the stream, through the wide layer. */
  function widen({ innerNorm, inner }: Layer, firstRow: number, count: number): void {
    const rows = rowAt(room.stream, firstRow, WIDTH);
    kernel.normaliseRows(rows, innerNorm.gain, innerNorm.bias, room.normed, count, WIDTH);
    project(room.normed, inner, room.wide, count, STORE_POSITIVE);
  }

  return {
    /** embedded [count, 256]: what the tokens mean by themselves, and their places. */
    lookUpTokens({ texts }: Places): void {
      const { table, tableScales, positions } = model;
      const integers = new Int32Array(kernel.memory.buffer, room.tokens, TOKENS_MAX);
      for (const { tokens, firstRow } of texts) {
        integers.set(tokens);
        kernel.lookUpTokens(
          room.tokens,
          tokens.length,
          table,
          tableScales,
          positions,
          rowAt(room.embedded, firstRow, EMBEDDING_WIDTH),
          EMBEDDING_WIDTH,
        );
      }
    },
    /** mixed [count, width]: each token as the others of its text colour it. */
    mixTokens(layer: Layer, input: 'embedded' | 'stream', { texts, count }: Places): void {
      const { mixNorm, qkv, width } = layer;
      kernel.normaliseRows(room[input], mixNorm.gain, mixNorm.bias, room.normed, count, width);
      project(room.normed, qkv, room.wide, count, STORE);
      for (const { tokens, firstRow } of texts) {
        kernel.attend(
          rowAt(room.wide, firstRow, 3 * width),
          room.attention,
          rowAt(room.mixed, firstRow, width),
          tokens.length,
          width,
        );
      }
    },
    /** stream [count, 512] = embedded: after the first layer everything is twice as wide. */
    widenEmbedded(count: number): void {
      project(room.embedded, model.widen, room.stream, count, STORE);
    },
    /** stream += mixed */
    addMixed({ mixedOutput }: Layer, count: number): void {
      project(room.mixed, mixedOutput, room.stream, count, ADD);
    },
    /** stream += what each token gives by itself, through a wide layer of which the positive counts. */
    addInner(layer: Layer, firstRow: number, count: number): void {
      widen(layer, firstRow, count);
      project(room.wide, layer.innerOutput, rowAt(room.stream, firstRow, WIDTH), count, ADD);
    },
    clearSums({ texts }: Places): void {
      const { buffer } = kernel.memory;
      new Float32Array(buffer, room.sums, texts.length * INNER_WIDTH).fill(0);
      new Float32Array(buffer, room.means, texts.length * WIDTH).fill(0);
    },
    /** sums [texts, 1536] += the wide layer of these rows. */
    sumInner(layer: Layer, firstRow: number, count: number, { texts }: Places): void {
      widen(layer, firstRow, count);
      for (const [place, text] of texts.entries()) {
        const from = Math.max(text.firstRow, firstRow);
        const to = Math.min(text.firstRow + text.tokens.length, firstRow + count);
        if (to <= from) continue;
        const rows = rowAt(room.wide, from - firstRow, INNER_WIDTH);
        kernel.addRows(rows, rowAt(room.sums, place, INNER_WIDTH), to - from, INNER_WIDTH);
      }
    },
    /**
     * means [texts, 512]: of the tokens of each text. Behind the last layer only they are needed, and
     * the mean of products is the product of the mean: one row for each text, not for each token.
     */
    average({ innerOutput }: Layer, { texts }: Places): void {
      for (const [place, { tokens, firstRow }] of texts.entries()) {
        const mean = rowAt(room.means, place, WIDTH);
        kernel.addRows(rowAt(room.stream, firstRow, WIDTH), mean, tokens.length, WIDTH);
        kernel.divideRow(mean, tokens.length, WIDTH);
        kernel.divideRow(rowAt(room.sums, place, INNER_WIDTH), tokens.length, INNER_WIDTH);
      }
      project(room.sums, innerOutput, room.means, texts.length, ADD);
    },
    /** The means through one more layer, and turned so that a question is near to its answer. */
    readVectors(kind: TextKind, count: number): Float32Array[] {
      const places = Array.from({ length: count }, (_, place) => place);
      project(room.means, model.output, room.sentences, count, STORE);
      for (const place of places) {
        const sentence = rowAt(room.sentences, place, WIDTH);
        kernel.applyTanh(sentence, WIDTH);
        kernel.scaleToUnit(sentence, WIDTH);
      }
      project(room.sentences, model.heads[kind], room.vectors, count, STORE);
      return places.map((place) => {
        const vector = rowAt(room.vectors, place, EMBEDDED_DIMENSIONS);
        kernel.scaleToUnit(vector, EMBEDDED_DIMENSIONS);
        return new Float32Array(kernel.memory.buffer, vector, EMBEDDED_DIMENSIONS).slice();
      });
    },
  };
}

function rowAt(matrix: number, row: number, columns: number): number {
  return matrix + row * columns * FLOAT_BYTES;
}

/** Copies of the areas that the next stages read. */
type State = readonly { readonly address: number; readonly numbers: Float32Array }[];

function copyState({ memory }: Kernel, room: Room, { texts, count }: Places): State {
  const areas = [
    [room.embedded, count * EMBEDDING_WIDTH],
    [room.stream, count * WIDTH],
    [room.mixed, count * WIDTH],
    [room.sums, texts.length * INNER_WIDTH],
    [room.means, texts.length * WIDTH],
  ] as const;
  return areas.map(([address, length]) => ({
    address,
    numbers: new Float32Array(memory.buffer, address, length).slice(),
  }));
}

function restoreState({ memory }: Kernel, state: State): void {
  for (const { address, numbers } of state) {
    new Float32Array(memory.buffer, address, numbers.length).set(numbers);
  }
}

/** Addresses of what a batch needs while it is worked on. */
type Room = ReturnType<typeof planRoom>;

function planRoom(start: number) {
  let end = alignUp(start);
  const rowsMax = TOKENS_MAX + ROWS_BEYOND;
  const take = (columns: number, bytes = FLOAT_BYTES) => {
    const address = end;
    end = alignUp(end + rowsMax * columns * bytes);
    return address;
  };
  const areas = {
    tokens: take(1),
    embedded: take(EMBEDDING_WIDTH),
    stream: take(WIDTH),
    normed: take(WIDTH),
    mixed: take(WIDTH),
    /** Queries, keys and values, or the inside of the feed-forward part. */
    wide: take(INNER_WIDTH),
    /** What is multiplied next, as bytes, and the scale and the zero point of each row. */
    integers: take(INNER_WIDTH, 1),
    integerScales: take(1),
    integerZeros: take(1),
    attention: take(1),
    /** Of each text. */
    sums: take(INNER_WIDTH),
    means: take(WIDTH),
    sentences: take(WIDTH),
    vectors: take(EMBEDDED_DIMENSIONS),
  };
  return { ...areas, end };
}
