/** What the index of a thread's vectors takes of a process, seen from outside of its own count. */
import { execFileSync } from 'node:child_process';
import { EMBEDDED_DIMENSIONS } from '#search/embed/weights.ts';
import { VectorIndex } from '#search/vector-index.ts';
import { formatCount, formatMegabytes, type BenchTable } from './bench-table.ts';
import { seedRandom } from './random.ts';
import { openScanKernel } from './scan-kernel.ts';

/** Just below and above the sizes at which the arrays double. */
const SIZES = [50_000, 65_536, 65_537, 131_072, 131_073, 150_000];

interface Growth {
  readonly vectors: number;
  /** As the index itself counts. */
  readonly bytes: number;
  /** Old and new arrays side by side, when the arrays grew last. */
  readonly growingBytes: number;
  /** What the process holds more than before, when the garbage is gone. */
  readonly heldBytes: number;
}

/** Each size in a process of its own: what another left behind must not count. */
export function measureIndexMemory(): BenchTable {
  const grown = SIZES.map((vectors): Growth => {
    const options = ['--expose-gc', import.meta.filename, String(vectors)];
    return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
  });
  return {
    name: 'index-memory',
    head: ['Vectors', 'Bytes of the arrays', 'Held by the process', 'While the arrays grow'],
    rows: grown.map(({ vectors, bytes, heldBytes, growingBytes }) => [
      formatCount(vectors),
      ...[bytes, heldBytes, growingBytes].map(formatMegabytes),
    ]),
  };
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(loadVectors(Number(process.argv[2]))));
}

function loadVectors(vectors: number): Growth {
  const random = seedRandom(1);
  globalThis.gc?.();
  const before = countHeld();
  const index = new VectorIndex(EMBEDDED_DIMENSIONS, openScanKernel());
  let { bytes } = index;
  let growingBytes = bytes;
  for (let nodeId = 1; nodeId <= vectors; nodeId += 1) {
    const values = new Int8Array(EMBEDDED_DIMENSIONS).map(() => random.below(255) - 127);
    index.set(nodeId, { values, scale: 1 / 127 });
    if (index.bytes > bytes) growingBytes = bytes + index.bytes;
    bytes = index.bytes;
  }
  globalThis.gc?.();
  const heldBytes = countHeld() - before;
  // Named last, so that the index is not yet garbage when it is counted.
  return { vectors, bytes: index.bytes, growingBytes, heldBytes };
}

function countHeld(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
