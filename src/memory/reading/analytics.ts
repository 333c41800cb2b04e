/**
 * Seed 000's four lists and its success metrics. A list is read from an index of what is outstanding.
 * Only where too little is does it read all entities: every save would pay for an index of them all.
 */
import type { Entity } from '#graph/entity.ts';
import { measureQuality, type Quality } from '#graph/rules/quality.ts';
import { TYPES_SHOWN_MAX } from '#limits.ts';
import type { World } from '#memory/world.ts';

export interface Analytics {
  readonly recent: readonly Entity[];
  readonly important: readonly Entity[];
  readonly connected: readonly {
    readonly entity: Entity;
    readonly neighbours: readonly string[];
  }[];
  readonly orphaned: readonly Entity[];
  readonly quality: Quality;
}

/** Neighbours named for each of the most connected entities. */
const NEIGHBOURS_SHOWN_MAX = 25;

export interface Statistics {
  readonly entities: number;
  readonly relations: number;
  readonly observations: number;
  /** Distinct entity types and relation types, and their length in UTF-8. */
  readonly types: { readonly count: number; readonly bytes: number };
  readonly quality: Quality;
}

export function analyticsUseCases({ store }: World) {
  return {
    /** Reads the maintained counts and no graph. */
    statistics(): Statistics {
      const counts = store.counters.totals();
      const { entities, relations, observations } = counts;
      const types = store.counters.labels();
      const quality = measureQuality(counts);
      return { entities, relations, observations, types, quality };
    },

    /** Types in use, most frequent first. */
    types: (counted: 'entity' | 'relation') => store.counters.byType(counted, TYPES_SHOWN_MAX),

    measure(limit: number): Analytics {
      return {
        recent: store.entities.mostRecent(limit),
        important: store.entities.mostImportant(limit),
        connected: store.entities.mostConnected(limit).map((entity) => ({
          entity,
          neighbours: store.edges.neighbourNames(entity.nodeId, NEIGHBOURS_SHOWN_MAX),
        })),
        orphaned: store.entities.unconnected(limit),
        quality: measureQuality(store.counters.totals()),
      };
    },
  };
}
