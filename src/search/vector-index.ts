/**
 * The vectors of one thread in memory: int8 with a scale each, scanned whole. Beyond
 * `PREFILTER_FROM` vectors their signs (one bit a dimension) choose the candidates first.
 * Derived from the `vector` table: it may hold what is gone, so that hits are checked against it.
 */

/** A unit vector as it is stored: `value[i] * scale` is the i-th component. */
export interface QuantisedVector {
  readonly values: Int8Array;
  readonly scale: number;
}

export interface Neighbour {
  readonly nodeId: number;
  /** Cosine, -1 to 1. */
  readonly similarity: number;
}

export interface Scan {
  /** Most similar first. */
  readonly neighbours: readonly Neighbour[];
  /** Greatest and smallest similarity of all vectors that were compared. */
  readonly highest: number;
  readonly lowest: number;
  /** Mean similarity of every vector of the thread with the query. */
  readonly mean: number;
}

/** Scanning this many takes some tens of milliseconds; more wants the prefilter. */
const PREFILTER_FROM = 50_000;
/** Candidates that the prefilter lets through for each result wanted; measured in docs/benchmarks.md. */
const PREFILTER_FACTOR = 50;
const PREFILTER_MIN = 4_000;
/** When more than this share of the vectors would be let through, all are compared at once. */
const PREFILTER_SHARE_MAX = 1 / 3;

const INITIAL_CAPACITY = 256;
/** Large arrays grow by less: an isolate has 128 MB, and old and new stand side by side. */
const DOUBLED_UP_TO = 16_384;
const GROWTH = 1.25;

/** Rounds a unit vector to int8, the greatest component to ±127. */
export function quantise(vector: Float32Array): QuantisedVector {
  let greatest = 0;
  for (const component of vector) greatest = Math.max(greatest, Math.abs(component));
  const scale = greatest === 0 ? 1 : greatest / 127;
  return { values: Int8Array.from(vector, (component) => Math.round(component / scale)), scale };
}

/** The vector that a quantised one stands for. */
export function dequantise({ values, scale }: QuantisedVector): Float32Array {
  return Float32Array.from(values, (value) => value * scale);
}

export class VectorIndex {
  readonly dimensions: number;
  #count = 0;
  #values: Int8Array;
  #scales: Float32Array;
  #signs: Uint32Array;
  #nodeIds: Float64Array;
  /** Of all vectors, for their mean. */
  readonly #sum: Float64Array;
  readonly #rowOf = new Map<number, number>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#values = new Int8Array(INITIAL_CAPACITY * dimensions);
    this.#scales = new Float32Array(INITIAL_CAPACITY);
    this.#signs = new Uint32Array(INITIAL_CAPACITY * this.#signWords);
    this.#nodeIds = new Float64Array(INITIAL_CAPACITY);
    this.#sum = new Float64Array(dimensions);
  }

  get size(): number {
    return this.#count;
  }

  /** Bytes of the arrays, room for growth included. */
  get bytes(): number {
    const arrays = [this.#values, this.#scales, this.#signs, this.#nodeIds];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Adds a vector, or replaces the one of that node. */
  set(nodeId: number, { values, scale }: QuantisedVector): void {
    const row = this.#rowOf.get(nodeId) ?? this.#count;
    if (row === this.#count) {
      this.#reserve(row + 1);
      this.#count += 1;
      this.#rowOf.set(nodeId, row);
    } else {
      this.#addToSum(row, -1);
    }
    this.#nodeIds[row] = nodeId;
    this.#scales[row] = scale;
    this.#values.set(values, row * this.dimensions);
    this.#signs.set(signsOf(values), row * this.#signWords);
    this.#addToSum(row, 1);
  }

  /** Forgets a node; the last vector takes its place. */
  delete(nodeId: number): void {
    const row = this.#rowOf.get(nodeId);
    if (row === undefined) return;
    this.#addToSum(row, -1);
    const last = this.#count - 1;
    const lastId = this.#nodeIds[last] ?? 0;
    const { dimensions } = this;
    this.#values.copyWithin(row * dimensions, last * dimensions, (last + 1) * dimensions);
    this.#signs.copyWithin(
      row * this.#signWords,
      last * this.#signWords,
      (last + 1) * this.#signWords,
    );
    this.#scales[row] = this.#scales[last] ?? 0;
    this.#nodeIds[row] = lastId;
    this.#rowOf.set(lastId, row);
    this.#rowOf.delete(nodeId);
    this.#count = last;
  }

  /** Cosine of a query with one node; undefined when the node has no vector. */
  similarityTo(query: Float32Array, nodeId: number): number | undefined {
    const row = this.#rowOf.get(nodeId);
    return row === undefined ? undefined : this.#similarity(query, row);
  }

  /** The `limit` nearest nodes. `query` must be a unit vector of the same dimensions. */
  scan(query: Float32Array, limit: number): Scan {
    const candidates = Math.max(PREFILTER_MIN, limit * PREFILTER_FACTOR);
    const isFiltered =
      this.#count > PREFILTER_FROM && candidates < this.#count * PREFILTER_SHARE_MAX;
    const rows = isFiltered ? this.#nearestBySigns(query, candidates) : undefined;
    const total = rows?.length ?? this.#count;
    const similarities = new Float32Array(total);
    let highest = -1;
    let lowest = 1;
    for (let index = 0; index < total; index += 1) {
      const similarity = this.#similarity(query, rows?.[index] ?? index);
      similarities[index] = similarity;
      if (similarity > highest) highest = similarity;
      if (similarity < lowest) lowest = similarity;
    }
    const neighbours = greatest(similarities, limit).map((index) => ({
      nodeId: this.#nodeIds[rows?.[index] ?? index] ?? 0,
      similarity: similarities[index] ?? 0,
    }));
    return { neighbours, highest, lowest, mean: this.#meanSimilarity(query) };
  }

  /** The mean of the cosines is the cosine with the mean: no vector has to be looked at. */
  #meanSimilarity(query: Float32Array): number {
    let sum = 0;
    for (const [index, component] of query.entries()) sum += component * (this.#sum[index] ?? 0);
    return this.#count === 0 ? 0 : sum / this.#count;
  }

  #addToSum(row: number, sign: 1 | -1): void {
    const start = row * this.dimensions;
    const scale = (this.#scales[row] ?? 0) * sign;
    for (let index = 0; index < this.dimensions; index += 1) {
      this.#sum[index] = (this.#sum[index] ?? 0) + scale * (this.#values[start + index] ?? 0);
    }
  }

  get #signWords(): number {
    return Math.ceil(this.dimensions / 32);
  }

  #similarity(query: Float32Array, row: number): number {
    const { dimensions } = this;
    const values = this.#values;
    const start = row * dimensions;
    let sum = 0;
    for (let index = 0; index < dimensions; index += 1) {
      sum += (query[index] ?? 0) * (values[start + index] ?? 0);
    }
    return sum * (this.#scales[row] ?? 0);
  }

  /**
   * About `limit` rows whose signs agree most with the query's, in no order: a histogram of the
   * bits that differ says how many may, which spares a sort.
   */
  #nearestBySigns(query: Float32Array, limit: number): Int32Array {
    const differing = this.#countDiffering(signsOf(query));
    const histogram = new Uint32Array(this.#signWords * 32 + 1);
    for (const bits of differing) histogram[bits] = (histogram[bits] ?? 0) + 1;
    let most = 0;
    for (let sum = histogram[0] ?? 0; sum < limit; sum += histogram[most] ?? 0) most += 1;
    const rows = new Int32Array(limit);
    let taken = 0;
    // Those that differ by less than the most first: of the last level only some have room.
    for (const isLevel of [(bits: number) => bits < most, (bits: number) => bits === most]) {
      for (let row = 0; row < this.#count && taken < limit; row += 1) {
        if (isLevel(differing[row] ?? 0)) rows[taken++] = row;
      }
    }
    return rows.subarray(0, taken);
  }

  /** Of each row, the signs that differ from the wanted ones. */
  #countDiffering(wanted: Uint32Array): Uint16Array {
    const words = this.#signWords;
    const signs = this.#signs;
    const counts = new Uint16Array(this.#count);
    for (let row = 0; row < this.#count; row += 1) {
      let differing = 0;
      for (let word = 0; word < words; word += 1) {
        differing += countBits((signs[row * words + word] ?? 0) ^ (wanted[word] ?? 0));
      }
      counts[row] = differing;
    }
    return counts;
  }

  #reserve(rows: number): void {
    const capacity = this.#scales.length;
    if (rows <= capacity) return;
    const growth = capacity < DOUBLED_UP_TO ? 2 : GROWTH;
    const grown = Math.max(rows, Math.ceil(capacity * growth));
    this.#values = enlarge(this.#values, new Int8Array(grown * this.dimensions));
    this.#scales = enlarge(this.#scales, new Float32Array(grown));
    this.#signs = enlarge(this.#signs, new Uint32Array(grown * this.#signWords));
    this.#nodeIds = enlarge(this.#nodeIds, new Float64Array(grown));
  }
}

function enlarge<Values extends { set(values: Values): void }>(
  values: Values,
  into: Values,
): Values {
  into.set(values);
  return into;
}

/** One bit a dimension: set where the component is positive. */
function signsOf(vector: Int8Array | Float32Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  for (let index = 0; index < vector.length; index += 1) {
    if ((vector[index] ?? 0) > 0)
      signs[index >>> 5] = (signs[index >>> 5] ?? 0) | (1 << (index & 31));
  }
  return signs;
}

/** Bits that are set in a 32-bit word (Warren, Hacker's Delight, 5-1). */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
  return Math.imul(bits, 0x01010101) >>> 24;
}

/** Indices of the greatest values, greatest first: a heap of `limit` whose root is the least. */
function greatest(values: Float32Array, limit: number): number[] {
  const heap: number[] = [];
  const isLess = (a: number, b: number) => (values[a] ?? 0) < (values[b] ?? 0);
  for (let index = 0; index < values.length; index += 1) {
    if (heap.length < limit) {
      heap.push(index);
      siftUp(heap, isLess);
    } else if (heap[0] !== undefined && isLess(heap[0], index)) {
      heap[0] = index;
      siftDown(heap, isLess);
    }
  }
  return heap.toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
}

type Less = (a: number, b: number) => boolean;

function siftUp(heap: number[], isLess: Less): void {
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!swapIfLess(heap, child, parent, isLess)) return;
    child = parent;
  }
}

function siftDown(heap: number[], isLess: Less): void {
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    if (left >= heap.length) return;
    const least = right < heap.length && isLess(heap[right] ?? 0, heap[left] ?? 0) ? right : left;
    if (!swapIfLess(heap, least, parent, isLess)) return;
    parent = least;
  }
}

function swapIfLess(heap: number[], child: number, parent: number, isLess: Less): boolean {
  const [a = 0, b = 0] = [heap[child], heap[parent]];
  if (!isLess(a, b)) return false;
  heap[child] = b;
  heap[parent] = a;
  return true;
}
