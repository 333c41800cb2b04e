/** What several parts of the kernel need: sums over a row, and the four lanes of a vector as one. */

export const FLOAT_BYTES: usize = 4;

export function sumRow(row: usize, columns: i32): f32 {
  let sum = f32x4.splat(0);
  for (let column = 0; column < columns; column += 4) {
    sum = f32x4.add(sum, v128.load(row + <usize>column * FLOAT_BYTES));
  }
  return addLanes(sum);
}

/** The squares of how far each number is from the mean, added up. */
export function sumSquares(row: usize, columns: i32, mean: f32): f32 {
  let sum = f32x4.splat(0);
  for (let column = 0; column < columns; column += 4) {
    const centred = f32x4.sub(v128.load(row + <usize>column * FLOAT_BYTES), f32x4.splat(mean));
    sum = f32x4.add(sum, f32x4.mul(centred, centred));
  }
  return addLanes(sum);
}

/** Always in the same order, which decides how a float sum is rounded. */
export function addLanes(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    f32x4.extract_lane(four, 2) +
    f32x4.extract_lane(four, 3)
  );
}
