/** Makes the vectors of nodes that were written without one. */
import { writePassage } from '#graph/text/passage.ts';
import type { Store } from '#store/store.ts';
import type { WaitingNode } from '#store/search/vectors.ts';
import type { Embedder, Pause } from './embed/embedder.ts';
import { quantise } from './vector-index.ts';

/** Passages that are embedded and stored together: one transaction, and one request of a service. */
const CHUNK = 32;

export interface Progress {
  /** Ids of the nodes that got a vector. */
  readonly settled: readonly number[];
  readonly isMoreWaiting: boolean;
}

/**
 * Embeds some of what waits, oldest first, and stores it. Rejects when the embedder does. `pause` is
 * awaited between slices of the work: others go on then.
 */
export async function workOffBacklog(
  store: Store,
  embedder: Embedder,
  pause: Pause | undefined,
): Promise<Progress> {
  const waiting = store.vectors.backlog(CHUNK);
  // Else the list would never end, nor the alarm that works it off.
  if (waiting.length === 0 && store.vectors.hasBacklog()) store.vectors.forgetStrays();
  const settled =
    waiting.length === 0
      ? []
      : settle(store, embedder, waiting, await embedWaiting(embedder, waiting, pause));
  return { settled, isMoreWaiting: store.vectors.hasBacklog() };
}

/** Vectors by text. Past the cache, which is for what is asked again: a backlog would empty it. */
async function embedWaiting(
  embedder: Embedder,
  waiting: readonly WaitingNode[],
  pause: Pause | undefined,
): Promise<ReadonlyMap<string, Float32Array>> {
  const written = waiting.map(({ passage }) => writePassage(passage));
  const texts = [...new Set(written)].filter((text) => embedder.understands(text));
  const { embed } = embedder.uncached ?? embedder;
  const vectors = await embed(texts, 'passage', pause);
  return new Map(vectors.map((vector, i) => [texts[i] ?? '', vector]));
}

/** Stores vectors in one transaction. Returns the nodes that got one. */
function settle(
  store: Store,
  { model, dimensions }: Embedder,
  waiting: readonly WaitingNode[],
  vectorOf: ReadonlyMap<string, Float32Array>,
): number[] {
  return store.transaction(() => {
    // Others may have written while it was embedded: what changed, or is gone, waits for its own.
    const current = new Map(
      store.vectors
        .waitingAmong(waiting.map(({ nodeId }) => nodeId))
        .map(({ nodeId, passage }) => [nodeId, writePassage(passage)]),
    );
    const settled = waiting.flatMap(({ nodeId, passage }) => {
      const text = writePassage(passage);
      if (current.get(nodeId) !== text) return [];
      // Without a direction it is near nothing, and it waits no longer.
      return [{ nodeId, vector: quantise(vectorOf.get(text) ?? new Float32Array(dimensions)) }];
    });
    store.vectors.settle(model, settled);
    return settled.map(({ nodeId }) => nodeId);
  });
}
