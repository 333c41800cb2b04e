/** `recall`: one call that gives a model what it needs to know, cut to a budget. */
import { writeBriefing, type Briefing, type BriefingFact } from '#graph/briefing.ts';
import { formatId } from '#graph/ids.ts';
import { findFacts } from './facts-found.ts';
import type { World } from './world.ts';

export interface RecallRequest {
  readonly query: string;
  readonly tokensMax: number;
  readonly entityType?: string | undefined;
}

/** Facts that are ranked: more than any budget holds. */
const FACTS_MAX = 200;
const RELATIONS_MAX = 50;
/** Facts of one entity: a question rarely wants more of the same. */
const PER_ENTITY = 30;

export function recallUseCases(world: World) {
  const { store } = world;
  return {
    /** The best facts, then the relations among the entities they are about. */
    async recall({ query, tokensMax, entityType }: RecallRequest): Promise<Briefing> {
      const filter = {
        entityType: entityType ?? null,
        isOfGraph: entityType !== undefined,
        perEntity: PER_ENTITY,
      };
      const found = await findFacts(world, query, filter, FACTS_MAX);
      const entityIds = [...new Set(found.flatMap(({ fact }) => fact.entityId ?? []))];
      const entities = new Map(
        store.entities.findByIds(entityIds).map((entity) => [entity.nodeId, entity]),
      );
      const facts = found.map(({ fact, score }): BriefingFact => {
        const entity = fact.entityId === null ? undefined : entities.get(fact.entityId);
        return {
          id: formatId(fact.entityId === null ? 'memory' : 'observation', fact.nodeId),
          content: fact.content,
          entity: entity ? { name: entity.name, entityType: entity.entityType } : null,
          date: new Date(fact.createdAt).toISOString().slice(0, 10),
          version: fact.version,
          score: Math.round(score * 1000) / 1000,
        };
      });
      const relations = store.edges.within(entityIds, RELATIONS_MAX);
      return writeBriefing(query, facts, relations, tokensMax);
    },
  };
}
