/**
 * Compares a question with many vectors at once, by the instructions for vectors that JavaScript has not.
 * The kernel keeps nothing: vectors are copied into its memory some at a time, which costs less than a
 * memory for each thread would reserve.
 */

/** A question as it is multiplied: integers, so that every engine gets the same cosines. */
export interface AskedVector {
  readonly values: Int16Array;
  readonly scale: number;
}

export interface ScanKernel {
  /**
   * Similarities of `asked` to each row of `vectors`, in their order: the dot product times both scales,
   * of which `scales` has one for each row. A row has as many components as the question, which must be
   * a multiple of `SCAN_LANES`, and the dot products must fit into 32 bits.
   */
  compare(asked: AskedVector, vectors: Int8Array, scales: Float32Array): Float32Array;
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

/** Bytes of vectors that are copied at a time: they stay in the cache of a processor. */
const ROOM_BYTES = 128 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Of a number for each row that fits into the room. */
const NUMBERS_BYTES = (ROOM_BYTES / SCAN_LANES) * Float32Array.BYTES_PER_ELEMENT;

/** One for the isolate is enough. */
export function startScanKernel(module: WebAssembly.Module): ScanKernel {
  const kernel = new WebAssembly.Instance(module).exports as unknown as Exports;
  const vectorsAt = alignUp(kernel.firstFreeByte());
  const scalesAt = vectorsAt + ROOM_BYTES;
  const similaritiesAt = scalesAt + NUMBERS_BYTES;
  const queryAt = similaritiesAt + NUMBERS_BYTES;

  function reserve(bytes: number): void {
    const missing = bytes - kernel.memory.buffer.byteLength;
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  return {
    compare({ values, scale }, vectors, scales) {
      const dimensions = values.length;
      reserve(queryAt + values.byteLength);
      const { buffer } = kernel.memory;
      new Int16Array(buffer, queryAt, dimensions).set(values);
      const room = new Int8Array(buffer, vectorsAt, ROOM_BYTES);
      const similarities = new Float32Array(vectors.length / dimensions);
      const rowsAtOnce = Math.floor(ROOM_BYTES / dimensions);
      for (let row = 0; row < similarities.length; row += rowsAtOnce) {
        const rows = Math.min(rowsAtOnce, similarities.length - row);
        room.set(vectors.subarray(row * dimensions, (row + rows) * dimensions));
        new Float32Array(buffer, scalesAt, rows).set(scales.subarray(row, row + rows));
        kernel.compare(queryAt, vectorsAt, scalesAt, similaritiesAt, rows, dimensions, scale);
        similarities.set(new Float32Array(buffer, similaritiesAt, rows), row);
      }
      return similarities;
    },
  };
}

function alignUp(address: number): number {
  return Math.ceil(address / SCAN_LANES) * SCAN_LANES;
}
