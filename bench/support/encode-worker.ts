/** A thread that encodes its share of the texts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TextKind } from '#search/embed/embedder.ts';
import { EMBEDDED_DIMENSIONS } from '#search/embed/weights.ts';
import { openEncoder } from './encoder.ts';

export interface EncodeJob {
  readonly texts: readonly string[];
  readonly kind: TextKind;
}

const { texts, kind } = workerData as EncodeJob;
const encode = openEncoder();
const vectors = new Float32Array(texts.length * EMBEDDED_DIMENSIONS);
for (const [place, text] of texts.entries()) {
  vectors.set(encode(text, kind), place * EMBEDDED_DIMENSIONS);
}
parentPort?.postMessage(vectors);
