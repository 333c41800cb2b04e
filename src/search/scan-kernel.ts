/**
 * Compares a question with many vectors at once, by the instructions for vectors that JavaScript has not.
 * Vectors are copied into the kernel's memory, which costs less than a memory for each thread would
 * reserve. It keeps those that it compared last: to copy them takes as long as to compare them, and
 * who asks a thread often asks it again.
 */

/** A question as it is multiplied: integers, so that every engine gets the same cosines. */
export interface AskedVector {
  readonly values: Int16Array;
  readonly scale: number;
}

/** Vectors to compare with. A row has as many components as the question, which is a multiple of `SCAN_LANES`. */
export interface ScannedRows {
  readonly values: Int8Array;
  /** One for each row. */
  readonly scales: Float32Array;
  /** Whose rows they are: the same object each time. */
  readonly owner: object;
  /** The first rows, as many as are what they were when these were compared last. */
  readonly unchangedRows: number;
}

export interface ScanKernel {
  /**
   * Similarities to each row, in their order: the dot product times both scales. The dot products must
   * fit into 32 bits.
   */
  compare(asked: AskedVector, rows: ScannedRows): Float32Array;
}

/** What `scan-source.ts` exports; every address counts bytes. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  firstFreeByte(): number;
  compare(
    query: number,
    vectors: number,
    scales: number,
    similarities: number,
    rows: number,
    dimensions: number,
    scale: number,
  ): void;
}

/** Components of a row are a multiple of this. */
export const SCAN_LANES = 16;

/** Bytes of vectors that are kept. Of more, some are copied at a time: they stay in the cache of a processor. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
const ROOM_BYTES = 128 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Of a number for each row that fits into the room. */
const NUMBERS_BYTES = (ROOM_BYTES / SCAN_LANES) * Float32Array.BYTES_PER_ELEMENT;

/** One for the isolate is enough. `keptBytesMax` is for tests. */
export function startScanKernel(
  module: WebAssembly.Module,
  keptBytesMax = KEPT_BYTES_MAX,
): ScanKernel {
  const kernel = new WebAssembly.Instance(module).exports as unknown as Exports;
  const scalesAt = alignUp(kernel.firstFreeByte());
  const similaritiesAt = scalesAt + NUMBERS_BYTES;
  const queryAt = similaritiesAt + NUMBERS_BYTES;
  let keptOwner: object | undefined;

  function reserve(bytes: number): void {
    const missing = bytes - kernel.memory.buffer.byteLength;
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  /** Copies what the memory does not have yet. Returns where a number of rows, from one onwards, stand. */
  function place({ values, owner, unchangedRows }: ScannedRows, dimensions: number) {
    const vectorsAt = alignUp(queryAt + dimensions * Int16Array.BYTES_PER_ELEMENT);
    const isKept = values.length <= keptBytesMax;
    reserve(vectorsAt + (isKept ? values.length : ROOM_BYTES));
    const room = new Int8Array(kernel.memory.buffer, vectorsAt);
    if (isKept) {
      const from = (keptOwner === owner ? unchangedRows : 0) * dimensions;
      room.set(values.subarray(from), from);
    }
    keptOwner = isKept ? owner : undefined;
    return (row: number, rows: number) => {
      if (isKept) return vectorsAt + row * dimensions;
      room.set(values.subarray(row * dimensions, (row + rows) * dimensions));
      return vectorsAt;
    };
  }

  return {
    compare({ values, scale }, rows) {
      const dimensions = values.length;
      const placeOf = place(rows, dimensions);
      const { buffer } = kernel.memory;
      new Int16Array(buffer, queryAt, dimensions).set(values);
      const similarities = new Float32Array(rows.values.length / dimensions);
      const rowsAtOnce = Math.floor(ROOM_BYTES / dimensions);
      for (let row = 0; row < similarities.length; row += rowsAtOnce) {
        const count = Math.min(rowsAtOnce, similarities.length - row);
        const vectorsAt = placeOf(row, count);
        new Float32Array(buffer, scalesAt, count).set(rows.scales.subarray(row, row + count));
        kernel.compare(queryAt, vectorsAt, scalesAt, similaritiesAt, count, dimensions, scale);
        similarities.set(new Float32Array(buffer, similaritiesAt, count), row);
      }
      return similarities;
    },
  };
}

function alignUp(address: number): number {
  return Math.ceil(address / SCAN_LANES) * SCAN_LANES;
}
