/** Encodes many texts on all cores, and keeps what came of it for the next run. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TextKind } from '#search/embed/embedder.ts';
import { EMBEDDED_DIMENSIONS, EMBEDDED_MODEL } from '#search/embed/weights.ts';
import type { EncodeJob } from './encode-worker.ts';

/** Git ignores it. */
const CACHE = resolve(import.meta.dirname, '../../results/vectors');

const ENCODER = join(import.meta.dirname, 'encode-worker.ts');

/** One unit vector a text, in order. */
export async function encodeTexts(
  texts: readonly string[],
  kind: TextKind,
): Promise<Float32Array[]> {
  const key = createHash('sha256').update(JSON.stringify([EMBEDDED_MODEL, kind, texts]));
  const path = join(CACHE, `${key.digest('hex').slice(0, 16)}.bin`);
  if (!existsSync(path)) {
    const vectors = await encodeInParallel(texts, kind);
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(path, vectors);
  }
  const all = new Float32Array(Uint8Array.from(readFileSync(path)).buffer);
  return texts.map((_, place) =>
    all.subarray(place * EMBEDDED_DIMENSIONS, (place + 1) * EMBEDDED_DIMENSIONS),
  );
}

async function encodeInParallel(texts: readonly string[], kind: TextKind): Promise<Float32Array> {
  const share = Math.ceil(texts.length / availableParallelism());
  const starts = Array.from({ length: Math.ceil(texts.length / share) }, (_, i) => i * share);
  const parts = await Promise.all(
    starts.map((start) => encodeShare({ texts: texts.slice(start, start + share), kind })),
  );
  const vectors = new Float32Array(texts.length * EMBEDDED_DIMENSIONS);
  for (const [index, part] of parts.entries()) {
    vectors.set(part, index * share * EMBEDDED_DIMENSIONS);
  }
  return vectors;
}

async function encodeShare(job: EncodeJob): Promise<Float32Array> {
  const worker = new Worker(ENCODER, { workerData: job });
  return new Promise((resolveVectors, reject) => {
    worker.once('message', resolveVectors);
    worker.once('error', reject);
  });
}
