import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openBatchEncoder } from '../../../bench/support/encoder.ts';
import {
  correctBias,
  packPanels,
  quantiseWeights,
  sumRows,
} from '../../../scripts/support/weight-panels.ts';

const { sentences } = JSON.parse(
  readFileSync(new URL('reference-vectors.json', import.meta.url), 'utf8'),
) as { sentences: { text: string; query: string; passage: string }[] };
/** Measured: 0.99916 for questions, 0.99921 for statements. */
const MEAN_COSINE_MIN = 0.99914;
const texts = sentences.map(({ text }) => text);

test.each(['query', 'passage'] as const)(
  'both kernels give the same bits for a %s, in a batch and alone',
  (kind) => {
    const relaxed = openBatchEncoder('relaxed');
    const plain = openBatchEncoder('plain');

    const vectors = plain(texts, kind);

    expect(relaxed(texts, kind)).toEqual(vectors);
    expect(texts.flatMap((text) => relaxed([text], kind))).toEqual(vectors);
    expect(relaxed(texts.toReversed(), kind).toReversed()).toEqual(vectors);
  },
);

test.each(['query', 'passage'] as const)(
  'the vectors of a %s are near the reference on average, not only within the bound for each',
  (kind) => {
    const vectors = openBatchEncoder('relaxed')(texts, kind);
    const cosines = sentences.map((sentence, i) => dot(vectors[i], readFloats(sentence[kind])));

    expect(sum(cosines) / cosines.length).toBeGreaterThan(MEAN_COSINE_MIN);
  },
);

test('a bias takes back what rounding the weights does to the mean input', () => {
  const values = Float32Array.from({ length: 8 * 16 }, (_, i) => Math.sin(i));
  const rounded = quantiseWeights(values, 8, 16);
  const mean = Float32Array.from({ length: 16 }, (_, i) => 10 + i);

  const bias = correctBias(new Float32Array(8).fill(3), values, rounded, mean);

  const { integers, scales } = rounded;
  for (const [output, scale] of scales.entries()) {
    const exact = mean.map((input, i) => input * (values[output * 16 + i] ?? 0));
    const made = mean.map((input, i) => input * (integers[output * 16 + i] ?? 0) * scale);
    expect(sum([...made]) + (bias[output] ?? 0)).toBeCloseTo(sum([...exact]) + 3, 3);
    expect(Math.abs(sum([...made]) - sum([...exact]))).toBeGreaterThan(0.001);
  }
});

test('weights whose products meet in 16 bits cannot overflow, and are as near as the bound allows', () => {
  // Row 0: all at their greatest, which no scale that keeps 127 for the greatest can hold.
  const values = Float32Array.from({ length: 8 * 16 }, (_, i) => (i < 16 ? 1 : Math.sin(i) / 2));

  const { integers, scales } = quantiseWeights(values, 8, 16);

  for (let start = 0; start < integers.length; start += 8) {
    for (const places of [
      [0, 1, 4, 5],
      [2, 3, 6, 7],
    ]) {
      const met = places.map((place) => integers[start + place] ?? 0);
      expect(sum(met.filter((weight) => weight > 0)) * 127).toBeLessThanOrEqual(32_767);
      expect(sum(met.filter((weight) => weight < 0)) * 127).toBeGreaterThanOrEqual(-32_768);
    }
  }
  for (const [i, value] of values.entries()) {
    const scale = scales[Math.floor(i / 16)] ?? 0;
    expect(Math.abs((integers[i] ?? 0) * scale - value)).toBeLessThan(0.01);
  }
});

test('panels hold four inputs of eight outputs after each other, and sums are those of the outputs', () => {
  const weights = Int8Array.from({ length: 8 * 16 }, (_, i) => i - 64);

  const packed = packPanels(weights, 8, 16);

  expect([...packed.subarray(0, 8)]).toEqual([-64, -63, -62, -61, -48, -47, -46, -45]);
  expect([...packed].toSorted((a, b) => a - b)).toEqual([...weights]);
  expect(sumRows(weights, 8, 16)[1]).toBe(sum([...weights.subarray(16, 32)]));
  expect(() => packPanels(weights, 4, 32)).toThrow('4 × 32');
});

function dot(a: Float32Array | undefined, b: Float32Array): number {
  return b.reduce((total, number, i) => total + number * (a?.[i] ?? 0), 0);
}

/** Little-endian floats as base64. */
function readFloats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
