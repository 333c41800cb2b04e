/** The embedded model in plain Node, from the parts that the Worker puts together. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TextKind } from '#search/embed/embedder.ts';
import { createEncoder, type Encoder } from '#search/embed/encoder.ts';
import { RELAXED_KERNEL } from '#search/embed/kernel-relaxed.ts';
import { parseWeights, WEIGHTS_ASSET } from '#search/embed/weights.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A function that gives the unit vector of a text. Needs `npm run build:embedder`. */
/** @public The build of another checkout is loaded by its path. */
export function openEncoder(): (text: string, kind: TextKind) => Float32Array {
  const encode = openBatchEncoder('relaxed');
  return (text, kind) => {
    const [vector] = encode([text], kind);
    if (vector === undefined) throw new Error('A text has no vector.');
    return vector;
  };
}

/** A function that gives the unit vectors of texts, made by one of the two kernels. */
export function openBatchEncoder(
  name: 'relaxed' | 'plain',
): (texts: readonly string[], kind: TextKind) => Float32Array[] {
  const { encode } = openKernelEncoder(name);
  return (texts, kind) => {
    const slice = encode(texts, kind, false).next();
    if (!slice.done) throw new Error('The encoder stopped although it was not to give way.');
    return slice.value;
  };
}

function openKernelEncoder(name: 'relaxed' | 'plain'): Encoder {
  const file = Uint8Array.from(readFileSync(join(ROOT, 'dist/assets', WEIGHTS_ASSET))).buffer;
  const bytes =
    name === 'relaxed'
      ? Uint8Array.from(Buffer.from(RELAXED_KERNEL, 'base64'))
      : readFileSync(join(ROOT, 'src/search/embed/kernel.wasm'));
  return createEncoder(compile(bytes), parseWeights(file));
}

/** Workers get their modules compiled, so their types know no constructor; Node has one. */
function compile(bytes: Uint8Array): WebAssembly.Module {
  const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
  return new Module(bytes);
}
