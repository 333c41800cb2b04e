/** Looks up the two full-text tables. They are derived: triggers keep them. */
import type { NodeKind } from '#graph/ids.ts';
import type { FindableStatus } from '#graph/status.ts';
import { ABOUT_FINDABLE, ABOUT_SHOWN, UNEXPIRED } from '#store/graph/live.ts';
import type { Sql } from '#store/sql.ts';
import { scopeExpression, scopeOf } from './session-scope.ts';
import { widen } from './widening.ts';

/** A node that matched; a smaller rank is better, as `bm25` has it. */
export interface Match {
  readonly nodeId: number;
  readonly entityId: number | null;
  readonly kind: NodeKind;
  readonly rank: number;
}

/** What to ask a text index. */
export interface TextQuery {
  /** An FTS5 query made by `search/query.ts`, never a caller's text. */
  readonly expression: string;
  /** True when too many texts match to rank them all. */
  readonly isCommon: boolean;
}

/** What a search may return. */
export interface MatchFilter {
  readonly kinds: readonly NodeKind[];
  /** Only entities of this type and facts about them. */
  readonly entityType: string | null;
  /** True when a fact that stands alone is not wanted. */
  readonly isOfGraph: boolean;
  /** Matches of one entity (itself and its facts) at most. */
  readonly perEntity: number;
  /** Only turns of this session: for `turn` as the only kind. */
  readonly sessionId?: string | undefined;
  /** Only summaries of this category: for `summary` as the only kind. */
  readonly category?: string | undefined;
  /** Active nodes alone when it is left out. */
  readonly statuses?: readonly FindableStatus[] | undefined;
}

export const ACTIVE_ALONE: readonly FindableStatus[] = ['active'];

/** How a match looks before the filter. */
interface MatchRow {
  node_id: number;
  rank: number;
  kind: NodeKind;
  entity_id: number | null;
  entity_type: string | null;
  status: FindableStatus;
  is_current: number;
}

/**
 * What the filter needs to know of the nodes in `hit`. The type costs a row a match, and is looked
 * up when it is asked for alone.
 */
function describe(hits: string, { entityType, statuses = ACTIVE_ALONE }: MatchFilter): string {
  const isTyped = entityType !== null;
  const isOfShown = statuses.includes('outdated') ? ABOUT_FINDABLE : ABOUT_SHOWN;
  return /* sql */ `
  SELECT hit.node_id, hit.rank, node.kind, iif(node.kind = 'entity', node.id, fact.entity_id) AS entity_id,
    ${isTyped ? 'entity.type' : 'NULL'} AS entity_type,
    node.status, fact.superseded_by IS NULL AND ${UNEXPIRED} AND ${isOfShown} AS is_current
  FROM (${hits}) AS hit JOIN node ON node.id = hit.node_id
  LEFT JOIN fact ON fact.node_id = hit.node_id
  ${isTyped ? "LEFT JOIN entity ON entity.node_id = iif(node.kind = 'entity', node.id, fact.entity_id)" : ''}`;
}

type Table = 'fulltext' | 'trigram';

/** Names weigh four times what observations do: a name says what a thing is. */
const TITLE_AND_BODY = '4.0, 1.0';
/** Within a scope the title is the scope, which ranks nothing. */
const BODY_ALONE = '0.0, 1.0';

/** Which of a text index's columns count. */
function weightsOf(filter: MatchFilter): string {
  return scopeOf(filter) === undefined ? TITLE_AND_BODY : BODY_ALONE;
}

/** The expression, for nodes of the filter's scope alone. */
function withinScope(expression: string, filter: MatchFilter): string {
  const scope = scopeOf(filter);
  return scope === undefined ? expression : `(${expression}) AND ${scopeExpression(scope)}`;
}

/** FTS5 sorts within itself, and gives the best without a row read for each text that matches. */
function bestHits(table: Table, weights: string): string {
  return /* sql */ `
  SELECT rowid AS node_id, rank FROM ${table}
  WHERE ${table} MATCH ?1 AND rank MATCH 'bm25(${weights})' ORDER BY rank LIMIT ?2`;
}

/** For words that stand nearly everywhere, which rank nothing: the newest are as good as any. */
function newestHits(table: Table, weights: string): string {
  return /* sql */ `
  SELECT rowid AS node_id, bm25(${table}, ${weights}) AS rank FROM ${table}
  WHERE ${table} MATCH ?1 ORDER BY rowid DESC LIMIT ?2`;
}

const GIVEN_HITS = 'SELECT value AS node_id, 0 AS rank FROM json_each(?1)';

function keep(rows: readonly MatchRow[], filter: MatchFilter): Match[] {
  const { kinds, entityType, isOfGraph, statuses = ACTIVE_ALONE } = filter;
  const wanted = rows.filter(
    (row) =>
      row.is_current === 1 &&
      statuses.includes(row.status) &&
      kinds.includes(row.kind) &&
      (entityType === null || row.entity_type === entityType) &&
      !(isOfGraph && row.entity_id === null),
  );
  return keepFew(
    wanted.map((row) => ({
      nodeId: row.node_id,
      entityId: row.entity_id,
      kind: row.kind,
      rank: row.rank,
    })),
    filter,
  );
}

/** Best first. An entity with many matching facts must not crowd out the others. */
function keepFew(matches: readonly Match[], { perEntity }: MatchFilter): Match[] {
  const ofEntity = new Map<number, number>();
  // Sorted here: SQLite would count each row a second time.
  const sorted = matches.toSorted((a, b) => a.rank - b.rank || a.nodeId - b.nodeId);
  return sorted.filter(({ entityId }) => {
    if (entityId === null) return true;
    const place = (ofEntity.get(entityId) ?? 0) + 1;
    ofEntity.set(entityId, place);
    return place <= perEntity;
  });
}

export function fulltextStore(sql: Sql) {
  function frequencies(table: 'fulltext_term' | 'trigram_term', terms: readonly string[]) {
    const rows = sql.all<{ term: string; doc: number }>(
      `SELECT term, doc FROM ${table} WHERE term IN (SELECT value FROM json_each(?))`,
      JSON.stringify(terms),
    );
    return new Map(rows.map(({ term, doc }) => [term, doc]));
  }

  function resolve(nodeIds: readonly number[], filter: MatchFilter): Match[] {
    if (nodeIds.length === 0) return [];
    const rows = sql.all<MatchRow>(describe(GIVEN_HITS, filter), JSON.stringify(nodeIds));
    return keep(rows, { ...filter, perEntity: rows.length });
  }

  return {
    matchWords({ expression, isCommon }: TextQuery, filter: MatchFilter, limit: number): Match[] {
      const hitsOf = isCommon ? newestHits : bestHits;
      const query = describe(hitsOf('fulltext', weightsOf(filter)), filter);
      const scoped = withinScope(expression, filter);
      return widen(limit, (examined) => {
        const rows = sql.all<MatchRow>(query, scoped, examined);
        return { examined: rows.length, kept: keep(rows, filter) };
      }).slice(0, limit);
    },

    /** What is among the `known` matches is not looked up again. */
    matchTrigrams(
      { expression, isCommon }: TextQuery,
      filter: MatchFilter,
      limit: number,
      known: readonly Match[],
    ): Match[] {
      const query = (isCommon ? newestHits : bestHits)('trigram', weightsOf(filter));
      const scoped = withinScope(expression, filter);
      const resolved = new Map(known.map((match) => [match.nodeId, match]));
      return widen(limit, (examined) => {
        const hits = sql.all<{ node_id: number; rank: number }>(query, scoped, examined);
        const strangers = hits.filter((hit) => !resolved.has(hit.node_id));
        for (const match of resolve(
          strangers.map((hit) => hit.node_id),
          filter,
        )) {
          resolved.set(match.nodeId, match);
        }
        const kept = hits.flatMap(({ node_id, rank }) => {
          const match = resolved.get(node_id);
          return match ? [{ ...match, rank }] : [];
        });
        return { examined: hits.length, kept: keepFew(kept, filter) };
      }).slice(0, limit);
    },

    /** Those of the nodes that the filter lets through, as matches without a rank. */
    resolve,

    /** What may be found of each node, title and body on lines of their own. */
    textsOf(nodeIds: readonly number[]): Map<number, string> {
      const rows = sql.all<{ node_id: number; text: string }>(
        /* sql */ `
        SELECT node_id, title || char(10) || body AS text FROM searchable
        WHERE node_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(nodeIds),
      );
      return new Map(rows.map(({ node_id, text }) => [node_id, text]));
    },

    /** How many texts each stem stands in; a stem that stands in none is left out. */
    stemFrequencies: (stems: readonly string[]) => frequencies('fulltext_term', stems),

    /** The same for trigrams. */
    trigramFrequencies: (trigrams: readonly string[]) => frequencies('trigram_term', trigrams),

    /** Number of texts whose trigrams match an expression, counted up to a limit. */
    countTrigrams(expression: string, atMost: number): number {
      const row = sql.first<{ n: number }>(
        'SELECT count(*) AS n FROM (SELECT 1 FROM trigram WHERE trigram MATCH ? LIMIT ?)',
        expression,
        atMost,
      );
      return row?.n ?? 0;
    },

    /** Trigrams that begin with one or two characters, most frequent first. */
    trigramsStartingWith(start: string, limit: number): string[] {
      return sql
        .all<{ term: string }>(
          'SELECT term FROM trigram_term WHERE term >= ?1 AND term < ?2 ORDER BY doc DESC LIMIT ?3',
          start,
          `${start}\u{10ffff}`,
          limit,
        )
        .map(({ term }) => term);
    },

    /** Node ids of entities by their name, best first. -1 for no limit. */
    matchTitles(expression: string, limit: number): number[] {
      return sql
        .all<{ rowid: number }>(
          'SELECT rowid FROM trigram WHERE trigram MATCH ? ORDER BY rank LIMIT ?',
          expression,
          limit,
        )
        .map(({ rowid }) => rowid);
    },
  };
}
