/** What surrounds some entities, nearest first, and cut to what an answer holds. */
import { normaliseType } from '#graph/rules/create-request.ts';
import { collectNeighbourhood, type Direction } from '#graph/walks/neighbourhood.ts';
import {
  NEIGHBOUR_EDGES_MAX,
  NEIGHBOURS_MAX,
  READ_CHARS_DEFAULT,
  RELATIONS_SHOWN_MAX,
} from '#limits.ts';
import {
  fitFacts,
  measureView,
  showRelations,
  takeFitting,
  type EntityView,
} from './answer-size.ts';
import { getEntity, resolveNames } from '#memory/entities/entity-names.ts';
import type { GraphView } from './read-graph.ts';
import { viewEntities } from './entity-views.ts';
import type { World } from '#memory/world.ts';

export interface NeighbourhoodRequest {
  readonly depth: number;
  readonly direction: Direction;
  /** Undefined for every type. */
  readonly relationType?: string | undefined;
}

export interface NeighbourhoodView extends GraphView {
  /** True when there are more entities within reach than are given. */
  readonly entitiesCut: boolean;
}

export function neighbourhoodUseCases({ store }: World) {
  function collect(
    seedIds: readonly number[],
    { depth, direction, relationType }: NeighbourhoodRequest,
  ): NeighbourhoodView {
    const type = relationType === undefined ? null : normaliseType(relationType) || null;
    const { nodeIds, isCut } = collectNeighbourhood(seedIds, {
      depth,
      direction,
      maxNodes: NEIGHBOURS_MAX,
      maxEdges: NEIGHBOUR_EDGES_MAX,
      leaving: (ids, limit) => store.edges.leavingTowards(direction, ids, type, limit),
    });
    const views = viewEntities(store, store.entities.findByIds(nodeIds));
    const kept = fitEntities(views);
    const keptIds = kept.map(({ entity }) => entity.nodeId);
    return {
      entities: fitFacts(kept, READ_CHARS_DEFAULT, 'brief'),
      ...showRelations(store.edges.within(keptIds, RELATIONS_SHOWN_MAX + 1, type), 'brief'),
      entitiesCut: isCut || kept.length < views.length,
    };
  }

  return {
    /** Throws `not_found` for an unknown name. */
    around(name: string, request: NeighbourhoodRequest): NeighbourhoodView {
      return collect([getEntity(store, name).nodeId], request);
    },

    /** Around all of them at once, along relations of any direction and type. */
    subgraph(names: readonly string[], depth: number): NeighbourhoodView & { missing: string[] } {
      const found = resolveNames(store, names);
      const seedIds = [...new Set([...found.values()].map(({ nodeId }) => nodeId))];
      return {
        ...collect(seedIds, { depth, direction: 'both' }),
        missing: names.filter((name) => !found.has(name)),
      };
    },
  };
}

/** The first entities, as many as fit when each shows one fact. */
function fitEntities(views: readonly EntityView[]): readonly EntityView[] {
  const charsOf = ({ entity, facts }: EntityView) =>
    measureView({ entity, facts: facts.slice(0, 1) }, 'brief');
  return takeFitting(views, READ_CHARS_DEFAULT, charsOf, 1);
}
