/**
 * A cheap stand-in for a model: a text is the sum of its words, each a direction of its own, so that
 * texts that share words are near. The rows that a search reads do not depend on the model.
 */
import { hashText } from '#graph/text/hash.ts';
import type { Embedder } from '#search/embed/embedder.ts';
import { EMBEDDED_DIMENSIONS } from '#search/embed/weights.ts';
import { seedRandom } from '../support/random.ts';

/** What every vector of a real model has in common. */
const SHARED_DIRECTION = direction('');
const SHARED_WEIGHT = 0.5;

export function wordEmbedder(): Embedder {
  const directions = new Map<string, Float32Array>();

  function directionOf(word: string): Float32Array {
    const known = directions.get(word);
    if (known !== undefined) return known;
    const made = direction(word);
    directions.set(word, made);
    return made;
  }

  return {
    model: 'words@1',
    dimensions: EMBEDDED_DIMENSIONS,
    understands: (text) => /\p{Script=Latin}/u.test(text),
    async embed(texts) {
      return texts.map((text) => {
        const sum = SHARED_DIRECTION.map((component) => component * SHARED_WEIGHT);
        for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
          for (const [place, component] of directionOf(word).entries()) {
            sum[place] = (sum[place] ?? 0) + component;
          }
        }
        return unit(sum);
      });
    },
  };
}

function direction(word: string): Float32Array {
  const random = seedRandom(hashText(word));
  return unit(Float32Array.from({ length: EMBEDDED_DIMENSIONS }, () => random.next() - 0.5));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component ** 2, 0));
  return vector.map((component) => component / length);
}
