/**
 * The embedder that needs no network: Universal Sentence Encoder *lite* inside this isolate. English;
 * about 3 ms for a question and 9 ms for a fact of 24 tokens, during which the isolate does
 * nothing else: callers with many texts go in steps. `docs/embedder.md` says where the model is from.
 */
import type { Embedder, TextKind } from './embedder.ts';
import { createForwardPass } from './forward-pass.ts';
import kernel from './kernel.wasm';
import { createTokenizer } from './tokenizer.ts';
import {
  EMBEDDED_DIMENSIONS,
  EMBEDDED_MODEL,
  WEIGHTS_ASSET,
  copyFloats,
  parseWeights,
  readTexts,
} from './weights.ts';

/** The part of an assets binding that is used. */
interface Assets {
  fetch(url: string): Promise<Response>;
}

interface Engine {
  embed(text: string, kind: TextKind): Float32Array;
}

/**
 * One for the isolate, however many objects and embedders are in it: 10 MB. Only the finished engine
 * is shared. A promise belongs to the object that began it: when that one is thrown out in the midst
 * of loading, it never settles, and whoever else waited for it would wait for ever.
 */
let engine: Engine | undefined;

/**
 * Make one for each object, or for each request. It loads the weights when it is first asked and the
 * isolate has none yet; a load that fails is tried again by the next call.
 */
export function embeddedEmbedder(load: () => Promise<ArrayBuffer>): Embedder {
  let opening: Promise<Engine> | undefined;

  async function open(): Promise<Engine> {
    const file = await load();
    engine ??= startEngine(file);
    return engine;
  }

  async function getEngine(): Promise<Engine> {
    if (engine) return engine;
    opening ??= open().finally(() => (opening = undefined));
    return opening;
  }

  return {
    model: EMBEDDED_MODEL,
    dimensions: EMBEDDED_DIMENSIONS,
    understands: isMostlyLatin,
    async embed(texts, kind, pause) {
      if (texts.length === 0) return [];
      const { embed } = await getEngine();
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        // oxlint-disable-next-line no-await-in-loop -- The texts share one memory to work in.
        if (vectors.length > 0) await pause?.();
        vectors.push(embed(text, kind));
      }
      return vectors;
    },
  };
}

/** To an English vocabulary every other script is one unknown word, and all such texts are alike. */
function isMostlyLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin * 2 > letters;
}

/** Reads the weight file that `npm run build:embedder` put among the assets. */
export function loadFromAssets(assets: Assets): () => Promise<ArrayBuffer> {
  return async () => {
    // The binding looks at the path alone.
    const response = await assets.fetch(`https://assets.local/${WEIGHTS_ASSET}`);
    if (response.ok) return response.arrayBuffer();
    await response.body?.cancel();
    throw new Error(`The asset ${WEIGHTS_ASSET} is not there (status ${response.status}).`);
  };
}

function startEngine(file: ArrayBuffer): Engine {
  const weights = parseWeights(file);
  if (weights.model !== EMBEDDED_MODEL) {
    throw new Error(`The weight file holds ${weights.model} instead of ${EMBEDDED_MODEL}.`);
  }
  const pieces = readTexts(weights, 'pieces');
  const tokenizer = createTokenizer(pieces, copyFloats(weights, 'scores', [pieces.length]));
  const forwardPass = createForwardPass(kernel, weights);
  return { embed: (text, kind) => forwardPass.run(tokenizer.encode(text), kind) };
}
