/**
 * The arithmetic of the embedded model, in AssemblyScript: `scripts/build-embedder.ts` compiles it to
 * `kernel.wasm`. It knows no model: `forward-pass.ts` says what is multiplied with what, and where in
 * memory it lies. Matrices lie row by row; `[rows, columns]` behind a name is its shape.
 *
 * Weights are int8 with one scale a row. Activations are made integers too, row by row, before each
 * multiplication: sums of integers do not depend on their order, so that every engine gets the same
 * vector for the same text, and eight products fit into one instruction.
 */

/**
 * Activations get 13 bits and a sign. The longest sum has 1,536 products of at most 8,191 × 127:
 * 1.6 × 10⁹, which a 32-bit integer still holds. One bit more would overflow it.
 */
const ACTIVATION_MAX: f32 = 8191.0;

/** Keeps a row of zeros from being divided by zero. */
const TINY: f32 = 1e-20;

/** Rows that one pass over the weights serves: a weight is loaded and widened once for all of them. */
const ROWS_AT_ONCE: i32 = 4;

const HEADS: i32 = 4;
const LAYER_NORM_EPSILON: f32 = 1e-6;
const UNIT_EPSILON: f32 = 1e-12;

const FLOAT_BYTES: usize = 4;
const SHORT_BYTES: usize = 2;

/** What `multiply` does with a result. */
const STORE: i32 = 0;
const STORE_POSITIVE: i32 = 1;
const ADD: i32 = 2;

/** The first byte that the compiler's own tables leave free. */
export function firstFreeByte(): usize {
  return __heap_base;
}

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
 * Turns float rows into integers: output int16 [rows, columns], with scales [rows] such that
 * input ≈ output × scale. The greatest number of a row becomes ±8,191.
 */
export function quantiseRows(
  input: usize,
  output: usize,
  scales: usize,
  rows: i32,
  columns: i32,
): void {
  for (let row = 0; row < rows; row++) {
    const from = input + <usize>(row * columns) * FLOAT_BYTES;
    const to = output + <usize>(row * columns) * SHORT_BYTES;
    const greatest = max(greatestMagnitude(from, columns), TINY);
    const factor = f32x4.splat(ACTIVATION_MAX / greatest);
    for (let column = 0; column < columns; column += 8) {
      const eight = from + <usize>column * FLOAT_BYTES;
      const low = roundToIntegers(f32x4.mul(v128.load(eight), factor));
      const high = roundToIntegers(f32x4.mul(v128.load(eight, 16), factor));
      v128.store(to + <usize>column * SHORT_BYTES, i16x8.narrow_i32x4_s(low, high));
    }
    store<f32>(scales + <usize>row * FLOAT_BYTES, greatest / ACTIVATION_MAX);
  }
}

/**
 * output [rows, outputs] = input int16 [rows, inputs] × weights int8 [outputs, inputs], each result
 * times the scale of its row and the scale of its weights, plus bias [outputs]. `mode` says whether
 * it is stored, stored when positive (ReLU), or added to what is there.
 *
 * Rows are worked on four at a time: when `rows` is no multiple of four, up to three more are read
 * and written, for which there must be room.
 */
export function multiply(
  input: usize,
  inputScales: usize,
  weights: usize,
  weightScales: usize,
  bias: usize,
  output: usize,
  rows: i32,
  inputs: i32,
  outputs: i32,
  mode: i32,
): void {
  const inputRow = <usize>inputs * SHORT_BYTES;
  const outputRow = <usize>outputs * FLOAT_BYTES;
  for (let row = 0; row < rows; row += ROWS_AT_ONCE) {
    const scales = v128.load(inputScales + <usize>row * FLOAT_BYTES);
    const first = input + <usize>row * inputRow;
    for (let column = 0; column < outputs; column++) {
      const sums = multiplyFourRows(first, inputRow, weights + <usize>(column * inputs), inputs);
      const place = <usize>column * FLOAT_BYTES;
      const weightScale = f32x4.splat(load<f32>(weightScales + place));
      const results = f32x4.add(
        f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sums), scales), weightScale),
        f32x4.splat(load<f32>(bias + place)),
      );
      const target = output + <usize>row * outputRow + place;
      finish(target, f32x4.extract_lane(results, 0), mode);
      finish(target + outputRow, f32x4.extract_lane(results, 1), mode);
      finish(target + 2 * outputRow, f32x4.extract_lane(results, 2), mode);
      finish(target + 3 * outputRow, f32x4.extract_lane(results, 3), mode);
    }
  }
}

/**
 * Attention with four heads. A row of `qkv` [tokens, 3 × width] holds a token's query, key and value;
 * a head is a quarter of each. output [tokens, width]: for each token, the values of all tokens,
 * weighted by how well its query meets their keys. `weights` [tokens] is room for those weights.
 */
export function attend(qkv: usize, weights: usize, output: usize, tokens: i32, width: i32): void {
  const headWidth = width / HEADS;
  const rowBytes = <usize>(3 * width) * FLOAT_BYTES;
  const widthBytes = <usize>width * FLOAT_BYTES;
  for (let head = 0; head < HEADS; head++) {
    const headStart = <usize>(head * headWidth) * FLOAT_BYTES;
    const keys = qkv + widthBytes + headStart;
    const values = keys + widthBytes;
    for (let token = 0; token < tokens; token++) {
      const query = qkv + <usize>token * rowBytes + headStart;
      const sum = weighTokens(query, keys, rowBytes, weights, tokens, headWidth);
      const target = output + <usize>token * widthBytes + headStart;
      mixValues(values, rowBytes, weights, sum, target, tokens, headWidth);
    }
  }
}

/** output [columns] = the mean of the rows of input [rows, columns]. */
export function averageRows(input: usize, output: usize, rows: i32, columns: i32): void {
  const count = f32x4.splat(<f32>rows);
  for (let column = 0; column < columns; column += 4) {
    const place = <usize>column * FLOAT_BYTES;
    let sum = f32x4.splat(0);
    for (let row = 0; row < rows; row++) {
      sum = f32x4.add(sum, v128.load(input + <usize>(row * columns) * FLOAT_BYTES + place));
    }
    v128.store(output + place, f32x4.div(sum, count));
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

/** Four integer dot products: of four rows of the input with one row of weights. */
function multiplyFourRows(first: usize, rowBytes: usize, weights: usize, inputs: i32): v128 {
  const second = first + rowBytes;
  const third = second + rowBytes;
  const fourth = third + rowBytes;
  let sum0 = i32x4.splat(0);
  let sum1 = i32x4.splat(0);
  let sum2 = i32x4.splat(0);
  let sum3 = i32x4.splat(0);
  for (let column = 0; column < inputs; column += 16) {
    const sixteen = v128.load(weights + <usize>column);
    const low = i16x8.extend_low_i8x16_s(sixteen);
    const high = i16x8.extend_high_i8x16_s(sixteen);
    const place = <usize>column * SHORT_BYTES;
    sum0 = i32x4.add(sum0, multiplySixteen(first + place, low, high));
    sum1 = i32x4.add(sum1, multiplySixteen(second + place, low, high));
    sum2 = i32x4.add(sum2, multiplySixteen(third + place, low, high));
    sum3 = i32x4.add(sum3, multiplySixteen(fourth + place, low, high));
  }
  return addAcross(sum0, sum1, sum2, sum3);
}

/** Sixteen products, added up to four sums. */
function multiplySixteen(input: usize, low: v128, high: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(v128.load(input), low),
    i32x4.dot_i16x8_s(v128.load(input, 16), high),
  );
}

/** The total of each of four vectors, as the lanes of one. */
function addAcross(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 2, 4, 6), v128.shuffle<i32>(c, d, 1, 3, 5, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
}

function finish(target: usize, value: f32, mode: i32): void {
  if (mode == STORE) store<f32>(target, value);
  else if (mode == STORE_POSITIVE) store<f32>(target, max<f32>(value, 0));
  else if (mode == ADD) store<f32>(target, load<f32>(target) + value);
}

/** Softmax without its last division: weights [tokens] = exp(query · key / √headWidth); gives their sum. */
function weighTokens(
  query: usize,
  keys: usize,
  rowBytes: usize,
  weights: usize,
  tokens: i32,
  headWidth: i32,
): f32 {
  const factor: f32 = 1.0 / Mathf.sqrt(<f32>headWidth);
  let greatest: f32 = -f32.MAX_VALUE;
  for (let token = 0; token < tokens; token++) {
    const score = multiplyFloats(query, keys + <usize>token * rowBytes, headWidth) * factor;
    store<f32>(weights + <usize>token * FLOAT_BYTES, score);
    greatest = max(greatest, score);
  }
  let sum: f32 = 0;
  for (let token = 0; token < tokens; token++) {
    const place = weights + <usize>token * FLOAT_BYTES;
    // The greatest becomes exp(0): nothing overflows.
    const weight = Mathf.exp(load<f32>(place) - greatest);
    store<f32>(place, weight);
    sum += weight;
  }
  return sum;
}

/** target [headWidth] = the sum of weight × value over all tokens, divided by the sum of weights. */
function mixValues(
  values: usize,
  rowBytes: usize,
  weights: usize,
  sum: f32,
  target: usize,
  tokens: i32,
  headWidth: i32,
): void {
  const divisor = f32x4.splat(sum);
  for (let column = 0; column < headWidth; column += 4) {
    const place = <usize>column * FLOAT_BYTES;
    let mixed = f32x4.splat(0);
    for (let token = 0; token < tokens; token++) {
      const weight = f32x4.splat(load<f32>(weights + <usize>token * FLOAT_BYTES));
      const value = v128.load(values + <usize>token * rowBytes + place);
      mixed = f32x4.add(mixed, f32x4.mul(weight, value));
    }
    v128.store(target + place, f32x4.div(mixed, divisor));
  }
}

function multiplyFloats(a: usize, b: usize, columns: i32): f32 {
  let sum = f32x4.splat(0);
  for (let column = 0; column < columns; column += 4) {
    const place = <usize>column * FLOAT_BYTES;
    sum = f32x4.add(sum, f32x4.mul(v128.load(a + place), v128.load(b + place)));
  }
  return addLanes(sum);
}

function sumRow(row: usize, columns: i32): f32 {
  let sum = f32x4.splat(0);
  for (let column = 0; column < columns; column += 4) {
    sum = f32x4.add(sum, v128.load(row + <usize>column * FLOAT_BYTES));
  }
  return addLanes(sum);
}

/** The squares of how far each number is from the mean, added up. */
function sumSquares(row: usize, columns: i32, mean: f32): f32 {
  let sum = f32x4.splat(0);
  for (let column = 0; column < columns; column += 4) {
    const centred = f32x4.sub(v128.load(row + <usize>column * FLOAT_BYTES), f32x4.splat(mean));
    sum = f32x4.add(sum, f32x4.mul(centred, centred));
  }
  return addLanes(sum);
}

function greatestMagnitude(row: usize, columns: i32): f32 {
  let greatest = f32x4.splat(0);
  for (let column = 0; column < columns; column += 4) {
    const four = v128.load(row + <usize>column * FLOAT_BYTES);
    greatest = f32x4.max(greatest, f32x4.abs(four));
  }
  return max(
    max(f32x4.extract_lane(greatest, 0), f32x4.extract_lane(greatest, 1)),
    max(f32x4.extract_lane(greatest, 2), f32x4.extract_lane(greatest, 3)),
  );
}

/** To the nearest, ties to even; saturating, so that no number can trap. */
function roundToIntegers(floats: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(floats));
}

/** Always in the same order, which decides how a float sum is rounded. */
function addLanes(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    f32x4.extract_lane(four, 2) +
    f32x4.extract_lane(four, 3)
  );
}
