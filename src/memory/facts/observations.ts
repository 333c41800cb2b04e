/** Observations: adding them, superseding them, and their history. */
import { assert, MemoryError, quote, refuseFaults, type Fault } from '#errors.ts';
import { adviseOnId } from '#graph/id-advice.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE, type Entity } from '#graph/entity.ts';
import { normaliseContent, type Fact } from '#graph/fact.ts';
import { formatId, parseId } from '#graph/ids.ts';
import { findObservationProblem, isAtomic } from '#graph/rules/observation-rules.ts';
import { sharedWords } from '#graph/text/overlap.ts';
import type { Passage } from '#graph/text/passage.ts';
import type { PreparedVector } from '#search/semantics.ts';
import type { NewFact } from '#store/graph/facts.ts';
import type { NodeFields } from '#store/graph/nodes.ts';
import { getEntity, missingEntityFaults, resolveNames } from '#memory/entities/entity-names.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface NewObservation {
  readonly content: string;
  readonly confidence?: number | undefined;
  readonly importance?: number | undefined;
  /** Id of the observation that this one replaces. */
  readonly supersedes?: string | undefined;
}

export interface ObservationsToAdd {
  readonly entityName: string;
  readonly contents: readonly NewObservation[];
}

export interface AddedObservations {
  readonly entity: Entity;
  readonly added: readonly Fact[];
  /** Contents that the entity has already, exactly so. */
  readonly skipped: readonly string[];
  /** Current facts that say much the same as one added, and may be worth superseding. */
  readonly similar: readonly SimilarFact[];
}

/** A current fact, and the fact of the same entity just added that may make it outdated. */
export interface SimilarFact {
  readonly entity: { readonly name: string };
  readonly fact: Fact;
  readonly added: Fact;
}

export interface UpdatedObservation {
  readonly entity: Entity;
  readonly fact: Fact;
  readonly previous: Fact;
}

export interface ObservationHistory {
  readonly entity: Entity;
  /** Chain after chain, each oldest first. */
  readonly chains: readonly (readonly Fact[])[];
  /** True when there are more chains than were asked for. */
  readonly isCut: boolean;
}

export function observationUseCases(world: World, { write, writeAdditions }: Writer) {
  const { store } = world;
  return {
    /** All or nothing: throws `invalid_input` with every faulty item. */
    add(items: readonly ObservationsToAdd[]): AddedObservations[] {
      const names = items.map(({ entityName }) => entityName);
      const found = resolveNames(store, names);
      refuseFaults([
        ...missingEntityFaults(store, names, found, (i) => `observations[${i}].entityName`),
        ...items.flatMap((item, index) => contentFaults(world, item, index, found)),
      ]);
      return writeAdditions(() => {
        const plans = planFacts(
          world,
          items.map(({ entityName, contents }) => {
            const entity = found.get(entityName);
            assert(entity !== undefined, 'a checked entity is there');
            return { entity, contents };
          }),
        );
        const ids = writeFacts(world, plans);
        return plans.map(({ entity, skipped }, index) => {
          const added = store.facts.findByIds(ids[index] ?? []);
          return { entity, added, skipped, similar: findSimilar(world, entity, added) };
        });
      });
    },

    /** Makes the next version. The one before stays readable in the history. */
    update(entityName: string, observationId: string, next: NewObservation): UpdatedObservation {
      const content = normaliseContent(next.content);
      const target = getUpdatable(world, entityName, observationId, content);
      return write(() => {
        const fact = supersede(world, target.fact, { ...next, content });
        store.nodes.touch([target.entity.nodeId], world.now);
        const previous = { ...target.fact, supersededBy: fact.nodeId };
        return { entity: target.entity, fact, previous };
      });
    },

    /** One chain, found from any of its versions, or every chain of the entity. */
    history(
      entityName: string,
      observationId: string | undefined,
      limit: number,
    ): ObservationHistory {
      const entity = getEntity(store, entityName);
      if (observationId !== undefined) {
        const fact = getObservation(world, entity, observationId);
        return { entity, chains: [store.facts.chain(fact.nodeId)], isCut: false };
      }
      const current = store.facts.listCurrent([entity.nodeId], limit + 1);
      return {
        entity,
        chains: current.slice(0, limit).map(({ nodeId }) => store.facts.chain(nodeId)),
        isCut: current.length > limit,
      };
    },
  };
}

/** The entity and the fact, when that may become `content`. Throws what a caller should know. */
function getUpdatable(
  world: World,
  entityName: string,
  observationId: string,
  content: string,
): { entity: Entity; fact: Fact } {
  const entity = getEntity(world.store, entityName);
  const fact = getObservation(world, entity, observationId);
  if (fact.supersededBy !== null) throw alreadySuperseded(world, fact);
  const problem = findObservationProblem(content, world.limits);
  if (problem) refuseFaults([{ path: 'newContent', ...problem }], problem.suggestion);
  if (content !== fact.content) return { entity, fact };
  throw new MemoryError('invalid_input', 'newContent says exactly what the observation says.', {
    hint: 'Nothing has to be done; send a different text to make a new version.',
  });
}

/** What a fact says, with the name of what it is about; '' for one that stands alone. */
export function factPassage(entityName: string | undefined, content: string): Passage {
  return { kind: 'fact', title: entityName ?? '', body: content };
}

/**
 * Stores a first version. The caller has checked it, and holds the transaction. Without a vector
 * that was prepared for it, it waits for the embedding job.
 */
export function addFact(
  world: World,
  fact: NodeFields & {
    /** The entity that it is about; null for none. */
    entity: { readonly nodeId: number; readonly name: string } | null;
    content: string;
    confidence?: number | undefined;
    importance?: number | undefined;
  },
  vector?: PreparedVector,
): number {
  const { store, semantics, now } = world;
  const nodeId = store.nodes.insert({
    ...fact,
    kind: 'fact',
    confidence: fact.confidence ?? DEFAULT_CONFIDENCE,
    importance: fact.importance ?? DEFAULT_IMPORTANCE,
    at: now,
  });
  if (vector !== undefined && fact.status !== 'archived') semantics.attach(nodeId, vector);
  store.facts.insert({ ...firstVersion(world, fact.entity?.nodeId ?? null, fact.content), nodeId });
  return nodeId;
}

/** The row of a fact without its node. */
export function firstVersion(
  { limits }: World,
  entityId: number | null,
  content: string,
): Omit<NewFact, 'nodeId'> {
  return {
    entityId,
    content,
    isAtomic: isAtomic(content, limits),
    version: 1,
    supersedes: null,
  };
}

/** Throws `not_found` for an id that is no observation of this entity, in any version. */
function getObservation({ store }: World, entity: Entity, observationId: string): Fact {
  const nodeId = parseId('observation', observationId);
  const [fact] = nodeId === undefined ? [] : store.facts.findByIds([nodeId]);
  if (fact && fact.entityId === entity.nodeId) return fact;
  throw new MemoryError(
    'not_found',
    `Observation ${quote(observationId)} not found in entity ${quote(entity.name)}.`,
    {
      hint:
        adviseOnId(observationId, ['observation']) ??
        `Call open_nodes with names ['${entity.name}'] and detail 'full' to see its ids.`,
    },
  );
}

function contentFaults(
  world: World,
  { entityName, contents }: ObservationsToAdd,
  index: number,
  found: ReadonlyMap<string, Entity>,
): Fault[] {
  const entity = found.get(entityName);
  return contents.flatMap(({ content, supersedes }, position) => {
    const path = `observations[${index}].contents[${position}]`;
    const problem = findObservationProblem(content, world.limits);
    if (problem) return [{ path, problem: problem.rule, suggestion: problem.suggestion }];
    if (supersedes === undefined || entity === undefined) return [];
    return supersedesFaults(world, entity, supersedes, `${path}.supersedes`);
  });
}

function supersedesFaults(world: World, entity: Entity, id: string, path: string): Fault[] {
  try {
    const fact = getObservation(world, entity, id);
    if (fact.supersededBy === null) return [];
    throw alreadySuperseded(world, fact);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return [{ path, problem: error.message, suggestion: error.hint }];
  }
}

/** A fact that is to be added. */
interface PlannedFact {
  readonly given: NewObservation;
  readonly content: string;
  /** The version before; undefined for a first one. */
  readonly previous?: Fact | undefined;
}

interface EntityPlan {
  readonly entity: Entity;
  readonly added: readonly PlannedFact[];
  readonly skipped: readonly string[];
}

/** What each entity lacks of its contents, with reads alone. In the order of the request: what one content supersedes, the next no longer finds. */
function planFacts(
  world: World,
  items: readonly { readonly entity: Entity; readonly contents: readonly NewObservation[] }[],
): EntityPlan[] {
  const superseded = new Set<number>();
  const planned = new Set<string>();
  return items.map(({ entity, contents }) => {
    const added: PlannedFact[] = [];
    const skipped: string[] = [];
    for (const given of contents) {
      const content = normaliseContent(given.content);
      const key = `${entity.nodeId} ${content}`;
      const known = world.store.facts.findCurrent(entity.nodeId, content);
      if (planned.has(key) || (known && !superseded.has(known.nodeId))) {
        skipped.push(content);
        continue;
      }
      planned.add(key);
      const previous =
        given.supersedes === undefined
          ? undefined
          : getObservation(world, entity, given.supersedes);
      if (previous && (previous.supersededBy !== null || superseded.has(previous.nodeId))) {
        throw alreadySuperseded(world, previous);
      }
      if (previous) superseded.add(previous.nodeId);
      added.push({ given, content, previous });
    }
    return { entity, added, skipped };
  });
}

/** Returns the ids of the new facts by plan. */
function writeFacts(world: World, plans: readonly EntityPlan[]): number[][] {
  const { store, now } = world;
  const rows = plans.flatMap(({ entity, added }) => added.map((one) => ({ ...one, entity })));
  if (rows.length === 0) return plans.map(() => []);
  store.nodes.touch([...new Set(rows.map(({ entity }) => entity.nodeId))], now);
  const ids = store.nodes.insertMany(
    rows.map(({ given, previous }) => ({
      kind: 'fact',
      confidence: given.confidence ?? previous?.confidence ?? DEFAULT_CONFIDENCE,
      importance: given.importance ?? previous?.importance ?? DEFAULT_IMPORTANCE,
      at: now,
    })),
  );
  store.additions.add({
    facts: rows.map(({ entity, content, previous }, index) => ({
      ...firstVersion(world, entity.nodeId, content),
      ...(previous && { version: previous.version + 1, supersedes: previous.nodeId }),
      nodeId: ids[index] ?? 0,
    })),
  });
  store.facts.markAllSuperseded(
    rows.flatMap(({ previous }, index) =>
      previous ? [{ nodeId: previous.nodeId, byId: ids[index] ?? 0 }] : [],
    ),
  );
  let taken = 0;
  return plans.map(({ added }) => ids.slice(taken, (taken += added.length)));
}

/** Stores the next version of a fact and joins the two. Confidence and importance carry over. */
function supersede({ store, limits, now }: World, previous: Fact, next: NewObservation): Fact {
  const nodeId = store.nodes.insert({
    kind: 'fact',
    confidence: next.confidence ?? previous.confidence,
    importance: next.importance ?? previous.importance,
    at: now,
  });
  store.facts.insert({
    nodeId,
    entityId: previous.entityId,
    content: next.content,
    isAtomic: isAtomic(next.content, limits),
    version: previous.version + 1,
    supersedes: previous.nodeId,
  });
  store.facts.markSuperseded(previous.nodeId, nodeId);
  const [fact] = store.facts.findByIds([nodeId]);
  assert(fact !== undefined, 'a fact just written is there');
  return fact;
}

function alreadySuperseded({ store }: World, fact: Fact): MemoryError {
  const latest = store.facts.chain(fact.nodeId).at(-1) ?? fact;
  const [id, latestId] = [fact, latest].map(({ nodeId }) => formatId('observation', nodeId));
  return new MemoryError(
    'conflict',
    `Observation '${id}' has already been superseded by '${latestId}'.`,
    { hint: `Update the latest version instead: observationId '${latestId}'.` },
  );
}

/** Facts of the entity that are compared; an entity with more should be split. */
const SIMILAR_CANDIDATES = 500;
const SIMILAR_MAX = 5;
/** Half the words in common: "Uses python-docx 1.1.0" and "Uses python-docx 1.2.0" share enough. */
const SIMILAR_SHARE_MIN = 0.5;

/** Other current facts of the entity that share many words with one just added. */
export function findSimilar(
  { store }: World,
  entity: { readonly nodeId: number; readonly name: string },
  added: readonly Fact[],
): SimilarFact[] {
  if (added.length === 0) return [];
  // What the request adds later is not compared: it says so itself.
  const firstId = Math.min(...added.map(({ nodeId }) => nodeId));
  const others = store.facts
    .listCurrent([entity.nodeId], SIMILAR_CANDIDATES)
    .filter(({ nodeId }) => nodeId < firstId);
  return added
    .flatMap((fact) =>
      others
        .filter(({ content }) => sharedWords(content, fact.content) >= SIMILAR_SHARE_MIN)
        .map((other) => ({ entity, fact: other, added: fact })),
    )
    .slice(0, SIMILAR_MAX);
}
