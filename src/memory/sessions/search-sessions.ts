/** Turns and summaries by what they say (seed 004), of all sessions or of some. */
import type { Summary, SummaryCategory } from '#graph/summary.ts';
import { normaliseSessionId, type Turn } from '#graph/turn.ts';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import { hybrid } from '#search/hybrid.ts';
import type { Hit } from '#search/hit.ts';
import type { World } from '#memory/world.ts';

/** What was found, with how near it is to the question: 0 to 1, and comparable between answers. */
export type Found<Item> = Item & { readonly similarity: number };

const ANYWHERE = { entityType: null, isOfGraph: false, perEntity: 1_000 } as const;

export function sessionSearchUseCases(world: World) {
  const { store } = world;
  return {
    /** The best matches, the nearest first. Of texts longer than an answer the beginning is read. */
    async searchTurns(
      query: string,
      limit: number,
      sessionId: string | undefined,
    ): Promise<Found<Turn>[]> {
      const scope = sessionId === undefined ? {} : { sessionId: normaliseSessionId(sessionId) };
      const filter = { ...ANYWHERE, kinds: ['turn'], ...scope } as const;
      const { hits } = await hybrid(world, query, filter, { limit });
      return rank(hits, (nodeIds) => store.turns.findByIds(nodeIds, READ_CHARS_DEFAULT));
    },

    async searchSummaries(
      query: string,
      limit: number,
      category: SummaryCategory | undefined,
    ): Promise<Found<Summary>[]> {
      const scope = category === undefined ? {} : { category };
      const filter = { ...ANYWHERE, kinds: ['summary'], ...scope } as const;
      const { hits } = await hybrid(world, query, filter, { limit });
      return rank(hits, (nodeIds) => store.summaries.findByIds(nodeIds));
    },
  };
}

/** Which are the best is the search's to say; among them a client expects distances that grow. */
function rank<Item extends { readonly nodeId: number }>(
  hits: readonly Hit[],
  read: (nodeIds: readonly number[]) => readonly Item[],
): Found<Item>[] {
  const similarities = new Map(hits.map(({ nodeId, similarity }) => [nodeId, similarity]));
  return read([...similarities.keys()])
    .map((item) => ({ ...item, similarity: similarities.get(item.nodeId) ?? 0 }))
    .toSorted((a, b) => b.similarity - a.similarity);
}
