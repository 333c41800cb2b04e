/** Single entities by name: what is known of each, or all there is to say about one. */
import type { Relation } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import type { Fact } from '#graph/fact.ts';
import { OBSERVATIONS_OF_ONE_MAX, READ_CHARS_DEFAULT, RELATIONS_SHOWN_MAX } from '#limits.ts';
import {
  fitFacts,
  measureView,
  showRelations,
  takeFitting,
  type Detail,
  type EntityView,
} from './answer-size.ts';
import { getEntity, resolveNames } from '#memory/entities/entity-names.ts';
import { viewEntities } from './entity-views.ts';
import type { World } from '#memory/world.ts';

export interface EntityDescription extends EntityView {
  readonly relations: readonly Relation[];
  readonly relationsCut: boolean;
  /** Distinct other entities related to it, the first of them. */
  readonly neighbours: readonly string[];
  readonly neighboursCut: boolean;
}

export function openingUseCases({ store }: World) {
  return {
    /** Throws `not_found` with the closest names. */
    one(name: string): EntityView {
      return viewOne(store, getEntity(store, name), 'brief', READ_CHARS_DEFAULT);
    },

    /** In the order of `names`; null for one that no entity has. */
    each(names: readonly string[]): (EntityView | null)[] {
      const found = resolveNames(store, names);
      const entities = names.flatMap((name) => found.get(name) ?? []);
      const views = viewEntities(store, entities);
      const fitting = fitFacts(views, READ_CHARS_DEFAULT, 'brief').values();
      return names.map((name) => (found.has(name) ? (fitting.next().value ?? null) : null));
    },

    /** Throws `not_found` with the closest names. */
    describe(name: string): EntityDescription {
      const entity = getEntity(store, name);
      const candidates = store.edges.touching([entity.nodeId], RELATIONS_SHOWN_MAX + 1);
      const neighbours = store.edges.neighbourNames(entity.nodeId, RELATIONS_SHOWN_MAX + 1);
      return {
        ...viewOne(store, entity, 'full', READ_CHARS_DEFAULT / 2),
        ...showRelations(candidates, 'full'),
        neighbours: neighbours.slice(0, RELATIONS_SHOWN_MAX),
        neighboursCut: neighbours.length > RELATIONS_SHOWN_MAX,
      };
    },
  };
}

/** The oldest facts, as many as fit. */
function viewOne(
  store: World['store'],
  entity: Entity,
  detail: Detail,
  charsMax: number,
): EntityView {
  const facts = store.facts.listCurrent([entity.nodeId], OBSERVATIONS_OF_ONE_MAX);
  const bare = measureView({ entity, facts: [] }, detail);
  const charsOf = (fact: Fact) => measureView({ entity, facts: [fact] }, detail) - bare;
  return { entity, facts: takeFitting(facts, charsMax - bare, charsOf) };
}
