/** From texts to vectors: the tokenizer and the forward pass together, in batches and slices. */
import type { TextKind } from './embedder.ts';
import { createForwardPass, cutTokens } from './forward-pass.ts';
import { createTokenizer } from './tokenizer.ts';
import { copyFloats, readTexts, type Weights } from './weights.ts';

export interface Encoder {
  /**
   * Unit vectors, one for each text, in order. With `givesWay` it yields after each slice of work;
   * other texts may be encoded before it is resumed, and it may be left as it is.
   */
  encode(
    texts: readonly string[],
    kind: TextKind,
    givesWay: boolean,
  ): Generator<undefined, Float32Array[], undefined>;
  /** The pieces that a text is read as. */
  countTokens(text: string): number;
}

/** Takes 10 MB for the weights, and 2 MB for the vocabulary. */
export function createEncoder(kernel: WebAssembly.Module, weights: Weights): Encoder {
  const pieces = readTexts(weights, 'pieces');
  const tokenizer = createTokenizer(pieces, copyFloats(weights, 'scores', [pieces.length]));
  const forwardPass = createForwardPass(kernel, weights);

  return {
    countTokens: (text) => tokenizer.encode(text).length,

    *encode(texts, kind, givesWay) {
      const batchMax = givesWay ? forwardPass.sliceTokens : forwardPass.batchTokensMax;
      const vectors: Float32Array[] = [];
      let batch: (readonly number[])[] = [];
      let tokensOfBatch = 0;
      for (const text of texts) {
        const tokens = cutTokens(tokenizer.encode(text));
        if (batch.length > 0 && tokensOfBatch + tokens.length > batchMax) {
          vectors.push(...(yield* forwardPass.run(batch, kind, givesWay)));
          if (givesWay) yield;
          batch = [];
          tokensOfBatch = 0;
        }
        batch.push(tokens);
        tokensOfBatch += tokens.length;
      }
      if (batch.length > 0) vectors.push(...(yield* forwardPass.run(batch, kind, givesWay)));
      return vectors;
    },
  };
}
