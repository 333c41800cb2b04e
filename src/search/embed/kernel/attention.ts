/** Attention of the tokens of one text to each other. */
import { FLOAT_BYTES, addLanes } from './lanes';

const HEADS: i32 = 4;

/** Tokens whose scores are worked out together. */
const TOKENS_AT_ONCE: i32 = 4;

/** Columns of the values that are mixed together. */
const COLUMNS_AT_ONCE: i32 = 32;

/** exp of anything lower is 0 to a float, and its exponent would not fit. */
const LOWEST_POWER: f32 = -87.0;

/**
 * Attention with four heads. A row of `qkv` [tokens, 3 × width] holds a token's query, key and value;
 * a head is a quarter of each. output [tokens, width]: for each token, the values of all tokens,
 * weighted by how well its query meets their keys. `weights` [tokens] is room for those weights. Up
 * to three more rows of `qkv` are read, and three more weights written.
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
      for (let column = 0; column < headWidth; column += COLUMNS_AT_ONCE) {
        const place = <usize>column * FLOAT_BYTES;
        mixValues(values + place, rowBytes, weights, sum, target + place, tokens);
      }
    }
  }
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
  const factor = f32x4.splat(1.0 / Mathf.sqrt(<f32>headWidth));
  let greatest: f32 = -f32.MAX_VALUE;
  for (let token = 0; token < tokens; token += TOKENS_AT_ONCE) {
    const scores = meetFourKeys(query, keys + <usize>token * rowBytes, rowBytes, headWidth);
    v128.store(weights + <usize>token * FLOAT_BYTES, f32x4.mul(scores, factor));
  }
  for (let token = 0; token < tokens; token++) {
    greatest = max(greatest, load<f32>(weights + <usize>token * FLOAT_BYTES));
  }
  // Behind the last token are the scores of rows that are not of this text.
  const end = weights + <usize>tokens * FLOAT_BYTES;
  v128.store(end, f32x4.splat(-f32.MAX_VALUE));
  let sums = f32x4.splat(0);
  for (let place = weights; place < end; place += 4 * FLOAT_BYTES) {
    // The greatest becomes exp(0): nothing overflows.
    const powers = raise(f32x4.sub(v128.load(place), f32x4.splat(greatest)));
    v128.store(place, powers);
    sums = f32x4.add(sums, powers);
  }
  return addLanes(sums);
}

/** The products of a query with four keys that follow each other. */
function meetFourKeys(query: usize, first: usize, rowBytes: usize, headWidth: i32): v128 {
  const second = first + rowBytes;
  const third = second + rowBytes;
  const fourth = third + rowBytes;
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  const end = <usize>headWidth * FLOAT_BYTES;
  for (let place: usize = 0; place < end; place += 4 * FLOAT_BYTES) {
    const four = v128.load(query + place);
    a = f32x4.add(a, f32x4.mul(four, v128.load(first + place)));
    b = f32x4.add(b, f32x4.mul(four, v128.load(second + place)));
    c = f32x4.add(c, f32x4.mul(four, v128.load(third + place)));
    d = f32x4.add(d, f32x4.mul(four, v128.load(fourth + place)));
  }
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 2, 4, 6), v128.shuffle<f32>(c, d, 1, 3, 5, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 2, 4, 6), v128.shuffle<f32>(ab, cd, 1, 3, 5, 7));
}

/**
 * exp of four numbers that are at most 0: 2 to a whole number, times exp of what is left, which lies
 * within ±½ ln 2 and is worked out by its series. Right to some 10⁻⁷ of itself, down to −87.
 */
function raise(powers: v128): v128 {
  const bounded = f32x4.pmax(f32x4.splat(LOWEST_POWER), powers);
  const whole = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(1.4426950408889634)));
  // ln 2 in two parts, so that the difference is exact.
  let left = f32x4.sub(bounded, f32x4.mul(whole, f32x4.splat(0.693359375)));
  left = f32x4.add(left, f32x4.mul(whole, f32x4.splat(2.12194440054690583e-4)));
  let series = f32x4.splat(1.0 / 720.0);
  series = f32x4.add(f32x4.mul(series, left), f32x4.splat(1.0 / 120.0));
  series = f32x4.add(f32x4.mul(series, left), f32x4.splat(1.0 / 24.0));
  series = f32x4.add(f32x4.mul(series, left), f32x4.splat(1.0 / 6.0));
  series = f32x4.add(f32x4.mul(series, left), f32x4.splat(0.5));
  series = f32x4.add(f32x4.mul(series, left), f32x4.splat(1.0));
  series = f32x4.add(f32x4.mul(series, left), f32x4.splat(1.0));
  const exponent = i32x4.add(i32x4.trunc_sat_f32x4_s(whole), i32x4.splat(127));
  return f32x4.mul(series, i32x4.shl(exponent, 23));
}

/** target [32] = the sum of weight × value over all tokens, divided by the sum of weights. */
function mixValues(
  values: usize,
  rowBytes: usize,
  weights: usize,
  sum: f32,
  target: usize,
  tokens: i32,
): void {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  let e = f32x4.splat(0);
  let f = f32x4.splat(0);
  let g = f32x4.splat(0);
  let h = f32x4.splat(0);
  const end = weights + <usize>tokens * FLOAT_BYTES;
  for (; weights < end; weights += FLOAT_BYTES) {
    const weight = v128.load32_splat(weights);
    a = f32x4.add(a, f32x4.mul(weight, v128.load(values)));
    b = f32x4.add(b, f32x4.mul(weight, v128.load(values, 16)));
    c = f32x4.add(c, f32x4.mul(weight, v128.load(values, 32)));
    d = f32x4.add(d, f32x4.mul(weight, v128.load(values, 48)));
    e = f32x4.add(e, f32x4.mul(weight, v128.load(values, 64)));
    f = f32x4.add(f, f32x4.mul(weight, v128.load(values, 80)));
    g = f32x4.add(g, f32x4.mul(weight, v128.load(values, 96)));
    h = f32x4.add(h, f32x4.mul(weight, v128.load(values, 112)));
    values += rowBytes;
  }
  const divisor = f32x4.splat(sum);
  v128.store(target, f32x4.div(a, divisor));
  v128.store(target, f32x4.div(b, divisor), 16);
  v128.store(target, f32x4.div(c, divisor), 32);
  v128.store(target, f32x4.div(d, divisor), 48);
  v128.store(target, f32x4.div(e, divisor), 64);
  v128.store(target, f32x4.div(f, divisor), 80);
  v128.store(target, f32x4.div(g, divisor), 96);
  v128.store(target, f32x4.div(h, divisor), 112);
}
