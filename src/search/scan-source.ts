/**
 * The arithmetic of a vector scan, in AssemblyScript: `scripts/build-embedder.ts` compiles it to
 * `scan.wasm`. Integers alone, so that every engine gets the same sums in whatever order it adds.
 */

/** Components of a vector that are loaded at a time, one byte each. */
const LANES: i32 = 16;
const REGISTER_BYTES: usize = 16;
const SHORT_BYTES: usize = 2;
const INT_BYTES: usize = 4;

/** The first byte that the compiler's own tables leave free. */
export function firstFreeByte(): usize {
  return __heap_base;
}

/**
 * sums [rows] (int32) = vectors [rows, dimensions] (int8) × query [dimensions] (int16).
 * `dimensions` must be a multiple of 16, and the caller keeps the sums within 32 bits.
 */
export function multiply(
  query: usize,
  vectors: usize,
  sums: usize,
  rows: i32,
  dimensions: i32,
): void {
  for (let row = 0; row < rows; row++) {
    const vector = vectors + <usize>(row * dimensions);
    let sum = i32x4.splat(0);
    for (let column = 0; column < dimensions; column += LANES) {
      const values = v128.load(vector + <usize>column);
      const wanted = query + <usize>column * SHORT_BYTES;
      const low = i16x8.extend_low_i8x16_s(values);
      const high = i16x8.extend_high_i8x16_s(values);
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(low, v128.load(wanted)));
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(high, v128.load(wanted + REGISTER_BYTES)));
    }
    const total =
      i32x4.extract_lane(sum, 0) +
      i32x4.extract_lane(sum, 1) +
      i32x4.extract_lane(sum, 2) +
      i32x4.extract_lane(sum, 3);
    store<i32>(sums + <usize>row * INT_BYTES, total);
  }
}
