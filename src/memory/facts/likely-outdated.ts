/** Finds what a fact that was just stored may have made outdated. */
import type { Fact } from '#graph/fact.ts';
import { scoreUpdate, UPDATE_BONUS_MAX } from '#graph/text/update-score.ts';
import type { PreparedVector } from '#search/semantics.ts';
import type { World } from '#memory/world.ts';

/** What a caller can sensibly judge at a time. */
const SHOWN_MAX = 5;
/** Neighbours that are looked at: entities, turns and facts about others may be nearer. */
const CANDIDATES_MAX = 50;
/** What scores this much less than the best is no longer shown beside it. */
const BEHIND_BEST_MAX = 0.15;
/** The best counts as no better than this, so that the same said once more hides nothing. */
const BEST_SCORE_MAX = 1.1;

/**
 * Current facts that say anew what another says, most likely first. One that says exactly the same
 * comes before all, and is known without a vector.
 */
export function findLikelyOutdated(
  world: World,
  newer: Fact,
  same: Fact | undefined,
  vector: PreparedVector | undefined,
): Fact[] {
  const { store, semantics, limits } = world;
  const near = vector === undefined ? [] : semantics.near(vector, CANDIDATES_MAX);
  const cosines = new Map(
    near
      .filter(({ similarity }) => similarity >= limits.similarMemoryMin - UPDATE_BONUS_MAX)
      .map(({ nodeId, similarity }) => [nodeId, similarity]),
  );
  const candidates = store.facts
    .findByIds([...cosines.keys()])
    .filter(({ nodeId, supersededBy }) => nodeId !== newer.nodeId && supersededBy === null);
  const nameOf = readNames(world, candidates);
  const scored = candidates
    .map((fact) => {
      const statement = readAlone(fact, nameOf.get(fact.entityId));
      const cosine = cosines.get(fact.nodeId) ?? 0;
      return { fact, score: scoreUpdate(cosine, statement, newer.content) };
    })
    .filter(({ score }) => score >= limits.similarMemoryMin)
    .toSorted((a, b) => b.score - a.score || a.fact.nodeId - b.fact.nodeId);
  const best = Math.min(scored[0]?.score ?? 0, BEST_SCORE_MAX);
  const likely = scored.filter(({ score }) => score >= best - BEHIND_BEST_MAX);
  return [
    ...(same === undefined ? [] : [same]),
    ...likely.map(({ fact }) => fact).filter(({ nodeId }) => nodeId !== same?.nodeId),
  ].slice(0, SHOWN_MAX);
}

function readNames({ store }: World, facts: readonly Fact[]): ReadonlyMap<number | null, string> {
  const ids = new Set(facts.flatMap(({ entityId }) => entityId ?? []));
  if (ids.size === 0) return new Map();
  return new Map(store.entities.findByIds([...ids]).map(({ nodeId, name }) => [nodeId, name]));
}

/** An observation leaves out what it is about; its first word is no part of the name before it. */
function readAlone({ content }: Fact, name: string | undefined): string {
  if (name === undefined) return content;
  return `${name} ${content.charAt(0).toLowerCase()}${content.slice(1)}`;
}
