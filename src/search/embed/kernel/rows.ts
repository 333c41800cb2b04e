/** What is done to rows of floats, each by itself. */
import { FLOAT_BYTES, sumRow, sumSquares } from './lanes';

const LAYER_NORM_EPSILON: f32 = 1e-6;
const UNIT_EPSILON: f32 = 1e-12;

/**
 * Writes for each token its row of the table, and its place in the text:
 * output [count, columns] = table[token] × scale[token] + positions [count, columns].
 */
export function lookUpTokens(
  tokens: usize,
  count: i32,
  table: usize,
  scales: usize,
  positions: usize,
  output: usize,
  columns: i32,
): void {
  for (let row = 0; row < count; row++) {
    const token = load<i32>(tokens + <usize>row * FLOAT_BYTES);
    const scale = load<f32>(scales + <usize>token * FLOAT_BYTES);
    const from = table + <usize>(token * columns);
    const skipped = <usize>(row * columns) * FLOAT_BYTES;
    for (let column = 0; column < columns; column++) {
      const place = skipped + <usize>column * FLOAT_BYTES;
      const value = <f32>load<i8>(from + <usize>column) * scale;
      store<f32>(output + place, value + load<f32>(positions + place));
    }
  }
}

/** Layer normalisation: each row gets mean 0 and variance 1, then each column its gain and bias. */
export function normaliseRows(
  input: usize,
  gain: usize,
  bias: usize,
  output: usize,
  rows: i32,
  columns: i32,
): void {
  for (let row = 0; row < rows; row++) {
    const skipped = <usize>(row * columns) * FLOAT_BYTES;
    const mean = sumRow(input + skipped, columns) / <f32>columns;
    const variance = sumSquares(input + skipped, columns, mean) / <f32>columns;
    const factor = f32x4.splat(1.0 / Mathf.sqrt(variance + LAYER_NORM_EPSILON));
    for (let column = 0; column < columns; column += 4) {
      const place = <usize>column * FLOAT_BYTES;
      const centred = f32x4.sub(v128.load(input + skipped + place), f32x4.splat(mean));
      const scaled = f32x4.mul(f32x4.mul(centred, factor), v128.load(gain + place));
      v128.store(output + skipped + place, f32x4.add(scaled, v128.load(bias + place)));
    }
  }
}

/**
 * total [columns] += the rows of input [rows, columns], one after the other: it does not matter
 * whether they come at once or in parts.
 */
export function addRows(input: usize, total: usize, rows: i32, columns: i32): void {
  for (let row = 0; row < rows; row++) {
    const from = input + <usize>(row * columns) * FLOAT_BYTES;
    for (let column = 0; column < columns; column += 4) {
      const place = <usize>column * FLOAT_BYTES;
      v128.store(total + place, f32x4.add(v128.load(total + place), v128.load(from + place)));
    }
  }
}

/** Divides each number of a row, in place. */
export function divideRow(row: usize, divisor: f32, columns: i32): void {
  for (let column = 0; column < columns; column += 4) {
    const place = row + <usize>column * FLOAT_BYTES;
    v128.store(place, f32x4.div(v128.load(place), f32x4.splat(divisor)));
  }
}

/** The hyperbolic tangent of each number of a row, in place. */
export function applyTanh(row: usize, columns: i32): void {
  for (let column = 0; column < columns; column++) {
    const place = row + <usize>column * FLOAT_BYTES;
    store<f32>(place, Mathf.tanh(load<f32>(place)));
  }
}

/** Makes a row a vector of length 1, in place. */
export function scaleToUnit(row: usize, columns: i32): void {
  const length = Mathf.sqrt(max(sumSquares(row, columns, 0), UNIT_EPSILON));
  for (let column = 0; column < columns; column++) {
    const place = row + <usize>column * FLOAT_BYTES;
    store<f32>(place, load<f32>(place) / length);
  }
}
