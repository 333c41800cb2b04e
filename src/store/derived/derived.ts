/**
 * Rebuilds what follows from the canonical tables: both text indexes, strays among the vectors, and
 * the counts. Triggers keep all of it; this is for what a fault or an older version left behind.
 */
import { UNSUMMARISED } from '#store/sessions/sessions.ts';
import type { Sql } from '#store/sql.ts';
import { EMBEDDED_TO } from '#store/search/vectors.ts';

/** Nodes after one id and up to another. */
export interface NodeRange {
  readonly afterId: number;
  readonly toId: number;
}

export interface RangeSize {
  readonly nodesMax: number;
  /** Of the texts in UTF-8. */
  readonly bytesMax: number;
}

interface CounterRow {
  name: string;
  label: string;
  value: number;
}

/** Every id that there can be. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** Texts whose length is read at a time: each of them may be long. */
const NODES_SIZED = 100;

/** Pages of an index that are merged at a time, 4 kB each. */
const MERGE_PAGES = 1_000;

const IN_RANGE = 'BETWEEN ?1 + 1 AND ?2';
const FOUND = `SELECT node_id FROM searchable WHERE node_id ${IN_RANGE}`;

/** `CROSS JOIN` keeps the order: the edges of an entity, then their other ends. */
const RELATIONS_OF_ENTITY = /* sql */ `(
  (SELECT count(*) FROM edge CROSS JOIN entity AS other ON other.node_id = edge.to_id
   WHERE edge.from_id = entity.node_id AND other.hidden_from IS NOT 0)
  + (SELECT count(*) FROM edge CROSS JOIN entity AS other ON other.node_id = edge.from_id
     WHERE edge.to_id = entity.node_id AND edge.from_id <> edge.to_id AND other.hidden_from IS NOT 0)
  ) * (entity.hidden_from IS NOT 0)`;

const OBSERVATIONS_OF_ENTITY = /* sql */ `(
  SELECT count(*) FROM fact JOIN node ON node.id = fact.node_id
  WHERE entity_id = entity.node_id AND superseded_by IS NULL AND node.status = 'active')`;

const HIDDEN_FROM = /* sql */ `(
  SELECT iif(status = 'active', expires_at, 0) FROM node WHERE id = entity.node_id)`;

const OBSERVATIONS = /* sql */ `FROM fact JOIN node ON node.id = fact.node_id
  WHERE entity_id IS NOT NULL AND superseded_by IS NULL AND node.status = 'active'`;

const EXPECTED_COUNTERS = /* sql */ `
  SELECT 'entity' AS name, type AS label, count(*) AS value FROM entity
    WHERE hidden_from IS NOT 0 GROUP BY type
  UNION ALL SELECT 'relation', edge.type, count(*) FROM edge
    JOIN entity AS source ON source.node_id = from_id AND source.hidden_from IS NOT 0
    JOIN entity AS target ON target.node_id = to_id AND target.hidden_from IS NOT 0
    GROUP BY edge.type
  UNION ALL SELECT 'summary', category, count(*) FROM session
    WHERE summary_id IS NOT NULL GROUP BY category`;

/** What the row of the totals should say; the saves are known from nothing else. */
const EXPECTED_TOTALS: Readonly<Record<string, string>> = {
  observations: `SELECT count(*) ${OBSERVATIONS}`,
  oversized_observations: `SELECT count(*) ${OBSERVATIONS} AND is_atomic = 0`,
  connected_entities: 'SELECT count(*) FROM entity WHERE relation_count > 0',
  sessions: 'SELECT count(*) FROM session',
  turns: 'SELECT coalesce(sum(turn_count), 0) FROM session',
  unsummarised_sessions: `SELECT count(*) FROM session WHERE ${UNSUMMARISED}`,
};

export function derivedStore(sql: Sql) {
  return {
    /**
     * The next so many nodes after an id, or fewer whose texts are as long, and one at least; to the end of
     * all ids when these are the last.
     */
    nextRange(afterId: number, { nodesMax, bytesMax }: RangeSize): NodeRange {
      const last = sql.first<{ id: number }>(
        'SELECT id FROM node WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?',
        afterId,
        nodesMax - 1,
      );
      const toId = last?.id ?? LAST_ID;
      const full = findFull(sql, { afterId, toId }, bytesMax) ?? toId;
      const isLast = full === LAST_ID || sql.first(NODE_AFTER, full) === undefined;
      return { afterId, toId: isLast ? LAST_ID : full };
    },

    isLastRange: ({ toId }: NodeRange): boolean => toId === LAST_ID,

    /** Writes both text indexes anew. Returns how many texts were indexed that should not have been, or not. */
    rebuildText({ afterId, toId }: NodeRange): { texts: number; strays: number } {
      const strays = sql.first<{ n: number }>(
        /* sql */ `
        SELECT count(*) AS n FROM (
          SELECT * FROM (SELECT rowid FROM fulltext WHERE rowid ${IN_RANGE} EXCEPT ${FOUND})
          UNION ALL SELECT * FROM (${FOUND} EXCEPT SELECT rowid FROM fulltext WHERE rowid ${IN_RANGE}))`,
        afterId,
        toId,
      );
      for (const table of ['fulltext', 'trigram'] as const) {
        sql.run(`DELETE FROM ${table} WHERE rowid ${IN_RANGE}`, afterId, toId);
      }
      const texts = sql.run(
        `INSERT INTO fulltext (rowid, title, body)
         SELECT node_id, title, body FROM searchable WHERE node_id ${IN_RANGE}`,
        afterId,
        toId,
      );
      sql.run(
        `INSERT INTO trigram (rowid, title, body)
         SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
         FROM searchable WHERE node_id ${IN_RANGE}`,
        afterId,
        toId,
      );
      return { texts, strays: strays?.n ?? 0 };
    },

    /** Reclaims the room of deleted texts, some at a time. */
    mergeText(): void {
      sql.run("INSERT INTO fulltext (fulltext, rank) VALUES ('merge', ?)", MERGE_PAGES);
      sql.run("INSERT INTO trigram (trigram, rank) VALUES ('merge', ?)", MERGE_PAGES);
    },

    /** Drops vectors of what is gone, and queues what has none. Returns how many were dropped. */
    mendVectors({ afterId, toId }: NodeRange): number {
      const dropped = sql.run(
        `DELETE FROM vector WHERE node_id ${IN_RANGE} AND node_id NOT IN (${FOUND})`,
        afterId,
        toId,
      );
      sql.run(
        `DELETE FROM embedding_backlog WHERE node_id ${IN_RANGE}
           AND (node_id NOT IN (${FOUND}) OR node_id IN (SELECT node_id FROM vector)
             OR node_id > ${EMBEDDED_TO})`,
        afterId,
        toId,
      );
      sql.run(
        `INSERT OR IGNORE INTO embedding_backlog (node_id)
         ${FOUND} AND node_id <= ${EMBEDDED_TO}
           AND node_id NOT IN (SELECT node_id FROM vector WHERE node_id ${IN_RANGE})`,
        afterId,
        toId,
      );
      return dropped;
    },

    /** Returns how many entities had wrong counts, and how many were shown or hidden wrongly. */
    recountEntities({ afterId, toId }: NodeRange): number {
      const hidden = sql.run(
        /* sql */ `
        UPDATE entity SET hidden_from = ${HIDDEN_FROM}
        WHERE node_id ${IN_RANGE} AND hidden_from IS NOT ${HIDDEN_FROM}`,
        afterId,
        toId,
      );
      const counts = sql.run(
        /* sql */ `
        UPDATE entity SET observation_count = ${OBSERVATIONS_OF_ENTITY},
          relation_count = ${RELATIONS_OF_ENTITY}
        WHERE node_id ${IN_RANGE} AND (observation_count <> ${OBSERVATIONS_OF_ENTITY}
          OR relation_count <> ${RELATIONS_OF_ENTITY})`,
        afterId,
        toId,
      );
      return hidden + counts;
    },

    /** Counts the graph and its sessions, once through. Returns how many counts were wrong. Saves are left alone. */
    recount: (): number => recountTotals(sql) + recountTypes(sql),
  };
}

/** The node with which the texts of a range are longer than so many bytes; undefined when they are not. */
function findFull(sql: Sql, { afterId, toId }: NodeRange, bytesMax: number): number | undefined {
  let from = afterId;
  let bytes = 0;
  for (;;) {
    const sized = sql.all<{ id: number; bytes: number }>(
      /* sql */ `
      SELECT node_id AS id, octet_length(title) + octet_length(body) AS bytes
      FROM searchable WHERE node_id ${IN_RANGE} ORDER BY node_id LIMIT ?3`,
      from,
      toId,
      NODES_SIZED,
    );
    for (const one of sized) {
      bytes += one.bytes;
      if (bytes >= bytesMax) return one.id;
    }
    const last = sized.at(-1);
    if (last === undefined || sized.length < NODES_SIZED) return undefined;
    from = last.id;
  }
}

function recountTypes(sql: Sql): number {
  const wrong = sql.all<CounterRow>(/* sql */ `
    SELECT name, label, value FROM (${EXPECTED_COUNTERS}) EXCEPT SELECT name, label, value FROM counter`);
  const surplus = sql.all<CounterRow>(/* sql */ `
    SELECT name, label, value FROM counter
    WHERE (name, label) NOT IN (SELECT name, label FROM (${EXPECTED_COUNTERS}))`);
  for (const { name, label, value } of wrong) {
    sql.run(
      'INSERT OR REPLACE INTO counter (name, label, value) VALUES (?, ?, ?)',
      name,
      label,
      value,
    );
  }
  for (const { name, label } of surplus) {
    sql.run('DELETE FROM counter WHERE name = ? AND label = ?', name, label);
  }
  return wrong.length + surplus.length;
}

function recountTotals(sql: Sql): number {
  const columns = Object.entries(EXPECTED_TOTALS);
  const wrong = columns.map(([column, query]) =>
    sql.run(`UPDATE total SET ${column} = (${query}) WHERE ${column} <> (${query})`),
  );
  return wrong.reduce((sum, rows) => sum + rows, 0);
}

const NODE_AFTER = 'SELECT id FROM node WHERE id > ? LIMIT 1';
