/** Search as the graph tools want it: facts found are folded into the entities they are about. */
import { hybrid, type Hit } from '#search/hybrid.ts';
import type { Detail } from './budget.ts';
import { readingUseCases, type GraphView } from './reading.ts';
import type { World } from './world.ts';

export interface FoundGraph extends GraphView {
  /** Where the next page begins; null when this was the last. */
  readonly nextOffset: number | null;
}

/** Matches of one entity that are looked at: the best decides, the others only add a little. */
const MATCHES_PER_ENTITY = 4;
const OF_GRAPH = {
  kinds: ['entity', 'fact'],
  isOfGraph: true,
  perEntity: MATCHES_PER_ENTITY,
} as const;

/** Further matching facts add a little; they cannot outweigh one better match. */
const FURTHER_FACT_SHARE = 0.1;

export function findingUseCases(world: World) {
  const reading = readingUseCases(world);
  return {
    /** Entities that match, best first, with every relation that touches them. */
    async search(
      query: string,
      entityType: string | undefined,
      { limit, offset, detail }: { limit: number; offset: number; detail: Detail },
    ): Promise<FoundGraph> {
      const filter = { ...OF_GRAPH, entityType: entityType ?? null };
      const candidates = (offset + limit + 1) * MATCHES_PER_ENTITY;
      const hits = await hybrid(world, query, filter, candidates);
      const ranked = rankEntities(hits);
      return {
        ...reading.openIds(ranked.slice(offset, offset + limit), { detail }),
        nextOffset: ranked.length > offset + limit ? offset + limit : null,
      };
    },
  };
}

/** Entity ids, best first: the best hit decides, further hits add a share of their score. */
function rankEntities(hits: readonly Hit[]): number[] {
  const scores = new Map<number, number>();
  for (const { entityId, score } of hits) {
    if (entityId === null) continue;
    const best = scores.get(entityId);
    scores.set(entityId, best === undefined ? score : best + FURTHER_FACT_SHARE * score);
  }
  return [...scores].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([entityId]) => entityId);
}
