/** Opens the revision that the triggers write changes under, and forgets old ones. */
import { assert } from '#errors.ts';
import { readNodes } from '#store/derived/growth.ts';
import type { Sql } from '#store/sql.ts';

export interface Pruned {
  readonly revisions: number;
  readonly changes: number;
  /** The last revision forgotten; undefined when none was. */
  readonly horizon: { readonly id: number; readonly at: number } | undefined;
  /** True when there are more that are as old. */
  readonly isCut: boolean;
}

/** One tool call that changed something. */
export interface Revision {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly tool: string;
  /** Rows that it changed, every step of each. */
  readonly changes: number;
}

/** Revisions that are looked at in one pruning. */
const REVISIONS_MAX = 5_000;

/** `max(seq)` is found by the key, where a count would read every change. */
const COLUMNS = `id, at, actor, tool,
  coalesce((SELECT max(seq) FROM change WHERE revision_id = revision.id), 0) AS changes`;

export function revisionStore(sql: Sql) {
  return {
    /**
     * Returns the id of the new revision, greater than that of any before. `countsItself`: what it inserts
     * is counted by `additions`, not by the triggers.
     */
    open(at: number, actor: string, tool: string, countsItself = false): number {
      const { counts, lastId } = readNodes(sql);
      const row = sql.first<{ id: number }>(
        /* sql */ `
        INSERT INTO revision (id, at, actor, tool, nodes_before, last_node_id, counts_itself)
        VALUES (max(coalesce((SELECT max(id) FROM revision), 0),
          coalesce((SELECT horizon FROM compaction), 0)) + 1, ?, ?, ?, ?, ?, ?) RETURNING id`,
        at,
        actor,
        tool,
        JSON.stringify(counts),
        lastId,
        countsItself ? 1 : 0,
      );
      assert(row !== undefined, 'INSERT … RETURNING gives a row');
      return row.id;
    },

    find(id: number): Revision | undefined {
      return sql.first<Revision>(`SELECT ${COLUMNS} FROM revision WHERE id = ?`, id);
    },

    /** Reads the key alone. */
    lastId(): number | undefined {
      return sql.first<{ id: number }>('SELECT id FROM revision ORDER BY id DESC LIMIT 1')?.id;
    },

    first(): Revision | undefined {
      return sql.first<Revision>(`SELECT ${COLUMNS} FROM revision ORDER BY id LIMIT 1`);
    },

    last(): Revision | undefined {
      return sql.first<Revision>(`SELECT ${COLUMNS} FROM revision ORDER BY id DESC LIMIT 1`);
    },

    /** The last one of those up to a time. Reads those that came after it. */
    lastUntil(at: number): Revision | undefined {
      return sql.first<Revision>(
        `SELECT ${COLUMNS} FROM revision WHERE at <= ? ORDER BY id DESC LIMIT 1`,
        at,
      );
    },

    /** The one before another. */
    previous(id: number): Revision | undefined {
      return sql.first<Revision>(
        `SELECT ${COLUMNS} FROM revision WHERE id < ? ORDER BY id DESC LIMIT 1`,
        id,
      );
    },

    /** Those of an actor after another revision that can be undone, newest first, without their number of changes. */
    ofActor(actor: string, afterId: number): number[] {
      return sql
        .all<{ id: number }>(
          `SELECT id FROM revision WHERE id > ? AND actor = ? AND tool <> 'forget' ORDER BY id DESC`,
          afterId,
          actor,
        )
        .map(({ id }) => id);
    },

    /** Who changed something after a revision, the busiest first. */
    actorsSince(afterId: number, limit: number): string[] {
      return sql
        .all<{ actor: string }>(
          'SELECT actor FROM revision WHERE id > ? GROUP BY actor ORDER BY count(*) DESC LIMIT ?',
          afterId,
          limit,
        )
        .map(({ actor }) => actor);
    },

    /** Rows changed since a revision, itself included. Reads one change of each revision. */
    changesSince(id: number): number {
      const changes = '(SELECT max(seq) FROM change WHERE revision_id = revision.id)';
      const row = sql.first<{ changes: number | null }>(
        `SELECT sum(${changes}) AS changes FROM revision WHERE id >= ?`,
        id,
      );
      return row?.changes ?? 0;
    },

    /** Those after another, newest first, one by one. Nothing may be written until all are read. */
    downTo(afterId: number): Iterable<Revision> {
      return sql.each<Revision>(
        `SELECT ${COLUMNS} FROM revision WHERE id > ? ORDER BY id DESC`,
        afterId,
      );
    },

    /** Those between two, both left out, newest first. */
    between(afterId: number, beforeId: number, limit: number): Revision[] {
      return sql.all<Revision>(
        `SELECT ${COLUMNS} FROM revision WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?`,
        afterId,
        beforeId,
        limit,
      );
    },

    /**
     * Forgets revisions made before a time, oldest first and none out of order, until so many
     * changes are gone. What is left still leads back from the present to each state since then.
     */
    prune(before: number, changesMax: number): Pruned {
      const oldest = sql.all<{ id: number; at: number; changes: number | null }>(
        /* sql */ `
        SELECT id, at, (SELECT max(seq) FROM change WHERE revision_id = revision.id) AS changes
        FROM revision ORDER BY id LIMIT ?`,
        REVISIONS_MAX + 1,
      );
      const kept = oldest.findIndex(({ at }) => at >= before);
      const old = kept === -1 ? oldest : oldest.slice(0, kept);
      let changes = 0;
      const full = old.findIndex((revision, index) => {
        changes += revision.changes ?? 0;
        return index > 0 && changes > changesMax;
      });
      const taken = old.slice(0, Math.min(full === -1 ? old.length : full, REVISIONS_MAX));
      const horizon = taken.at(-1);
      if (horizon === undefined) return { revisions: 0, changes: 0, horizon, isCut: false };
      keepLastNodeId(sql);
      return {
        changes: sql.run('DELETE FROM change WHERE revision_id <= ?', horizon.id),
        revisions: sql.run('DELETE FROM revision WHERE id <= ?', horizon.id),
        horizon: { id: horizon.id, at: horizon.at },
        isCut: taken.length < old.length,
      };
    },

    /** Forgets a revision under which nothing changed. Returns whether it was kept. */
    close(id: number): boolean {
      const dropped = sql.run(
        'DELETE FROM revision WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM change WHERE revision_id = ?1)',
        id,
      );
      return dropped === 0;
    },

    /** Nodes whose row, text or name a revision changed; the facts of an entity that was renamed too. */
    touchedNodes(id: number): number[] {
      return sql
        .all<{ node_id: number }>(
          /* sql */ `
          SELECT DISTINCT CAST(row_key AS INTEGER) AS node_id FROM change
          WHERE revision_id = ?1 AND table_name <> 'edge'
          UNION
          SELECT fact.node_id FROM change JOIN fact ON fact.entity_id = CAST(row_key AS INTEGER)
          WHERE revision_id = ?1 AND table_name = 'entity' AND before ->> 'name' <> after ->> 'name'`,
          id,
        )
        .map(({ node_id }) => node_id);
    },
  };
}

/** The revisions that are forgotten may be the last that know of a node that was deleted. */
function keepLastNodeId(sql: Sql): void {
  sql.run(
    /* sql */ `
    INSERT INTO compaction (id, horizon, horizon_at, rebuilt_to, last_node_id) VALUES (1, 0, 0, 0, ?)
    ON CONFLICT (id) DO UPDATE SET last_node_id = excluded.last_node_id`,
    readNodes(sql).lastId,
  );
}
