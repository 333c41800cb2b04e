/**
 * What must be true of every thread at every moment. It reads the whole thread, a page at a time:
 * for operators and tests, not for the path of a call.
 */
import type { Sql } from '#store/sql.ts';

export interface InvariantFault {
  /** What ought to be so, as a sentence without its end. */
  readonly rule: string;
  /** Rows that break it. */
  readonly rows: number;
  /** Some of their keys: ids of nodes, names of tables and counters, ends and types of edges. */
  readonly examples: readonly string[];
}

/** Each query finds the rows that break a rule, its first column tells which. */
const RULES: Readonly<Record<string, string>> = {
  'every node has its own row and every row its node': `
    SELECT node.id FROM node
    LEFT JOIN entity ON entity.node_id = node.id LEFT JOIN fact ON fact.node_id = node.id
    LEFT JOIN turn ON turn.node_id = node.id LEFT JOIN summary ON summary.node_id = node.id
    WHERE (node.kind = 'entity') <> (entity.node_id IS NOT NULL)
       OR (node.kind = 'fact') <> (fact.node_id IS NOT NULL)
       OR (node.kind = 'turn') <> (turn.node_id IS NOT NULL)
       OR (node.kind = 'summary') <> (summary.node_id IS NOT NULL)`,
  'the two ends of a version chain agree': `
    SELECT newer.node_id FROM fact AS newer JOIN fact AS older ON older.node_id = newer.supersedes
    WHERE older.superseded_by IS NOT newer.node_id OR older.entity_id IS NOT newer.entity_id
       OR older.version >= newer.version
    UNION ALL
    SELECT older.node_id FROM fact AS older JOIN fact AS newer ON newer.node_id = older.superseded_by
    WHERE newer.supersedes IS NULL OR older.entity_id IS NOT newer.entity_id
       OR older.version >= newer.version`,
  'observation counts are what there is': `
    SELECT entity.node_id FROM entity WHERE observation_count <> (
      SELECT count(*) FROM fact JOIN node ON node.id = fact.node_id
      WHERE entity_id = entity.node_id AND superseded_by IS NULL AND node.status = 'active')`,
  'an entity is hidden as its node says': `
    SELECT node_id FROM entity JOIN node ON node.id = node_id
    WHERE hidden_from IS NOT iif(status = 'active', expires_at, 0)`,
  'relation counts are what there is': `
    SELECT entity.node_id FROM entity WHERE relation_count <> (
      SELECT count(*) FROM edge
      WHERE (from_id = entity.node_id OR to_id = entity.node_id)
        AND from_id IN (SELECT id FROM node WHERE kind = 'entity' AND status = 'active')
        AND to_id IN (SELECT id FROM node WHERE kind = 'entity' AND status = 'active'))`,
  'counters are what there is': `
    WITH expected (name, label, value) AS (
      SELECT 'entity', type, count(*) FROM entity JOIN node ON id = node_id
        WHERE status = 'active' GROUP BY type
      UNION ALL SELECT 'relation', edge.type, count(*) FROM edge
        JOIN node AS source ON source.id = from_id AND source.kind = 'entity' AND source.status = 'active'
        JOIN node AS target ON target.id = to_id AND target.kind = 'entity' AND target.status = 'active'
        GROUP BY edge.type
      UNION ALL SELECT 'summary', category, count(*) FROM summary GROUP BY category)
    SELECT name, label, value FROM expected WHERE value > 0
    EXCEPT SELECT name, label, value FROM counter`,
  'the nodes before the latest revision and those that it made are all': `
    WITH known (kind) AS (VALUES ('entity'), ('fact'), ('turn'), ('summary')),
    latest AS (SELECT id, nodes_before FROM revision ORDER BY id DESC LIMIT 1),
    made AS (
      SELECT coalesce(after, before) ->> 'kind' AS kind,
        sum((after IS NOT NULL) - (before IS NOT NULL)) AS nodes
      FROM change JOIN latest ON revision_id = latest.id WHERE table_name = 'node' GROUP BY 1)
    SELECT kind FROM known, latest
    WHERE nodes_before IS NOT NULL AND (SELECT count(*) FROM node WHERE node.kind = known.kind)
      <> ifnull(nodes_before ->> known.kind, 0) + ifnull((SELECT nodes FROM made WHERE made.kind = known.kind), 0)`,
  'a session is what its turns and its summary make it': `
    WITH expected AS (
      SELECT id.session_id,
        (SELECT count(*) FROM turn WHERE turn.session_id = id.session_id) AS turn_count,
        coalesce((SELECT max(created_at) FROM turn JOIN node ON node.id = node_id
          WHERE turn.session_id = id.session_id), 0) AS last_turn_at,
        summary.node_id AS summary_id, category, summary.turn_count AS summarised_turns,
        updated_at AS summarised_at
      FROM (SELECT session_id FROM turn UNION SELECT session_id FROM summary) AS id
      LEFT JOIN summary ON summary.session_id = id.session_id LEFT JOIN node ON node.id = summary.node_id)
    SELECT session_id FROM (SELECT * FROM expected EXCEPT SELECT * FROM session)
    UNION ALL SELECT session_id FROM (SELECT * FROM session EXCEPT SELECT * FROM expected)`,
  'totals are what there is': `
    WITH observation AS (
      SELECT is_atomic FROM fact JOIN node ON id = node_id
      WHERE entity_id IS NOT NULL AND superseded_by IS NULL AND status = 'active'),
    expected AS (SELECT
      (SELECT count(*) FROM observation) AS observations,
      (SELECT count(*) FROM observation WHERE is_atomic = 0) AS oversized_observations,
      (SELECT count(*) FROM entity WHERE relation_count > 0) AS connected_entities,
      (SELECT count(*) FROM session) AS sessions,
      (SELECT count(*) FROM turn) AS turns,
      (SELECT count(*) FROM session WHERE turn_count > 0 AND (summary_id IS NULL
        OR summarised_turns <> turn_count OR last_turn_at > summarised_at)) AS unsummarised_sessions)
    SELECT 'total' FROM expected WHERE NOT EXISTS (SELECT 1 FROM total
      WHERE total.observations = expected.observations
        AND total.oversized_observations = expected.oversized_observations
        AND total.connected_entities = expected.connected_entities AND total.sessions = expected.sessions
        AND total.turns = expected.turns AND total.unsummarised_sessions = expected.unsummarised_sessions)`,
  'no counter counts what is not there': `
    SELECT name FROM counter WHERE value <= 0 OR name = 'entity' AND label NOT IN (SELECT type FROM entity)
      OR name = 'relation' AND label NOT IN (SELECT type FROM edge)
      OR name = 'summary' AND label NOT IN (SELECT category FROM summary)`,
  'what is neither archived nor superseded may be found, and nothing else': `
    SELECT node.id FROM node LEFT JOIN fact ON fact.node_id = node.id
    WHERE (node.status <> 'archived' AND fact.superseded_by IS NULL)
      <> (node.id IN (SELECT node_id FROM searchable))`,
  'what may be found is what is indexed': `
    SELECT node_id FROM (SELECT node_id FROM searchable EXCEPT SELECT rowid FROM fulltext)
    UNION ALL SELECT node_id FROM (SELECT node_id FROM searchable EXCEPT SELECT rowid FROM trigram)
    UNION ALL SELECT rowid FROM (SELECT rowid FROM fulltext EXCEPT SELECT node_id FROM searchable)
    UNION ALL SELECT rowid FROM (SELECT rowid FROM trigram EXCEPT SELECT node_id FROM searchable)`,
  'what may be found has a vector or waits for one, and nothing else does': `
    SELECT node_id FROM searchable WHERE (node_id IN (SELECT node_id FROM vector))
      = (node_id IN (SELECT node_id FROM awaiting_vector))
    UNION ALL SELECT node_id FROM vector WHERE node_id NOT IN (SELECT node_id FROM searchable)
    UNION ALL SELECT node_id FROM awaiting_vector WHERE node_id NOT IN (SELECT node_id FROM searchable)`,
  'the latest revision knows the greatest id of a node from before it': `
    SELECT row_key FROM change, (SELECT id, last_node_id FROM revision ORDER BY id DESC LIMIT 1) AS latest
    WHERE table_name = 'node' AND before IS NULL AND last_node_id > 0
      AND (revision_id < latest.id AND CAST(row_key AS INTEGER) > last_node_id)`,
  'foreign keys hold': `SELECT * FROM pragma_foreign_key_check`,
  'every revision has changes, unless it forgot them': `
    SELECT id FROM revision WHERE tool <> 'forget' AND id NOT IN (SELECT revision_id FROM change)`,
  'a job waits because it has failed': `
    SELECT name FROM job WHERE (failures > 0) <> (retry_at IS NOT NULL)
      OR (failures > 0) <> (last_error IS NOT NULL)`,
  'no revision is left from before the horizon': `
    SELECT revision.id FROM revision JOIN compaction ON revision.id <= compaction.horizon`,
};

/** Tables whose history must lead back from what they hold, with the columns that are history. */
const HISTORY: Readonly<Record<string, { key: string; columns: string }>> = {
  node: {
    key: 'id',
    columns:
      'id kind status confidence importance source metadata created_at updated_at expires_at ttl_days',
  },
  entity: { key: 'node_id', columns: 'node_id name folded_name type' },
  fact: {
    key: 'node_id',
    columns: 'node_id entity_id content content_hash is_atomic version supersedes superseded_by',
  },
  edge: {
    key: 'json_array(from_id, to_id, type)',
    columns: 'from_id to_id type importance metadata created_at',
  },
  node_version: {
    key: 'json_array(node_id, version)',
    columns: 'node_id version state replaced_at',
  },
  turn: { key: 'node_id', columns: 'node_id session_id prompt thought response agent model' },
  summary: {
    key: 'node_id',
    columns:
      'node_id session_id title summary category quality productivity impact complexity technologies turn_count',
  },
};

const EXAMPLES_MAX = 5;

const REPLAY_RULE = 'the history leads back from what the tables hold to an empty thread';

/** Nothing for a sound thread. */
export function checkInvariants(sql: Sql): InvariantFault[] {
  const broken = Object.entries(RULES).map(([rule, query]) => toFault(rule, findKeys(sql, query)));
  return [...broken, toFault(REPLAY_RULE, replay(sql))].filter(({ rows }) => rows > 0);
}

function toFault(rule: string, keys: readonly string[]): InvariantFault {
  return { rule, rows: keys.length, examples: keys.slice(0, EXAMPLES_MAX) };
}

function findKeys(sql: Sql, query: string): string[] {
  return sql.all<Record<string, unknown>>(query).map((row) => String(Object.values(row)[0]));
}

/**
 * Goes back through the history from what the tables hold, as far as `compact` has left it. It keeps
 * a fingerprint of each row alone, so that a large thread fits into memory. Gives the rows to which
 * some change does not lead, and those that nothing has begun.
 */
function replay(sql: Sql): string[] {
  const state = new Map<string, number>();
  for (const table of Object.keys(HISTORY)) {
    for (const { key, row } of readRows(sql, table)) {
      state.set(`${table} ${key}`, fingerprint(row));
    }
  }
  const faults: string[] = [];
  for (const { table_name, row_key, before, after } of changesBackwards(sql)) {
    const key = `${table_name} ${row_key}`;
    if (state.get(key) !== (after === null ? undefined : fingerprint(after))) faults.push(key);
    if (before === null) state.delete(key);
    else state.set(key, fingerprint(before));
  }
  const isPruned = sql.first('SELECT 1 FROM compaction WHERE horizon > 0') !== undefined;
  return isPruned ? faults : [...faults, ...state.keys()];
}

function readRows(sql: Sql, table: string): Iterable<{ key: string; row: string }> {
  const { key, columns } = HISTORY[table] ?? { key: '', columns: '' };
  const pairs = columns.split(' ').map((name) => `'${name}', ${name}`);
  return sql.each(
    `SELECT CAST(${key} AS TEXT) AS key, json_object(${pairs.join(', ')}) AS row FROM ${table}`,
  );
}

interface ChangeRow {
  table_name: string;
  row_key: string;
  before: string | null;
  after: string | null;
}

function changesBackwards(sql: Sql): Iterable<ChangeRow> {
  return sql.each(
    'SELECT table_name, row_key, before, after FROM change ORDER BY revision_id DESC, seq DESC',
  );
}

/** FNV-1a twice, over the text from either end: 52 bits, which no accident makes equal. */
function fingerprint(text: string): number {
  let [low, high] = [0x811c9dc5, 0x811c9dc5];
  for (let index = 0, last = text.length - 1; index <= last; index += 1) {
    low = Math.imul(low ^ text.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(last - index), 0x01000193);
  }
  return (high >>> 6) * 2 ** 26 + (low >>> 6);
}
