/** Compiles AssemblyScript. */
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** SIMD is what makes it fast; no runtime and no import, since it allocates nothing and cannot abort. */
const OPTIONS = [
  ...['--enable', 'simd'],
  ...['--runtime', 'stub'],
  ...['--use', 'abort='],
  ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--noAssert'],
];

export async function compileKernel(source: string, root: string): Promise<Uint8Array> {
  // The compiler takes a second to load, and most builds have nothing to compile.
  const { default: asc } = await import('assemblyscript/asc');
  const folder = mkdtempSync(join(tmpdir(), 'skein-kernel-'));
  try {
    const output = join(folder, 'kernel.wasm');
    const { error, stderr } = await asc.main([
      ...[relative(root, source), '--baseDir', root, '--outFile', output],
      ...OPTIONS,
    ]);
    if (error) throw new Error(`${relative(root, source)} does not compile:\n${stderr.toString()}`);
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
