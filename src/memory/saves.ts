/** `save_memory`: entities, observations and relations in one piece, or nothing at all. */
import { assert } from '#errors.ts';
import type { Entity } from '#graph/entity.ts';
import { foldName } from '#graph/names.ts';
import { qualityScore } from '#graph/quality.ts';
import {
  checkTargets,
  readSaveRequest,
  type EntityDraft,
  type RelationDraft,
  type SaveFault,
} from '#graph/save-request.ts';
import { countChars } from '#graph/text-rules.ts';
import type { Store } from '#store/store.ts';
import { bringBackHidden, newNode } from './entities-made.ts';
import { nearbyNames } from './naming.ts';
import { firstVersion } from './observing.ts';
import { requireTurn } from './turns.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

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
  /** 0 for a refused request. */
  readonly qualityScore: number;
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
     * Never throws for faulty entities: the request is counted, and its faults are returned. `source`
     * is the id of the turn that its new facts come from. Throws `not_found` when that is not there.
     */
    save(entities: readonly unknown[], source?: string): SaveOutcome {
      return writeAdditions(() => {
        requireTurn(store, source);
        const judgement = judge(world, entities);
        if (judgement.faults.length > 0) {
          store.counters.countRejectedSave();
          return refused(judgement);
        }
        const plan = planWrites(world, judgement);
        applyPlan(world, plan, source);
        return accepted(judgement, plan);
      });
    },

    /** The same judgement, nothing stored and nothing counted. `created` says what a save would do. */
    validate(entities: readonly unknown[]): SaveOutcome {
      const judgement = judge(world, entities);
      if (judgement.faults.length > 0) return refused(judgement);
      return accepted(judgement, planWrites(world, judgement));
    },
  };
}

function judge({ store, limits }: World, entities: readonly unknown[]): Judgement {
  const { drafts, faults, warnings } = readSaveRequest(entities, limits);
  const named = drafts.flatMap((draft) => [
    draft.name,
    ...draft.relations.map(({ targetEntity }) => targetEntity),
  ]);
  const known = new Map(
    store.entities.findMany([...new Set(named)]).map((entity) => [entity.name, entity]),
  );
  const requested = new Set(drafts.map(({ name }) => name));
  const strangers = [...new Set(named)].filter((name) => !requested.has(name) && !known.has(name));
  const targetFaults = checkTargets(
    drafts,
    new Set(known.keys()),
    strangers.length > 0 ? nearbyNames(store, strangers) : [],
  );
  return {
    drafts,
    faults: [...faults, ...targetFaults].toSorted((a, b) => a.index - b.index),
    warnings: [...warnings, ...warnOfTwins(store, drafts, known)],
    known,
    qualityScore: qualityScore(
      drafts,
      drafts.flatMap(({ observations }) => observations.map(countChars)),
      limits.observationCharsMax,
    ),
  };
}

/** A new name that an existing one differs from only by case, diacritics or width is rarely meant. */
function warnOfTwins(
  store: Store,
  drafts: readonly EntityDraft[],
  known: ReadonlyMap<string, Entity>,
): string[] {
  const fresh = drafts.filter(({ name }) => name !== '' && !known.has(name));
  if (fresh.length === 0) return [];
  const twins = new Map(
    store.entities
      .findFolded(fresh.map(({ name }) => foldName(name)))
      .map((entity) => [foldName(entity.name), entity.name]),
  );
  return fresh.flatMap(({ name }) => {
    const twin = twins.get(foldName(name));
    if (twin === undefined || twin === name) return [];
    return [
      `Entity '${name}' is new, but '${twin}' exists and differs only in case, accents or width. Use the exact name to add to it.`,
    ];
  });
}

function refused({ faults, warnings }: Judgement): SaveOutcome {
  return {
    accepted: false,
    created: { entities: 0, relations: 0, observations: 0 },
    updated: { entities: 0 },
    warnings,
    faults,
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

function accepted({ drafts, warnings, qualityScore: score }: Judgement, plan: Plan): SaveOutcome {
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
    qualityScore: score,
  };
}
