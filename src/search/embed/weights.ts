/**
 * The weight file of the embedded model, as `scripts/build-embedder.ts` writes it. All numbers are
 * little-endian.
 *
 *     byte  0   `SKEM`
 *     byte  4   version of this format, uint32
 *     byte  8   bytes of the index, uint32
 *     byte 12   bytes of the whole file, uint32: tells a file that was cut short
 *     byte 16   the index, JSON: { "model": …, "tensors": { name: { "type", "shape", "offset" } } }
 *     then      the data, from the next multiple of 16; each tensor begins at a multiple of 16
 */

export const MAGIC = 'SKEM';
/** Changes when a file of the format before can no longer be read. */
export const FORMAT_VERSION = 2;
export const PREAMBLE_BYTES = 16;
/** What the kernel's 128-bit loads are fastest at. */
const ALIGNMENT_BYTES = 16;

/**
 * Stored with every vector. Change it when new vectors cannot be compared with stored ones; a
 * rounding that leaves a cosine of 0.999 between them is no reason (`docs/contributing/embedder.md`).
 */
export const EMBEDDED_MODEL = 'use-lite-int8-head256@1';
export const EMBEDDED_DIMENSIONS = 256;
/** Where the build puts the file under the directory of assets, and where the Worker asks for it. */
export const WEIGHTS_ASSET = 'embedder/use-lite-int8-head256.bin';

export type TensorType = 'int8' | 'int32' | 'float32' | 'utf8';

const TENSOR_TYPES: ReadonlySet<unknown> = new Set<TensorType>([
  'int8',
  'int32',
  'float32',
  'utf8',
]);

export interface TensorEntry {
  readonly type: TensorType;
  readonly shape: readonly number[];
  /** Bytes from the start of the data. */
  readonly offset: number;
}

export interface Weights {
  readonly model: string;
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** A view of the file: it is let go of as soon as the kernel has its copy. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Throws an error that says what is wrong with a file that is not whole, or not of this format. */
export function parseWeights(file: ArrayBuffer): Weights {
  const { indexBytes } = readPreamble(file);
  const index = readIndex(new Uint8Array(file, PREAMBLE_BYTES, indexBytes));
  const data = new Uint8Array(file, alignUp(PREAMBLE_BYTES + indexBytes));
  for (const [name, entry] of index.tensors) checkEntry(name, entry, data.byteLength);
  return { ...index, data };
}

/** The entry of a tensor that must be there in that form. */
export function getEntry(
  { tensors }: Weights,
  name: string,
  type: TensorType,
  shape: readonly number[],
): TensorEntry {
  const entry = tensors.get(name);
  if (entry === undefined) throw fault(`the tensor ${name} is missing`);
  const [found, wanted] = [describeForm(entry), describeForm({ type, shape })];
  if (found !== wanted) throw fault(`the tensor ${name} is ${found} instead of ${wanted}`);
  return entry;
}

/** A copy of a tensor's numbers. */
export function copyFloats(weights: Weights, name: string, shape: readonly number[]): Float32Array {
  const { offset } = getEntry(weights, name, 'float32', shape);
  const bytes = weights.data.slice(offset, offset + byteLength({ type: 'float32', shape }));
  return new Float32Array(bytes.buffer);
}

/** A list of texts, which is stored as JSON. */
export function readTexts(weights: Weights, name: string): string[] {
  const entry = weights.tensors.get(name);
  const { offset, shape } = getEntry(weights, name, 'utf8', entry?.shape ?? []);
  const texts = readJson(weights.data.subarray(offset, offset + countElements(shape)));
  if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  throw fault(`${name} is not a list of texts`);
}

export function byteLength({ type, shape }: Pick<TensorEntry, 'type' | 'shape'>): number {
  return countElements(shape) * (type === 'float32' || type === 'int32' ? 4 : 1);
}

/** The shape of a matrix [outputs, inputs] in the order in which the kernel reads it. */
export function panelShape(outputs: number, inputs: number): readonly number[] {
  return [outputs / 8, inputs / 4, 8, 4];
}

export function alignUp(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}

function readPreamble(file: ArrayBuffer): { indexBytes: number } {
  if (file.byteLength < PREAMBLE_BYTES) throw fault(`it has ${file.byteLength} bytes`);
  const magic = String.fromCharCode(...new Uint8Array(file, 0, MAGIC.length));
  if (magic !== MAGIC) throw fault(`it does not begin with ${MAGIC}`);
  const view = new DataView(file);
  const version = view.getUint32(4, true);
  if (version !== FORMAT_VERSION) {
    throw fault(`its format is version ${version} and this code reads version ${FORMAT_VERSION}`);
  }
  const indexBytes = view.getUint32(8, true);
  const fileBytes = view.getUint32(12, true);
  if (fileBytes !== file.byteLength) {
    throw fault(`it has ${file.byteLength} bytes instead of ${fileBytes}`);
  }
  if (alignUp(PREAMBLE_BYTES + indexBytes) > fileBytes) throw fault('its index is cut short');
  return { indexBytes };
}

function readIndex(bytes: Uint8Array): Pick<Weights, 'model' | 'tensors'> {
  const index = readJson(bytes);
  if (!isRecord(index) || typeof index['model'] !== 'string' || !isRecord(index['tensors'])) {
    throw fault('its index has no model or no tensors');
  }
  const tensors = Object.entries(index['tensors']).map(([name, entry]): [string, TensorEntry] => {
    if (!isEntry(entry)) throw fault(`the entry of ${name} is not one of a tensor`);
    return [name, entry];
  });
  return { model: index['model'], tensors: new Map(tensors) };
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw fault('a part that is JSON cannot be read');
  }
}

function checkEntry(name: string, entry: TensorEntry, dataBytes: number): void {
  if (entry.offset % ALIGNMENT_BYTES !== 0) throw fault(`the tensor ${name} is not aligned`);
  if (entry.offset + byteLength(entry) > dataBytes) throw fault(`the tensor ${name} is cut short`);
}

function isEntry(value: unknown): value is TensorEntry {
  return (
    isRecord(value) &&
    TENSOR_TYPES.has(value['type']) &&
    Array.isArray(value['shape']) &&
    value['shape'].every(isCount) &&
    isCount(value['offset'])
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function countElements(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function describeForm({ type, shape }: Pick<TensorEntry, 'type' | 'shape'>): string {
  return `${type}[${shape.join(', ')}]`;
}

function fault(what: string): Error {
  return new Error(`The weight file cannot be used: ${what}. Run: npm run build:embedder`);
}
