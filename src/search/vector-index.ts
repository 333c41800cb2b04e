/**
 * The vectors of one thread in memory: int8 with a scale each, scanned whole. Derived from the
 * `vector` table: it may hold what is gone, so that hits are checked against it.
 */
import { greatest } from './greatest.ts';
import { SCAN_LANES, type AskedVector, type ScanKernel } from './scan-kernel.ts';

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

const BYTE_MAX = 127;
const SHORT_MAX = 32_767;
const INT_MAX = 2 ** 31 - 1;

const INITIAL_CAPACITY = 256;
/** Large arrays grow by less: an isolate has 128 MB, and old and new stand side by side. */
const DOUBLED_UP_TO = 16_384;
const GROWTH = 1.25;

/** Rounds a unit vector to int8, the greatest component to ±127. */
export function quantise(vector: Float32Array): QuantisedVector {
  let greatest = 0;
  for (const component of vector) greatest = Math.max(greatest, Math.abs(component));
  const scale = greatest === 0 ? 1 : greatest / BYTE_MAX;
  return { values: Int8Array.from(vector, (component) => Math.round(component / scale)), scale };
}

/** The vector that a quantised one stands for. */
export function dequantise({ values, scale }: QuantisedVector): Float32Array {
  return Float32Array.from(values, (value) => value * scale);
}

/** The question that a vector is compared with, and as it is multiplied. */
interface Asked extends AskedVector {
  readonly query: Float32Array;
}

export class VectorIndex {
  readonly dimensions: number;
  readonly #kernel: ScanKernel;
  /** Components of a row, zeros at its end included. */
  readonly #stride: number;
  #count = 0;
  /** Rows that no vector came into since the last scan: those before the first that one came into. */
  #unchangedRows = 0;
  /** The kernel may know it for longer than this index lives. */
  readonly #identity = {};
  #values: Int8Array;
  #scales: Float32Array;
  #nodeIds: Float64Array;
  /** Of all vectors, for their mean. */
  readonly #sum: Float64Array;
  readonly #rowOf = new Map<number, number>();
  /** The last question: a search compares it with many nodes. */
  #asked: Asked | undefined;

  constructor(dimensions: number, kernel: ScanKernel) {
    this.dimensions = dimensions;
    this.#kernel = kernel;
    this.#stride = Math.ceil(dimensions / SCAN_LANES) * SCAN_LANES;
    this.#values = new Int8Array(INITIAL_CAPACITY * this.#stride);
    this.#scales = new Float32Array(INITIAL_CAPACITY);
    this.#nodeIds = new Float64Array(INITIAL_CAPACITY);
    this.#sum = new Float64Array(dimensions);
  }

  get size(): number {
    return this.#count;
  }

  /** Bytes of the arrays, room for growth included. */
  get bytes(): number {
    const arrays = [this.#values, this.#scales, this.#nodeIds];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Adds a vector, or replaces the one of that node. A vector that the node has changes nothing. */
  set(nodeId: number, { values, scale }: QuantisedVector): void {
    const row = this.#rowOf.get(nodeId) ?? this.#count;
    if (row === this.#count) {
      this.#reserve(row + 1);
      this.#count += 1;
      this.#rowOf.set(nodeId, row);
    } else if (this.#holds(row, values, scale)) {
      return;
    } else {
      this.#addToSum(row, -1);
    }
    this.#unchangedRows = Math.min(this.#unchangedRows, row);
    this.#nodeIds[row] = nodeId;
    this.#scales[row] = scale;
    this.#values.set(values, row * this.#stride);
    this.#addToSum(row, 1);
  }

  /** Forgets a node; the last vector takes its place. */
  delete(nodeId: number): void {
    const row = this.#rowOf.get(nodeId);
    if (row === undefined) return;
    this.#addToSum(row, -1);
    this.#unchangedRows = Math.min(this.#unchangedRows, row);
    const last = this.#count - 1;
    const lastId = this.#nodeIds[last] ?? 0;
    const stride = this.#stride;
    this.#values.copyWithin(row * stride, last * stride, (last + 1) * stride);
    this.#scales[row] = this.#scales[last] ?? 0;
    this.#nodeIds[row] = lastId;
    this.#rowOf.set(lastId, row);
    this.#rowOf.delete(nodeId);
    this.#count = last;
  }

  /** Cosine of a query with one node, as `scan` has it; undefined when the node has no vector. */
  similarityTo(query: Float32Array, nodeId: number): number | undefined {
    const row = this.#rowOf.get(nodeId);
    if (row === undefined) return undefined;
    const { values: asked, scale } = this.#ask(query);
    const values = this.#values;
    const start = row * this.#stride;
    let sum = 0;
    for (let index = 0; index < asked.length; index += 1) {
      sum += (asked[index] ?? 0) * (values[start + index] ?? 0);
    }
    return Math.fround(sum * scale * (this.#scales[row] ?? 0));
  }

  /** The `limit` nearest nodes. `query` must be a unit vector of the same dimensions. */
  scan(query: Float32Array, limit: number): Scan {
    const similarities = this.#kernel.compare(this.#ask(query), {
      values: this.#values.subarray(0, this.#count * this.#stride),
      scales: this.#scales,
      owner: this.#identity,
      unchangedRows: this.#unchangedRows,
    });
    this.#unchangedRows = this.#count;
    let highest = -1;
    let lowest = 1;
    for (let row = 0; row < similarities.length; row += 1) {
      const similarity = similarities[row] ?? 0;
      if (similarity > highest) highest = similarity;
      if (similarity < lowest) lowest = similarity;
    }
    const neighbours = greatest(similarities, limit).map((row) => ({
      nodeId: this.#nodeIds[row] ?? 0,
      similarity: similarities[row] ?? 0,
    }));
    return { neighbours, highest, lowest, mean: this.#meanSimilarity(query) };
  }

  /** Rounds a question to as many bits as leave no sum of a row beyond 32. */
  #ask(query: Float32Array): Asked {
    if (this.#asked?.query === query) return this.#asked;
    const most = Math.min(SHORT_MAX, Math.floor(INT_MAX / (BYTE_MAX * this.#stride)));
    let greatestPart = 0;
    for (const part of query) greatestPart = Math.max(greatestPart, Math.abs(part));
    const scale = greatestPart === 0 ? 1 : greatestPart / most;
    const values = new Int16Array(this.#stride);
    for (const [index, part] of query.entries()) values[index] = Math.round(part / scale);
    this.#asked = { query, values, scale };
    return this.#asked;
  }

  /** The mean of the cosines is the cosine with the mean: no vector has to be looked at. */
  #meanSimilarity(query: Float32Array): number {
    let sum = 0;
    for (const [index, component] of query.entries()) sum += component * (this.#sum[index] ?? 0);
    return this.#count === 0 ? 0 : sum / this.#count;
  }

  #holds(row: number, values: Int8Array, scale: number): boolean {
    const start = row * this.#stride;
    return (
      this.#scales[row] === Math.fround(scale) &&
      values.every((value, index) => this.#values[start + index] === value)
    );
  }

  #addToSum(row: number, sign: 1 | -1): void {
    const start = row * this.#stride;
    const scale = (this.#scales[row] ?? 0) * sign;
    for (let index = 0; index < this.dimensions; index += 1) {
      this.#sum[index] = (this.#sum[index] ?? 0) + scale * (this.#values[start + index] ?? 0);
    }
  }

  #reserve(rows: number): void {
    const capacity = this.#scales.length;
    if (rows <= capacity) return;
    const growth = capacity < DOUBLED_UP_TO ? 2 : GROWTH;
    const grown = Math.max(rows, Math.ceil(capacity * growth));
    this.#values = enlarge(this.#values, new Int8Array(grown * this.#stride));
    this.#scales = enlarge(this.#scales, new Float32Array(grown));
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
