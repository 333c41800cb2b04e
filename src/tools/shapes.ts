/**
 * The shapes in which tools answer. Brief is the reference memory server's, full is the
 * specification's: both are made here and nowhere else.
 */
import * as z from 'zod';
import type { Relation } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import { sourceTurnOf, type Fact } from '#graph/fact.ts';
import { formatId } from '#graph/ids.ts';
import { toIsoTime } from '#graph/moment.ts';
import type { Detail, EntityView } from '#memory/reading/answer-size.ts';
import type { Memory } from '#memory/memory.ts';
import type { Past } from '#memory/history/as-of.ts';
import type { GraphView } from '#memory/reading/read-graph.ts';
import type { Closeness } from '#memory/recall/search-graph.ts';

export { toIsoTime };

export const observationShape = () =>
  z.object({
    id: z.string().describe('Such as obs_12.'),
    content: z.string().describe('The fact.'),
    timestamp: z.string().describe('When it was written, ISO 8601.'),
    version: z.number().describe('1 for the first, one more for each update.'),
    supersedes: z.string().optional().describe('Id of the version before.'),
    superseded_by: z.string().optional().describe('Id of the version after; absent when current.'),
    agentThreadId: z.string().describe('The thread.'),
    sourceTurn: z.string().optional().describe('Id of the turn it came from.'),
    confidence: z.number().describe('0 to 1.'),
    importance: z.number().describe('0 to 1.'),
  });

export const entityShape = () =>
  z.object({
    name: z.string().describe('Entity name.'),
    entityType: z.string().describe('Entity type.'),
    observations: z
      .array(z.union([z.string(), observationShape()]))
      .describe("Current facts: texts, or observation objects with detail 'full'."),
    moreObservations: z.number().optional().describe('Facts left out of a long list.'),
    id: z.string().optional().describe('Full only; such as ent_3.'),
    confidence: z.number().optional().describe('Full only.'),
    importance: z.number().optional().describe('Full only.'),
    createdAt: z.string().optional().describe('Full only, ISO 8601.'),
    updatedAt: z.string().optional().describe('Full only, ISO 8601.'),
  });

export const relationShape = () =>
  z.object({
    from: z.string().describe('Name of the entity it starts at.'),
    to: z.string().describe('Name of the entity it points to.'),
    relationType: z.string().describe('Relation type.'),
    importance: z.number().optional().describe('Full only.'),
    createdAt: z.string().optional().describe('Full only, ISO 8601.'),
  });

export const graphShape = () =>
  z.object({
    entities: z.array(entityShape()).describe('Entities with their current facts.'),
    relations: z.array(relationShape()).describe('Relations.'),
  });

const share = () => z.number().nullable();

/** Seed 000's success metrics. */
export const qualityShape = () =>
  z
    .object({
      saves_accepted: z.number().describe('Saves stored.'),
      saves_rejected: z.number().describe('Saves refused.'),
      save_error_rate: share().describe('Refused of all; target below 0.1.'),
      relation_coverage: share().describe('Entities with a relation; target 1.'),
      observation_atomicity: share().describe('Observations within the limits; target 1.'),
      relations_per_entity: share().describe('Target above 2.'),
    })
    .describe('Success metrics; null where there is nothing to measure.');

type ObservationOutput = z.infer<ReturnType<typeof observationShape>>;
type EntityOutput = z.infer<ReturnType<typeof entityShape>>;
type RelationOutput = z.infer<ReturnType<typeof relationShape>>;

export function toObservation(fact: Fact, threadId: string): ObservationOutput {
  const sourceTurn = sourceTurnOf(fact);
  return {
    id: formatId('observation', fact.nodeId),
    content: fact.content,
    timestamp: toIsoTime(fact.createdAt),
    version: fact.version,
    ...(fact.supersedes !== null && { supersedes: formatId('observation', fact.supersedes) }),
    ...(fact.supersededBy !== null && {
      superseded_by: formatId('observation', fact.supersededBy),
    }),
    agentThreadId: threadId,
    ...(sourceTurn !== undefined && { sourceTurn }),
    confidence: fact.confidence,
    importance: fact.importance,
  };
}

export function toGraph(view: GraphView, detail: Detail, threadId: string) {
  return {
    entities: view.entities.map((entity) => toEntity(entity, detail, threadId)),
    relations: view.relations.map((relation) => toRelation(relation, detail)),
  };
}

export function toEntity(
  { entity, facts }: EntityView,
  detail: Detail,
  threadId: string,
): EntityOutput {
  const more = entity.observationCount - facts.length;
  return {
    name: entity.name,
    entityType: entity.entityType,
    observations: facts.map((fact) =>
      detail === 'full' ? toObservation(fact, threadId) : fact.content,
    ),
    ...(more > 0 && { moreObservations: more }),
    ...(detail === 'full' && toEntityDetail(entity)),
  };
}

function toEntityDetail(entity: Entity) {
  return {
    id: formatId('entity', entity.nodeId),
    confidence: entity.confidence,
    importance: entity.importance,
    createdAt: toIsoTime(entity.createdAt),
    updatedAt: toIsoTime(entity.updatedAt),
  };
}

export function toRelation(relation: Relation, detail: Detail): RelationOutput {
  const { from, to, relationType, importance, createdAt } = relation;
  if (detail === 'brief') return { from, to, relationType };
  return { from, to, relationType, importance, createdAt: toIsoTime(createdAt) };
}

/** Says what an answer left out and how to get it; undefined when it left out nothing. */
export function noteOnCuts(
  cuts: readonly (string | false | undefined | null)[],
): { note: string } | Record<string, never> {
  const sentences = cuts.filter((cut): cut is string => typeof cut === 'string');
  return sentences.length === 0 ? {} : { note: sentences.join(' ') };
}

/** One entity may have more relations than an answer has room for. */
export function relationsCutNote({ relationsCut, relations }: GraphView): string | false {
  return (
    relationsCut &&
    `Only the first ${relations.length} relations are shown; open fewer entities to see more.`
  );
}

/** One entity may have more facts than an answer has room for. */
export function factsCutNote({ entity, facts }: EntityView): string | false {
  return (
    facts.length < entity.observationCount &&
    `Only the first ${facts.length} of ${entity.observationCount} facts are shown; search_nodes finds the others.`
  );
}

/** What of a search's answer matches; false when all of it does. `close` of the results come first. */
export function closenessNote(sureness: Closeness, close: number, shown: number): string | false {
  if (shown === 0 || close >= shown) return false;
  if (close === 0 && sureness === 'close')
    return 'These do not match closely; they are the nearest.';
  return sureness === 'close'
    ? `Only the first ${close} match closely; the others are the nearest.`
    : 'Nothing matches closely; these are the nearest.';
}

/** Which state a read of the past has shown; false for the present. */
export function pastNote({ state, title, isBeforeAll }: Past, isSearch = false): string | false {
  if (state === undefined) return false;
  const found = isSearch && !isBeforeAll ? ', found by names and words alone' : '';
  return `As of ${title}${found}.`;
}

/** The text block of a tool whose contract answers with a bare list. */
export function asBareList<Field extends string>(
  field: Field,
): (output: Record<Field, readonly unknown[]>) => string {
  return (output) => JSON.stringify(output[field]);
}

export const closeness = () =>
  z.enum(['close', 'weak', 'none']).describe('weak: only the nearest is shown.');

export const note = () => z.string().optional().describe('What was left out and how to get it.');

/** Of a call that takes something away or replaces it: by this it is undone. */
export const revision = () =>
  z.number().optional().describe('For undo_revision, if anything changed.');

export function revisionOf(memory: Memory): { revision?: number } {
  const last = memory.lastRevision();
  return last === null ? {} : { revision: last };
}
