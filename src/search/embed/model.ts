/** The tensors of Universal Sentence Encoder *lite*, by their addresses in the kernel's memory. */
import {
  EMBEDDED_DIMENSIONS,
  getEntry,
  panelShape,
  type TensorType,
  type Weights,
} from './weights.ts';
import type { TextKind } from './embedder.ts';

/** Tokens of the longest texts that the model was trained on. */
export const TOKENS_MAX = 128;
export const EMBEDDING_WIDTH = 256;
export const WIDTH = 512;
export const INNER_WIDTH = 1_536;

const VOCABULARY_ROWS = 8_002;

/** A matrix of weights. */
export interface Linear {
  readonly weights: number;
  readonly scales: number;
  readonly sums: number;
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
  /**
   * Activations have 7 bits a digit. The second one halves the error of the vectors where it costs
   * least: in small matrices, and in those that multiply one row for each text.
   */
  readonly digits: 1 | 2;
}

export interface Norm {
  readonly gain: number;
  readonly bias: number;
}

export interface Layer {
  readonly width: number;
  readonly mixNorm: Norm;
  /** Queries, keys and values at once. */
  readonly qkv: Linear;
  readonly mixedOutput: Linear;
  readonly innerNorm: Norm;
  readonly inner: Linear;
  readonly innerOutput: Linear;
}

export interface Model {
  readonly table: number;
  readonly tableScales: number;
  readonly positions: number;
  readonly layers: readonly [Layer, Layer];
  /** For the sum behind the first layer, which is wider than its input. */
  readonly widen: Linear;
  readonly output: Linear;
  /** One matrix, a bias for each kind. */
  readonly heads: Readonly<Record<TextKind, Linear>>;
}

/** Where each tensor is when the data begin at `start`. Throws when one is missing or of another shape. */
export function findModel(weights: Weights, start: number): Model {
  const find = (name: string, type: TensorType, ...shape: readonly number[]) =>
    start + getEntry(weights, name, type, shape).offset;
  const linear = (
    name: string,
    inputs: number,
    outputs: number,
    digits: 1 | 2 = 1,
    bias = `${name}/bias`,
  ): Linear => ({
    weights: find(name, 'int8', ...panelShape(outputs, inputs)),
    scales: find(`${name}/scale`, 'float32', outputs),
    sums: find(`${name}/sum`, 'int32', outputs),
    bias: find(bias, 'float32', outputs),
    inputs,
    outputs,
    digits,
  });
  const norm = (name: string, width: number): Norm => ({
    gain: find(`${name}/gain`, 'float32', width),
    bias: find(`${name}/bias`, 'float32', width),
  });
  const layer = (name: string, width: number, digits: 1 | 2, innerDigits: 1 | 2): Layer => ({
    width,
    mixNorm: norm(`${name}/mix-norm`, width),
    qkv: linear(`${name}/qkv`, width, 3 * width, digits),
    mixedOutput: linear(`${name}/mixed-output`, width, WIDTH, digits),
    innerNorm: norm(`${name}/inner-norm`, WIDTH),
    inner: linear(`${name}/inner`, WIDTH, INNER_WIDTH),
    innerOutput: linear(`${name}/inner-output`, INNER_WIDTH, WIDTH, innerDigits),
  });
  return {
    table: find('tokens', 'int8', VOCABULARY_ROWS, EMBEDDING_WIDTH),
    tableScales: find('tokens/scale', 'float32', VOCABULARY_ROWS),
    positions: find('positions', 'float32', TOKENS_MAX, EMBEDDING_WIDTH),
    layers: [layer('layer0', EMBEDDING_WIDTH, 2, 1), layer('layer1', WIDTH, 1, 2)],
    widen: linear('widen', EMBEDDING_WIDTH, WIDTH, 2),
    output: linear('output', WIDTH, WIDTH, 2),
    heads: {
      query: linear('head', WIDTH, EMBEDDED_DIMENSIONS, 2, 'head/query-bias'),
      passage: linear('head', WIDTH, EMBEDDED_DIMENSIONS, 2, 'head/passage-bias'),
    },
  };
}
