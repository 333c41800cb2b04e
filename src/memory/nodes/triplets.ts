/** Relations as triplets of names (seed 002): both entities come into being with what relates them. */
import { MemoryError, quote } from '#errors.ts';
import { adviseOnId } from '#graph/id-advice.ts';
import type { Edge } from '#graph/edge.ts';
import { normaliseType } from '#graph/rules/create-request.ts';
import { MENTIONS_ENTITY, type MemoryNode, type Metadata } from '#graph/memory-node.ts';
import { normaliseName } from '#graph/names.ts';
import {
  findEntityNameProblem,
  findMetadataProblem,
  findPredicateProblem,
  refuseProblems,
} from '#graph/rules/node-rules.ts';
import { READ_CHARS_DEFAULT } from '#limits.ts';
import type { FoundRelation } from '#store/graph/edges.ts';
import { addEntity } from '#memory/entities/create-entities.ts';
import { putEdge } from './links.ts';
import { resolveNames } from '#memory/entities/entity-names.ts';
import { resolveNodeIds } from './find-node.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface NewTriplet {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly metadata?: Metadata | undefined;
  /** A fact that says so, to be linked to both entities. */
  readonly factId?: string | undefined;
}

export interface Triplet {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly subjectId: number;
  readonly objectId: number;
  readonly metadata: Metadata;
  readonly createdAt: number;
}

/** A field that is undefined or empty matches all. */
export interface TripletFilter {
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  readonly object?: string | undefined;
}

export interface FoundTriplets {
  readonly triplets: readonly Triplet[];
  /** True when there are more than are given. */
  readonly isCut: boolean;
}

const FROM_THE_START: Edge = { fromId: 0, toId: 0, type: '' };

export function tripletUseCases(world: World, { write }: Writer) {
  const { store, limits, now } = world;
  return {
    /** Names are exact. What is there already is used and left as it is: `isNew` tells of the relation. */
    create(given: NewTriplet): Triplet & { isNew: boolean } {
      const { metadata, factId } = given;
      refuseProblems([
        findProblemOf('subject', findEntityNameProblem(given.subject)),
        findPredicateProblem(given.predicate),
        findProblemOf('object_value', findEntityNameProblem(given.object)),
        findMetadataProblem(metadata, limits),
      ]);
      const fact = getFact(world, factId);
      const names = [given.subject, given.object].map(normaliseName);
      return write(() => {
        const [fromId = 0, toId = 0] = names.map(
          (name) => store.entities.findMany([name])[0]?.nodeId ?? addEntity(world, { name }),
        );
        const edge = { fromId, toId, type: normaliseType(given.predicate) };
        const isNew = putEdge(world, edge, metadata);
        if (isNew) store.nodes.touch([fromId], now);
        if (fact) linkFact(world, fact.nodeId, [fromId, toId]);
        return { ...readTriplet(world, edge), isNew };
      });
    },

    /** In order of the entities' creation; names are found whatever their case and accents. */
    search({ subject = '', predicate = '', object = '' }: TripletFilter, limit: number) {
      const names = [subject, object].filter((name) => name !== '');
      const found = resolveNames(store, names);
      if (names.some((name) => !found.has(name))) return { triplets: [], isCut: false };
      const type = normaliseType(predicate);
      const filter = {
        fromId: found.get(subject)?.nodeId ?? null,
        toId: found.get(object)?.nodeId ?? null,
        type: type === '' ? null : type,
      };
      return fit(store.edges.find(filter, FROM_THE_START, limit + 1).map(toTriplet), limit);
    },
  };
}

/** The first ones, as many as an answer holds. */
function fit(triplets: readonly Triplet[], limit: number): FoundTriplets {
  let chars = 0;
  const end = triplets.findIndex((triplet, index) => {
    chars += JSON.stringify(triplet).length;
    return index === limit || (index > 0 && chars > READ_CHARS_DEFAULT);
  });
  return { triplets: end < 0 ? triplets : triplets.slice(0, end), isCut: end >= 0 };
}

function findProblemOf(field: string, problem: string | undefined): string | undefined {
  return problem && `${field}: ${problem}`;
}

function linkFact(world: World, factId: number, entityIds: readonly number[]): void {
  const isLinked = [...new Set(entityIds)].map((toId) =>
    putEdge(world, { fromId: factId, toId, type: MENTIONS_ENTITY }),
  );
  if (isLinked.includes(true)) world.store.nodes.touch([factId], world.now);
}

/** Undefined when none was named. Throws `invalid_input` for an id that is no fact's. */
function getFact({ store }: World, factId: string | undefined): MemoryNode | undefined {
  if (factId === undefined) return undefined;
  const fact = resolveNodeIds(store, [factId]).get(factId);
  if (fact?.kind === 'fact') return fact;
  throw new MemoryError('invalid_input', `No fact ${quote(factId)} in this memory.`, {
    hint:
      adviseOnId(factId, ['observation', 'memory']) ??
      'Leave fact_id out, or give the id of a fact such as mem_1.',
  });
}

function readTriplet({ store }: World, edge: Edge): Triplet {
  const [found] = store.edges.find(edge, FROM_THE_START, 1);
  if (found) return toTriplet(found);
  throw new MemoryError('conflict', 'The triplet was removed meanwhile.');
}

function toTriplet({ relation, edge, metadata }: FoundRelation): Triplet {
  return {
    subject: relation.from,
    predicate: relation.relationType,
    object: relation.to,
    subjectId: edge.fromId,
    objectId: edge.toId,
    metadata,
    createdAt: relation.createdAt,
  };
}
