/** Writes the `node` table, and removes nodes with all that hangs on them. */
import { assert } from '#errors.ts';
import type { NodeKind } from '#graph/ids.ts';
import type { Metadata } from '#graph/memory-node.ts';
import type { NodeStatus } from '#graph/status.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql } from '#store/sql.ts';

/** What a caller may say of any node. An undefined value is left as it is. */
export interface NodeFields {
  readonly source?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly status?: NodeStatus | undefined;
  readonly ttlDays?: number | null | undefined;
  readonly expiresAt?: number | null | undefined;
}

export interface NewNode extends NodeFields {
  readonly kind: NodeKind;
  readonly confidence: number;
  readonly importance: number;
  readonly at: number;
}

/** The values of a new row, in the order of its columns. */
function toCells(node: NewNode): (string | number | null)[] {
  return [
    node.kind,
    node.confidence,
    node.importance,
    node.source ?? null,
    node.at,
    node.at,
    node.status ?? 'active',
    node.metadata === undefined ? null : JSON.stringify(node.metadata),
    node.ttlDays ?? null,
    node.expiresAt ?? null,
  ];
}

const NEW_COLUMNS = `kind, confidence, importance, source, created_at, updated_at,
  status, metadata, ttl_days, expires_at`;

/** One more than any node has ever had: of those that are gone the revision knows the greatest. */
const NEXT_ID = /* sql */ `SELECT max(coalesce((SELECT max(id) FROM node), 0),
  coalesce((SELECT last_node_id FROM revision ORDER BY id DESC LIMIT 1), 0)) + 1 AS id`;

export function nodeStore(sql: Sql) {
  function insertMany(nodes: readonly NewNode[]): number[] {
    if (nodes.length === 0) return [];
    const first = sql.first<{ id: number }>(NEXT_ID)?.id ?? 1;
    const cells = Array.from({ length: 11 }, (_, index) => `value ->> ${index}`);
    const rows = nodes.map((node, index) => [first + index, ...toCells(node)]);
    for (const list of jsonLists(rows)) {
      sql.run(
        `INSERT INTO node (id, ${NEW_COLUMNS}) SELECT ${cells.join(', ')} FROM json_each(?)`,
        list,
      );
    }
    return nodes.map((_, index) => first + index);
  }

  /** Deletes the rows whose column has one of the ids. */
  function removeAmong([table, column]: readonly [string, string], lists: readonly string[]): void {
    for (const list of lists) {
      sql.run(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`, list);
    }
  }

  return {
    /** Returns the ids of the new nodes, in their order. */
    insertMany,

    /** Returns the new node's id. */
    insert(node: NewNode): number {
      const [id] = insertMany([node]);
      assert(id !== undefined, 'a node that was inserted has an id');
      return id;
    },

    /** Whether there is any, whatever its kind and status. */
    isEmpty(): boolean {
      return sql.first('SELECT 1 FROM node LIMIT 1') === undefined;
    },

    /** About how many nodes there are: exact but for those that were deleted. */
    greatestId(): number {
      return sql.first<{ id: number | null }>('SELECT max(id) AS id FROM node')?.id ?? 0;
    },

    /** An undefined value keeps the one stored. */
    reweigh(
      id: number,
      {
        confidence,
        importance,
      }: { confidence?: number | undefined; importance?: number | undefined },
    ): void {
      sql.run(
        /* sql */ `
        UPDATE node SET confidence = coalesce(?2, confidence), importance = coalesce(?3, importance)
        WHERE id = ?1`,
        id,
        confidence ?? null,
        importance ?? null,
      );
    },

    update(id: number, fields: NodeFields, at: number): void {
      const { source, metadata, status, ttlDays, expiresAt } = fields;
      sql.run(
        /* sql */ `
        UPDATE node SET source = coalesce(?2, source), metadata = coalesce(?3, metadata),
          status = coalesce(?4, status), ttl_days = iif(?5, ?6, ttl_days),
          expires_at = iif(?7, ?8, expires_at), updated_at = ?9
        WHERE id = ?1`,
        id,
        source ?? null,
        metadata === undefined ? null : JSON.stringify(metadata),
        status ?? null,
        ttlDays === undefined ? 0 : 1,
        ttlDays ?? null,
        expiresAt === undefined ? 0 : 1,
        expiresAt ?? null,
        at,
      );
    },

    touch(ids: readonly number[], at: number): void {
      sql.run(
        'UPDATE node SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))',
        at,
        JSON.stringify(ids),
      );
    },

    /** Notes that nodes were read. No part of the history. */
    recordAccess(ids: readonly number[], at: number): void {
      sql.run(
        'UPDATE node SET accessed_at = ? WHERE id IN (SELECT value FROM json_each(?))',
        at,
        JSON.stringify(ids),
      );
    },

    /**
     * Deletes entities with their facts (every version) and all edges of both. Children go first:
     * foreign keys refuse a forgotten one, and counting an edge needs its entities.
     */
    removeEntities(ids: readonly number[]): { observations: number; relations: number } {
      const wanted = JSON.stringify(ids);
      const relations =
        sql.first<{ count: number }>(
          /* sql */ `
          SELECT count(*) AS count FROM (
            SELECT 1 FROM edge WHERE from_id IN (SELECT value FROM json_each(?1))
            UNION ALL
            SELECT 1 FROM edge WHERE to_id IN (SELECT value FROM json_each(?1))
              AND from_id NOT IN (SELECT value FROM json_each(?1)))`,
          wanted,
        )?.count ?? 0;
      const facts = sql.all<{ node_id: number; superseded_by: number | null }>(
        'SELECT node_id, superseded_by FROM fact WHERE entity_id IN (SELECT value FROM json_each(?))',
        wanted,
      );
      const all = jsonLists([...ids, ...facts.map(({ node_id }) => node_id)]);
      removeAmong(['edge', 'from_id'], all);
      removeAmong(['edge', 'to_id'], all);
      removeAmong(['node_version', 'node_id'], all);
      removeAmong(['fact', 'node_id'], all);
      removeAmong(['entity', 'node_id'], [wanted]);
      removeAmong(['node', 'id'], all);
      return {
        observations: facts.filter(({ superseded_by }) => superseded_by === null).length,
        relations,
      };
    },

    /** Deletes a turn or a summary with its edges. */
    removePart(table: 'turn' | 'summary', id: number): void {
      sql.run('DELETE FROM edge WHERE from_id = ?1 OR to_id = ?1', id);
      sql.run('DELETE FROM node_version WHERE node_id = ?', id);
      sql.run(`DELETE FROM ${table} WHERE node_id = ?`, id);
      sql.run('DELETE FROM node WHERE id = ?', id);
    },

    /** Deletes facts with their edges. Chains must have been mended before (`facts.unlink`). */
    removeFacts(ids: readonly number[]): void {
      const wanted = jsonLists(ids);
      removeAmong(['edge', 'from_id'], wanted);
      removeAmong(['edge', 'to_id'], wanted);
      removeAmong(['node_version', 'node_id'], wanted);
      removeAmong(['fact', 'node_id'], wanted);
      removeAmong(['node', 'id'], wanted);
    },
  };
}
