/** How good a save is, and how good a graph is (seed 000, "Success Metrics"). */

const GOOD_RELATIONS_PER_ENTITY = 2;

/**
 * Seed 000's `quality_score`: 0.7 for two relations per entity, 0.3 for short observations.
 * 0 to 1, rounded to three decimals.
 */
export function qualityScore(
  entities: readonly { observations: readonly unknown[]; relations: readonly unknown[] }[],
  observationLengths: readonly number[],
  observationCharsMax: number,
): number {
  if (entities.length === 0) return 0;
  const relations = entities.reduce((sum, { relations: own }) => sum + own.length, 0);
  const connected = Math.min(relations / entities.length / GOOD_RELATIONS_PER_ENTITY, 1);
  const brevity = Math.max(0, 1 - mean(observationLengths) / observationCharsMax);
  return Math.round((0.7 * connected + 0.3 * brevity) * 1000) / 1000;
}

export interface Quality {
  /** Saves that were stored, and refused, since the thread began. */
  readonly saves_accepted: number;
  readonly saves_rejected: number;
  /** Refused saves of all saves, 0 to 1; null before the first save. The target is below 0.1. */
  readonly save_error_rate: number | null;
  /** Entities with a relation of all entities, 0 to 1; null for an empty thread. The target is 1. */
  readonly relation_coverage: number | null;
  /** Current observations within the limits of all, 0 to 1; null when there are none. */
  readonly observation_atomicity: number | null;
  /** Mean number of relations per entity; null for an empty thread. The target is above 2. */
  readonly relations_per_entity: number | null;
}

export interface GraphCounts {
  readonly entities: number;
  readonly connectedEntities: number;
  readonly relations: number;
  readonly observations: number;
  readonly oversizedObservations: number;
  readonly savesAccepted: number;
  readonly savesRejected: number;
}

export function measureQuality(counts: GraphCounts): Quality {
  const within = counts.observations - counts.oversizedObservations;
  return {
    saves_accepted: counts.savesAccepted,
    saves_rejected: counts.savesRejected,
    save_error_rate: ratio(counts.savesRejected, counts.savesAccepted + counts.savesRejected),
    relation_coverage: ratio(counts.connectedEntities, counts.entities),
    observation_atomicity: ratio(within, counts.observations),
    relations_per_entity: ratio(counts.relations, counts.entities),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1000) / 1000;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
