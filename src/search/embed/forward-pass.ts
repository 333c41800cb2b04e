/**
 * From tokens to a vector: Universal Sentence Encoder *lite*, a transformer of two layers, with our
 * head behind it. This file says what happens in which order, and where it lies in the kernel's
 * memory; the arithmetic is in `kernel-source.ts`. `[rows, columns]` is the shape of a matrix.
 */
import type { TextKind } from './embedder.ts';
import {
  EMBEDDED_DIMENSIONS,
  alignUp,
  getEntry,
  type TensorType,
  type Weights,
} from './weights.ts';

export interface ForwardPass {
  /** A unit vector. Takes one token at least; those beyond the 128th are left out. */
  run(tokens: readonly number[], kind: TextKind): Float32Array;
}

/** The model was trained on texts of at most so many tokens. */
const TOKENS_MAX = 128;

const VOCABULARY_ROWS = 8_002;
const EMBEDDING_WIDTH = 256;
const WIDTH = 512;
const INNER_WIDTH = 1_536;

/** The kernel multiplies so many rows at once, and writes as many. */
const ROWS_AT_ONCE = 4;

/** What `multiply` does with a result; the kernel names the same three. */
const STORE = 0;
const STORE_POSITIVE = 1;
const ADD = 2;

const FLOAT_BYTES = 4;
const PAGE_BYTES = 65_536;

/** What the compiled kernel exports: all arguments are addresses, counts or modes. */
interface Kernel {
  readonly memory: WebAssembly.Memory;
  firstFreeByte(): number;
  lookUpTokens(
    tokens: number,
    count: number,
    table: number,
    scales: number,
    positions: number,
    output: number,
    columns: number,
  ): void;
  normaliseRows(
    input: number,
    gain: number,
    bias: number,
    output: number,
    rows: number,
    columns: number,
  ): void;
  quantiseRows(input: number, output: number, scales: number, rows: number, columns: number): void;
  multiply(
    input: number,
    inputScales: number,
    weights: number,
    weightScales: number,
    bias: number,
    output: number,
    rows: number,
    inputs: number,
    outputs: number,
    mode: number,
  ): void;
  attend(qkv: number, weights: number, output: number, tokens: number, width: number): void;
  averageRows(input: number, output: number, rows: number, columns: number): void;
  applyTanh(row: number, columns: number): void;
  scaleToUnit(row: number, columns: number): void;
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

  return {
    run(tokens, kind) {
      const [first, second] = model.layers;
      const count = steps.writeTokens(tokens);
      steps.lookUpTokens(count);

      steps.mixTokens(first, room.embedded, count);
      steps.widenEmbedded(count);
      steps.addMixed(first, count);
      steps.addInner(first, count);

      steps.mixTokens(second, room.stream, count);
      steps.addMixed(second, count);
      steps.addInner(second, count);

      steps.summarise(count);
      steps.applyHead(kind);
      return new Float32Array(kernel.memory.buffer, room.vector, EMBEDDED_DIMENSIONS).slice();
    },
  };
}

/** The parts of the forward pass. Both layers add to `stream`; everything else is worked out anew. */
function namedSteps(kernel: Kernel, model: Model, room: Room) {
  /** output [rows, outputs] = input [rows, inputs] × weights + bias, over integers. */
  function project(
    input: number,
    { weights, scales, bias, inputs, outputs }: Linear,
    output: number,
    rows: number,
    mode: number,
  ): void {
    kernel.quantiseRows(input, room.integers, room.integerScales, rows, inputs);
    kernel.multiply(
      room.integers,
      room.integerScales,
      weights,
      scales,
      bias,
      output,
      rows,
      inputs,
      outputs,
      mode,
    );
  }

  return {
    /** How many were written. */
    writeTokens(tokens: readonly number[]): number {
      const kept = tokens.slice(0, TOKENS_MAX);
      new Int32Array(kernel.memory.buffer, room.tokens, kept.length).set(kept);
      return kept.length;
    },
    /** embedded [count, 256]: what the tokens mean by themselves, and where they stand. */
    lookUpTokens(count: number): void {
      const { table, tableScales, positions } = model;
      kernel.lookUpTokens(
        room.tokens,
        count,
        table,
        tableScales,
        positions,
        room.embedded,
        EMBEDDING_WIDTH,
      );
    },
    /** mixed [count, width]: each token as the others around it colour it. */
    mixTokens({ mixNorm, qkv, width }: Layer, input: number, count: number): void {
      kernel.normaliseRows(input, mixNorm.gain, mixNorm.bias, room.normed, count, width);
      project(room.normed, qkv, room.wide, count, STORE);
      kernel.attend(room.wide, room.attention, room.mixed, count, width);
    },
    /** stream [count, 512] = embedded: behind the first layer everything is twice as wide. */
    widenEmbedded(count: number): void {
      project(room.embedded, model.widen, room.stream, count, STORE);
    },
    /** stream += mixed */
    addMixed({ mixedOutput }: Layer, count: number): void {
      project(room.mixed, mixedOutput, room.stream, count, ADD);
    },
    /** stream += what each token gives by itself, through a wide layer of which the positive counts. */
    addInner({ innerNorm, inner, innerOutput }: Layer, count: number): void {
      kernel.normaliseRows(room.stream, innerNorm.gain, innerNorm.bias, room.normed, count, WIDTH);
      project(room.normed, inner, room.wide, count, STORE_POSITIVE);
      project(room.wide, innerOutput, room.stream, count, ADD);
    },
    /** sentence [512]: the mean of the tokens through one more layer, as a unit vector. */
    summarise(count: number): void {
      kernel.averageRows(room.stream, room.mean, count, WIDTH);
      project(room.mean, model.output, room.sentence, 1, STORE);
      kernel.applyTanh(room.sentence, WIDTH);
      kernel.scaleToUnit(room.sentence, WIDTH);
    },
    /** vector [256]: turned so that a question lies near what answers it. */
    applyHead(kind: TextKind): void {
      project(room.sentence, model.heads[kind], room.vector, 1, STORE);
      kernel.scaleToUnit(room.vector, EMBEDDED_DIMENSIONS);
    },
  };
}

/** A matrix of weights by its addresses. */
interface Linear {
  readonly weights: number;
  readonly scales: number;
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
}

interface Norm {
  readonly gain: number;
  readonly bias: number;
}

interface Layer {
  readonly width: number;
  readonly mixNorm: Norm;
  /** Queries, keys and values at once. */
  readonly qkv: Linear;
  readonly mixedOutput: Linear;
  readonly innerNorm: Norm;
  readonly inner: Linear;
  readonly innerOutput: Linear;
}

interface Model {
  readonly table: number;
  readonly tableScales: number;
  readonly positions: number;
  readonly layers: readonly [Layer, Layer];
  /** For the sum behind the first layer, which is wider than what went into it. */
  readonly widen: Linear;
  readonly output: Linear;
  /** One matrix, a bias for each kind. */
  readonly heads: Readonly<Record<TextKind, Linear>>;
}

/** Where each tensor lies once the data stands at `start`. Throws when one is missing or of another shape. */
function findModel(weights: Weights, start: number): Model {
  const find = (name: string, type: TensorType, ...shape: number[]) =>
    start + getEntry(weights, name, type, shape).offset;
  const linear = (
    name: string,
    inputs: number,
    outputs: number,
    bias = `${name}/bias`,
  ): Linear => ({
    weights: find(name, 'int8', outputs, inputs),
    scales: find(`${name}/scale`, 'float32', outputs),
    bias: find(bias, 'float32', outputs),
    inputs,
    outputs,
  });
  const norm = (name: string, width: number): Norm => ({
    gain: find(`${name}/gain`, 'float32', width),
    bias: find(`${name}/bias`, 'float32', width),
  });
  const layer = (name: string, width: number): Layer => ({
    width,
    mixNorm: norm(`${name}/mix-norm`, width),
    qkv: linear(`${name}/qkv`, width, 3 * width),
    mixedOutput: linear(`${name}/mixed-output`, width, WIDTH),
    innerNorm: norm(`${name}/inner-norm`, WIDTH),
    inner: linear(`${name}/inner`, WIDTH, INNER_WIDTH),
    innerOutput: linear(`${name}/inner-output`, INNER_WIDTH, WIDTH),
  });
  return {
    table: find('tokens', 'int8', VOCABULARY_ROWS, EMBEDDING_WIDTH),
    tableScales: find('tokens/scale', 'float32', VOCABULARY_ROWS),
    positions: find('positions', 'float32', TOKENS_MAX, EMBEDDING_WIDTH),
    layers: [layer('layer0', EMBEDDING_WIDTH), layer('layer1', WIDTH)],
    widen: linear('widen', EMBEDDING_WIDTH, WIDTH),
    output: linear('output', WIDTH, WIDTH),
    heads: {
      query: linear('head', WIDTH, EMBEDDED_DIMENSIONS, 'head/query-bias'),
      passage: linear('head', WIDTH, EMBEDDED_DIMENSIONS, 'head/passage-bias'),
    },
  };
}

/** Addresses of what one text needs while it is worked on. */
type Room = ReturnType<typeof planRoom>;

function planRoom(start: number) {
  let end = alignUp(start);
  const take = (rows: number, columns: number, bytes = FLOAT_BYTES) => {
    const address = end;
    end = alignUp(end + rows * columns * bytes);
    return address;
  };
  const areas = {
    tokens: take(TOKENS_MAX, 1),
    embedded: take(TOKENS_MAX, EMBEDDING_WIDTH),
    stream: take(TOKENS_MAX, WIDTH),
    normed: take(TOKENS_MAX, WIDTH),
    mixed: take(TOKENS_MAX, WIDTH),
    /** Queries, keys and values, or the inside of the feed-forward part. */
    wide: take(TOKENS_MAX, INNER_WIDTH),
    /** What is multiplied next, as int16, and the scale of each row. */
    integers: take(TOKENS_MAX, INNER_WIDTH, 2),
    integerScales: take(TOKENS_MAX, 1),
    attention: take(TOKENS_MAX, 1),
    mean: take(1, WIDTH),
    sentence: take(ROWS_AT_ONCE, WIDTH),
    vector: take(ROWS_AT_ONCE, EMBEDDED_DIMENSIONS),
  };
  return { ...areas, end };
}
