/**
 * The triggers of `0001-initial.ts`. One trigger does all that an event of a table needs, in the order:
 * history, counts, text indexes, vectors. A new thread waits for each of them.
 */

type Row = 'NEW' | 'OLD';

/** Columns that are history. Derived ones and `accessed_at` are left out. */
const COLUMNS = {
  node: 'id kind status confidence importance source metadata created_at updated_at expires_at ttl_days',
  entity: 'node_id name folded_name type',
  fact: 'node_id entity_id content content_hash is_atomic version supersedes superseded_by',
  edge: 'from_id to_id type importance metadata created_at',
  turn: 'node_id session_id prompt thought response agent model',
  summary:
    'node_id session_id title summary category quality productivity impact complexity technologies turn_count',
  node_version: 'node_id version state replaced_at',
};

type Table = keyof typeof COLUMNS;

const KEYS: Readonly<Record<Table, (row: Row) => string>> = {
  node: (row) => `${row}.id`,
  entity: (row) => `${row}.node_id`,
  fact: (row) => `${row}.node_id`,
  edge: (row) => `json_array(${row}.from_id, ${row}.to_id, ${row}.type)`,
  turn: (row) => `${row}.node_id`,
  summary: (row) => `${row}.node_id`,
  node_version: (row) => `json_array(${row}.node_id, ${row}.version)`,
};

function columnsOf(table: Table): string[] {
  return COLUMNS[table].split(' ');
}

/** The row as the history has it. */
function image(table: Table, row: Row): string {
  return `json_object(${columnsOf(table)
    .map((name) => `'${name}', ${row}.${name}`)
    .join(', ')})`;
}

/** The change, under the revision that was opened last. */
function record(table: Table, row: Row, before: string, after: string): string {
  return /* sql */ `
  INSERT INTO change SELECT revision_id, seq, '${table}', ${KEYS[table](row)}, ${before}, ${after} FROM next_change;`;
}

function inserted(table: Table, then = ''): string {
  return /* sql */ `
CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN
  ${record(table, 'NEW', 'NULL', image(table, 'NEW'))}${then}
END;`;
}

/** Fires for a change of what is history, and nothing else. */
function updated(table: Table, then = ''): string {
  const names = columnsOf(table);
  const values = (row: Row) => `(${names.map((name) => `${row}.${name}`).join(', ')})`;
  return /* sql */ `
CREATE TRIGGER ${table}_updated AFTER UPDATE OF ${names.join(', ')} ON ${table}
  WHEN ${values('OLD')} IS NOT ${values('NEW')} BEGIN
  ${record(table, 'NEW', image(table, 'OLD'), image(table, 'NEW'))}${then}
END;`;
}

function deleted(table: Table, then = ''): string {
  return /* sql */ `
CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
  ${record(table, 'OLD', image(table, 'OLD'), 'NULL')}${then}
END;`;
}

/** Adds what a query finds to the counters: name, label, value. */
function count(query: string): string {
  return /* sql */ `
  INSERT INTO counter (name, label, value) ${query}
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;`;
}

/** False while the call counts what it inserts itself. */
const BY_TRIGGER = '(SELECT counts_itself = 0 FROM revision ORDER BY id DESC LIMIT 1) IS NOT 0';

const isActive = (node: string) => `(SELECT status FROM node WHERE id = ${node}) = 'active'`;

/** A fact counts as an observation while it is current and active and has an entity. */
const isObservation = (row: Row) =>
  `(${row}.entity_id IS NOT NULL AND ${row}.superseded_by IS NULL AND ${isActive(`${row}.node_id`)})`;

/** An edge counts as a relation while both its ends are active entities. */
function isRelation(row: Row): string {
  const isEntity = (end: string) =>
    `(SELECT hidden_from IS NOT 0 FROM entity WHERE node_id = ${row}.${end})`;
  return `${isEntity('from_id')} AND ${isEntity('to_id')}`;
}

function countObservation(row: Row, sign: '+' | '-', condition: string): string {
  return /* sql */ `
  UPDATE total SET observations = observations ${sign} 1,
    oversized_observations = oversized_observations ${sign} (${row}.is_atomic = 0)
    WHERE ${condition};
  UPDATE entity SET observation_count = observation_count ${sign} 1
    WHERE node_id = ${row}.entity_id AND ${condition};`;
}

function countRelation(row: Row, sign: '+' | '-', condition: string): string {
  return /* sql */ `${count(`SELECT 'relation', ${row}.type, ${sign}1 WHERE ${condition}`)}
  UPDATE entity SET relation_count = relation_count ${sign} 1
    WHERE node_id IN (${row}.from_id, ${row}.to_id) AND ${condition};`;
}

/** Both text indexes get a text; its columns as a query gives them. */
function index(title: string, trigramTitle: string, body: string, from: string): string {
  return /* sql */ `
  INSERT INTO fulltext (rowid, title, body) SELECT NEW.node_id, ${title}, ${body} ${from};
  INSERT INTO trigram (rowid, title, body) SELECT NEW.node_id, ${trigramTitle}, ${body} || '  ' ${from};`;
}

/** By the view, for whatever kinds of nodes. */
function indexNodes(nodes: string): string {
  return /* sql */ `
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id ${nodes};
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id ${nodes};`;
}

function unindex(nodes: string): string {
  return /* sql */ `
  DELETE FROM fulltext WHERE rowid ${nodes};
  DELETE FROM trigram WHERE rowid ${nodes};`;
}

/** Nodes up to the cursor of the job get a row of the backlog; it finds newer ones by itself. */
function awaitVector(nodes: string): string {
  return /* sql */ `
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id ${nodes} AND node_id <= (SELECT cursor FROM job WHERE name = 'embedding')
      AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);`;
}

function dropVector(nodes: string): string {
  return /* sql */ `
  DELETE FROM vector WHERE node_id ${nodes};
  DELETE FROM embedding_backlog WHERE node_id ${nodes};`;
}

/** Only a node that comes back is not newer than the cursor. */
const AWAIT_NEW = /* sql */ `
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT NEW.node_id
    WHERE NEW.node_id <= (SELECT cursor FROM job WHERE name = 'embedding')
      AND EXISTS (SELECT 1 FROM searchable WHERE node_id = NEW.node_id)
      AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = NEW.node_id);`;

const FORGET = `${unindex('= OLD.node_id')}${dropVector('= OLD.node_id')}`;
const RENEW = `${FORGET}${indexNodes('= NEW.node_id')}${awaitVector('= NEW.node_id')}`;

const isFindable = (node: string) => `(SELECT status FROM node WHERE id = ${node}) <> 'archived'`;
/** The name of an entity is the title of its facts. */
const ENTITY_AND_FACTS =
  'IN (SELECT NEW.node_id UNION ALL SELECT node_id FROM fact WHERE OLD.name <> NEW.name AND entity_id = NEW.node_id)';
const HIDDEN_FROM = "iif(status = 'active', expires_at, 0)";

const entities = (): string => /* sql */ `
${inserted(
  'entity',
  /* sql */ `
  UPDATE entity SET hidden_from = (SELECT ${HIDDEN_FROM} FROM node WHERE id = NEW.node_id)
    WHERE node_id = NEW.node_id AND EXISTS (SELECT 1 FROM node
      WHERE id = NEW.node_id AND (status <> 'active' OR expires_at IS NOT NULL));
  ${count(`SELECT 'entity', NEW.type, 1 WHERE ${isActive('NEW.node_id')} AND ${BY_TRIGGER}`)}
  ${index('NEW.name', "NEW.name || '  '", 'NEW.type', `WHERE ${isFindable('NEW.node_id')}`)}
  ${AWAIT_NEW}`,
)}
${updated(
  'entity',
  /* sql */ `
  ${count(`SELECT 'entity', OLD.type, -1 WHERE OLD.type <> NEW.type AND ${isActive('NEW.node_id')}`)}
  ${count(`SELECT 'entity', NEW.type, 1 WHERE OLD.type <> NEW.type AND ${isActive('NEW.node_id')}`)}
  ${unindex(ENTITY_AND_FACTS)}${dropVector(ENTITY_AND_FACTS)}
  ${indexNodes(ENTITY_AND_FACTS)}${awaitVector(ENTITY_AND_FACTS)}`,
)}
${deleted('entity', `${count(`SELECT 'entity', OLD.type, -1 WHERE ${isActive('OLD.node_id')}`)}${FORGET}`)}
CREATE TRIGGER entity_connected AFTER UPDATE OF relation_count ON entity
  WHEN (OLD.relation_count = 0) <> (NEW.relation_count = 0) BEGIN
  UPDATE total SET connected_entities = connected_entities + iif(NEW.relation_count = 0, -1, 1)
    WHERE ${BY_TRIGGER};
END;
`;

const OBSERVATION_CHANGED = /* sql */ `(OLD.entity_id IS NOT NEW.entity_id
      OR (OLD.superseded_by IS NULL) <> (NEW.superseded_by IS NULL) OR OLD.is_atomic <> NEW.is_atomic)`;

const facts = (): string => /* sql */ `
${inserted(
  'fact',
  /* sql */ `
  ${countObservation('NEW', '+', `${isObservation('NEW')} AND ${BY_TRIGGER}`)}
  ${index(
    "coalesce((SELECT name FROM entity WHERE node_id = NEW.entity_id), '')",
    "''",
    'NEW.content',
    `WHERE NEW.superseded_by IS NULL AND ${isFindable('NEW.node_id')}`,
  )}
  ${AWAIT_NEW}`,
)}
${updated(
  'fact',
  /* sql */ `
  ${countObservation('OLD', '-', `${isObservation('OLD')} AND ${OBSERVATION_CHANGED}`)}
  ${countObservation('NEW', '+', `${isObservation('NEW')} AND ${OBSERVATION_CHANGED}`)}`,
)}
${deleted('fact', `${countObservation('OLD', '-', isObservation('OLD'))}${FORGET}`)}
CREATE TRIGGER fact_reworded AFTER UPDATE OF entity_id, content, superseded_by ON fact
  WHEN OLD.entity_id IS NOT NEW.entity_id OR OLD.content <> NEW.content
    OR OLD.superseded_by IS NOT NEW.superseded_by BEGIN
  ${RENEW}
END;
`;

const edges = (): string => /* sql */ `
${inserted('edge', countRelation('NEW', '+', `${isRelation('NEW')} AND ${BY_TRIGGER}`))}
${updated('edge')}
${deleted('edge', countRelation('OLD', '-', isRelation('OLD')))}
`;

/** 1 for a node that becomes active, -1 for one that ceases to be. */
const SIGN = "iif(NEW.status = 'active', 1, -1)";

const ITS_OBSERVATION =
  'FROM fact WHERE node_id = NEW.id AND entity_id IS NOT NULL AND superseded_by IS NULL';

const isActiveEntity = (node: string) => /* sql */ `EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = ${node} AND other.kind = 'entity' AND other.status = 'active')`;

/** Relations of the node that changes, each once. */
const ITS_RELATIONS = /* sql */ `FROM edge
    WHERE from_id = NEW.id AND (to_id = NEW.id OR ${isActiveEntity('to_id')})
      OR to_id = NEW.id AND from_id <> NEW.id AND ${isActiveEntity('from_id')}`;

const nodes = (): string => /* sql */ `
${inserted('node')}
${updated('node')}
${deleted('node')}
-- The counts follow the status: an expired node is counted until it is archived.
CREATE TRIGGER fact_status_changed AFTER UPDATE OF status ON node
  WHEN NEW.kind = 'fact' AND (OLD.status = 'active') <> (NEW.status = 'active') BEGIN
  UPDATE total SET observations = observations + ${SIGN} * (SELECT count(*) ${ITS_OBSERVATION}),
    oversized_observations = oversized_observations + ${SIGN} * (SELECT count(*) ${ITS_OBSERVATION} AND is_atomic = 0)
    WHERE EXISTS (SELECT 1 ${ITS_OBSERVATION});
  UPDATE entity SET observation_count = observation_count + ${SIGN}
    WHERE node_id = (SELECT entity_id ${ITS_OBSERVATION});
END;
CREATE TRIGGER entity_status_changed AFTER UPDATE OF status ON node
  WHEN NEW.kind = 'entity' AND (OLD.status = 'active') <> (NEW.status = 'active') BEGIN
  ${count(`SELECT 'entity', type, ${SIGN} FROM entity WHERE node_id = NEW.id`)}
  ${count(`SELECT 'relation', type, ${SIGN} * count(*) ${ITS_RELATIONS} GROUP BY type`)}
  UPDATE entity SET relation_count = relation_count + ${SIGN} * (
    SELECT count(*) FROM edge WHERE from_id = NEW.id AND to_id = entity.node_id
      OR to_id = NEW.id AND from_id = entity.node_id)
  WHERE node_id <> NEW.id AND ${isActiveEntity('node_id')} AND node_id IN (
    SELECT to_id FROM edge WHERE from_id = NEW.id UNION SELECT from_id FROM edge WHERE to_id = NEW.id);
  UPDATE entity SET relation_count = iif(NEW.status = 'active', (SELECT count(*) ${ITS_RELATIONS}), 0)
    WHERE node_id = NEW.id;
END;
CREATE TRIGGER node_hidden AFTER UPDATE OF status, expires_at ON node
  WHEN NEW.kind = 'entity' AND (OLD.status <> NEW.status OR OLD.expires_at IS NOT NEW.expires_at) BEGIN
  UPDATE entity SET hidden_from = (SELECT ${HIDDEN_FROM} FROM node WHERE id = NEW.id)
    WHERE node_id = NEW.id;
END;
-- An outdated node keeps its text, and its place in the indexes.
CREATE TRIGGER node_archived AFTER UPDATE OF status ON node
  WHEN (OLD.status = 'archived') <> (NEW.status = 'archived') BEGIN
  ${unindex('= OLD.id')}${indexNodes('= NEW.id')}
  ${dropVector('= OLD.id')}${awaitVector('= NEW.id')}
END;
CREATE TRIGGER summary_dated AFTER UPDATE OF updated_at ON node WHEN NEW.kind = 'summary' BEGIN
  UPDATE session SET summarised_at = NEW.updated_at
    WHERE session_id = (SELECT session_id FROM summary WHERE node_id = NEW.id);
END;
${inserted('node_version')}
${updated('node_version')}
${deleted('node_version')}
CREATE TRIGGER counter_emptied AFTER UPDATE OF value ON counter WHEN NEW.value = 0 BEGIN
  DELETE FROM counter WHERE name = NEW.name AND label = NEW.label;
END;
`;

const TURN_OF_SESSION = /* sql */ `
  INSERT INTO session (session_id, turn_count, last_turn_at)
    SELECT NEW.session_id, 1, created_at FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET turn_count = turn_count + 1,
      last_turn_at = max(last_turn_at, excluded.last_turn_at);`;

const NO_TURN_OF_SESSION = /* sql */ `
  UPDATE session SET turn_count = turn_count - 1, last_turn_at = coalesce((
      SELECT max(created_at) FROM turn JOIN node ON id = node_id WHERE session_id = OLD.session_id), 0)
    WHERE session_id = OLD.session_id;`;

const SUMMARY_OF_SESSION = /* sql */ `
  INSERT INTO session (session_id, turn_count, last_turn_at, summary_id, category, summarised_turns, summarised_at)
    SELECT NEW.session_id, 0, 0, NEW.node_id, NEW.category, NEW.turn_count, updated_at
    FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET summary_id = excluded.summary_id, category = excluded.category,
      summarised_turns = excluded.summarised_turns, summarised_at = excluded.summarised_at;`;

const NO_SUMMARY_OF_SESSION = /* sql */ `
  UPDATE session SET summary_id = NULL, category = NULL, summarised_turns = NULL, summarised_at = NULL
    WHERE session_id = OLD.session_id AND summary_id = OLD.node_id;`;

const NOTHING_OF_SESSION = /* sql */ `
  DELETE FROM session WHERE session_id = OLD.session_id AND turn_count = 0 AND summary_id IS NULL;`;

/** A session whose summary is missing or older than its last turn. */
function isUnsummarised(row: Row): string {
  const isStale = `${row}.summarised_turns <> ${row}.turn_count OR ${row}.last_turn_at > ${row}.summarised_at`;
  return `(${row}.turn_count > 0 AND (${row}.summary_id IS NULL OR ${isStale}))`;
}

const CATEGORY_CHANGED = 'OLD.category IS NOT NEW.category';

const sessions = (): string => /* sql */ `
${inserted('turn', `${indexNodes('= NEW.node_id')}${AWAIT_NEW}${TURN_OF_SESSION}`)}
${updated('turn', `${RENEW}${NO_TURN_OF_SESSION}${NOTHING_OF_SESSION}${TURN_OF_SESSION}`)}
${deleted('turn', `${FORGET}${NO_TURN_OF_SESSION}${NOTHING_OF_SESSION}`)}
${inserted('summary', `${indexNodes('= NEW.node_id')}${AWAIT_NEW}${SUMMARY_OF_SESSION}`)}
${updated('summary', `${RENEW}${NO_SUMMARY_OF_SESSION}${SUMMARY_OF_SESSION}${NOTHING_OF_SESSION}`)}
${deleted('summary', `${FORGET}${NO_SUMMARY_OF_SESSION}${NOTHING_OF_SESSION}`)}
CREATE TRIGGER session_inserted AFTER INSERT ON session BEGIN
  UPDATE total SET sessions = sessions + 1, turns = turns + NEW.turn_count,
    unsummarised_sessions = unsummarised_sessions + ${isUnsummarised('NEW')};
  ${count("SELECT 'summary', NEW.category, 1 WHERE NEW.summary_id IS NOT NULL")}
END;
CREATE TRIGGER session_updated AFTER UPDATE ON session BEGIN
  UPDATE total SET turns = turns + NEW.turn_count - OLD.turn_count,
    unsummarised_sessions = unsummarised_sessions + ${isUnsummarised('NEW')} - ${isUnsummarised('OLD')}
    WHERE NEW.turn_count <> OLD.turn_count OR ${isUnsummarised('NEW')} <> ${isUnsummarised('OLD')};
  ${count(`SELECT 'summary', OLD.category, -1 WHERE OLD.category IS NOT NULL AND ${CATEGORY_CHANGED}`)}
  ${count(`SELECT 'summary', NEW.category, 1 WHERE NEW.category IS NOT NULL AND ${CATEGORY_CHANGED}`)}
END;
CREATE TRIGGER session_deleted AFTER DELETE ON session BEGIN
  UPDATE total SET sessions = sessions - 1, turns = turns - OLD.turn_count,
    unsummarised_sessions = unsummarised_sessions - ${isUnsummarised('OLD')};
  ${count("SELECT 'summary', OLD.category, -1 WHERE OLD.summary_id IS NOT NULL")}
END;
`;

/** Put together when a new thread needs them: most isolates wake threads that have them. */
export function triggers(): string {
  return entities() + facts() + edges() + nodes() + sessions();
}
