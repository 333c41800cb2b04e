/** Compiles AssemblyScript. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A process of its own: the types of its module would declare AssemblyScript's globals here. */
const COMPILER = fileURLToPath(import.meta.resolve('assemblyscript/bin/asc.js'));

/** SIMD is what makes it fast; no runtime and no import, since it allocates nothing and never aborts. */
const OPTIONS =
  '--enable simd --runtime stub --use abort= --optimizeLevel 3 --shrinkLevel 0 --noAssert --disableWarning';

/** Throws what the compiler says when the source is faulty. */
export function compileKernel(
  source: string,
  root: string,
  { relaxed }: { relaxed: boolean },
): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'skein-kernel-'));
  try {
    const output = join(folder, 'kernel.wasm');
    const files = [relative(root, source), '--baseDir', root, '--outFile', output];
    const features = relaxed ? ['--enable', 'relaxed-simd'] : [];
    const options = [...files, ...OPTIONS.split(' '), ...features];
    execFileSync(process.execPath, [COMPILER, ...options], { cwd: root });
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
