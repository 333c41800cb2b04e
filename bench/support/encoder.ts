/** The embedded model in plain Node, from the parts that the Worker puts together. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TextKind } from '#search/embed/embedder.ts';
import { createForwardPass } from '#search/embed/forward-pass.ts';
import { createTokenizer } from '#search/embed/tokenizer.ts';
import { copyFloats, parseWeights, readTexts, WEIGHTS_ASSET } from '#search/embed/weights.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A function that gives the unit vector of a text. Needs `npm run build:embedder`. */
export function openEncoder(): (text: string, kind: TextKind) => Float32Array {
  const file = Uint8Array.from(readFileSync(join(ROOT, 'dist/assets', WEIGHTS_ASSET))).buffer;
  const kernel = readFileSync(join(ROOT, 'src/search/embed/kernel.wasm'));
  const weights = parseWeights(file);
  const pieces = readTexts(weights, 'pieces');
  const tokenizer = createTokenizer(pieces, copyFloats(weights, 'scores', [pieces.length]));
  const forwardPass = createForwardPass(compile(kernel), weights);
  return (text, kind) => forwardPass.run(tokenizer.encode(text), kind);
}

/** Workers get their modules compiled, so their types know no constructor; Node has one. */
function compile(bytes: Uint8Array): WebAssembly.Module {
  const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
  return new Module(bytes);
}
