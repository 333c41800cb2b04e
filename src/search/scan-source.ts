/**
 * The arithmetic of a vector scan, in AssemblyScript: `scripts/build-embedder.ts` compiles it to
 * `scan.wasm`. It adds integers alone, so that every engine gets the same sums in whatever order it adds.
 */

/** Components of a vector that are loaded at a time, one byte each. */
const LANES: i32 = 16;
const REGISTER_BYTES: usize = 16;
const SHORT_BYTES: usize = 2;
const FLOAT_BYTES: usize = 4;

/** The first byte that the compiler's own tables leave free. */
export function firstFreeByte(): usize {
  return __heap_base;
}

/**
 * similarities [rows] (float32) = vectors [rows, dimensions] (int8) × query [dimensions] (int16), each
 * sum times `scale` times its row's own of scales [rows] (float32). `dimensions` must be a multiple of
 * 16, and the caller keeps the sums within 32 bits.
 */
export function compare(
  query: usize,
  vectors: usize,
  scales: usize,
  similarities: usize,
  rows: i32,
  dimensions: i32,
  scale: f64,
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
    const own = <f64>load<f32>(scales + <usize>row * FLOAT_BYTES);
    // As JavaScript rounds it, which compares single vectors.
    store<f32>(similarities + <usize>row * FLOAT_BYTES, <f32>(<f64>total * scale * own));
  }
}
