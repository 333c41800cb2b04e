/** Entities with what is known of each, as answers show them. */
import type { Entity } from '#graph/entity.ts';
import { OBSERVATIONS_SHOWN_MAX } from '#limits.ts';
import type { Store } from '#store/store.ts';
import type { EntityView } from './answer-size.ts';

/** In the order of `entities`, each with its current facts, oldest first, as far as one may show them. */
export function viewEntities(store: Store, entities: readonly Entity[]): EntityView[] {
  const ids = [...new Set(entities.map(({ nodeId }) => nodeId))];
  const facts = Map.groupBy(
    store.facts.listCurrent(ids, OBSERVATIONS_SHOWN_MAX),
    ({ entityId }) => entityId,
  );
  return entities.map((entity) => ({ entity, facts: facts.get(entity.nodeId) ?? [] }));
}
