/**
 * The embedder that needs no network: Universal Sentence Encoder *lite* inside this isolate. English;
 * 1 to 2 ms for a question and 2 to 4 ms for a fact of 24 tokens, during which the isolate does
 * nothing else: callers with many texts give a `pause`. `docs/contributing/embedder.md` says where the model is
 * from.
 */
import type { Embedder } from './embedder.ts';
import { createEncoder, type Encoder } from './encoder.ts';
import { kernel } from './kernels.ts';
import { EMBEDDED_DIMENSIONS, EMBEDDED_MODEL, WEIGHTS_ASSET, parseWeights } from './weights.ts';

/** The part of an assets binding that is used. */
interface Assets {
  fetch(url: string): Promise<Response>;
}

/**
 * One for the isolate, however many objects and embedders are in it: 10 MB. Only the finished encoder
 * is shared. A promise belongs to the object that began it: when that one is thrown out in the midst
 * of loading, it never settles, and whoever else waited for it would wait for ever.
 */
let encoder: Encoder | undefined;

/**
 * Make one for each object, or for each request. It loads the weights when it is first asked and the
 * isolate has none yet; a load that fails is tried again by the next call.
 */
export function embeddedEmbedder(load: () => Promise<ArrayBuffer>): Embedder {
  let opening: Promise<Encoder> | undefined;

  async function open(): Promise<Encoder> {
    const file = await load();
    encoder ??= startEncoder(file);
    return encoder;
  }

  async function getEncoder(): Promise<Encoder> {
    if (encoder) return encoder;
    opening ??= open().finally(() => (opening = undefined));
    return opening;
  }

  return {
    model: EMBEDDED_MODEL,
    dimensions: EMBEDDED_DIMENSIONS,
    understands: isMostlyLatin,
    spells: (word) => encoder !== undefined && isSpelt(word, encoder.countTokens(word)),
    async embed(texts, kind, pause) {
      if (texts.length === 0) return [];
      const { encode } = await getEncoder();
      const work = encode(texts, kind, pause !== undefined);
      for (;;) {
        const slice = work.next();
        if (slice.done) return slice.value;
        // oxlint-disable-next-line no-await-in-loop -- One slice follows the other.
        await pause?.();
      }
    },
  };
}

/** A word with at least this many pieces of at most this many characters is not in the model's vocabulary. */
const SPELT_PIECES_MIN = 7;
const SPELT_CHARS_PER_PIECE_MAX = 3;

/** `getUserAccountSettings` consists of words, though the model does not see where they begin. */
const JOINED_WORDS = /\p{Ll}\p{Lu}/u;

function isSpelt(word: string, pieces: number): boolean {
  return (
    pieces >= SPELT_PIECES_MIN &&
    word.length < pieces * SPELT_CHARS_PER_PIECE_MAX &&
    !JOINED_WORDS.test(word)
  );
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
    throw new Error(
      `The asset ${WEIGHTS_ASSET} is missing (status ${response.status}). Make it: npm run build:embedder`,
    );
  };
}

function startEncoder(file: ArrayBuffer): Encoder {
  const weights = parseWeights(file);
  if (weights.model !== EMBEDDED_MODEL) {
    throw new Error(
      `The weight file holds ${weights.model} instead of ${EMBEDDED_MODEL}. Run: npm run build:embedder`,
    );
  }
  return createEncoder(kernel, weights);
}
