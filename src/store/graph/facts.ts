/** Reads and writes the `fact` table: statements, their versions, and the chains these form. */
import type { Fact } from '#graph/fact.ts';
import { hashText } from '#graph/text/hash.ts';
import { ABOUT_SHOWN, LIVE } from './live.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

interface FactRow {
  node_id: number;
  entity_id: number | null;
  content: string;
  version: number;
  supersedes: number | null;
  superseded_by: number | null;
  confidence: number;
  importance: number;
  source: string | null;
  created_at: number;
  updated_at: number;
  accessed_at: number | null;
}

const COLUMNS = `fact.node_id, fact.entity_id, fact.content, fact.version, fact.supersedes,
  fact.superseded_by, node.confidence, node.importance, node.source, node.created_at, node.updated_at,
  node.accessed_at`;

function toFact(row: FactRow): Fact {
  return {
    nodeId: row.node_id,
    entityId: row.entity_id,
    content: row.content,
    version: row.version,
    supersedes: row.supersedes,
    supersededBy: row.superseded_by,
    confidence: row.confidence,
    importance: row.importance,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    accessedAt: row.accessed_at,
  };
}

export interface NewFact {
  readonly nodeId: number;
  readonly entityId: number | null;
  readonly content: string;
  readonly isAtomic: boolean;
  readonly version: number;
  readonly supersedes: number | null;
}

const NEW_COLUMNS = 'node_id, entity_id, content, content_hash, is_atomic, version, supersedes';

/** The values of a new row, in the order of its columns. */
function toCells(fact: NewFact): (string | number | null)[] {
  return [
    fact.nodeId,
    fact.entityId,
    fact.content,
    hashText(fact.content),
    fact.isAtomic ? 1 : 0,
    fact.version,
    fact.supersedes,
  ];
}

/** A fact by its place in a chain. */
interface Version {
  readonly nodeId: number;
  readonly supersedes: number | null;
}

export function factStore(sql: Sql) {
  return {
    insert(fact: NewFact): void {
      sql.run(`INSERT INTO fact (${NEW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, ...toCells(fact));
    },

    /** As `insert`, by one statement, or a few where the texts are long. */
    insertMany(facts: readonly NewFact[]): void {
      if (facts.length === 0) return;
      const cells = Array.from({ length: 7 }, (_, index) => `value ->> ${index}`);
      for (const list of jsonLists(facts.map(toCells))) {
        sql.run(
          `INSERT INTO fact (${NEW_COLUMNS}) SELECT ${cells.join(', ')} FROM json_each(?)`,
          list,
        );
      }
    },

    /** The current fact about an entity (null: about none) that says exactly this. */
    findCurrent(entityId: number | null, content: string): Fact | undefined {
      const row = sql.first<FactRow>(
        /* sql */ `
        SELECT ${COLUMNS} FROM fact JOIN node ON node.id = fact.node_id
        WHERE fact.entity_id IS ? AND fact.content_hash = ? AND fact.content = ?
          AND fact.superseded_by IS NULL AND ${LIVE}`,
        entityId,
        hashText(content),
        content,
      );
      return row && toFact(row);
    },

    /** Missing ids are left out; order follows `nodeIds`. */
    findByIds(nodeIds: readonly number[]): Fact[] {
      return sql
        .all<FactRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?) AS wanted
          JOIN fact ON fact.node_id = wanted.value JOIN node ON node.id = fact.node_id
          WHERE ${LIVE} AND ${ABOUT_SHOWN} ORDER BY wanted.key`,
          JSON.stringify(nodeIds),
        )
        .map(toFact);
    },

    /** Current facts of entities, oldest first, at most `perEntity` of each. */
    listCurrent(entityIds: readonly number[], perEntity: number): Fact[] {
      return sql
        .all<FactRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM json_each(?) AS wanted
          JOIN fact ON fact.node_id IN (
            SELECT own.node_id FROM fact AS own JOIN node ON node.id = own.node_id
            WHERE own.entity_id = wanted.value AND own.superseded_by IS NULL AND ${LIVE}
            ORDER BY own.node_id LIMIT ?)
          JOIN node ON node.id = fact.node_id
          ORDER BY wanted.key, fact.node_id`,
          JSON.stringify(entityIds),
          perEntity,
        )
        .map(toFact);
    },

    /** The entities of facts, null for a fact that stands alone. Missing facts are left out. */
    entitiesOf(nodeIds: readonly number[]): Map<number, number | null> {
      const rows = sql.all<{ node_id: number; entity_id: number | null }>(
        'SELECT node_id, entity_id FROM fact WHERE node_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(nodeIds),
      );
      return new Map(rows.map(({ node_id, entity_id }) => [node_id, entity_id]));
    },

    /** Current facts stored within two places of the given ones, about the same entity or about none. */
    neighbours(nodeIds: readonly number[]): { nodeId: number; neighbourId: number }[] {
      return sql
        .all<{ node_id: number; neighbour_id: number }>(
          /* sql */ `
          SELECT own.node_id, near.node_id AS neighbour_id
          FROM json_each(?) AS wanted JOIN fact AS own ON own.node_id = wanted.value
          JOIN fact AS near ON near.node_id BETWEEN own.node_id - 2 AND own.node_id + 2
          WHERE near.node_id <> own.node_id
            -- The plus keeps SQLite from reading every fact of the entity.
            AND +near.entity_id IS own.entity_id AND near.superseded_by IS NULL`,
          JSON.stringify(nodeIds),
        )
        .map((row) => ({ nodeId: row.node_id, neighbourId: row.neighbour_id }));
    },

    /** Current facts, last stored first. Reads no more than it gives and what it passes over. */
    listRecent(limit: number): Fact[] {
      return sql
        .all<FactRow>(
          /* sql */ `
          SELECT ${COLUMNS} FROM fact CROSS JOIN node ON node.id = fact.node_id
          WHERE fact.superseded_by IS NULL AND ${LIVE} AND ${ABOUT_SHOWN}
          ORDER BY fact.node_id DESC LIMIT ?`,
          limit,
        )
        .map(toFact);
    },

    /** Every version of a fact, oldest first, found from any of them. One may have replaced several. */
    chain(nodeId: number): Fact[] {
      return sql
        .all<FactRow>(
          /* sql */ `
          WITH RECURSIVE
            newer (id) AS (
              SELECT ?1 UNION
              SELECT fact.superseded_by FROM newer JOIN fact ON fact.node_id = newer.id
              WHERE fact.superseded_by IS NOT NULL),
            member (id) AS (
              SELECT id FROM newer UNION
              SELECT fact.node_id FROM member JOIN fact ON fact.superseded_by = member.id)
          SELECT ${COLUMNS} FROM member
          JOIN fact ON fact.node_id = member.id JOIN node ON node.id = fact.node_id
          ORDER BY fact.version, fact.node_id`,
          nodeId,
        )
        .map(toFact);
    },

    /** Current facts that two entities both have: `ours` of the first, `theirs` of the second. */
    duplicatesBetween(entityId: number, otherId: number): { ours: Version; theirs: Version }[] {
      return sql
        .all<{ ours: number; before: number | null; theirs: number; other_before: number | null }>(
          /* sql */ `
          SELECT own.node_id AS ours, own.supersedes AS before,
                 other.node_id AS theirs, other.supersedes AS other_before
          FROM fact AS own JOIN fact AS other
            ON other.entity_id = ?2 AND other.content_hash = own.content_hash
               AND other.content = own.content AND other.superseded_by IS NULL
          WHERE own.entity_id = ?1 AND own.superseded_by IS NULL
            AND EXISTS (SELECT 1 FROM node WHERE node.id = own.node_id AND ${LIVE})
            AND EXISTS (SELECT 1 FROM node WHERE node.id = other.node_id AND ${LIVE})`,
          entityId,
          otherId,
        )
        .map((row) => ({
          ours: { nodeId: row.ours, supersedes: row.before },
          theirs: { nodeId: row.theirs, supersedes: row.other_before },
        }));
    },

    /** The facts and all versions before them. */
    withEarlierVersions(nodeIds: readonly number[]): number[] {
      return sql
        .all<{ id: number }>(
          /* sql */ `
          WITH RECURSIVE version (id) AS (
            SELECT value FROM json_each(?)
            UNION SELECT fact.node_id FROM version JOIN fact ON fact.superseded_by = version.id)
          SELECT id FROM version`,
          JSON.stringify(nodeIds),
        )
        .map(({ id }) => id);
    },

    /** Current facts that have versions before them, oldest first. Reads facts with such alone. */
    currentWithVersions(limit: number): number[] {
      return sql
        .all<{ node_id: number }>(
          /* sql */ `
          SELECT node_id FROM fact WHERE supersedes IS NOT NULL AND superseded_by IS NULL
          ORDER BY supersedes LIMIT ?`,
          limit,
        )
        .map(({ node_id }) => node_id);
    },

    /** Parts facts from the versions before them, and keeps their numbers. */
    forgetVersions(nodeIds: readonly number[]): void {
      for (const list of jsonLists(nodeIds)) {
        sql.run(
          'UPDATE fact SET supersedes = NULL WHERE node_id IN (SELECT value FROM json_each(?))',
          list,
        );
      }
    },

    /** Makes every version of every fact about one entity a fact about another. */
    moveAll(fromEntityId: number, toEntityId: number): void {
      sql.run('UPDATE fact SET entity_id = ? WHERE entity_id = ?', toEntityId, fromEntityId);
    },

    /** Puts another text in the place of a fact's own. */
    rewrite(nodeId: number, content: string, isAtomic: boolean): void {
      sql.run(
        'UPDATE fact SET content = ?, content_hash = ?, is_atomic = ? WHERE node_id = ?',
        content,
        hashText(content),
        isAtomic ? 1 : 0,
        nodeId,
      );
    },

    markSuperseded(nodeId: number, byId: number): void {
      sql.run('UPDATE fact SET superseded_by = ? WHERE node_id = ?', byId, nodeId);
    },

    /** As `markSuperseded`, by one statement. */
    markAllSuperseded(pairs: readonly { readonly nodeId: number; readonly byId: number }[]): void {
      if (pairs.length === 0) return;
      sql.run(
        /* sql */ `
        UPDATE fact SET superseded_by = by_id
        FROM (SELECT value ->> 0 AS id, value ->> 1 AS by_id FROM json_each(?)) WHERE node_id = id`,
        JSON.stringify(pairs.map(({ nodeId, byId }) => [nodeId, byId])),
      );
    },

    /** Makes a current fact the next version after another, which is marked besides. */
    placeAfter(nodeId: number, { nodeId: olderId, version }: Fact): void {
      sql.run(
        'UPDATE fact SET supersedes = ?2, version = max(version, ?3 + 1) WHERE node_id = ?1',
        nodeId,
        olderId,
        version,
      );
    },

    /** Parts the versions of a whole chain, before they are removed together. */
    unlinkAll(nodeIds: readonly number[]): void {
      for (const list of jsonLists(nodeIds)) {
        sql.run(
          /* sql */ `
          UPDATE fact SET supersedes = NULL, superseded_by = NULL
          WHERE node_id IN (SELECT value FROM json_each(?))`,
          list,
        );
      }
    },

    /** Takes one version out of its chain and joins its neighbours; versions keep their numbers. */
    unlink({ nodeId, supersededBy }: Fact): void {
      sql.run('UPDATE fact SET supersedes = NULL, superseded_by = NULL WHERE node_id = ?', nodeId);
      sql.run('UPDATE fact SET superseded_by = ? WHERE superseded_by = ?', supersededBy, nodeId);
      // The last that it has replaced, among those that are left.
      sql.run(
        /* sql */ `
        UPDATE fact SET supersedes = (
          SELECT older.node_id FROM fact AS older WHERE older.superseded_by = fact.node_id
          ORDER BY older.version DESC, older.node_id DESC LIMIT 1)
        WHERE supersedes = ?`,
        nodeId,
      );
    },
  };
}
