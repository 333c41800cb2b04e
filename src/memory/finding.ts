/** Search as the graph tools want it: facts found are folded into the entities they are about. */
import { SEARCH_LIMIT_MAX } from '#limits.ts';
import { hybrid, type Hit } from '#search/hybrid.ts';
import { readingUseCases, type GraphView } from './reading.ts';
import type { World } from './world.ts';

export interface FoundGraph extends GraphView {
  /** Where the next page begins; null when this was the last. */
  readonly nextOffset: number | null;
}

/** Facts looked at for each entity wanted: several facts of one entity often match. */
const CANDIDATES_PER_ENTITY = 5;
const CANDIDATES_MAX = 5 * (SEARCH_LIMIT_MAX + 1);
/** Further matching facts add a little; they cannot outweigh one better match. */
const FURTHER_FACT_SHARE = 0.1;

export function findingUseCases(world: World) {
  const reading = readingUseCases(world);
  return {
    /** Entities that match, best first, with every relation that touches them. */
    search(
      query: string,
      entityType: string | undefined,
      { limit, offset }: { limit: number; offset: number },
    ): FoundGraph {
      const wanted = offset + limit + 1;
      const candidates = Math.min(wanted * CANDIDATES_PER_ENTITY, Math.max(CANDIDATES_MAX, wanted));
      const hits = hybrid(world.store, query, { entityType: entityType ?? null }, candidates);
      const ranked = rankEntities(hits);
      return {
        ...reading.openIds(ranked.slice(offset, offset + limit)),
        nextOffset: ranked.length > offset + limit ? offset + limit : null,
      };
    },
  };
}

/** Entity ids, best first: the best hit decides, further hits add a share of their score. */
function rankEntities(hits: readonly Hit[]): number[] {
  const scores = new Map<number, number>();
  for (const { entityId, score } of hits) {
    const best = scores.get(entityId);
    scores.set(entityId, best === undefined ? score : best + FURTHER_FACT_SHARE * score);
  }
  return [...scores].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([entityId]) => entityId);
}
