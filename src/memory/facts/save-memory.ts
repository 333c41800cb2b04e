/** `save_memory`: entities, observations and relations in one piece, or nothing at all. */
import { assert } from '#errors.ts';
import type { Entity } from '#graph/entity.ts';
import { foldName } from '#graph/names.ts';
import { qualityScore } from '#graph/rules/quality.ts';
import {
  checkRelations,
  checkTargets,
  checkTwins,
  type NamesInThread,
} from '#graph/rules/save-checks.ts';
import {
  readSaveRequest,
  type EntityDraft,
  type RelationDraft,
  type SaveFault,
} from '#graph/rules/save-request.ts';
import { countChars } from '#graph/rules/text-rules.ts';
import type { Store } from '#store/store.ts';
import { bringBackHidden, newNode } from '#memory/entities/create-entities.ts';
import { nearbyNames } from '#memory/entities/entity-names.ts';
import { findSimilar, firstVersion, type SimilarFact } from './observations.ts';
import { requireTurn } from '#memory/sessions/turns.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface SaveOutcome {
  readonly accepted: boolean;
  readonly created: {
    readonly entities: number;
    readonly relations: number;
    readonly observations: number;
  };
  /** Entities that were there before. */
  readonly updated: { readonly entities: number };
  readonly warnings: readonly string[];
  readonly faults: readonly SaveFault[];
  /** Older facts that those of the request may contradict or repeat. */
  readonly similar: readonly SimilarFact[];
  /** 0 for a refused request. */
  readonly qualityScore: number;
}

export interface SaveOptions {
  /** Id of the turn that the new facts come from. */
  readonly source?: string | undefined;
  /** Whether a name may differ from another's in case or accents alone. */
  readonly allowTwin?: boolean | undefined;
}

/** A request that was judged against the thread, ready to be written when it has no faults. */
interface Judgement {
  readonly drafts: readonly EntityDraft[];
  readonly faults: readonly SaveFault[];
  readonly warnings: readonly string[];
  /** Entities of the thread that the request names, by exact name. */
  readonly known: ReadonlyMap<string, Entity>;
  readonly qualityScore: number;
}

export function saveUseCases(world: World, { writeAdditions }: Writer) {
  const { store } = world;
  return {
    /**
     * Never throws for faulty entities: the request is counted, and its faults are returned. Throws
     * `not_found` for a source that is not there.
     */
    save(entities: readonly unknown[], { source, allowTwin }: SaveOptions = {}): SaveOutcome {
      return writeAdditions(() => {
        requireTurn(store, source);
        const judgement = judge(world, entities, allowTwin);
        if (judgement.faults.length > 0) {
          store.counters.countRejectedSave();
          return refused(judgement);
        }
        const plan = planWrites(world, judgement);
        applyPlan(world, plan, source);
        return accepted(judgement, plan, findSimilarToNew(world, plan));
      });
    },

    /** The same judgement, nothing stored and nothing counted. `created` says what a save would do. */
    validate(entities: readonly unknown[], { allowTwin }: SaveOptions = {}): SaveOutcome {
      const judgement = judge(world, entities, allowTwin);
      if (judgement.faults.length > 0) return refused(judgement);
      return accepted(judgement, planWrites(world, judgement), []);
    },
  };
}

function judge(
  { store, limits }: World,
  entities: readonly unknown[],
  allowTwin = false,
): Judgement {
  const { drafts, faults, warnings } = readSaveRequest(entities, limits);
  const named = drafts.flatMap((draft) => [
    draft.name,
    ...draft.relations.map(({ targetEntity }) => targetEntity),
  ]);
  const known = new Map(
    store.entities.findMany([...new Set(named)]).map((entity) => [entity.name, entity]),
  );
  const names = lookUpNames(store, drafts, named, known);
  const found = [
    ...faults,
    ...(allowTwin ? [] : checkTwins(drafts, names)),
    ...checkRelations(drafts, names),
    ...checkTargets(drafts, names),
  ];
  return {
    drafts,
    faults: found.toSorted((a, b) => a.index - b.index),
    warnings,
    known,
    qualityScore: qualityScore(
      drafts,
      drafts.flatMap(({ observations }) => observations.map(countChars)),
      limits.observationCharsMax,
    ),
  };
}

function lookUpNames(
  store: Store,
  drafts: readonly EntityDraft[],
  named: readonly string[],
  known: ReadonlyMap<string, Entity>,
): NamesInThread {
  const requested = new Set(drafts.map(({ name }) => name));
  const fresh = [...requested].filter((name) => name !== '' && !known.has(name));
  const twins = fresh.length === 0 ? [] : store.entities.findFolded(fresh.map(foldName));
  const strangers = [...new Set(named)].filter((name) => !requested.has(name) && !known.has(name));
  const isAlone = drafts.some(({ lacksRelations }) => lacksRelations) && requested.size === 1;
  return {
    known,
    twins: new Map(twins.map(({ name }) => [foldName(name), name])),
    nearby: [
      ...(strangers.length > 0 ? nearbyNames(store, strangers) : []),
      ...(isAlone ? store.entities.mostRecent(2).map(({ name }) => name) : []),
    ],
  };
}

function refused({ faults, warnings }: Judgement): SaveOutcome {
  return {
    accepted: false,
    created: { entities: 0, relations: 0, observations: 0 },
    updated: { entities: 0 },
    warnings,
    faults,
    similar: [],
    qualityScore: 0,
  };
}

/** What is missing from the thread: found with reads alone, so that a dry run costs no writes. */
interface Plan {
  readonly created: readonly EntityDraft[];
  readonly updated: readonly { readonly draft: EntityDraft; readonly entity: Entity }[];
  readonly observations: readonly { readonly draft: EntityDraft; readonly content: string }[];
  readonly relations: readonly { readonly draft: EntityDraft; readonly relation: RelationDraft }[];
  readonly warnings: readonly string[];
}

function planWrites({ store }: World, { drafts, known }: Judgement): Plan {
  const warnings: string[] = [];
  const updated = drafts.flatMap((draft) => {
    const entity = known.get(draft.name);
    return entity ? [{ draft, entity }] : [];
  });
  const observations = drafts.flatMap((draft) => {
    const entity = known.get(draft.name);
    return draft.observations.flatMap((content, index) => {
      const isRepeated = draft.observations.indexOf(content) < index;
      const isKnown = entity && store.facts.findCurrent(entity.nodeId, content) !== undefined;
      if (!isRepeated && !isKnown) return [{ draft, content }];
      warnings.push(`Observation already known for '${draft.name}', skipped: '${content}'`);
      return [];
    });
  });
  const relations = drafts.flatMap((draft) => {
    const seen = new Set<string>();
    return draft.relations.flatMap((relation) => {
      const key = JSON.stringify([relation.targetEntity, relation.relationType]);
      if (seen.has(key) || hasRelation(store, known, draft, relation)) return [];
      seen.add(key);
      return [{ draft, relation }];
    });
  });
  const created = drafts.filter(({ name }) => !known.has(name));
  return { created, updated, observations, relations, warnings };
}

function hasRelation(
  store: Store,
  known: ReadonlyMap<string, Entity>,
  { name }: EntityDraft,
  { targetEntity, relationType }: RelationDraft,
): boolean {
  const from = known.get(name);
  const to = known.get(targetEntity);
  if (from === undefined || to === undefined) return false;
  return store.edges.has({ fromId: from.nodeId, toId: to.nodeId, type: relationType });
}

function applyPlan(world: World, plan: Plan, source: string | undefined): void {
  const { store, now } = world;
  const idOf = new Map(plan.updated.map(({ draft, entity }) => [draft.name, entity.nodeId]));
  for (const { draft, entity } of plan.updated) updateEntity(world, draft, entity);
  const hidden = bringBackHidden(world, plan.created);
  for (const [name, nodeId] of hidden) idOf.set(name, nodeId);
  const fresh = plan.created.filter(({ name }) => !hidden.has(name));
  const missing = plan.observations.filter(({ draft, content }) => {
    const nodeId = hidden.get(draft.name);
    // An entity that came back may know it.
    return nodeId === undefined || store.facts.findCurrent(nodeId, content) === undefined;
  });
  const nodes = [
    ...fresh.map((draft) => newNode(world, 'entity', draft)),
    ...missing.map(({ draft }) => newNode(world, 'fact', { ...draft, source })),
  ];
  const ids = store.nodes.insertMany(nodes);
  for (const [index, { name }] of fresh.entries()) idOf.set(name, ids[index] ?? 0);
  const strangers = plan.relations
    .map(({ relation }) => relation.targetEntity)
    .filter((name) => !idOf.has(name));
  for (const { name, nodeId } of store.entities.findMany([...new Set(strangers)])) {
    idOf.set(name, nodeId);
  }
  store.additions.add({
    entities: fresh.map((draft) => ({ ...draft, nodeId: getId(idOf, draft.name) })),
    facts: missing.map(({ draft, content }, index) => ({
      ...firstVersion(world, getId(idOf, draft.name), content),
      nodeId: ids[fresh.length + index] ?? 0,
    })),
    relations: plan.relations.map(({ draft, relation }) => ({
      fromId: getId(idOf, draft.name),
      toId: getId(idOf, relation.targetEntity),
      type: relation.relationType,
      importance: relation.importance,
      at: now,
    })),
    saves: 1,
  });
}

/** What the request gives replaces what is stored; what it leaves open stays. */
function updateEntity(
  { store, now }: World,
  draft: EntityDraft,
  { nodeId, entityType }: Entity,
): void {
  if (entityType !== draft.entityType) store.entities.setType(nodeId, draft.entityType);
  store.nodes.reweigh(nodeId, draft);
  store.nodes.touch([nodeId], now);
}

function getId(idOf: ReadonlyMap<string, number>, name: string): number {
  const id = idOf.get(name);
  assert(id !== undefined, 'every entity of a checked save has a node');
  return id;
}

function accepted(
  { drafts, warnings, qualityScore: score }: Judgement,
  plan: Plan,
  similar: readonly SimilarFact[],
): SaveOutcome {
  return {
    accepted: true,
    created: {
      entities: plan.created.length,
      relations: plan.relations.length,
      observations: plan.observations.length,
    },
    updated: { entities: drafts.length - plan.created.length },
    warnings: [...warnings, ...plan.warnings],
    faults: [],
    similar,
    qualityScore: score,
  };
}

/** Entities whose older facts are compared: a larger save would read too many rows. */
const COMPARED_ENTITIES_MAX = 10;

/** By words alone, so that no save waits for a vector. */
function findSimilarToNew(world: World, { updated, observations }: Plan): SimilarFact[] {
  const changed = updated.filter((one) => observations.some(({ draft }) => draft === one.draft));
  return changed.slice(0, COMPARED_ENTITIES_MAX).flatMap(({ draft, entity }) => {
    const added = observations
      .filter((one) => one.draft === draft)
      .flatMap(({ content }) => world.store.facts.findCurrent(entity.nodeId, content) ?? []);
    return findSimilar(world, entity, added);
  });
}
