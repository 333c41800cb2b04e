/** The port to whatever turns text into vectors. */

/** Questions and statements lie in different parts of the space, so the embedder is told which. */
export type TextKind = 'query' | 'passage';

/**
 * Lets others have their turn while long work is done; settles when the work may go on. It may never
 * settle (the object that asked was evicted): then the work is not resumed, and blocks nothing.
 */
export type Pause = () => Promise<void>;

export interface Embedder {
  /** Stands beside every stored vector: vectors of different models are never compared. */
  readonly model: string;
  readonly dimensions: number;
  /** False for a text in a script that the model never learnt: its vector would mean nothing. */
  understands(text: string): boolean;
  /**
   * True for a word that the model can only spell, as it does a hash or a made-up name: its vector tells
   * little. An embedder that cannot tell at once says no, and one that never can leaves this out.
   */
  spells?(word: string): boolean;
  /** What lies behind a cache; left out by an embedder that is none. */
  readonly uncached?: Embedder | undefined;
  /**
   * Unit vectors, one a text, in order. Rejects when it cannot answer; the caller does without.
   *
   * With `pause`, an embedder that computes in this isolate awaits it between two slices of at most
   * about 10 ms of work; an error that it rejects with ends the work. One that waits for a service
   * never calls it. Without `pause` the work runs through.
   */
  embed(texts: readonly string[], kind: TextKind, pause?: Pause): Promise<Float32Array[]>;
}
