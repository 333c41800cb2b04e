/**
 * Keeps an answer of entities and relations within a budget of tokens, whatever was read: some
 * clients show a model the text of an answer and others its JSON, which are the same here.
 */
import * as z from 'zod';
import { weighTokens } from '#graph/text/tokens.ts';
import { ANSWER_TOKENS_DEFAULT, ANSWER_TOKENS_MAX, ANSWER_TOKENS_MIN } from '#limits.ts';
import type { Detail, EntityView } from '#memory/reading/answer-size.ts';
import type { GraphView } from '#memory/reading/read-graph.ts';
import { toEntity, toRelation } from './shapes.ts';

/** The length of an answer that lists entities. */
export const answerTokens = () =>
  z
    .int()
    .min(ANSWER_TOKENS_MIN)
    .max(ANSWER_TOKENS_MAX)
    .default(ANSWER_TOKENS_DEFAULT)
    .describe('Length.');

export interface GraphBudget {
  readonly tokensMax: number;
  readonly detail: Detail;
  readonly threadId: string;
  /** The fields of the answer beside entities and relations, which cost something too. */
  readonly besides?: Readonly<Record<string, unknown>>;
}

export interface FittedGraph {
  readonly entities: ReturnType<typeof toEntity>[];
  readonly relations: ReturnType<typeof toRelation>[];
  /** Facts of the entities shown that are not. */
  readonly factsLeft: number;
  /** The last of the entities, which had no room. */
  readonly entitiesLeft: number;
  /** Whether relations of the entities shown are missing. */
  readonly areRelationsCut: boolean;
}

/** Relations have this share of the room, and what facts leave of it. */
const RELATIONS_SHARE = 0.25;
/** What the notes on cuts cost together, at most. */
const NOTES_TOKENS = 120;

/**
 * The first entities, each with as many facts as all of them have room for: those that an entity
 * names as its `leading` ones first, then the oldest. Then the first relations that touch them.
 */
export function fitGraph(view: GraphView, budget: GraphBudget): FittedGraph {
  const { tokensMax, detail, threadId, besides = {} } = budget;
  const frame = { entities: [], relations: [], ...besides };
  let room = 100 * (tokensMax - NOTES_TOKENS) - weigh(frame);
  const relations = view.relations.map((relation) => toRelation(relation, detail));
  const reserve = Math.min(weigh(relations), Math.max(0, room * RELATIONS_SHARE));

  room -= reserve;
  const sheets = view.entities.map((own) => openSheet(own, detail, threadId));
  const placed = takeWhileFits(sheets, ({ least }) => {
    if (least > room) return false;
    room -= least;
    return true;
  });
  for (const sheet of placed) sheet.takeNext();
  // An entity whose first fact is too long is shown without it.
  const shown = placed.length > 0 ? placed : sheets.slice(0, 1);
  for (let open = shown; open.length > 0;) {
    open = open.filter((sheet) => {
      const cost = sheet.costOfNext();
      if (cost === undefined || cost > room) return false;
      room -= cost;
      sheet.takeNext();
      return true;
    });
  }

  room += reserve;
  const names = new Set(shown.map(({ name }) => name));
  const touching = relations.filter(({ from, to }) => names.has(from) || names.has(to));
  const fitting = takeWhileFits(touching, (relation) => {
    room -= weigh(relation);
    return room >= 0;
  });
  const entities = shown.map((sheet) => sheet.write());
  return {
    entities,
    relations: fitting,
    factsLeft: entities.reduce((sum, { moreObservations = 0 }) => sum + moreObservations, 0),
    entitiesLeft: view.entities.length - shown.length,
    areRelationsCut: view.relationsCut || fitting.length < touching.length,
  };
}

/** One entity, and its facts in the order in which they are taken. */
function openSheet(own: EntityView, detail: Detail, threadId: string) {
  const { entity, facts, leading = [] } = own;
  const write = (shown: EntityView['facts']) =>
    toEntity({ entity, facts: shown }, detail, threadId);
  const leads = new Set(leading);
  const ordered = [
    ...leading.flatMap((nodeId) => facts.find((fact) => fact.nodeId === nodeId) ?? []),
    ...facts.filter(({ nodeId }) => !leads.has(nodeId)),
  ];
  const costOf = (place: number): number | undefined => {
    const fact = ordered[place];
    if (fact === undefined) return undefined;
    return weigh(write([fact]).observations[0]);
  };
  let taken = 0;
  return {
    name: entity.name,
    /** With its first fact. */
    least: weigh(write([])) + (costOf(0) ?? 0),
    costOfNext: () => costOf(taken),
    takeNext: () => void (taken += 1),
    /** Facts in the order in which they were stored. */
    write() {
      const shown = new Set(ordered.slice(0, taken));
      return write(facts.filter((fact) => shown.has(fact)));
    },
  };
}

/** Of a value in a list, in hundredths of a token. */
export function weigh(value: unknown): number {
  return weighTokens(`${JSON.stringify(value)},`);
}

/** The first items, up to one that does not fit. */
export function takeWhileFits<Item>(items: readonly Item[], fits: (item: Item) => boolean): Item[] {
  const end = items.findIndex((item) => !fits(item));
  return end === -1 ? [...items] : items.slice(0, end);
}

/** How to get what had no room. */
export interface Advice {
  readonly entities: string;
  readonly facts: string;
}

/** Says what is missing and how to get it. */
export function fittingNotes(
  { relations, factsLeft, entitiesLeft, areRelationsCut }: FittedGraph,
  advice: Advice,
): (string | false)[] {
  return [
    entitiesLeft > 0 && `${entitiesLeft} more entities had no room: ${advice.entities}`,
    factsLeft > 0 && `moreObservations counts ${factsLeft} facts left out: ${advice.facts}`,
    areRelationsCut &&
      `Only the first ${relations.length} relations are shown: raise maxTokens or open fewer entities.`,
  ];
}
