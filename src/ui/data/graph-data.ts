/** A graph as far as it is drawn, made from what the server answers, and brought up to date by parts. */
import type { EntityWire, ObservationWire, RelationWire } from '#http/wire.ts';

export interface GraphEntity {
  readonly name: string;
  readonly entityType: string;
  readonly importance: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly facts: number;
}

/** When a current fact was written. */
export interface WrittenFact {
  readonly entity: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A fact that came from a turn. */
export interface SourcedFact {
  readonly id: string;
  readonly entity: string;
  readonly content: string;
  readonly turn: string;
}

export interface GraphData {
  readonly entities: readonly GraphEntity[];
  readonly relations: readonly RelationWire[];
  readonly facts: readonly WrittenFact[];
  readonly sourced: readonly SourcedFact[];
  readonly total: {
    readonly entities: number;
    readonly relations: number;
    readonly observations: number;
  };
  /** Whether there are more entities than were read. */
  readonly isCut: boolean;
}

export function isFact(observation: string | ObservationWire): observation is ObservationWire {
  return typeof observation !== 'string';
}

export function condense(
  entities: readonly EntityWire[],
  relations: readonly RelationWire[],
): Omit<GraphData, 'total' | 'isCut'> {
  const facts = entities.flatMap(({ name, observations }) =>
    observations.filter(isFact).map((fact) => ({ name, fact })),
  );
  return {
    entities: entities.map((entity) => ({
      name: entity.name,
      entityType: entity.entityType,
      importance: entity.importance ?? 0,
      createdAt: entity.createdAt ?? '',
      updatedAt: entity.updatedAt ?? '',
      facts: entity.observations.length + (entity.moreObservations ?? 0),
    })),
    relations,
    facts: facts.map(({ name, fact }) => ({ entity: name, at: fact.timestamp })),
    sourced: facts.flatMap(({ name, fact: { id, content, sourceTurn: turn } }) =>
      turn === undefined ? [] : [{ id, content, entity: name, turn }],
    ),
  };
}

/**
 * The graph after a write: what it knew of the entities with these names is replaced by what was read of
 * them since, and those that were not found are gone.
 */
export function replaceEntities(
  graph: GraphData,
  names: ReadonlySet<string>,
  entities: readonly EntityWire[],
  relations: readonly RelationWire[],
): GraphData {
  const fresh = condense(entities, relations);
  const touches = ({ from, to }: RelationWire) => names.has(from) || names.has(to);
  const kept = graph.entities.filter(({ name }) => !names.has(name));
  const keptFacts = graph.facts.filter(({ entity }) => !names.has(entity));
  const keptRelations = graph.relations.filter((relation) => !touches(relation));
  const allRelations = [...keptRelations, ...fresh.relations.filter(touches)];
  const allFacts = [...keptFacts, ...fresh.facts];
  const { total } = graph;
  return {
    ...graph,
    entities: [...kept, ...fresh.entities],
    relations: allRelations,
    facts: allFacts,
    sourced: [...graph.sourced.filter(({ entity }) => !names.has(entity)), ...fresh.sourced],
    total: {
      entities: total.entities + kept.length + fresh.entities.length - graph.entities.length,
      relations: total.relations + allRelations.length - graph.relations.length,
      observations: total.observations + allFacts.length - graph.facts.length,
    },
  };
}
