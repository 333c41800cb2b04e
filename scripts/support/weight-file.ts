/** Writes the file that `src/search/embed/weights.ts` describes and reads. */
import {
  FORMAT_VERSION,
  MAGIC,
  PREAMBLE_BYTES,
  alignUp,
  byteLength,
  type TensorEntry,
  type TensorType,
} from '#search/embed/weights.ts';

export interface FileTensor {
  readonly name: string;
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export function int8Tensor(name: string, shape: readonly number[], values: Int8Array): FileTensor {
  return { name, type: 'int8', shape, bytes: bytesOf(values) };
}

export function floatTensor(
  name: string,
  shape: readonly number[],
  values: Float32Array,
): FileTensor {
  return { name, type: 'float32', shape, bytes: bytesOf(values) };
}

export function int32Tensor(
  name: string,
  shape: readonly number[],
  values: Int32Array,
): FileTensor {
  return { name, type: 'int32', shape, bytes: bytesOf(values) };
}

export function textsTensor(name: string, texts: readonly string[]): FileTensor {
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  return { name, type: 'utf8', shape: [bytes.length], bytes };
}

export function encodeWeightFile(model: string, tensors: readonly FileTensor[]): Uint8Array {
  const entries: [string, TensorEntry][] = [];
  let dataBytes = 0;
  for (const { name, type, shape, bytes } of tensors) {
    if (bytes.length !== byteLength({ type, shape })) {
      throw new Error(`${name} has ${bytes.length} bytes, which are not ${type}[${shape.join()}].`);
    }
    entries.push([name, { type, shape, offset: dataBytes }]);
    dataBytes += alignUp(bytes.length);
  }
  const index = new TextEncoder().encode(
    JSON.stringify({ model, tensors: Object.fromEntries(entries) }),
  );
  const dataStart = alignUp(PREAMBLE_BYTES + index.length);
  const file = new Uint8Array(dataStart + dataBytes);
  writePreamble(file, index.length);
  file.set(index, PREAMBLE_BYTES);
  for (const [position, { bytes }] of tensors.entries()) {
    file.set(bytes, dataStart + (entries[position]?.[1].offset ?? 0));
  }
  return file;
}

function writePreamble(file: Uint8Array, indexBytes: number): void {
  file.set(new TextEncoder().encode(MAGIC));
  const view = new DataView(file.buffer);
  view.setUint32(4, FORMAT_VERSION, true);
  view.setUint32(8, indexBytes, true);
  view.setUint32(12, file.length, true);
}

function bytesOf({ buffer, byteOffset, byteLength: length }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
