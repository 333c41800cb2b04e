/** A search whose answer is facts: hits with what they say, best first. */
import type { Fact } from '#graph/fact.ts';
import { hybrid } from '#search/hybrid.ts';
import type { MatchFilter } from '#store/fulltext.ts';
import type { World } from './world.ts';

export interface FoundFact {
  readonly fact: Fact;
  /** Greater is better; comparable within one answer only. */
  readonly score: number;
}

export async function findFacts(
  world: World,
  query: string,
  filter: Omit<MatchFilter, 'kinds'>,
  limit: number,
): Promise<FoundFact[]> {
  const hits = await hybrid(world, query, { ...filter, kinds: ['fact'] }, limit);
  const scores = new Map(hits.map(({ nodeId, score }) => [nodeId, score]));
  return world.store.facts
    .findByIds(hits.map(({ nodeId }) => nodeId))
    .map((fact) => ({ fact, score: scores.get(fact.nodeId) ?? 0 }));
}
