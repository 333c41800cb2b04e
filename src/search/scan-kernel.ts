/**
 * Many dot products at once, by the instructions for vectors that JavaScript has not. The kernel
 * keeps nothing: vectors are copied into its memory some at a time, which costs less than a memory
 * for each thread would reserve.
 */

export interface ScanKernel {
  /**
   * Dot products of `query` with each row of `vectors`, in their order. A row has as many components
   * as the query, which must be a multiple of `SCAN_LANES`, and the sums must fit into 32 bits.
   */
  multiply(query: Int16Array, vectors: Int8Array): Int32Array;
}

/** What `scan-source.ts` exports; every address counts bytes. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  firstFreeByte(): number;
  multiply(query: number, vectors: number, sums: number, rows: number, dimensions: number): void;
}

/** Components of a row are a multiple of this. */
export const SCAN_LANES = 16;

/** Bytes of vectors that are copied at a time: they stay in the cache of a processor. */
const ROOM_BYTES = 128 * 1024;
const PAGE_BYTES = 64 * 1024;

/** One for the isolate is enough. */
export function startScanKernel(module: WebAssembly.Module): ScanKernel {
  const kernel = new WebAssembly.Instance(module).exports as unknown as Exports;
  const vectorsAt = alignUp(kernel.firstFreeByte());
  const sumsAt = vectorsAt + ROOM_BYTES;
  const queryAt = sumsAt + (ROOM_BYTES / SCAN_LANES) * Int32Array.BYTES_PER_ELEMENT;

  function reserve(bytes: number): void {
    const missing = bytes - kernel.memory.buffer.byteLength;
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  return {
    multiply(query, vectors) {
      const dimensions = query.length;
      reserve(queryAt + query.byteLength);
      const { buffer } = kernel.memory;
      new Int16Array(buffer, queryAt, dimensions).set(query);
      const room = new Int8Array(buffer, vectorsAt, ROOM_BYTES);
      const products = new Int32Array(vectors.length / dimensions);
      const rowsAtOnce = Math.floor(ROOM_BYTES / dimensions);
      for (let row = 0; row < products.length; row += rowsAtOnce) {
        const rows = Math.min(rowsAtOnce, products.length - row);
        room.set(vectors.subarray(row * dimensions, (row + rows) * dimensions));
        kernel.multiply(queryAt, vectorsAt, sumsAt, rows, dimensions);
        products.set(new Int32Array(buffer, sumsAt, rows), row);
      }
      return products;
    },
  };
}

function alignUp(address: number): number {
  return Math.ceil(address / SCAN_LANES) * SCAN_LANES;
}
