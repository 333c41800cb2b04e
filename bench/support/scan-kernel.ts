/** The scan kernel in plain Node. Needs `npm run build:embedder`. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startScanKernel, type ScanKernel } from '#search/scan-kernel.ts';

const KERNEL = resolve(import.meta.dirname, '../../src/search/scan.wasm');

/** Workers get their modules compiled, so their types know no constructor; Node has one. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

export function openScanKernel(): ScanKernel {
  return startScanKernel(new Module(readFileSync(KERNEL)));
}
