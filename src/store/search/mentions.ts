/**
 * Finds what speaks of something: in the rows of now, in those that searches pass over, and in the
 * history. It reads the whole thread, for an admin who wants something forgotten.
 */
import type { NodeKind } from '#graph/ids.ts';
import type { Sql } from '#store/sql.ts';

/** A node that has one of the texts now. */
export interface NodeMention {
  readonly nodeId: number;
  readonly kind: NodeKind;
  /** Of a fact; null for a memory and for other nodes. */
  readonly entityId: number | null;
  /** Some of the text around the place. */
  readonly excerpt: string;
}

/** A relation that has one of the texts now. */
export interface EdgeMention {
  readonly fromId: number;
  readonly toId: number;
  readonly type: string;
  readonly excerpt: string;
}

/** A row of the history, or a kept state, that has one of the texts. */
export interface PastMention {
  readonly table: string;
  readonly key: string;
  readonly excerpt: string;
}

const EXCERPT_CHARS = 160;
const EXCERPT_BEFORE = 60;

/** The columns that hold texts of callers, by table. */
export const TEXT_COLUMNS = {
  entity: ['name', 'type'],
  fact: ['content'],
  turn: ['session_id', 'prompt', 'thought', 'response', 'agent', 'model'],
  summary: ['session_id', 'title', 'summary', 'category', 'technologies'],
  node: ['source', 'metadata'],
  edge: ['type', 'metadata'],
} as const;

/** Parameter 1 is the list of texts, in lower case as SQLite has it. Null where the column has none of them. */
function excerptOf(column: string): string {
  return /* sql */ `(
    SELECT substr(${column}, max(1, instr(lower(${column}), value) - ${EXCERPT_BEFORE}), ${EXCERPT_CHARS})
    FROM json_each(?1) WHERE instr(lower(${column}), value) > 0 LIMIT 1)`;
}

function firstExcerpt(columns: readonly string[]): string {
  const [only = 'NULL', ...more] = columns.map((column) => excerptOf(column));
  return more.length === 0 ? only : `coalesce(${[only, ...more].join(', ')})`;
}

/** Parameter 2 is the list of nodes that are left out. */
const nodesWith = (kind: NodeKind, columns: readonly string[], join = '') => /* sql */ `
  SELECT node_id AS nodeId, kind, entity_id AS entityId, excerpt FROM (
    SELECT node.id AS node_id, node.kind AS kind, fact.entity_id AS entity_id,
      ${firstExcerpt(columns)} AS excerpt
    FROM node ${join} LEFT JOIN fact ON fact.node_id = node.id
    WHERE node.kind = '${kind}' AND node.id NOT IN (SELECT value FROM json_each(?2)))
  WHERE excerpt IS NOT NULL LIMIT ?3`;

function nodeQuery(kind: NodeKind): string {
  const own = TEXT_COLUMNS[kind].map((column) => `${kind}.${column}`);
  const columns = [...own, ...TEXT_COLUMNS.node.map((column) => `node.${column}`)];
  const join = kind === 'fact' ? '' : `JOIN ${kind} ON ${kind}.node_id = node.id`;
  return nodesWith(kind, columns, join);
}

/** The node that a change is of; null for an edge. */
export const NODE_OF_CHANGE = /* sql */ `CASE table_name WHEN 'edge' THEN NULL
    WHEN 'node_version' THEN row_key ->> 0 ELSE CAST(row_key AS INTEGER) END`;

const KINDS: readonly NodeKind[] = ['entity', 'fact', 'turn', 'summary'];

/** All states that rows of a table have had, of now and of the history. */
function ever(table: keyof typeof TEXT_COLUMNS, columns: readonly string[]): string {
  const image = (side: string) => columns.map((name) => `${side} ->> '${name}' AS ${name}`);
  return /* sql */ `(
    SELECT ${columns.join(', ')} FROM ${table}
    UNION ALL SELECT ${image('before').join(', ')} FROM change
      WHERE table_name = '${table}' AND before IS NOT NULL
    UNION ALL SELECT ${image('after').join(', ')} FROM change
      WHERE table_name = '${table}' AND after IS NOT NULL)`;
}

const LISTED = '(SELECT value FROM json_each(?1))';

export function mentionStore(sql: Sql) {
  const ids = (query: string, value: string) =>
    sql.all<{ id: number }>(query, value).map(({ id }) => id);
  const texts = (query: string, value: string) =>
    sql.all<{ text: string }>(query, value).map(({ text }) => text);

  return {
    /** Nodes with any of the texts, which must be in lower case; those of `without` are left out. */
    nodes(needles: readonly string[], without: readonly number[], limit: number): NodeMention[] {
      const wanted = JSON.stringify(needles);
      const skipped = JSON.stringify(without);
      return KINDS.flatMap((kind) => sql.all<NodeMention>(nodeQuery(kind), wanted, skipped, limit));
    },

    edges(needles: readonly string[], without: readonly number[], limit: number): EdgeMention[] {
      const columns = TEXT_COLUMNS.edge.map((column) => `edge.${column}`);
      return sql.all<EdgeMention>(
        /* sql */ `
        SELECT from_id AS fromId, to_id AS toId, type, excerpt FROM (
          SELECT from_id, to_id, type, ${firstExcerpt(columns)} AS excerpt FROM edge
          WHERE from_id NOT IN (SELECT value FROM json_each(?2))
            AND to_id NOT IN (SELECT value FROM json_each(?2)))
        WHERE excerpt IS NOT NULL LIMIT ?3`,
        JSON.stringify(needles),
        JSON.stringify(without),
        limit,
      );
    },

    /** Rows of which the history or a kept state has any of the texts; those of `without` are left out. */
    past(needles: readonly string[], without: readonly number[], limit: number): PastMention[] {
      return sql.all<PastMention>(
        /* sql */ `
        SELECT table_name AS "table", row_key AS key, min(excerpt) AS excerpt FROM (
          SELECT table_name, row_key, ${firstExcerpt(['change.after', 'change.before'])} AS excerpt
          FROM change
          WHERE coalesce(${NODE_OF_CHANGE}, 0) NOT IN (SELECT value FROM json_each(?2))
            AND (table_name <> 'edge' OR row_key ->> 0 NOT IN (SELECT value FROM json_each(?2))
              AND row_key ->> 1 NOT IN (SELECT value FROM json_each(?2)))
          UNION ALL
          SELECT 'node_version', json_array(node_id, version), ${excerptOf('node_version.state')}
          FROM node_version WHERE node_id NOT IN (SELECT value FROM json_each(?2)))
        WHERE excerpt IS NOT NULL GROUP BY 1, 2 LIMIT ?3`,
        JSON.stringify(needles),
        JSON.stringify(without),
        limit,
      );
    },

    hasEdge: ({ fromId, toId, type }: Omit<EdgeMention, 'excerpt'>) =>
      sql.first(
        'SELECT 1 FROM edge WHERE from_id = ? AND to_id = ? AND type = ?',
        fromId,
        toId,
        type,
      ) !== undefined,

    /** Facts, turns and summaries that an edge joins to any of the nodes, entities among these left out. */
    linked(nodeIds: readonly number[], limit: number): NodeMention[] {
      return sql.all<NodeMention>(
        /* sql */ `
        WITH other (id) AS (
          SELECT from_id FROM edge JOIN node AS own ON own.id = to_id
          WHERE to_id IN ${LISTED} AND own.kind <> 'entity'
          UNION SELECT to_id FROM edge JOIN node AS own ON own.id = from_id
          WHERE from_id IN ${LISTED} AND own.kind <> 'entity')
        SELECT node.id AS nodeId, node.kind, fact.entity_id AS entityId, coalesce(
          substr(fact.content, 1, ${EXCERPT_CHARS}), substr(prompt, 1, ${EXCERPT_CHARS}), title) AS excerpt
        FROM other JOIN node ON node.id = other.id
        LEFT JOIN fact ON fact.node_id = node.id LEFT JOIN turn ON turn.node_id = node.id
        LEFT JOIN summary ON summary.node_id = node.id
        WHERE node.kind <> 'entity' AND node.id NOT IN ${LISTED} LIMIT ?2`,
        JSON.stringify(nodeIds),
        limit,
      );
    },

    /** Entities that have the name, or had it once. */
    entitiesNamed: (name: string) =>
      ids(
        `SELECT DISTINCT node_id AS id FROM ${ever('entity', ['node_id', 'name'])} WHERE name = ?`,
        name,
      ),

    /** Entities that have the name now. */
    entitiesNamedNow: (name: string) =>
      ids('SELECT node_id AS id FROM entity WHERE name = ?', name),

    /** All names that entities have or had. */
    namesOf: (nodeIds: readonly number[]) =>
      texts(
        `SELECT DISTINCT name AS text FROM ${ever('entity', ['node_id', 'name'])} WHERE node_id IN ${LISTED}`,
        JSON.stringify(nodeIds),
      ),

    /** Facts about entities, in all versions; those that were deleted too, but not those that are about another by now. */
    factsAbout: (entityIds: readonly number[]) =>
      ids(
        /* sql */ `
        SELECT DISTINCT state.node_id AS id FROM ${ever('fact', ['node_id', 'entity_id'])} AS state
        WHERE state.entity_id IN ${LISTED} AND NOT EXISTS (
          SELECT 1 FROM fact WHERE fact.node_id = state.node_id
            AND coalesce(fact.entity_id, 0) NOT IN ${LISTED})`,
        JSON.stringify(entityIds),
      ),

    /** Facts that say exactly this, or did. */
    factsSaying: (content: string) =>
      ids(
        `SELECT DISTINCT node_id AS id FROM ${ever('fact', ['node_id', 'content'])} WHERE content = ?`,
        content,
      ),

    /** All that facts say or said. */
    contentsOf: (nodeIds: readonly number[]) =>
      texts(
        `SELECT DISTINCT content AS text FROM ${ever('fact', ['node_id', 'content'])} WHERE node_id IN ${LISTED}`,
        JSON.stringify(nodeIds),
      ),

    /** Turns and the summary of a session, those that were deleted too. */
    nodesOfSession: (sessionId: string) => [
      ...new Set(
        (['turn', 'summary'] as const).flatMap((table) =>
          ids(
            `SELECT DISTINCT node_id AS id FROM ${ever(table, ['node_id', 'session_id'])} WHERE session_id = ?`,
            sessionId,
          ),
        ),
      ),
    ],

    /** The summary of the session of a turn. */
    summaryOfTurn: (turnId: number) =>
      sql.all<NodeMention>(
        /* sql */ `
        SELECT summary.node_id AS nodeId, 'summary' AS kind, NULL AS entityId, title AS excerpt
        FROM turn JOIN summary USING (session_id) WHERE turn.node_id = ?`,
        turnId,
      ),

    /** Texts of turns that are not longer than that. */
    textsOfTurns: (nodeIds: readonly number[], charsMin: number, charsMax: number) =>
      texts(
        /* sql */ `
        SELECT DISTINCT value AS text FROM ${ever('turn', ['node_id', 'prompt', 'thought', 'response'])} AS state,
          json_each(json_array(prompt, thought, response))
        WHERE state.node_id IN ${LISTED} AND length(value) BETWEEN ${charsMin} AND ${charsMax}`,
        JSON.stringify(nodeIds),
      ),

    /** Kinds of nodes that are there, or that the history knows. */
    kindsOf(nodeIds: readonly number[]): Map<number, { kind: NodeKind; isThere: boolean }> {
      const rows = sql.all<{ id: number; kind: NodeKind; there: number }>(
        /* sql */ `
        SELECT id, kind, 1 AS there FROM node WHERE id IN ${LISTED}
        UNION ALL
        SELECT DISTINCT CAST(row_key AS INTEGER), coalesce(after, before) ->> 'kind', 0 FROM change
        WHERE table_name = 'node' AND CAST(row_key AS INTEGER) IN ${LISTED}
          AND NOT EXISTS (SELECT 1 FROM node WHERE id = CAST(row_key AS INTEGER))`,
        JSON.stringify(nodeIds),
      );
      return new Map(rows.map(({ id, kind, there }) => [id, { kind, isThere: there === 1 }]));
    },

    /** Of the facts that are there: the entity, and the versions beside them. */
    factLinks: (nodeIds: readonly number[]) =>
      sql.all<{
        nodeId: number;
        entityId: number | null;
        supersedes: number | null;
        supersededBy: number | null;
      }>(
        /* sql */ `
        SELECT node_id AS nodeId, entity_id AS entityId, supersedes, superseded_by AS supersededBy
        FROM fact WHERE node_id IN ${LISTED}`,
        JSON.stringify(nodeIds),
      ),
  };
}
