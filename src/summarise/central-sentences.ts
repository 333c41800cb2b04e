/**
 * LexRank (Erkan and Radev, "LexRank: Graph-based Lexical Centrality as Salience in Text
 * Summarization", Journal of Artificial Intelligence Research 22, 2004), in its continuous form:
 * sentences recommend each other by the cosine of their tf-idf vectors, and how central one is comes
 * out as its share of a random walk over these recommendations.
 */
import { contentWordsOf } from './words.ts';

/** Two sentences that share less say nothing of each other. */
const SIMILARITY_MIN = 0.1;
/** The walk follows a recommendation with this probability, as in PageRank; else it jumps anywhere. */
const DAMPING = 0.85;
const STEPS_MAX = 50;
const CHANGE_MIN = 1e-4;

type Weights = ReadonlyMap<string, number>;

/** Centrality of each sentence, in their order; they sum up to 1. Work grows with their square. */
export function rankByCentrality(sentences: readonly string[]): number[] {
  const vectors = weighWords(sentences);
  const similarities = vectors.map((one) =>
    vectors.map((other) => {
      const similarity = one === other ? 0 : cosine(one, other);
      return similarity >= SIMILARITY_MIN ? similarity : 0;
    }),
  );
  const totals = similarities.map((row) => row.reduce((sum, value) => sum + value, 0));
  const count = sentences.length;
  let ranks = sentences.map(() => 1 / count);
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const before = ranks;
    const jumped = before.reduce((sum, rank, from) => (totals[from] === 0 ? sum + rank : sum), 0);
    ranks = sentences.map((_, to) => {
      const followed = before.reduce((sum, rank, from) => {
        const total = totals[from] ?? 0;
        return total === 0 ? sum : sum + (rank * (similarities[from]?.[to] ?? 0)) / total;
      }, 0);
      return (1 - DAMPING) / count + DAMPING * (followed + jumped / count);
    });
    const change = ranks.reduce((sum, rank, at) => sum + Math.abs(rank - (before[at] ?? 0)), 0);
    if (change < CHANGE_MIN) break;
  }
  return ranks;
}

/** Cosine of the words that two sentences have, 0 to 1. */
export function similarityOf(one: string, other: string): number {
  const [first, second] = weighWords([one, other], () => 1);
  return first && second ? cosine(first, second) : 0;
}

/** Each sentence's words with how often they stand there, times how few sentences have them. */
function weighWords(
  sentences: readonly string[],
  weigh = (containing: number) => Math.log(1 + sentences.length / containing),
): Weights[] {
  const words = sentences.map(contentWordsOf);
  const containing = new Map<string, number>();
  for (const word of words.flatMap((own) => [...new Set(own)])) {
    containing.set(word, (containing.get(word) ?? 0) + 1);
  }
  return words.map((own) => {
    const weights = new Map<string, number>();
    for (const word of own) {
      weights.set(word, (weights.get(word) ?? 0) + weigh(containing.get(word) ?? 1));
    }
    return weights;
  });
}

function cosine(one: Weights, other: Weights): number {
  const lengths = lengthOf(one) * lengthOf(other);
  if (lengths === 0) return 0;
  let product = 0;
  for (const [word, weight] of one) product += weight * (other.get(word) ?? 0);
  return product / lengths;
}

function lengthOf(weights: Weights): number {
  let squares = 0;
  for (const weight of weights.values()) squares += weight * weight;
  return Math.sqrt(squares);
}
