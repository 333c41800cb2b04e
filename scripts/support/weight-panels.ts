/** Matrices of integers in the order and within the bounds of `src/search/embed/kernel/multiply.ts`. */

/** Outputs whose weights are stored together. */
const PANEL = 8;
/** Inputs of an output that follow each other in memory. */
const STEP = 4;

/**
 * The kernel adds the products of four weights as 16-bit integers: in each eight inputs those at
 * these places. Activations are at most 127, so weights of the same sign that meet there may add up
 * to 258 at most: 127 × 258 is 32,766.
 */
const MEETING_PLACES = [
  [0, 1, 4, 5],
  [2, 3, 6, 7],
] as const;
const MEETING_SUM_MAX = 258;

/** What the weights of a sign may add up to in a row: activations of 14 bits times that fit 32 bits. */
const ROW_SUM_MAX = 131_072;

/** Scales of a row that are tried: from that of its greatest weight on, each so much larger. */
const SCALE_STEP = 1.02;
const INT8_MAX = 127;

/** Weights as int8, near `values` when multiplied by the scale of their output. */
export interface QuantisedWeights {
  /** [outputs, inputs] */
  readonly integers: Int8Array;
  readonly scales: Float32Array;
}

/**
 * Rounds a matrix [outputs, inputs] to integers whose products cannot overflow where they meet. A
 * row gets the scale of the least error: at that of its greatest weight some others may have to be
 * lowered, and at larger ones all are rounded more. Inputs are a multiple of 8.
 */
export function quantiseWeights(
  values: Float32Array,
  outputs: number,
  inputs: number,
): QuantisedWeights {
  const integers = new Int8Array(outputs * inputs);
  const scales = new Float32Array(outputs);
  for (let output = 0; output < outputs; output += 1) {
    const best = quantiseRow(values.subarray(output * inputs, (output + 1) * inputs));
    checkRowSums(best.integers);
    integers.set(best.integers, output * inputs);
    scales[output] = best.scale;
  }
  return { integers, scales };
}

function checkRowSums(weights: Int8Array): void {
  for (const sign of [1, -1]) {
    const sum = weights.reduce((total, weight) => total + Math.max(0, sign * weight), 0);
    if (sum > ROW_SUM_MAX) throw new Error(`The weights of an output add up to ${sum}.`);
  }
}

function quantiseRow(numbers: Float32Array): { integers: Int8Array; scale: number } {
  const greatest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  let scale = greatest === 0 ? 1 : greatest / INT8_MAX;
  let best = { integers: new Int8Array(numbers.length), scale, error: Infinity };
  for (;;) {
    const integers = Int8Array.from(numbers, (number) => Math.round(number / scale));
    const lowered = limitMeetingWeights(integers);
    const error = numbers.reduce(
      (sum, number, i) => sum + (number - (integers[i] ?? 0) * scale) ** 2,
      0,
    );
    if (error < best.error) best = { integers, scale, error };
    if (lowered === 0) return best;
    scale *= SCALE_STEP;
  }
}

/**
 * The bias [outputs] plus what rounding `values` [outputs, inputs] takes from the products with the
 * mean input [inputs]: on average the results are then those of the exact weights.
 */
export function correctBias(
  bias: Float32Array,
  values: Float32Array,
  { integers, scales }: QuantisedWeights,
  meanInput: Float32Array,
): Float32Array {
  const inputs = meanInput.length;
  return bias.map((number, output) => {
    const scale = scales[output] ?? 0;
    return meanInput.reduce((sum, mean, input) => {
      const place = output * inputs + input;
      return sum + mean * ((values[place] ?? 0) - (integers[place] ?? 0) * scale);
    }, number);
  });
}

/** From [outputs, inputs] to [outputs / 8, inputs / 4, 8, 4]: the order in which weights are read. */
export function packPanels(weights: Int8Array, outputs: number, inputs: number): Int8Array {
  if (outputs % PANEL !== 0 || inputs % (2 * STEP) !== 0) {
    throw new Error(`A matrix of ${outputs} × ${inputs} cannot be cut into panels.`);
  }
  const packed = new Int8Array(weights.length);
  let to = 0;
  for (let panel = 0; panel < outputs; panel += PANEL) {
    for (let step = 0; step < inputs; step += STEP) {
      for (let output = panel; output < panel + PANEL; output += 1) {
        const from = output * inputs + step;
        packed.set(weights.subarray(from, from + STEP), to);
        to += STEP;
      }
    }
  }
  return packed;
}

/** For each output the sum of its weights, by which the kernel takes out zero points. */
export function sumRows(weights: Int8Array, outputs: number, inputs: number): Int32Array {
  return Int32Array.from({ length: outputs }, (_, output) =>
    weights
      .subarray(output * inputs, (output + 1) * inputs)
      .reduce((sum, weight) => sum + weight, 0),
  );
}

/**
 * Lowers, in place, the weights whose products could overflow where they meet: the greatest first.
 * Returns how many weights were changed.
 */
function limitMeetingWeights(weights: Int8Array): number {
  let changed = 0;
  for (let start = 0; start < weights.length; start += 2 * STEP) {
    for (const places of MEETING_PLACES) {
      for (const sign of [1, -1]) {
        changed += limitSum(
          weights,
          places.map((place) => start + place),
          sign,
        );
      }
    }
  }
  return changed;
}

/** Takes 1 from the greatest until the weights of a sign are within the bound. */
function limitSum(weights: Int8Array, places: readonly number[], sign: number): number {
  const sizes = places.map((place) => Math.max(0, sign * (weights[place] ?? 0)));
  let excess = sizes.reduce((sum, size) => sum + size, 0) - MEETING_SUM_MAX;
  if (excess <= 0) return 0;
  const before = [...sizes];
  for (; excess > 0; excess -= 1) {
    const greatest = sizes.indexOf(Math.max(...sizes));
    sizes[greatest] = (sizes[greatest] ?? 0) - 1;
  }
  let changed = 0;
  for (const [i, place] of places.entries()) {
    if (sizes[i] === before[i]) continue;
    weights[place] = sign * (sizes[i] ?? 0);
    changed += 1;
  }
  return changed;
}
