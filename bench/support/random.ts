/** Random numbers that are the same on every machine, so that two runs measure the same threads. */

export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** A whole number below `limit`. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** mulberry32 (Tommy Ettinger, public domain). */
export function seedRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    pick(values) {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new Error('There is nothing to pick from.');
      return value;
    },
  };
}

/**
 * A rank below `ranks` whose chance falls as one over the rank: the law of Zipf, with Mandelbrot's
 * offset, which flattens the head as leaving out stop words does.
 */
export function zipfRank(random: Random, ranks: number, offset: number): number {
  const greatest = Math.log((ranks + offset) / offset);
  return Math.floor(offset * (Math.exp(random.next() * greatest) - 1));
}
