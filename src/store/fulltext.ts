/** Looks up the two full-text tables. They are derived: triggers keep them, `rebuild` makes them anew. */
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
  readonly entityType: string | null;
  /** Matches of one entity (itself and its facts) at most. */
  readonly perEntity: number;
}

interface MatchRow {
  node_id: number;
  entity_id: number | null;
  rank: number;
}

function toMatch(row: MatchRow): Match {
  return { nodeId: row.node_id, entityId: row.entity_id, rank: row.rank };
}

/** Names weigh four times what observations do: a name says what a thing is. */
const RANK = 'bm25(%table%, 4.0, 1.0)';

/** Entities, and facts attached to one: what the graph tools search. */
const OF_GRAPH = `JOIN node ON node.id = hit.node_id
    LEFT JOIN fact ON fact.node_id = hit.node_id
    JOIN entity ON entity.node_id = coalesce(fact.entity_id, hit.node_id)
    WHERE (?2 IS NULL OR entity.type = ?2) AND ${LIVE}`;

/** An entity with many matching facts must not crowd out the others. */
const BEST_OF_EACH_ENTITY = `row_number() OVER (PARTITION BY entity.node_id ORDER BY hit.rank)`;

const MATCH_WORDS = /* sql */ `
  SELECT node_id, entity_id, rank FROM (
    SELECT hit.node_id, entity.node_id AS entity_id, hit.rank, ${BEST_OF_EACH_ENTITY} AS place
    FROM (SELECT rowid AS node_id, ${RANK.replace('%table%', 'fulltext')} AS rank
          FROM fulltext WHERE fulltext MATCH ?1) AS hit ${OF_GRAPH})
  WHERE place <= ?3 ORDER BY rank, node_id LIMIT ?4`;

const MATCH_TRIGRAMS = /* sql */ `
  SELECT node_id, entity_id, rank FROM (
    SELECT hit.node_id, entity.node_id AS entity_id, hit.rank, ${BEST_OF_EACH_ENTITY} AS place
    FROM (SELECT rowid AS node_id, ${RANK.replace('%table%', 'trigram')} AS rank
          FROM trigram WHERE trigram MATCH ?1) AS hit ${OF_GRAPH})
  WHERE place <= ?3 ORDER BY rank, node_id LIMIT ?4`;

export function fulltextStore(sql: Sql) {
  function match(query: string, expression: string, filter: MatchFilter, limit: number): Match[] {
    return sql
      .all<MatchRow>(query, expression, filter.entityType, filter.perEntity, limit)
      .map(toMatch);
  }

  return {
    /** `expression` is an FTS5 query made by `search/query.ts`, never a caller's text. */
    matchWords(expression: string, filter: MatchFilter, limit: number): Match[] {
      return match(MATCH_WORDS, expression, filter, limit);
    },

    matchTrigrams(expression: string, filter: MatchFilter, limit: number): Match[] {
      return match(MATCH_TRIGRAMS, expression, filter, limit);
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

    /** Empties both tables and fills them from the canonical ones. */
    rebuild(): void {
      sql.script(/* sql */ `
        INSERT INTO fulltext (fulltext) VALUES ('delete-all');
        INSERT INTO trigram (trigram) VALUES ('delete-all');
        INSERT INTO fulltext (rowid, title, body) SELECT node_id, title, body FROM searchable;
        INSERT INTO trigram (rowid, title, body)
          SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  ' FROM searchable`);
    },
  };
}
