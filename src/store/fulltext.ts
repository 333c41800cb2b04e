/** Looks up the two full-text tables. They are derived: triggers keep them. */
import type { NodeKind } from '#graph/ids.ts';
import { LIVE } from './live.ts';
import type { Sql } from './sql.ts';

/** A node that matched; a smaller rank is better, as `bm25` has it. */
export interface Match {
  readonly nodeId: number;
  readonly entityId: number | null;
  readonly rank: number;
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
}

interface MatchRow {
  node_id: number;
  entity_id: number | null;
  rank: number;
}

function filterValues({ kinds, entityType, isOfGraph }: MatchFilter): (string | number | null)[] {
  return [JSON.stringify(kinds), entityType, isOfGraph ? 1 : 0];
}

function toMatch(row: MatchRow): Match {
  return { nodeId: row.node_id, entityId: row.entity_id, rank: row.rank };
}

/** What the filter asks for: ?2 kinds, ?3 entity type, ?4 whether an entity is required. */
const WANTED = `JOIN node ON node.id = hit.node_id
    LEFT JOIN fact ON fact.node_id = hit.node_id
    LEFT JOIN entity ON entity.node_id = iif(node.kind = 'entity', node.id, fact.entity_id)
    WHERE node.kind IN (SELECT value FROM json_each(?2))
      AND (?3 IS NULL OR entity.type = ?3)
      AND (?4 = 0 OR entity.node_id IS NOT NULL)
      AND fact.superseded_by IS NULL AND ${LIVE}`;

/** An entity with many matching facts must not crowd out the others. */
const PLACE_IN_ENTITY = `row_number() OVER (
      PARTITION BY coalesce(entity.node_id, -node.id) ORDER BY hit.rank, node.id)`;

/** Both indexes are asked alike. Names weigh four times what observations do: a name says what a thing is. */
function matchQuery(table: 'fulltext' | 'trigram'): string {
  return /* sql */ `
  SELECT node_id, entity_id, rank FROM (
    SELECT hit.node_id, entity.node_id AS entity_id, hit.rank, ${PLACE_IN_ENTITY} AS place
    FROM (SELECT rowid AS node_id, bm25(${table}, 4.0, 1.0) AS rank
          FROM ${table} WHERE ${table} MATCH ?1) AS hit ${WANTED})
  WHERE place <= ?5 ORDER BY rank, node_id LIMIT ?6`;
}

const MATCH_WORDS = matchQuery('fulltext');
const MATCH_TRIGRAMS = matchQuery('trigram');

const RESOLVE = /* sql */ `
  SELECT hit.node_id, entity.node_id AS entity_id, 0 AS rank
  FROM (SELECT value AS node_id FROM json_each(?1)) AS hit ${WANTED}`;

export function fulltextStore(sql: Sql) {
  function match(query: string, expression: string, filter: MatchFilter, limit: number): Match[] {
    const values = [...filterValues(filter), filter.perEntity, limit];
    return sql.all<MatchRow>(query, expression, ...values).map(toMatch);
  }

  return {
    /** `expression` is an FTS5 query made by `search/query.ts`, never a caller's text. */
    matchWords(expression: string, filter: MatchFilter, limit: number): Match[] {
      return match(MATCH_WORDS, expression, filter, limit);
    },

    matchTrigrams(expression: string, filter: MatchFilter, limit: number): Match[] {
      return match(MATCH_TRIGRAMS, expression, filter, limit);
    },

    /** Those of the nodes that the filter lets through, as matches without a rank. */
    resolve(nodeIds: readonly number[], filter: MatchFilter): Match[] {
      if (nodeIds.length === 0) return [];
      return sql
        .all<MatchRow>(RESOLVE, JSON.stringify(nodeIds), ...filterValues(filter))
        .map(toMatch);
    },

    /** How many texts each stem stands in; a stem that stands in none is left out. */
    documentFrequencies(stems: readonly string[]): Map<string, number> {
      const rows = sql.all<{ term: string; doc: number }>(
        'SELECT term, doc FROM fulltext_term WHERE term IN (SELECT value FROM json_each(?))',
        JSON.stringify(stems),
      );
      return new Map(rows.map(({ term, doc }) => [term, doc]));
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

    /** Node ids of entities (and turns and summaries) by their title, best first. -1 for no limit. */
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
