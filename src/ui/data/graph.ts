/** The whole graph of a thread, as far as it is drawn: nodes and edges without the texts of most facts. */
import type { EntityWire, RelationWire } from '#http/wire.ts';
import { callTool } from './api.ts';
import { isFact } from './thread.ts';
import { useQuery, type Query } from './use-query.ts';

/** More than these are not asked for; the page says how many there are. */
export const ENTITIES_MAX = 5_000;
const PER_PAGE = 1_000;
/** Left over from what was asked for, to choose the most connected from. */
const READ_MAX = 20_000;

export interface GraphEntity {
  readonly name: string;
  readonly entityType: string;
  readonly importance: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly facts: number;
}

/** A fact that came from a turn, and one that was written at a time. */
export interface SourcedFact {
  readonly id: string;
  readonly entity: string;
  readonly content: string;
  readonly turn: string;
}

export interface GraphData {
  readonly entities: readonly GraphEntity[];
  readonly relations: readonly RelationWire[];
  /** When each current fact was written. */
  readonly factTimes: readonly string[];
  readonly sourced: readonly SourcedFact[];
  readonly total: {
    readonly entities: number;
    readonly relations: number;
    readonly observations: number;
  };
  /** Whether there are more entities than were read. */
  readonly isCut: boolean;
}

function graphKey(threadId: string, at: string | undefined) {
  return [threadId, 'graph', at ?? ''];
}

export function useGraph(threadId: string, at: string | undefined): Query<GraphData> {
  return useQuery(graphKey(threadId, at), () => readGraph(threadId, at));
}

async function readGraph(threadId: string, at: string | undefined): Promise<GraphData> {
  const entities: EntityWire[] = [];
  const relations: RelationWire[] = [];
  let cursor: string | undefined;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
    const page = await callTool(threadId, 'read_graph', {
      limit: PER_PAGE,
      detail: 'full',
      ...(cursor !== undefined && { cursor }),
      ...(at !== undefined && { asOf: at }),
    });
    entities.push(...page.entities);
    relations.push(...page.relations);
    if (page.nextCursor === null || entities.length >= READ_MAX) {
      const { total, nextCursor } = page;
      return { ...condense(entities, relations), total, isCut: nextCursor !== null };
    }
    cursor = page.nextCursor;
  }
}

function condense(
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
    factTimes: facts.map(({ fact }) => fact.timestamp),
    sourced: facts.flatMap(({ name, fact: { id, content, sourceTurn: turn } }) =>
      turn === undefined ? [] : [{ id, content, entity: name, turn }],
    ),
  };
}
