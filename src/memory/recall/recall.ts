/** `recall`: one call that gives a model what it needs to know, cut to a budget. */
import { MemoryError } from '#errors.ts';
import type { BriefingFact, BriefingItem } from './briefing-item.ts';
import { writeBriefing, type Briefing } from './briefing.ts';
import type { Fact } from '#graph/fact.ts';
import { formatId, type NodeKind } from '#graph/ids.ts';
import { toIsoTime } from '#graph/moment.ts';
import { foldName } from '#graph/names.ts';
import { hybrid, lexical, type Closeness, type Found, type SearchSize } from '#search/hybrid.ts';
import { parseQuery } from '#search/query.ts';
import type { Store } from '#store/store.ts';
import type { World } from '#memory/world.ts';

export interface RecallRequest {
  readonly query: string;
  /** What the text may cost as JSON, with the ids of its items. */
  readonly tokensMax: number;
  /** False for the greatest budget that may be asked for. */
  readonly canRaise: boolean;
  readonly include: readonly Included[];
  /** Facts about entities of this type alone: nothing else has a type. */
  readonly entityType?: string | undefined;
}

export interface Recalled extends Briefing {
  readonly closeness: Closeness;
}

/** What may be recalled, as callers name it. */
export type Included = 'facts' | 'turns' | 'summaries';

const KINDS: Readonly<Record<Included, NodeKind>> = {
  facts: 'fact',
  turns: 'turn',
  summaries: 'summary',
};

/** Items that are ranked: more than any budget holds. */
const ITEMS_MAX = 200;
const RELATIONS_MAX = 50;
/** Characters of each text of a turn that an excerpt is looked for in: 200 whole ones would not fit into memory. */
const TURN_CHARS_MAX = 10_000;
/** No item of a briefing takes less. */
const ITEM_TOKENS_LEAST = 20;
/** Facts of one entity: a question rarely wants more of the same. */
const PER_ENTITY = 30;

export function recallUseCases(world: World) {
  return {
    /** The best facts, summaries and turns, and the relations among the entities of the facts. */
    async recall(request: RecallRequest): Promise<Recalled> {
      const { query } = request;
      const found = await hybrid(world, query, filterOf(request), sizeOf(request));
      return brief(world.store, request, found);
    },

    /** The same by words and names alone, which waits for nothing: vectors are of the present. */
    recallWords(request: RecallRequest): Recalled {
      const { store } = world;
      const found = lexical(store, request.query, filterOf(request), sizeOf(request));
      return brief(store, request, found);
    },
  };
}

/** Items that do not match fill what room is left, as if each were short. */
function sizeOf({ tokensMax }: RecallRequest): SearchSize {
  const count = Math.min(ITEMS_MAX, Math.ceil(tokensMax / ITEM_TOKENS_LEAST));
  return { limit: ITEMS_MAX + 1, atLeast: { count, of: 'nodes' } };
}

/** Throws `invalid_input` for a type of what has none. */
function filterOf({ include, entityType }: RecallRequest) {
  const wanted = [...new Set(include)];
  const included = entityType === undefined ? wanted : wanted.filter(isTyped);
  if (included.length === 0) throw nothingTyped();
  return {
    kinds: included.map((kind) => KINDS[kind]),
    entityType: entityType ?? null,
    isOfGraph: entityType !== undefined,
    perEntity: PER_ENTITY,
  };
}

function brief(store: Store, asked: RecallRequest, { hits, closeness }: Found): Recalled {
  const { query, tokensMax, canRaise } = asked;
  const ranked = hits.slice(0, ITEMS_MAX);
  const scores = new Map(ranked.map(({ nodeId, score }) => [nodeId, score]));
  const entityIds = [...new Set(ranked.flatMap(({ entityId }) => entityId ?? []))];
  const request = {
    terms: termsOf(query),
    tokensMax,
    canRaise,
    isClose: closeness === 'close',
    isFiltered: isFiltered(asked),
    isMore: hits.length > ITEMS_MAX,
    isMixed: filterOf(asked).kinds.length > 1,
  };
  const relations = store.edges.within(entityIds, RELATIONS_MAX);
  const briefing = writeBriefing(request, readItems(store, scores, entityIds), relations);
  return { ...briefing, closeness };
}

function isTyped(kind: Included): boolean {
  return kind === 'facts';
}

function nothingTyped(): MemoryError {
  return new MemoryError('invalid_input', 'Turns and summaries have no entityType.', {
    hint: 'Leave entityType out, or include facts.',
  });
}

/** Whether the request leaves out some of what may be remembered. */
function isFiltered({ query, entityType, include }: RecallRequest): boolean {
  const { phrases, excluded } = parseQuery(query);
  const isOfSome = new Set(include).size < Object.keys(KINDS).length;
  return entityType !== undefined || isOfSome || phrases.length > 0 || excluded.length > 0;
}

/** Words and parts of words that are looked for, folded. */
function termsOf(query: string): string[] {
  const { words, substrings, shorts } = parseQuery(query);
  return [...new Set([...words, ...substrings, ...shorts].map(foldName))];
}

/** Items by their node ids, best first. */
function readItems(
  store: Store,
  scores: ReadonlyMap<number, number>,
  entityIds: readonly number[],
): BriefingItem[] {
  const nodeIds = [...scores.keys()];
  const common = ({ nodeId, createdAt }: { nodeId: number; createdAt: number }) => ({
    date: toIsoTime(createdAt).slice(0, 10),
    score: Math.round((scores.get(nodeId) ?? 0) * 1000) / 1000,
  });
  const factOf = factReader(store, entityIds);
  const items = new Map<number, BriefingItem>();
  for (const fact of store.facts.findByIds(nodeIds)) {
    items.set(fact.nodeId, { ...factOf(fact), ...common(fact) });
  }
  for (const turn of store.turns.findByIds(nodeIds, TURN_CHARS_MAX)) {
    const id = formatId('turn', turn.nodeId);
    items.set(turn.nodeId, { kind: 'turn', ...turn, id, ...common(turn) });
  }
  for (const summary of store.summaries.findByIds(nodeIds)) {
    const id = formatId('summary', summary.nodeId);
    items.set(summary.nodeId, { kind: 'summary', ...summary, id, ...common(summary) });
  }
  return nodeIds.flatMap((nodeId) => items.get(nodeId) ?? []);
}

function factReader(store: Store, entityIds: readonly number[]) {
  const entities = new Map(
    store.entities.findByIds(entityIds).map((entity) => [entity.nodeId, entity]),
  );
  return (fact: Fact): Omit<BriefingFact, 'date' | 'score'> => {
    const entity = fact.entityId === null ? undefined : entities.get(fact.entityId);
    return {
      kind: 'fact',
      id: formatId(fact.entityId === null ? 'memory' : 'observation', fact.nodeId),
      content: fact.content,
      entity: entity ? { name: entity.name, entityType: entity.entityType } : null,
      version: fact.version,
    };
  };
}
