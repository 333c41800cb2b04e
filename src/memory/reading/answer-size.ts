/** How long an answer gets, and what to keep of one that would get too long. Sizes are characters of JSON. */
import type { Relation } from '#graph/edge.ts';
import type { Entity } from '#graph/entity.ts';
import type { Fact } from '#graph/fact.ts';
import { RELATIONS_CHARS_MAX, RELATIONS_SHOWN_MAX } from '#limits.ts';

/** An entity with its current facts, oldest first. `entity.observationCount` says how many there are. */
export interface EntityView {
  readonly entity: Entity;
  readonly facts: readonly Fact[];
  /** Ids of the facts that are shown first where not all are, the best first. */
  readonly leading?: readonly number[];
}

/** Brief names facts by their text alone; full gives each its id, version, dates and weights. */
export type Detail = 'brief' | 'full';

/** Quotes, commas and field names, about. */
const ENTITY_OVERHEAD_CHARS = { brief: 48, full: 210 };
const FACT_OVERHEAD_CHARS = { brief: 3, full: 190 };
const RELATION_OVERHEAD_CHARS = { brief: 36, full: 100 };

/** No relation is shorter than this. */
export const RELATION_CHARS_MIN = RELATION_OVERHEAD_CHARS.brief + 3;

export function measureView({ entity, facts }: EntityView, detail: Detail): number {
  const contents = facts.reduce(
    (sum, { content }) => sum + content.length + FACT_OVERHEAD_CHARS[detail],
    0,
  );
  const names = entity.name.length + entity.entityType.length;
  return ENTITY_OVERHEAD_CHARS[detail] + names + contents;
}

export function measureRelation({ from, to, relationType }: Relation, detail: Detail): number {
  return RELATION_OVERHEAD_CHARS[detail] + from.length + to.length + relationType.length;
}

/** The first items, as many as fit, and `least` of them in any case. */
export function takeFitting<Item>(
  items: readonly Item[],
  charsMax: number,
  charsOf: (item: Item) => number,
  least = 0,
): readonly Item[] {
  let chars = 0;
  const end = items.findIndex((item) => {
    chars += charsOf(item);
    return chars > charsMax;
  });
  return end === -1 ? items : items.slice(0, Math.max(end, least));
}

/** The first relations, as many as fit. */
export function fitRelations(
  relations: readonly Relation[],
  charsMax: number,
  detail: Detail,
): readonly Relation[] {
  return takeFitting(relations, charsMax, (relation) => measureRelation(relation, detail));
}

/** What an answer shows of relations, of which one more than it may show was read. */
export function showRelations(
  candidates: readonly Relation[],
  detail: Detail,
): { readonly relations: readonly Relation[]; readonly relationsCut: boolean } {
  const few = candidates.slice(0, RELATIONS_SHOWN_MAX);
  const relations = fitRelations(few, RELATIONS_CHARS_MAX, detail);
  return { relations, relationsCut: relations.length < candidates.length };
}

/** Facts of each entity that are shown when all of them do not fit: the same for every entity. */
const FACTS_SHOWN_STEPS = [20, 10, 5, 3, 1];

/** Every entity, with as many of its facts as fit when each may have the same number. */
export function fitFacts(
  views: readonly EntityView[],
  charsMax: number,
  detail: Detail,
): EntityView[] {
  let kept = [...views];
  for (const shown of FACTS_SHOWN_STEPS) {
    const chars = kept.reduce((sum, view) => sum + measureView(view, detail), 0);
    if (chars <= charsMax) break;
    kept = views.map(({ entity, facts }) => ({ entity, facts: facts.slice(0, shown) }));
  }
  return kept;
}
