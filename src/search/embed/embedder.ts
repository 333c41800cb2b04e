/** The port to whatever turns text into vectors. */

/** Questions and statements lie in different parts of the space, so the embedder is told which. */
export type TextKind = 'query' | 'passage';

export interface Embedder {
  /** Stands beside every stored vector: vectors of different models are never compared. */
  readonly model: string;
  readonly dimensions: number;
  /** False for a text in a script that the model never learnt: its vector would mean nothing. */
  understands(text: string): boolean;
  /** What lies behind a cache; left out by an embedder that is none. */
  readonly uncached?: Embedder | undefined;
  /**
   * Unit vectors, one a text, in order. Rejects when it cannot answer; the caller does without.
   * An embedder that computes awaits `pause` between slices of at most about 10 ms, so that others
   * get their turn; one that asks a service has no need of it.
   */
  embed(
    texts: readonly string[],
    kind: TextKind,
    pause?: () => Promise<void>,
  ): Promise<Float32Array[]>;
}
