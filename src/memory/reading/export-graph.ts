/** The beginning of the graph: as much as may fit into one answer, whatever its format. */
import type { Relation } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import { EXCERPT_ENTITIES_MAX, EXCERPT_RELATIONS_MAX, READ_CHARS_DEFAULT } from '#limits.ts';
import { takeFitting, type EntityView } from './answer-size.ts';
import { viewEntities } from './entity-views.ts';
import type { World } from '#memory/world.ts';

export interface Excerpt {
  /** In order of creation. */
  readonly entities: readonly EntityView[];
  /** Those among the entities. */
  readonly relations: readonly Relation[];
  /** All that there are. */
  readonly total: { readonly entities: number; readonly relations: number };
}

export function excerptUseCases({ store }: World) {
  return {
    take({ hasObservations }: { hasObservations: boolean }): Excerpt {
      const first = store.entities.list({ afterId: 0, offset: 0, limit: EXCERPT_ENTITIES_MAX });
      const views = hasObservations ? viewEntities(store, first) : first.map(withoutFacts);
      const entities = fitTexts(views);
      const ids = entities.map(({ entity }) => entity.nodeId);
      return {
        entities,
        relations: store.edges.within(ids, EXCERPT_RELATIONS_MAX),
        total: store.counters.totals(),
      };
    },
  };
}

/** The first of an excerpt's entities, and the relations among them. */
export function shorten({ entities, relations, total }: Excerpt, count: number): Excerpt {
  const kept = entities.slice(0, count);
  const names = new Set(kept.map(({ entity }) => entity.name));
  return {
    entities: kept,
    relations: relations.filter(({ from, to }) => names.has(from) && names.has(to)),
    total,
  };
}

function withoutFacts(entity: Entity): EntityView {
  return { entity, facts: [] };
}

/** The first ones, as many as fit by their texts alone; no format is shorter than that. */
function fitTexts(views: readonly EntityView[]): readonly EntityView[] {
  const charsOf = ({ entity, facts }: EntityView) =>
    entity.name.length + facts.reduce((sum, { content }) => sum + content.length, 0);
  return takeFitting(views, READ_CHARS_DEFAULT, charsOf, 1);
}
