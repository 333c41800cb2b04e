/** The scan kernel of this isolate, however many threads are in it. */
import { startScanKernel, type ScanKernel } from './scan-kernel.ts';
import module from './scan.wasm';

let kernel: ScanKernel | undefined;

export function isolateScanKernel(): ScanKernel {
  kernel ??= startScanKernel(module);
  return kernel;
}
