/** Seed 000's four lists and its success metrics. Each list reads as many rows as it shows. */
import type { Entity } from '#graph/entity.ts';
import { measureQuality, type Quality } from '#graph/quality.ts';
import type { World } from './world.ts';

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

export function analyticsUseCases({ store }: World) {
  return {
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
