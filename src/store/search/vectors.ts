/** The `vector` table and the backlog of what it lacks. Both are derived; triggers keep them honest. */
import { TURN_HEAD_CHARS, type Passage } from '#graph/text/passage.ts';
import type { FindableStatus } from '#graph/status.ts';
import { jsonLists } from '#store/json-lists.ts';
import type { Sql, SqlValue } from '#store/sql.ts';

/** As `search/vector-index.ts` has it: `values[i] * scale` is the i-th component. */
interface StoredVector {
  readonly values: Int8Array;
  readonly scale: number;
}

/** A node that waits for its vector, with what it says. */
export interface WaitingNode {
  readonly nodeId: number;
  readonly passage: Passage;
}

interface VectorRow {
  node_id: number;
  model: string;
  scale: number;
  vector: ArrayBuffer;
}

interface BacklogRow {
  node_id: number;
  kind: Passage['kind'];
  title: string;
  body: string;
}

function toVector({ node_id, scale, vector }: VectorRow) {
  return { nodeId: node_id, vector: { values: new Int8Array(vector), scale } };
}

/** What the vector of a turn is made of: a turn may be too long to read whole. */
const HEAD_OF_TURN = /* sql */ `(
  SELECT substr(prompt, 1, ${TURN_HEAD_CHARS.prompt}) || char(10)
    || substr(response, 1, ${TURN_HEAD_CHARS.response}) || char(10)
    || substr(thought, 1, ${TURN_HEAD_CHARS.thought})
  FROM turn WHERE turn.node_id = searchable.node_id)`;

/** The embedding job is done with the nodes up to here. Newer ones that lack a vector wait without a row. */
export const EMBEDDED_TO = "coalesce((SELECT cursor FROM job WHERE name = 'embedding'), 0)";

/** Nodes that are written with their vector move the cursor on once in a while: until then each look at the backlog passes over them. */
const CURSOR_STEP = 64;

export function vectorStore(sql: Sql) {
  function insert(nodeId: number, model: string, { values, scale }: StoredVector): void {
    sql.run(
      'INSERT OR REPLACE INTO vector (node_id, model, scale, vector) VALUES (?, ?, ?, ?)',
      nodeId,
      model,
      scale,
      values.slice().buffer,
    );
  }

  /** To the last node before the first that waits. */
  function moveCursor(): void {
    const from = sql.first<{ id: number }>(`SELECT ${EMBEDDED_TO} AS id`)?.id ?? 0;
    const waiting = sql.first<{ id: number }>(
      'SELECT node_id AS id FROM awaiting_vector WHERE node_id > ? ORDER BY node_id LIMIT 1',
      from,
    );
    const last = sql.first<{ id: number | null }>('SELECT max(id) AS id FROM node')?.id ?? 0;
    const to = waiting === undefined ? last : waiting.id - 1;
    if (to <= from) return;
    sql.run(
      /* sql */ `
      INSERT INTO job (name, cursor) VALUES ('embedding', ?)
      ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor`,
      to,
    );
  }

  /** What the nodes that `query` lists say. As a list they reach into the view, which a join reads whole. */
  function readPassages(query: string, value: SqlValue): WaitingNode[] {
    const nodeIds = sql.all<{ node_id: number }>(query, value).map(({ node_id }) => node_id);
    return sql
      .all<BacklogRow>(
        /* sql */ `
        SELECT node_id, kind, title, iif(kind = 'turn', ${HEAD_OF_TURN}, body) AS body
        FROM searchable WHERE node_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(nodeIds),
      )
      .map(({ node_id, kind, title, body }) => ({
        nodeId: node_id,
        passage: { kind, title, body },
      }));
  }

  return {
    /** For a node that is being written: before its text, so that it never joins the backlog. */
    attach(nodeId: number, model: string, vector: StoredVector): void {
      insert(nodeId, model, vector);
      if (nodeId % CURSOR_STEP === 0) moveCursor();
    },

    /** Vectors of every model after a node id, in its order. */
    list(
      afterId: number,
      limit: number,
    ): { nodeId: number; model: string; vector: StoredVector }[] {
      return sql
        .all<VectorRow>(
          'SELECT node_id, model, scale, vector FROM vector WHERE node_id > ? ORDER BY node_id LIMIT ?',
          afterId,
          limit,
        )
        .map((row) => ({ ...toVector(row), model: row.model }));
    },

    /** Nodes that are outdated. Reads no others. */
    outdatedNodes(): number[] {
      return sql
        .all<{ id: number }>("SELECT id FROM node WHERE status = 'outdated'")
        .map(({ id }) => id);
    },

    /** Those of the nodes that have a vector of the model, with their status. */
    find(
      model: string,
      nodeIds: readonly number[],
    ): { nodeId: number; status: FindableStatus; vector: StoredVector }[] {
      return jsonLists(nodeIds)
        .flatMap((list) =>
          sql.all<VectorRow & { status: FindableStatus }>(
            /* sql */ `
            SELECT node_id, model, scale, vector, node.status
            FROM vector JOIN node ON node.id = vector.node_id
            WHERE node_id IN (SELECT value FROM json_each(?)) AND model = ?`,
            list,
            model,
          ),
        )
        .map((row) => ({ ...toVector(row), status: row.status }));
    },

    size(model: string): number {
      return (
        sql.first<{ n: number }>('SELECT count(*) AS n FROM vector WHERE model = ?', model)?.n ?? 0
      );
    },

    /** Drops vectors of any other model and queues their nodes. Returns how many. */
    retireOthers(model: string): number {
      sql.run(
        `INSERT OR IGNORE INTO embedding_backlog (node_id)
         SELECT node_id FROM vector WHERE model <> ? AND node_id <= ${EMBEDDED_TO}`,
        model,
      );
      return sql.run('DELETE FROM vector WHERE model <> ?', model);
    },

    backlogSize(): number {
      return sql.first<{ n: number }>('SELECT count(*) AS n FROM awaiting_vector')?.n ?? 0;
    },

    hasBacklog(): boolean {
      return sql.first('SELECT 1 FROM awaiting_vector LIMIT 1') !== undefined;
    },

    /** The oldest nodes that wait. */
    backlog: (limit: number): WaitingNode[] =>
      readPassages('SELECT node_id FROM awaiting_vector ORDER BY node_id LIMIT ?', limit),

    /** Those of the nodes that wait, as they are now. */
    waitingAmong: (nodeIds: readonly number[]): WaitingNode[] =>
      readPassages(
        'SELECT node_id FROM awaiting_vector WHERE node_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(nodeIds),
      ),

    /** Takes what cannot be found any more off the list, whatever left it there. */
    forgetStrays(): void {
      sql.run(
        `DELETE FROM embedding_backlog
         WHERE node_id > ${EMBEDDED_TO} OR node_id NOT IN (SELECT node_id FROM searchable)`,
      );
    },

    /** Stores the vectors of nodes, which wait for them no longer. */
    settle(
      model: string,
      settled: readonly { readonly nodeId: number; readonly vector: StoredVector }[],
    ): void {
      sql.run(
        'DELETE FROM embedding_backlog WHERE node_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(settled.map(({ nodeId }) => nodeId)),
      );
      for (const { nodeId, vector } of settled) insert(nodeId, model, vector);
      moveCursor();
    },
  };
}
