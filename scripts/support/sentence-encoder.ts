/**
 * What of Universal Sentence Encoder *lite* goes into the weight file, and in which form: matrices as
 * int8 with a scale for each output, everything else as it is.
 */
import { EMBEDDED_DIMENSIONS, panelShape } from '#search/embed/weights.ts';
import type { Tensor, Vocabulary } from './tensorflow-model.ts';
import {
  floatTensor,
  int32Tensor,
  int8Tensor,
  textsTensor,
  type FileTensor,
} from './weight-file.ts';
import {
  correctBias,
  packPanels,
  quantiseWeights,
  sumRows,
  type QuantisedWeights,
} from './weight-panels.ts';

type Tensors = ReadonlyMap<string, Tensor>;

/** A linear layer behind the encoder; the biases differ by the kind of text. */
export interface Head {
  /** [512, 256] */
  readonly kernel: Tensor;
  readonly queryBias: Float32Array;
  readonly passageBias: Float32Array;
}

const WIDTH = 512;
const POSITIONS = 128;
/** The mean input is taken over as many places: the length of a statement that is not short. */
const USUAL_TOKENS = 32;
const INT8_MAX = 127;
/** At the start of the vocabulary: the unknown piece and marks that no text has. */
const SPECIAL_TOKENS = 6;

/** Where the tensors of the original stand. Some kept the name of the graph, some that of the variable. */
const GRAPH = 'module_apply_default/Encoder_en/KonaTransformer/Encode/';
const VARIABLES = 'module/Encoder_en/KonaTransformer/Encode/';
const JOINED = '/ConcatPartitions/concat';

export function sentenceEncoderTensors(
  tensors: Tensors,
  vocabulary: Vocabulary,
  head: Head,
): FileTensor[] {
  const hidden = 'module/Encoder_en/hidden_layers/tanh_layer_0/';
  const dense = `${GRAPH}Layer_0/TransformerLayer/dense/`;
  return [
    ...vocabularyTensors(vocabulary),
    ...tokenTensors(tensors),
    ...layerTensors(tensors, 0),
    ...layerTensors(tensors, 1),
    ...widenTensors(
      get(tensors, `${dense}kernel${JOINED}`),
      get(tensors, `${dense}bias${JOINED}`).values,
      meanEmbedding(tensors, vocabulary),
    ),
    ...linearTensors('output', get(tensors, `${hidden}weights`)),
    floatVector('output/bias', get(tensors, `${hidden}bias`).values),
    ...linearTensors('head', head.kernel),
    floatVector('head/query-bias', head.queryBias),
    floatVector('head/passage-bias', head.passageBias),
  ];
}

/** Float32: the matrix [512, 256] row by row, then the bias for queries and that for passages. */
export function readHead(file: Uint8Array): Head {
  const floats = new Float32Array(Uint8Array.from(file).buffer);
  const kernelSize = WIDTH * EMBEDDED_DIMENSIONS;
  if (floats.length !== kernelSize + 2 * EMBEDDED_DIMENSIONS) {
    throw new Error(`The head has ${floats.length} numbers.`);
  }
  return {
    kernel: { shape: [WIDTH, EMBEDDED_DIMENSIONS], values: floats.slice(0, kernelSize) },
    queryBias: floats.slice(kernelSize, kernelSize + EMBEDDED_DIMENSIONS),
    passageBias: floats.slice(kernelSize + EMBEDDED_DIMENSIONS),
  };
}

function vocabularyTensors({ pieces, scores }: Vocabulary): FileTensor[] {
  return [textsTensor('pieces', pieces), floatVector('scores', Float32Array.from(scores))];
}

/**
 * The original adds the place to the meaning, and the sum to the meaning once more: the table is
 * doubled here, so that the kernel adds once.
 */
function tokenTensors(tensors: Tensors): FileTensor[] {
  const { shape, values } = get(tensors, 'module/Embeddings_en');
  const [rows = 0, columns = 0] = shape;
  const { integers, scales } = quantiseRows(values, rows, columns);
  return [
    int8Tensor('tokens', shape, integers),
    floatVector(
      'tokens/scale',
      scales.map((scale) => 2 * scale),
    ),
    floatTensor('positions', [POSITIONS, columns], positionTable(tensors)),
  ];
}

/** Sines and cosines of the place at 128 speeds, as in "Attention is all you need". */
function positionTable(tensors: Tensors): Float32Array {
  const timing = `${GRAPH}TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`;
  const speeds = get(tensors, timing).values;
  const rows = Array.from({ length: POSITIONS }, (_, place) => {
    const angles = Array.from(speeds, (speed) => place * speed);
    return [...angles.map(Math.sin), ...angles.map(Math.cos)];
  });
  return Float32Array.from(rows.flat());
}

/**
 * What a token is on average before the first layer: each piece as often as the vocabulary says, and
 * its place among the usual ones.
 */
function meanEmbedding(tensors: Tensors, { scores }: Vocabulary): Float32Array {
  const { shape, values } = get(tensors, 'module/Embeddings_en');
  const [, columns = 0] = shape;
  const places = positionTable(tensors);
  const shares = scores.map((score, token) => (token < SPECIAL_TOKENS ? 0 : Math.exp(score)));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const mean = new Float32Array(columns);
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    for (const [token, share] of shares.entries()) {
      sum += (2 * share * (values[token * columns + column] ?? 0)) / total;
    }
    for (let place = 0; place < USUAL_TOKENS; place += 1) {
      sum += (places[place * columns + column] ?? 0) / USUAL_TOKENS;
    }
    mean[column] = sum;
  }
  return mean;
}

/**
 * The sum of a meaning and a place is far from zero in many columns, so that rounding the weights
 * moves all results the same way. The bias takes that back.
 */
function widenTensors(kernel: Tensor, bias: Float32Array, mean: Float32Array): FileTensor[] {
  const { values, rounded } = roundLinear(kernel);
  return [
    ...roundedTensors('widen', kernel, rounded),
    floatVector('widen/bias', correctBias(bias, values, rounded, mean)),
  ];
}

function layerTensors(tensors: Tensors, number: 0 | 1): FileTensor[] {
  const layer = `Layer_${number}/TransformerLayer/`;
  const norm = 'layer_prepostprocess/layer_norm/layer_norm_';
  const graph = (name: string) => get(tensors, `${GRAPH}${layer}${name}${JOINED}`).values;
  const attention = (name: string) =>
    get(tensors, `${VARIABLES}${layer}MultiheadAttention/${name}/kernel/part_0`);
  const inner = (name: string) =>
    get(tensors, `${GRAPH}TransformerStack/${layer}FFN/${name}/Tensordot/Reshape_1`);
  const to = `layer${number}`;
  return [
    floatVector(`${to}/mix-norm/gain`, graph(`${norm}scale`)),
    floatVector(`${to}/mix-norm/bias`, graph(`${norm}bias`)),
    ...linearTensors(`${to}/qkv`, attention('qkv_transform_single')),
    floatVector(`${to}/qkv/bias`, graph('MultiheadAttention/qkv_transform_single/bias')),
    ...linearTensors(`${to}/mixed-output`, attention('output_transform_single')),
    floatVector(
      `${to}/mixed-output/bias`,
      graph('MultiheadAttention/output_transform_single/bias'),
    ),
    floatVector(`${to}/inner-norm/gain`, graph(`FFN/${norm}scale`)),
    floatVector(`${to}/inner-norm/bias`, graph(`FFN/${norm}bias`)),
    ...linearTensors(`${to}/inner`, inner('conv1')),
    floatVector(`${to}/inner/bias`, graph('FFN/conv1/bias')),
    ...linearTensors(`${to}/inner-output`, inner('conv2')),
    floatVector(`${to}/inner-output/bias`, graph('FFN/conv2/bias')),
  ];
}

function linearTensors(name: string, kernel: Tensor): FileTensor[] {
  return roundedTensors(name, kernel, roundLinear(kernel).rounded);
}

/** The original has a matrix as [inputs, outputs], and everything here as [outputs, inputs]. */
function roundLinear({ shape, values }: Tensor) {
  const [inputs = 0, outputs = 0] = shape.slice(-2);
  const turned = transpose(values, inputs, outputs);
  return { values: turned, rounded: quantiseWeights(turned, outputs, inputs) };
}

/** The kernel reads a matrix by panels of outputs. */
function roundedTensors(
  name: string,
  { shape }: Tensor,
  { integers, scales }: QuantisedWeights,
): FileTensor[] {
  const [inputs = 0, outputs = 0] = shape.slice(-2);
  return [
    int8Tensor(name, panelShape(outputs, inputs), packPanels(integers, outputs, inputs)),
    floatVector(`${name}/scale`, scales),
    int32Tensor(`${name}/sum`, [outputs], sumRows(integers, outputs, inputs)),
  ];
}

/** The greatest number of a row becomes ±127. */
function quantiseRows(
  values: Float32Array,
  rows: number,
  columns: number,
): { integers: Int8Array; scales: Float32Array } {
  const integers = new Int8Array(rows * columns);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const numbers = values.subarray(row * columns, (row + 1) * columns);
    const greatest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    const scale = greatest === 0 ? 1 : greatest / INT8_MAX;
    integers.set(
      numbers.map((number) => Math.round(number / scale)),
      row * columns,
    );
    scales[row] = scale;
  }
  return { integers, scales };
}

function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from(
    values,
    (_, place) => values[(place % rows) * columns + Math.floor(place / rows)] ?? 0,
  );
}

function floatVector(name: string, values: Float32Array): FileTensor {
  return floatTensor(name, [values.length], values);
}

function get(tensors: Tensors, name: string): Tensor {
  const tensor = tensors.get(name);
  if (tensor === undefined) throw new Error(`The package has no tensor ${name}.`);
  return tensor;
}
