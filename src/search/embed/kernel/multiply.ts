/**
 * Products of matrices over integers. Sums of integers do not depend on their order, so every engine
 * gets the same vector for the same text, whatever else is in its batch.
 *
 * Weights are int8 with one scale for each output. Activations become 7 bits without a sign: 0 to
 * 127, with a scale and a zero point for each row. Relaxed SIMD multiplies 16 such pairs in one
 * instruction, and is exact only for these operands: the second one needs its top bit clear. Where
 * 7 bits are too coarse, an activation gets 14, as two digits in two rows.
 */
import { FLOAT_BYTES } from './lanes';

/** Bits of a digit of an activation. */
const DIGIT_BITS: i32 = 7;
const DIGIT_MAX: i32 = 127;

/** Keeps a row of zeros from being divided by zero. */
const TINY: f32 = 1e-20;

/** Rows that are multiplied together: a weight is loaded once for both. */
const ROWS_AT_ONCE: i32 = 2;

/** Outputs whose weights are stored together, as a panel. */
const PANEL: i32 = 8;

/** What `multiply` does with a result. */
const STORE: i32 = 0;
const STORE_POSITIVE: i32 = 1;

/** Eight times 1, in memory: a constant in the code would be made again in each turn of the loop. */
const ONES: usize = memory.data<i16>([1, 1, 1, 1, 1, 1, 1, 1], 16);

/**
 * Turns float rows into integers: with one digit, to uint8 [rows, columns] from 0 to 127; with two,
 * to [rows, 2, columns], 128 × the first digit + the second. Writes scales [rows] and int32
 * zeros [rows] such that input ≈ (integer − zero) × scale. Zero itself is kept exactly. `columns` is
 * a multiple of 16.
 */
export function quantiseRows(
  input: usize,
  to: usize,
  rowScales: usize,
  rowZeros: usize,
  rows: i32,
  columns: i32,
  digitCount: i32,
): void {
  const greatest: i32 = digitCount == 1 ? DIGIT_MAX : (1 << (2 * DIGIT_BITS)) - 1;
  for (let row = 0; row < rows; row++) {
    const from = input + <usize>(row * columns) * FLOAT_BYTES;
    const target = to + <usize>(row * digitCount * columns);
    findEnds(from, columns);
    const range = max(highest - lowest, TINY);
    const factor = <f32>greatest / range;
    const zero = <i32>nearest(-lowest * factor);
    if (digitCount == 1) writeDigits(from, target, columns, factor, zero);
    else writeTwoDigits(from, target, columns, factor, zero);
    store<f32>(rowScales + <usize>row * FLOAT_BYTES, range / <f32>greatest);
    store<i32>(rowZeros + <usize>row * FLOAT_BYTES, zero);
  }
}

/** The lowest and the highest number of a row, as `findEnds` found them. */
let lowest: f32 = 0;
let highest: f32 = 0;

/** Zero counts as a number of the row. */
function findEnds(row: usize, columns: i32): void {
  let low = f32x4.splat(0);
  let high = f32x4.splat(0);
  const end = row + <usize>columns * FLOAT_BYTES;
  for (; row < end; row += 4 * FLOAT_BYTES) {
    const four = v128.load(row);
    // Faster than `min` and `max`, which take care of what is not a number.
    low = f32x4.pmin(low, four);
    high = f32x4.pmax(high, four);
  }
  lowest = min(
    min(f32x4.extract_lane(low, 0), f32x4.extract_lane(low, 1)),
    min(f32x4.extract_lane(low, 2), f32x4.extract_lane(low, 3)),
  );
  highest = max(
    max(f32x4.extract_lane(high, 0), f32x4.extract_lane(high, 1)),
    max(f32x4.extract_lane(high, 2), f32x4.extract_lane(high, 3)),
  );
}

function writeDigits(from: usize, to: usize, columns: i32, factor: f32, zero: i32): void {
  for (let column = 0; column < columns; column += 16) {
    const place = from + <usize>column * FLOAT_BYTES;
    const low = toIntegers(place, factor, zero, DIGIT_MAX);
    const high = toIntegers(place + 8 * FLOAT_BYTES, factor, zero, DIGIT_MAX);
    v128.store(to + <usize>column, i8x16.narrow_i16x8_u(low, high));
  }
}

function writeTwoDigits(from: usize, to: usize, columns: i32, factor: f32, zero: i32): void {
  const greatest = (1 << (2 * DIGIT_BITS)) - 1;
  const mask = i16x8.splat(<i16>DIGIT_MAX);
  for (let column = 0; column < columns; column += 16) {
    const place = from + <usize>column * FLOAT_BYTES;
    const low = toIntegers(place, factor, zero, greatest);
    const high = toIntegers(place + 8 * FLOAT_BYTES, factor, zero, greatest);
    const firsts = i8x16.narrow_i16x8_u(
      i16x8.shr_u(low, DIGIT_BITS),
      i16x8.shr_u(high, DIGIT_BITS),
    );
    const seconds = i8x16.narrow_i16x8_u(v128.and(low, mask), v128.and(high, mask));
    v128.store(to + <usize>column, firsts);
    v128.store(to + <usize>(columns + column), seconds);
  }
}

/**
 * output [rows, outputs] = input [rows, inputs] × weights + bias [outputs]. The input is as
 * `quantiseRows` makes it with as many digits. Weights are int8 [outputs / 8, inputs / 4, 8, 4]: four inputs of eight
 * outputs follow each other, in the order in which they are read. Each output has its scale, and the
 * int32 sum of its weights, by which the zero points are taken out. `mode` says whether a
 * result is stored, stored when positive (ReLU), or added to what is there.
 *
 * Rows of digits are multiplied two at a time. When their count is odd, one more is read, and written
 * as a result, for which there must be room.
 */
export function multiply(
  input: usize,
  inputScales: usize,
  inputZeros: usize,
  weights: usize,
  scalesOfWeights: usize,
  sumsOfWeights: usize,
  biases: usize,
  to: usize,
  rows: i32,
  inputs: i32,
  outputs: i32,
  digits: i32,
  mode: i32,
): void {
  // A panel stays in the nearest cache while all rows pass it.
  for (let column = 0; column < outputs; column += PANEL) {
    const panel = weights + <usize>(column * inputs);
    const place = <usize>column * FLOAT_BYTES;
    weightScales = scalesOfWeights + place;
    weightSums = sumsOfWeights + place;
    bias = biases + place;
    if (ASC_FEATURE_RELAXED_SIMD) {
      multiplyRelaxed(input, inputScales, inputZeros, panel, to + place, rows, inputs, outputs, digits, mode);
    } else {
      multiplyPlain(input, inputScales, inputZeros, panel, to + place, rows, inputs, outputs, digits, mode);
    }
  }
}

/** What belongs to the eight outputs of the panel that is multiplied. */
let weightScales: usize = 0;
let weightSums: usize = 0;
let bias: usize = 0;

/** All rows by the eight outputs of a panel, by relaxed SIMD. */
function multiplyRelaxed(
  input: usize,
  inputScales: usize,
  inputZeros: usize,
  panel: usize,
  to: usize,
  rows: i32,
  inputs: i32,
  outputs: i32,
  digits: i32,
  mode: i32,
): void {
  const rowBytes = <usize>inputs;
  const ones = v128.load(ONES);
  for (let row = 0; row < rows * digits; row += ROWS_AT_ONCE) {
    const first = input + <usize>row * rowBytes;
    const second = first + rowBytes;
    let low0 = i32x4.splat(0);
    let low1 = i32x4.splat(0);
    let high0 = i32x4.splat(0);
    let high1 = i32x4.splat(0);
    let weights = panel;
    for (let place: usize = 0; place < rowBytes; place += 8) {
      const lowA = v128.load(weights);
      const highA = v128.load(weights, 16);
      const lowB = v128.load(weights, 32);
      const highB = v128.load(weights, 48);
      weights += 64;
      let a = v128.load32_splat(first + place);
      let b = v128.load32_splat(first + place, 4);
      low0 = i32x4.add(low0, addProducts(lowA, a, lowB, b, ones));
      high0 = i32x4.add(high0, addProducts(highA, a, highB, b, ones));
      a = v128.load32_splat(second + place);
      b = v128.load32_splat(second + place, 4);
      low1 = i32x4.add(low1, addProducts(lowA, a, lowB, b, ones));
      high1 = i32x4.add(high1, addProducts(highA, a, highB, b, ones));
    }
    finishRows(low0, high0, low1, high1, inputScales, inputZeros, to, row, outputs, digits, mode);
  }
}

/**
 * Eight products for each of four outputs, added up. Four of them are added as 16-bit integers,
 * which saves a third of the instructions. They never overflow: `scripts/support/weight-panels.ts`
 * keeps the weights that meet here small enough.
 */
// @ts-ignore: decorator
@inline
function addProducts(weightsA: v128, a: v128, weightsB: v128, b: v128, ones: v128): v128 {
  const pairs = i16x8.add(
    i16x8.relaxed_dot_i8x16_i7x16_s(weightsA, a),
    i16x8.relaxed_dot_i8x16_i7x16_s(weightsB, b),
  );
  return i32x4.dot_i16x8_s(pairs, ones);
}

/** The same without relaxed SIMD: activations are widened, and each output has two sums. */
function multiplyPlain(
  input: usize,
  inputScales: usize,
  inputZeros: usize,
  panel: usize,
  to: usize,
  rows: i32,
  inputs: i32,
  outputs: i32,
  digits: i32,
  mode: i32,
): void {
  const rowBytes = <usize>inputs;
  for (let row = 0; row < rows * digits; row += ROWS_AT_ONCE) {
    const first = input + <usize>row * rowBytes;
    const second = first + rowBytes;
    let a0 = i32x4.splat(0);
    let a1 = i32x4.splat(0);
    let b0 = i32x4.splat(0);
    let b1 = i32x4.splat(0);
    let c0 = i32x4.splat(0);
    let c1 = i32x4.splat(0);
    let d0 = i32x4.splat(0);
    let d1 = i32x4.splat(0);
    let weights = panel;
    for (let place: usize = 0; place < rowBytes; place += 4) {
      const low = v128.load(weights);
      const high = v128.load(weights, 16);
      const a = i16x8.extend_low_i8x16_s(low);
      const b = i16x8.extend_high_i8x16_s(low);
      const c = i16x8.extend_low_i8x16_s(high);
      const d = i16x8.extend_high_i8x16_s(high);
      weights += 32;
      let four = widenFour(first + place);
      a0 = i32x4.add(a0, i32x4.dot_i16x8_s(a, four));
      b0 = i32x4.add(b0, i32x4.dot_i16x8_s(b, four));
      c0 = i32x4.add(c0, i32x4.dot_i16x8_s(c, four));
      d0 = i32x4.add(d0, i32x4.dot_i16x8_s(d, four));
      four = widenFour(second + place);
      a1 = i32x4.add(a1, i32x4.dot_i16x8_s(a, four));
      b1 = i32x4.add(b1, i32x4.dot_i16x8_s(b, four));
      c1 = i32x4.add(c1, i32x4.dot_i16x8_s(c, four));
      d1 = i32x4.add(d1, i32x4.dot_i16x8_s(d, four));
    }
    const low0 = addNeighbours(a0, b0);
    const high0 = addNeighbours(c0, d0);
    const low1 = addNeighbours(a1, b1);
    const high1 = addNeighbours(c1, d1);
    finishRows(low0, high0, low1, high1, inputScales, inputZeros, to, row, outputs, digits, mode);
  }
}

/** Four activations twice, as eight 16-bit integers. */
// @ts-ignore: decorator
@inline
function widenFour(address: usize): v128 {
  return i16x8.extend_low_i8x16_u(v128.load32_splat(address));
}

/** The four sums of lanes next to each other. */
function addNeighbours(low: v128, high: v128): v128 {
  return i32x4.add(
    v128.shuffle<i32>(low, high, 0, 2, 4, 6),
    v128.shuffle<i32>(low, high, 1, 3, 5, 7),
  );
}

/** From the sums of two rows of digits, for four outputs and four more, to two rows or to one. */
function finishRows(
  low0: v128,
  high0: v128,
  low1: v128,
  high1: v128,
  scales: usize,
  zeros: usize,
  to: usize,
  row: i32,
  outputs: i32,
  digits: i32,
  mode: i32,
): void {
  if (digits == 1) {
    finish(low0, high0, scales, zeros, to, row, outputs, mode);
    finish(low1, high1, scales, zeros, to, row + 1, outputs, mode);
  } else {
    const low = i32x4.add(i32x4.shl(low0, DIGIT_BITS), low1);
    const high = i32x4.add(i32x4.shl(high0, DIGIT_BITS), high1);
    finish(low, high, scales, zeros, to, row >> 1, outputs, mode);
  }
}

/** Eight results of a row, from the sums of products. */
// @ts-ignore: decorator
@inline
function finish(
  low: v128,
  high: v128,
  scales: usize,
  zeros: usize,
  to: usize,
  row: i32,
  outputs: i32,
  mode: i32,
): void {
  const zero = v128.load32_splat(zeros + <usize>row * FLOAT_BYTES);
  const scale = v128.load32_splat(scales + <usize>row * FLOAT_BYTES);
  const target = to + <usize>(row * outputs) * FLOAT_BYTES;
  store4(target, toResults(low, zero, scale, 0), mode);
  store4(target + 16, toResults(high, zero, scale, 16), mode);
}

/** Four results; `offset` is 0 for the first half of the panel and 16 for the second. */
// @ts-ignore: decorator
@inline
function toResults(sums: v128, zero: v128, scale: v128, offset: usize): v128 {
  const exact = i32x4.sub(sums, i32x4.mul(zero, v128.load(weightSums + offset)));
  const scaled = f32x4.mul(f32x4.convert_i32x4_s(exact), scale);
  return f32x4.add(
    f32x4.mul(scaled, v128.load(weightScales + offset)),
    v128.load(bias + offset),
  );
}

// @ts-ignore: decorator
@inline
function store4(target: usize, results: v128, mode: i32): void {
  if (mode == STORE_POSITIVE) results = f32x4.pmax(f32x4.splat(0), results);
  else if (mode != STORE) results = f32x4.add(results, v128.load(target));
  v128.store(target, results);
}

/** Eight floats as 16-bit integers from 0 to `greatest`; ties go to even. Saturates: nothing traps. */
// @ts-ignore: decorator
@inline
function toIntegers(from: usize, factor: f32, zero: i32, greatest: i32): v128 {
  const factors = f32x4.splat(factor);
  const zeroes = i32x4.splat(zero);
  const low = f32x4.nearest(f32x4.mul(v128.load(from), factors));
  const high = f32x4.nearest(f32x4.mul(v128.load(from, 16), factors));
  const eight = i16x8.narrow_i32x4_s(
    i32x4.add(i32x4.trunc_sat_f32x4_s(low), zeroes),
    i32x4.add(i32x4.trunc_sat_f32x4_s(high), zeroes),
  );
  // Both ends are rounded, so one may be 1 too far.
  return i16x8.max_s(i16x8.min_s(eight, i16x8.splat(<i16>greatest)), i16x8.splat(0));
}
