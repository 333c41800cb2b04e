/** Reads a model in the layers of files that TensorFlow.js writes, and the vocabulary beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Tensor {
  readonly shape: readonly number[];
  /** Row by row. */
  readonly values: Float32Array;
}

export interface Vocabulary {
  readonly pieces: readonly string[];
  /** Log probabilities. */
  readonly scores: readonly number[];
}

/** One group of `model.json`: the tensors lie one behind the other in the joined files. */
interface WeightGroup {
  readonly paths: readonly string[];
  readonly weights: readonly { name: string; dtype: string; shape: readonly number[] }[];
}

/** The float tensors of a model by name. */
export function readTensorflowModel(folder: string): { tensors: Map<string, Tensor> } {
  const manifest: { weightsManifest: WeightGroup[] } = JSON.parse(
    readFileSync(join(folder, 'model.json'), 'utf8'),
  );
  return {
    tensors: new Map(manifest.weightsManifest.flatMap((group) => sliceGroup(folder, group))),
  };
}

/** `vocab.json` is a list of pairs: a piece and its score. */
export function readVocabulary(folder: string): Vocabulary {
  const pairs: [string, number][] = JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8'));
  return { pieces: pairs.map(([piece]) => piece), scores: pairs.map(([, score]) => score) };
}

function sliceGroup(folder: string, { paths, weights }: WeightGroup): [string, Tensor][] {
  const bytes = Buffer.concat(paths.map((path) => readFileSync(join(folder, path))));
  const tensors: [string, Tensor][] = [];
  let offset = 0;
  for (const { name, dtype, shape } of weights) {
    const elements = shape.reduce((product, size) => product * size, 1);
    const length = elements * elementBytes(dtype);
    if (dtype === 'float32') {
      tensors.push([name, { shape, values: copyFloats(bytes.subarray(offset, offset + length)) }]);
    }
    offset += length;
  }
  if (offset !== bytes.length) {
    throw new Error(`The weights have ${bytes.length} bytes, the manifest tells of ${offset}.`);
  }
  return tensors;
}

function elementBytes(dtype: string): number {
  switch (dtype) {
    case 'float32':
    case 'int32':
      return 4;
    case 'bool':
      return 1;
    default:
      throw new Error(`Tensors of type ${dtype} are unknown.`);
  }
}

/** A buffer may begin anywhere, a `Float32Array` only at a multiple of four. */
function copyFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
