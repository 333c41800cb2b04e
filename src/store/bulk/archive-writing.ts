/**
 * Writes what an archive holds, many rows by one statement. The triggers see every row, so that the
 * indexes, the counts and the history follow as they do from any other write.
 */
import type { ArchivedChange, ArchivedRevision } from './archive-reading.ts';
import {
  columnsOf,
  historyOf,
  keyOf,
  tableName,
  toSqlCell,
  type ArchiveField,
  type ArchiveRow,
  type ArchiveTable,
} from './archive-tables.ts';
import type { Compaction } from '#store/history/horizon.ts';
import type { NodeStatus } from '#graph/status.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql, SqlValue } from '#store/sql.ts';

/** A fact and one of its neighbours in a chain of versions. */
export interface ChainLink {
  readonly id: number;
  /** Null for none. */
  readonly other: number | null;
}

/** Of a node: what decides whether answers have it. Times in epoch milliseconds. */
export interface Standing {
  readonly status: NodeStatus;
  readonly confidence: number;
  readonly expiresAt: number | null;
  readonly ttlDays: number | null;
  readonly updatedAt: number;
}

/** What an update of a matched row may change: the rest is what it was matched by. */
const CHANGEABLE: Readonly<Record<ArchiveTable, readonly string[]>> = {
  node: [
    'status',
    'confidence',
    'importance',
    'source',
    'metadata',
    'createdAt',
    'updatedAt',
    'expiresAt',
    'ttlDays',
    'accessedAt',
  ],
  entity: ['entityType'],
  fact: ['isAtomic'],
  turn: ['thought', 'response', 'agent', 'model'],
  summary: [
    'title',
    'summary',
    'category',
    'quality',
    'productivity',
    'impact',
    'complexity',
    'technologies',
    'turnCount',
  ],
  edge: ['importance', 'metadata', 'createdAt'],
  version: ['state', 'replacedAt'],
};

const KEYS: Readonly<Record<ArchiveTable, readonly string[]>> = {
  node: ['id'],
  entity: ['id'],
  fact: ['id'],
  turn: ['id'],
  summary: ['id'],
  edge: ['from', 'to', 'relationType'],
  version: ['node', 'version'],
};

const IDS = '(SELECT value FROM json_each(?))';

function toCells(table: ArchiveTable, rows: readonly ArchiveRow[]): SqlValue[][] {
  const columns = columnsOf(table);
  return rows.map((row) => columns.map((column) => toSqlCell(column, row)));
}

/** The history writes whole numbers of such a column as `1.0`. */
function isReal({ rule }: ArchiveField): boolean {
  return rule.kind === 'unit' || rule.kind === 'positive';
}

/** The row as the triggers write it, from a list of its values. */
function asHistory(table: ArchiveTable, cells: string): string {
  const pairs = historyOf(table).map((one, index) => {
    const cell = `${cells} ->> ${index}`;
    return `'${one.column}', ${isReal(one) ? `CAST(${cell} AS REAL)` : cell}`;
  });
  return `json_object(${pairs.join(', ')})`;
}

function rowKey(table: ArchiveTable): string {
  const parts = KEYS[table].map((_, index) => `value -> 2 ->> ${index}`);
  return parts.length === 1 ? `CAST(${parts[0]} AS TEXT)` : `json_array(${parts.join(', ')})`;
}

export function archiveWritingStore(sql: Sql) {
  /** A statement for each part of a list, which is its only parameter. */
  function runEach(query: string, items: readonly unknown[]): void {
    for (const list of jsonLists(items)) sql.run(query, list);
  }

  function allOf<Row>(query: string, items: readonly unknown[]): Row[] {
    return jsonLists(items).flatMap((list) => sql.all<Row>(query, list));
  }

  function setLinks(column: 'supersedes' | 'superseded_by', links: readonly ChainLink[]): void {
    runEach(
      /* sql */ `
      UPDATE fact SET ${column} = other
      FROM (SELECT value ->> 0 AS id, value ->> 1 AS other FROM json_each(?))
      WHERE node_id = id AND ${column} IS NOT other`,
      links.map(({ id, other }) => [id, other]),
    );
  }

  return {
    insert(table: ArchiveTable, rows: readonly ArchiveRow[]): void {
      if (rows.length === 0) return;
      const columns = columnsOf(table);
      runEach(
        `INSERT INTO ${tableName(table)} (${columns.map(({ column }) => column).join(', ')})
         SELECT ${columns.map((_, index) => `value ->> ${index}`).join(', ')} FROM json_each(?)`,
        toCells(table, rows),
      );
    },

    /** Overwrites rows that differ, but for what they are told apart by. */
    update(table: ArchiveTable, rows: readonly ArchiveRow[]): void {
      if (rows.length === 0) return;
      const columns = columnsOf(table);
      const name = tableName(table);
      const cellOf = new Map(columns.map((one, index) => [one.name, { one, cell: `u${index}` }]));
      const pick = (names: readonly string[]) => names.flatMap((each) => cellOf.get(each) ?? []);
      const changeable = pick(CHANGEABLE[table]);
      const isSame = pick(KEYS[table]).map(({ one, cell }) => `${name}.${one.column} = ${cell}`);
      runEach(
        `UPDATE ${name} SET ${changeable.map(({ one, cell }) => `${one.column} = ${cell}`).join(', ')}
         FROM (SELECT ${columns.map((_, index) => `value ->> ${index} AS u${index}`).join(', ')}
               FROM json_each(?))
         WHERE ${isSame.join(' AND ')}
           AND (${changeable.map(({ one, cell }) => `${name}.${one.column} IS NOT ${cell}`).join(' OR ')})`,
        toCells(table, rows),
      );
    },

    /** What decides whether answers have the nodes, by their ids. */
    standings(ids: readonly number[]): Map<number, Standing> {
      const found = allOf<Standing & { id: number }>(
        /* sql */ `
        SELECT id, status, confidence, expires_at AS expiresAt, ttl_days AS ttlDays,
          updated_at AS updatedAt
        FROM node WHERE id IN ${IDS}`,
        ids,
      );
      return new Map(found.map(({ id, ...standing }) => [id, standing]));
    },

    /** Sets the version before. */
    linkBack: (links: readonly ChainLink[]): void => setLinks('supersedes', links),

    /** Sets the version after, by which a fact ceases to be current. */
    linkOn: (links: readonly ChainLink[]): void => setLinks('superseded_by', links),

    allNodeIds(): number[] {
      return sql.all<{ id: number }>('SELECT id FROM node').map(({ id }) => id);
    },

    /** With all that hangs on them. Facts that stay lose their link to one that goes. */
    removeNodes(ids: readonly number[]): void {
      for (const end of ['from_id', 'to_id'])
        runEach(`DELETE FROM edge WHERE ${end} IN ${IDS}`, ids);
      runEach(`DELETE FROM node_version WHERE node_id IN ${IDS}`, ids);
      for (const link of ['supersedes', 'superseded_by']) {
        runEach(
          `UPDATE fact SET ${link} = NULL
           WHERE ${link} IN (SELECT value FROM json_each(?1))
             AND node_id NOT IN (SELECT value FROM json_each(?1))`,
          ids,
        );
      }
      for (const table of ['fact', 'turn', 'summary', 'entity']) {
        runEach(`DELETE FROM ${table} WHERE node_id IN ${IDS}`, ids);
      }
      runEach(`DELETE FROM node WHERE id IN ${IDS}`, ids);
    },

    removeEdges(edges: readonly ArchiveRow[]): void {
      runEach(
        /* sql */ `
        DELETE FROM edge WHERE (from_id, to_id, type) IN (
          SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`,
        edges.map((edge) => [edge['from'], edge['to'], edge['relationType']]),
      );
    },

    removeVersions(versions: readonly ArchiveRow[]): void {
      runEach(
        /* sql */ `
        DELETE FROM node_version WHERE (node_id, version) IN (
          SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
        versions.map((one) => [one['node'], one['version']]),
      );
    },

    /** Forgets what the triggers have just written, to make room for another thread's history. */
    forgetHistory(): void {
      sql.run('DELETE FROM change');
      sql.run('DELETE FROM revision');
    },

    insertRevisions(revisions: readonly ArchivedRevision[]): void {
      runEach(
        /* sql */ `
        INSERT INTO revision (id, at, actor, tool)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`,
        revisions.map(({ id, at, actor, tool }) => [id, at, actor, tool]),
      );
    },

    /** Changes of one table, as the triggers would have written them. */
    insertChanges(table: ArchiveTable, changes: readonly ArchivedChange[]): void {
      const columns = historyOf(table);
      const cells = (row: ArchiveRow | null) =>
        row === null ? null : columns.map((column) => toSqlCell(column, row));
      const key = ({ before, after }: ArchivedChange) =>
        KEYS[table].map((name) => (after ?? before)?.[name] ?? null);
      const state = (index: number) =>
        `iif(json_type(value, '$[${index}]') = 'null', NULL, ${asHistory(table, `value -> ${index}`)})`;
      runEach(
        `INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
         SELECT value ->> 0, value ->> 1, '${tableName(table)}', ${rowKey(table)}, ${state(3)}, ${state(4)}
         FROM json_each(?)`,
        changes.map((one) => [
          one.revision,
          one.number,
          key(one),
          cells(one.before),
          cells(one.after),
        ]),
      );
    },

    /** What else another thread's history needs: ids are not used again, nor is what it forgot there. */
    adopt(
      lastNodeId: number,
      { horizon, horizonAt }: Pick<Compaction, 'horizon' | 'horizonAt'>,
    ): void {
      sql.run(
        /* sql */ `
        INSERT OR REPLACE INTO compaction (id, horizon, horizon_at, rebuilt_to, last_node_id)
        VALUES (1, ?, ?, 0, ?)`,
        horizon,
        horizonAt,
        lastNodeId,
      );
    },

    /** Adds to the saves that were counted here. */
    addSaves(accepted: number, rejected: number): void {
      sql.run(
        'UPDATE total SET saves_accepted = saves_accepted + ?, saves_rejected = saves_rejected + ?',
        accepted,
        rejected,
      );
    },

    findEntities(names: readonly string[]): Map<string, number> {
      const found = allOf<{ name: string; node_id: number }>(
        `SELECT name, node_id FROM entity WHERE name IN ${IDS}`,
        names,
      );
      return new Map(found.map(({ name, node_id }) => [name, node_id]));
    },

    findSummaries(sessionIds: readonly string[]): Map<string, number> {
      const found = allOf<{ session_id: string; node_id: number }>(
        `SELECT session_id, node_id FROM summary WHERE session_id IN ${IDS}`,
        sessionIds,
      );
      return new Map(found.map(({ session_id, node_id }) => [session_id, node_id]));
    },

    /** Facts that say the same about the same entity as the same version. */
    findFacts(
      wanted: readonly {
        key: number;
        entity: number | null;
        content: string;
        hash: number;
        version: number;
      }[],
    ): { key: number; id: number; supersedes: number | null; supersededBy: number | null }[] {
      return allOf(
        /* sql */ `
        SELECT wanted.value ->> 0 AS key, node_id AS id, supersedes, superseded_by AS supersededBy
        FROM json_each(?) AS wanted CROSS JOIN fact
          ON fact.entity_id IS wanted.value ->> 1 AND fact.content_hash = wanted.value ->> 2
          AND fact.content = wanted.value ->> 3 AND fact.version = wanted.value ->> 4
        ORDER BY node_id`,
        wanted.map((one) => [one.key, one.entity, one.hash, one.content, one.version]),
      );
    },

    /** Turns of the same session and moment with the same prompt. */
    findTurns(
      wanted: readonly { key: number; sessionId: string; prompt: string; createdAt: number }[],
    ): { key: number; id: number }[] {
      return allOf(
        /* sql */ `
        SELECT wanted.value ->> 0 AS key, turn.node_id AS id
        FROM json_each(?) AS wanted CROSS JOIN turn ON turn.session_id = wanted.value ->> 1
          JOIN node ON node.id = turn.node_id AND node.created_at = wanted.value ->> 3
        WHERE turn.prompt = wanted.value ->> 2
        ORDER BY turn.node_id`,
        wanted.map((one) => [one.key, one.sessionId, one.prompt, one.createdAt]),
      );
    },

    /** Of some edges or kept states those that are there. */
    findKnown(table: 'edge' | 'version', rows: readonly ArchiveRow[]): Set<string> {
      const columns = columnsOf(table).filter(({ name }) => KEYS[table].includes(name));
      const name = tableName(table);
      const found = allOf<Record<string, string | number>>(
        `SELECT ${columns.map((one) => `${name}.${one.column} AS "${one.name}"`).join(', ')}
         FROM json_each(?) AS given JOIN ${name}
           ON ${columns.map((one, index) => `${name}.${one.column} = given.value ->> ${index}`).join(' AND ')}`,
        rows.map((row) => KEYS[table].map((key) => row[key])),
      );
      return new Set(found.map((row) => keyOf(table, row)));
    },
  };
}
