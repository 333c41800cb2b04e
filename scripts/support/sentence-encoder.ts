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
import { packPanels, quantiseWeights, sumRows } from './weight-panels.ts';

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
const INT8_MAX = 127;

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
    ...linearTensors('widen', get(tensors, `${dense}kernel${JOINED}`)),
    floatVector('widen/bias', get(tensors, `${dense}bias${JOINED}`).values),
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
  const timing = `${GRAPH}TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`;
  const positions = positionTable(get(tensors, timing).values);
  return [
    int8Tensor('tokens', shape, integers),
    floatVector(
      'tokens/scale',
      scales.map((scale) => 2 * scale),
    ),
    floatTensor('positions', [POSITIONS, columns], positions),
  ];
}

/** Sines and cosines of the place at 128 speeds, as in "Attention is all you need". */
function positionTable(speeds: Float32Array): Float32Array {
  const rows = Array.from({ length: POSITIONS }, (_, place) => {
    const angles = Array.from(speeds, (speed) => place * speed);
    return [...angles.map(Math.sin), ...angles.map(Math.cos)];
  });
  return Float32Array.from(rows.flat());
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

/** The original has a matrix as [inputs, outputs]; the kernel reads it by panels of outputs. */
function linearTensors(name: string, { shape, values }: Tensor): FileTensor[] {
  const [inputs = 0, outputs = 0] = shape.slice(-2);
  const turned = transpose(values, inputs, outputs);
  const { integers, scales } = quantiseWeights(turned, outputs, inputs);
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
