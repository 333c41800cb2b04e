/**
 * The schema as an append-only list. A migration imports nothing from the application, and once
 * released it is never edited: `migrate.ts` refuses a thread whose stored list disagrees.
 * Comments inside the DDL are the reference: `docs/storage.md` is generated from them.
 */

export interface Migration {
  /** Four digits and what it brings, such as `0002_vector`. */
  readonly id: string;
  readonly up: string;
}

const NODES = /* sql */ `
-- Everything remembered is a node: one id space serves edges, history and both search indexes.
CREATE TABLE node (
  id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, since clients keep ids such as ent_12
  kind        TEXT    NOT NULL CHECK (kind IN ('entity', 'fact', 'turn', 'summary')),
  status      TEXT    NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'outdated', 'archived')),
  confidence  REAL    NOT NULL DEFAULT 1.0 CHECK (confidence BETWEEN 0 AND 1),
  importance  REAL    NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
  source      TEXT,                              -- who or what it came from; null when not told
  metadata    TEXT CHECK (metadata IS NULL OR json_valid(metadata)), -- the caller's own JSON
  created_at  INTEGER NOT NULL,                  -- epoch milliseconds, as every time here
  updated_at  INTEGER NOT NULL,                  -- last change of the node, its facts or the edges that start at it
  accessed_at INTEGER,                           -- last time that a search returned it; not history
  expires_at  INTEGER                            -- from then on it is in no answer; null for never
) STRICT;
CREATE INDEX node_entity_updated ON node (updated_at) WHERE kind = 'entity';
CREATE INDEX node_entity_importance ON node (importance) WHERE kind = 'entity';

-- A named node of the graph.
CREATE TABLE entity (
  node_id           INTEGER PRIMARY KEY REFERENCES node (id),
  name              TEXT    NOT NULL UNIQUE,    -- NFC and trimmed; identity is this exact text
  folded_name       TEXT    NOT NULL,           -- without case, diacritics and width, for reads that miss
  type              TEXT    NOT NULL,
  observation_count INTEGER NOT NULL DEFAULT 0, -- derived by triggers: current facts about it
  relation_count    INTEGER NOT NULL DEFAULT 0  -- derived by triggers: edges to and from other entities
) STRICT;
CREATE INDEX entity_folded_name ON entity (folded_name);
CREATE INDEX entity_type ON entity (type);
CREATE INDEX entity_relation_count ON entity (relation_count);

-- One remembered statement: an observation when it has an entity, a memory when it has none.
CREATE TABLE fact (
  node_id       INTEGER PRIMARY KEY REFERENCES node (id),
  entity_id     INTEGER REFERENCES entity (node_id), -- null for a fact that stands alone
  content       TEXT    NOT NULL,
  content_hash  INTEGER NOT NULL,                -- finds an exact duplicate without reading every fact
  is_atomic     INTEGER NOT NULL CHECK (is_atomic IN (0, 1)), -- kept to the limits when it was written
  version       INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
  supersedes    INTEGER REFERENCES fact (node_id), -- the version before
  superseded_by INTEGER REFERENCES fact (node_id), -- the version after; null for a current fact
  CHECK (supersedes IS NULL OR supersedes <> node_id),
  CHECK (superseded_by IS NULL OR superseded_by <> node_id)
) STRICT;
CREATE INDEX fact_entity ON fact (entity_id, content_hash);
-- The foreign keys of a chain are checked by looking up their children, which wants an index.
CREATE INDEX fact_supersedes ON fact (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX fact_superseded_by ON fact (superseded_by) WHERE superseded_by IS NOT NULL;

-- A directed, typed edge between two nodes. Between entities it is a relation.
CREATE TABLE edge (
  from_id    INTEGER NOT NULL REFERENCES node (id),
  to_id      INTEGER NOT NULL REFERENCES node (id),
  type       TEXT    NOT NULL,
  importance REAL    NOT NULL DEFAULT 0.7 CHECK (importance BETWEEN 0 AND 1),
  metadata   TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (from_id, to_id, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_to ON edge (to_id);

-- One turn of an agent's conversation.
CREATE TABLE turn (
  node_id    INTEGER PRIMARY KEY REFERENCES node (id),
  session_id TEXT NOT NULL,
  prompt     TEXT NOT NULL,
  thought    TEXT NOT NULL,
  response   TEXT NOT NULL,
  agent      TEXT,
  model      TEXT
) STRICT;
CREATE INDEX turn_session ON turn (session_id);

-- What a session was about; at most one a session.
CREATE TABLE summary (
  node_id      INTEGER PRIMARY KEY REFERENCES node (id),
  session_id   TEXT    NOT NULL UNIQUE,
  title        TEXT    NOT NULL,
  summary      TEXT    NOT NULL,
  category     TEXT    NOT NULL,
  quality      INTEGER NOT NULL CHECK (quality BETWEEN 0 AND 100),
  productivity INTEGER NOT NULL CHECK (productivity BETWEEN 0 AND 100),
  impact       INTEGER NOT NULL CHECK (impact BETWEEN 0 AND 100),
  complexity   INTEGER NOT NULL CHECK (complexity BETWEEN 0 AND 100),
  technologies TEXT    NOT NULL CHECK (json_valid(technologies)), -- JSON list of names
  turn_count   INTEGER NOT NULL CHECK (turn_count >= 0)           -- turns when it was made
) STRICT;
`;

const HISTORY = /* sql */ `
-- One row for each tool call that changed something.
CREATE TABLE revision (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  at    INTEGER NOT NULL, -- epoch milliseconds
  actor TEXT    NOT NULL, -- the authenticated principal, with the client where it is known
  tool  TEXT    NOT NULL
) STRICT;

-- One row for each row changed, written by triggers so that no write can forget it.
CREATE TABLE change (
  revision_id INTEGER NOT NULL REFERENCES revision (id),
  seq         INTEGER NOT NULL,        -- order within the revision, from 1
  table_name  TEXT    NOT NULL,
  row_key     TEXT    NOT NULL,        -- node id; for an edge [from, to, type] as JSON
  before      TEXT,                    -- the row as JSON; null for an insert
  after       TEXT,                    -- the row as JSON; null for a delete
  PRIMARY KEY (revision_id, seq),
  CHECK (before IS NOT NULL OR after IS NOT NULL)
) STRICT, WITHOUT ROWID;
`;

const COUNTERS = /* sql */ `
-- Counts kept so that statistics read no graph. Derived by triggers, but for the two of saves.
CREATE TABLE counter (
  name  TEXT    NOT NULL, -- entity, connected_entity, relation, observation, oversized_observation, save_accepted, save_rejected
  label TEXT    NOT NULL, -- entity type or relation type; '' where there is none
  value INTEGER NOT NULL,
  PRIMARY KEY (name, label)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER counter_emptied AFTER UPDATE OF value ON counter WHEN NEW.value = 0 BEGIN
  DELETE FROM counter WHERE name = NEW.name AND label = NEW.label;
END;
`;

/** Adds to a counter inside a trigger, when the condition holds. */
function count(name: string, label: string, by: string, condition = 'true'): string {
  return /* sql */ `
  INSERT INTO counter (name, label, value) SELECT '${name}', ${label}, ${by} WHERE ${condition}
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;`;
}

/** An edge counts as a relation when both its ends are entities. */
function isRelation(row: 'NEW' | 'OLD'): string {
  return /* sql */ `EXISTS (SELECT 1 FROM entity WHERE node_id = ${row}.from_id)
  AND EXISTS (SELECT 1 FROM entity WHERE node_id = ${row}.to_id)`;
}

/** A fact counts as an observation while it is current and has an entity. */
function isObservation(row: 'NEW' | 'OLD'): string {
  return `${row}.entity_id IS NOT NULL AND ${row}.superseded_by IS NULL`;
}

function countObservation(row: 'NEW' | 'OLD', sign: '' | '-'): string {
  return /* sql */ `${count('observation', "''", `${sign}1`)}
  ${count('oversized_observation', "''", `${sign}1`, `${row}.is_atomic = 0`)}
  UPDATE entity SET observation_count = observation_count + ${sign}1 WHERE node_id = ${row}.entity_id;`;
}

const COUNTING = /* sql */ `
CREATE TRIGGER entity_counted AFTER INSERT ON entity BEGIN ${count('entity', 'NEW.type', '1')}
END;
CREATE TRIGGER entity_uncounted AFTER DELETE ON entity BEGIN ${count('entity', 'OLD.type', '-1')}
END;
CREATE TRIGGER entity_recounted AFTER UPDATE OF type ON entity WHEN OLD.type <> NEW.type BEGIN
  ${count('entity', 'OLD.type', '-1')}
  ${count('entity', 'NEW.type', '1')}
END;
CREATE TRIGGER entity_connected AFTER UPDATE OF relation_count ON entity
  WHEN (OLD.relation_count = 0) <> (NEW.relation_count = 0) BEGIN
  ${count('connected_entity', "''", 'iif(NEW.relation_count = 0, -1, 1)')}
END;
CREATE TRIGGER edge_counted AFTER INSERT ON edge WHEN ${isRelation('NEW')} BEGIN
  ${count('relation', 'NEW.type', '1')}
  UPDATE entity SET relation_count = relation_count + 1 WHERE node_id IN (NEW.from_id, NEW.to_id);
END;
CREATE TRIGGER edge_uncounted AFTER DELETE ON edge WHEN ${isRelation('OLD')} BEGIN
  ${count('relation', 'OLD.type', '-1')}
  UPDATE entity SET relation_count = relation_count - 1 WHERE node_id IN (OLD.from_id, OLD.to_id);
END;
CREATE TRIGGER fact_counted AFTER INSERT ON fact WHEN ${isObservation('NEW')} BEGIN
  ${countObservation('NEW', '')}
END;
CREATE TRIGGER fact_uncounted AFTER DELETE ON fact WHEN ${isObservation('OLD')} BEGIN
  ${countObservation('OLD', '-')}
END;
CREATE TRIGGER fact_no_longer_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN ${isObservation('OLD')} BEGIN
  ${countObservation('OLD', '-')}
END;
CREATE TRIGGER fact_now_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN ${isObservation('NEW')} BEGIN
  ${countObservation('NEW', '')}
END;
`;

/** Keeps a table's changes: the row before and after, under the revision that was opened last. */
function recordChanges(
  table: string,
  key: (row: 'NEW' | 'OLD') => string,
  columns: string,
): string {
  const names = columns.split(' ');
  const row = (side: 'NEW' | 'OLD') =>
    `json_object(${names.map((name) => `'${name}', ${side}.${name}`).join(', ')})`;
  const insert = (side: 'NEW' | 'OLD', before: string, after: string) => /* sql */ `
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         '${table}', ${key(side)}, ${before}, ${after}
  FROM (SELECT max(id) AS id FROM revision) AS latest;`;
  return /* sql */ `
CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN ${insert('NEW', 'NULL', row('NEW'))}
END;
CREATE TRIGGER ${table}_updated AFTER UPDATE OF ${names.join(', ')} ON ${table}
  WHEN ${row('OLD')} <> ${row('NEW')} BEGIN ${insert('NEW', row('OLD'), row('NEW'))}
END;
CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN ${insert('OLD', row('OLD'), 'NULL')}
END;
`;
}

/** Derived columns and `accessed_at` are left out: they are not history. */
const RECORDING = [
  recordChanges(
    'node',
    (row) => `${row}.id`,
    'id kind status confidence importance source metadata created_at updated_at expires_at',
  ),
  recordChanges('entity', (row) => `${row}.node_id`, 'node_id name folded_name type'),
  recordChanges(
    'fact',
    (row) => `${row}.node_id`,
    'node_id entity_id content content_hash is_atomic version supersedes superseded_by',
  ),
  recordChanges(
    'edge',
    (row) => `json_array(${row}.from_id, ${row}.to_id, ${row}.type)`,
    'from_id to_id type importance metadata created_at',
  ),
  recordChanges(
    'turn',
    (row) => `${row}.node_id`,
    'node_id session_id prompt thought response agent model',
  ),
  recordChanges(
    'summary',
    (row) => `${row}.node_id`,
    'node_id session_id title summary category quality productivity impact complexity technologies turn_count',
  ),
].join('');

const FULLTEXT = /* sql */ `
-- What may be found by its text: live nodes, each with the words that lead to it.
CREATE VIEW searchable (node_id, kind, title, body) AS
  SELECT entity.node_id, 'entity', entity.name, entity.type
  FROM entity JOIN node ON node.id = entity.node_id
  WHERE node.status = 'active'
  UNION ALL
  SELECT fact.node_id, 'fact', coalesce(entity.name, ''), fact.content
  FROM fact JOIN node ON node.id = fact.node_id LEFT JOIN entity ON entity.node_id = fact.entity_id
  WHERE node.status = 'active' AND fact.superseded_by IS NULL
  UNION ALL
  SELECT turn.node_id, 'turn', '', turn.prompt || char(10) || turn.thought || char(10) || turn.response
  FROM turn JOIN node ON node.id = turn.node_id
  WHERE node.status = 'active'
  UNION ALL
  SELECT summary.node_id, 'summary', summary.title, summary.summary
  FROM summary JOIN node ON node.id = summary.node_id
  WHERE node.status = 'active';

-- Words, stemmed and without diacritics. Derived from searchable; rowid = node id.
CREATE VIRTUAL TABLE fulltext USING fts5 (
  title, body, content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Its twin for substrings, identifiers and scripts without spaces. A fact's title stays out of it.
CREATE VIRTUAL TABLE trigram USING fts5 (
  title, body, content = '', contentless_delete = 1,
  tokenize = 'trigram remove_diacritics 1'
);
-- The trigrams themselves, to complete a search for one or two characters.
CREATE VIRTUAL TABLE trigram_term USING fts5vocab (trigram, 'row');
`;

/** Two spaces end each trigram text, so that its last characters begin a trigram too. */
function indexText(nodes: string): string {
  return /* sql */ `
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id ${nodes};
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id ${nodes};`;
}

function unindexText(nodes: string): string {
  return /* sql */ `
  DELETE FROM fulltext WHERE rowid ${nodes};
  DELETE FROM trigram WHERE rowid ${nodes};`;
}

function keepIndexed(table: string, columns: string): string {
  return /* sql */ `
CREATE TRIGGER ${table}_indexed AFTER INSERT ON ${table} BEGIN ${indexText('= NEW.node_id')}
END;
CREATE TRIGGER ${table}_reindexed AFTER UPDATE OF ${columns} ON ${table} BEGIN
  ${unindexText('= OLD.node_id')} ${indexText('= NEW.node_id')}
END;
CREATE TRIGGER ${table}_unindexed AFTER DELETE ON ${table} BEGIN ${unindexText('= OLD.node_id')}
END;
`;
}

const FACTS_OF_ENTITY = 'IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id)';

const INDEXING = /* sql */ `
${keepIndexed('entity', 'name, type')}
${keepIndexed('fact', 'entity_id, content, superseded_by')}
${keepIndexed('turn', 'prompt, thought, response')}
${keepIndexed('summary', 'title, summary')}
CREATE TRIGGER entity_renamed AFTER UPDATE OF name ON entity WHEN OLD.name <> NEW.name BEGIN
  ${unindexText(FACTS_OF_ENTITY)} ${indexText(FACTS_OF_ENTITY)}
END;
CREATE TRIGGER node_revived AFTER UPDATE OF status ON node WHEN OLD.status <> NEW.status BEGIN
  ${unindexText('= OLD.id')} ${indexText('= NEW.id')}
END;
`;

const VECTORS = /* sql */ `
-- What a node says, as a vector. Derived: triggers drop what is stale, the embedding job refills.
CREATE TABLE vector (
  node_id INTEGER PRIMARY KEY,
  model   TEXT NOT NULL, -- vectors of different models are never compared
  scale   REAL NOT NULL, -- component = int8 value * scale
  vector  BLOB NOT NULL  -- one signed byte a dimension
) STRICT;

-- The stems of the words, with the number of texts that have each.
CREATE VIRTUAL TABLE fulltext_term USING fts5vocab (fulltext, 'row');

-- Nodes that may be found by their text and have no vector yet.
CREATE TABLE embedding_backlog (
  node_id INTEGER PRIMARY KEY
) STRICT;
`;

function awaitVector(nodes: string): string {
  return /* sql */ `
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id ${nodes} AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);`;
}

function dropVector(nodes: string): string {
  return /* sql */ `
  DELETE FROM vector WHERE node_id ${nodes};
  DELETE FROM embedding_backlog WHERE node_id ${nodes};`;
}

function keepEmbedded(table: string, columns: string): string {
  return /* sql */ `
CREATE TRIGGER ${table}_awaits_vector AFTER INSERT ON ${table} BEGIN ${awaitVector('= NEW.node_id')}
END;
CREATE TRIGGER ${table}_vector_stale AFTER UPDATE OF ${columns} ON ${table} BEGIN
  ${dropVector('= OLD.node_id')} ${awaitVector('= NEW.node_id')}
END;
CREATE TRIGGER ${table}_vector_dropped AFTER DELETE ON ${table} BEGIN ${dropVector('= OLD.node_id')}
END;
`;
}

const EMBEDDING = /* sql */ `
${keepEmbedded('entity', 'name, type')}
${keepEmbedded('fact', 'entity_id, content, superseded_by')}
${keepEmbedded('turn', 'prompt, thought, response')}
${keepEmbedded('summary', 'title, summary')}
CREATE TRIGGER entity_renamed_vectors AFTER UPDATE OF name ON entity WHEN OLD.name <> NEW.name BEGIN
  ${dropVector(FACTS_OF_ENTITY)} ${awaitVector(FACTS_OF_ENTITY)}
END;
CREATE TRIGGER node_revived_vector AFTER UPDATE OF status ON node WHEN OLD.status <> NEW.status BEGIN
  ${dropVector('= OLD.id')} ${awaitVector('= NEW.id')}
END;
INSERT INTO embedding_backlog (node_id) SELECT node_id FROM searchable;
`;

const COMPACTION = /* sql */ `
-- How far compact has come; no row before it has ever run.
CREATE TABLE compaction (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  horizon    INTEGER NOT NULL, -- revisions up to this one are forgotten; earlier states cannot be read any more
  horizon_at INTEGER NOT NULL, -- when that revision was made, in epoch milliseconds; 0 when none is forgotten
  rebuilt_to INTEGER NOT NULL  -- node id up to which the derived tables are rebuilt; 0 to begin anew
) STRICT;
`;

/** What may be found: `node.status` decides which search finds it. */
const FINDABLE = "node.status <> 'archived'";

const LIFECYCLE = /* sql */ `
DROP VIEW searchable;
-- What may be found by its text: each node that is not archived, with the words that lead to it.
-- Outdated ones are found by a search that asks for them.
CREATE VIEW searchable (node_id, kind, title, body) AS
  SELECT entity.node_id, 'entity', entity.name, entity.type
  FROM entity JOIN node ON node.id = entity.node_id
  WHERE ${FINDABLE}
  UNION ALL
  SELECT fact.node_id, 'fact', coalesce(entity.name, ''), fact.content
  FROM fact JOIN node ON node.id = fact.node_id LEFT JOIN entity ON entity.node_id = fact.entity_id
  WHERE ${FINDABLE} AND fact.superseded_by IS NULL
  UNION ALL
  SELECT turn.node_id, 'turn', '', turn.prompt || char(10) || turn.thought || char(10) || turn.response
  FROM turn JOIN node ON node.id = turn.node_id
  WHERE ${FINDABLE}
  UNION ALL
  SELECT summary.node_id, 'summary', summary.title, summary.summary
  FROM summary JOIN node ON node.id = summary.node_id
  WHERE ${FINDABLE};

-- What is marked as outdated keeps its text, and so its place in the indexes.
DROP TRIGGER node_revived;
DROP TRIGGER node_revived_vector;
CREATE TRIGGER node_archived AFTER UPDATE OF status ON node
  WHEN (OLD.status = 'archived') <> (NEW.status = 'archived') BEGIN
  ${unindexText('= OLD.id')} ${indexText('= NEW.id')}
  ${dropVector('= OLD.id')} ${awaitVector('= NEW.id')}
END;
${indexText("IN (SELECT id FROM node WHERE status = 'outdated')")}
${awaitVector("IN (SELECT id FROM node WHERE status = 'outdated')")}

-- Which node expires next; a node that never does costs nothing here.
CREATE INDEX node_expiry ON node (expires_at) WHERE expires_at IS NOT NULL AND status <> 'archived';

-- Which nodes are outdated: their vectors are kept apart from those of all others.
CREATE INDEX node_outdated ON node (status) WHERE status = 'outdated';

-- Background work that has run. When it is due follows from the graph; the object's one alarm is set for the earliest.
CREATE TABLE job (
  name        TEXT    NOT NULL PRIMARY KEY,
  last_run_at INTEGER,                    -- when it last did a piece of its work, in epoch milliseconds
  cursor      INTEGER,                    -- where it goes on, for a job that goes through the nodes
  failures    INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0), -- since it last succeeded
  last_error  TEXT,                       -- the kind of the last of them, never its message
  retry_at    INTEGER                     -- not before then; null while it has not failed
) STRICT, WITHOUT ROWID;
`;

const HIDDEN_FROM = "iif(status = 'active', expires_at, 0)";
const MAY_HIDE = "(status <> 'active' OR expires_at IS NOT NULL)";

function isActive(node: string): string {
  return `(SELECT status FROM node WHERE id = ${node}) = 'active'`;
}

/** An edge counts as a relation when both its ends are active entities. */
function isActiveRelation(row: 'NEW' | 'OLD'): string {
  const isEntity = (end: string) =>
    `(SELECT hidden_from IS NOT 0 FROM entity WHERE node_id = ${row}.${end})`;
  return `${isEntity('from_id')} AND ${isEntity('to_id')}`;
}

function isActiveObservation(row: 'NEW' | 'OLD'): string {
  return `${isObservation(row)} AND ${isActive(`${row}.node_id`)}`;
}

/** 1 for a node that becomes active, -1 for one that ceases to be. */
const SIGN = "iif(NEW.status = 'active', 1, -1)";

/** Adds what a query finds to the counters. */
function countFound(query: string): string {
  return /* sql */ `
  INSERT INTO counter (name, label, value) ${query}
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;`;
}

const ITS_CURRENT_FACT =
  'FROM fact WHERE node_id = NEW.id AND entity_id IS NOT NULL AND superseded_by IS NULL';

const ACTIVE_ENTITY = (node: string) => /* sql */ `EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = ${node} AND other.kind = 'entity' AND other.status = 'active')`;

/** Relations of the node that changes, each once. */
const ITS_RELATIONS = /* sql */ `FROM edge
    WHERE from_id = NEW.id AND (to_id = NEW.id OR ${ACTIVE_ENTITY('to_id')})
      OR to_id = NEW.id AND from_id <> NEW.id AND ${ACTIVE_ENTITY('from_id')}`;

/** The counts follow the status; that a node has expired is counted when it is archived. */
const ACTIVE_COUNTING = /* sql */ `
DROP TRIGGER entity_counted;
DROP TRIGGER entity_uncounted;
DROP TRIGGER entity_recounted;
DROP TRIGGER edge_counted;
DROP TRIGGER edge_uncounted;
DROP TRIGGER fact_counted;
DROP TRIGGER fact_uncounted;
DROP TRIGGER fact_no_longer_counted;
DROP TRIGGER fact_now_counted;
CREATE TRIGGER entity_counted AFTER INSERT ON entity WHEN ${isActive('NEW.node_id')} BEGIN
  ${count('entity', 'NEW.type', '1')}
END;
CREATE TRIGGER entity_uncounted AFTER DELETE ON entity WHEN ${isActive('OLD.node_id')} BEGIN
  ${count('entity', 'OLD.type', '-1')}
END;
CREATE TRIGGER entity_recounted AFTER UPDATE OF type ON entity
  WHEN OLD.type <> NEW.type AND ${isActive('NEW.node_id')} BEGIN
  ${count('entity', 'OLD.type', '-1')}
  ${count('entity', 'NEW.type', '1')}
END;
CREATE TRIGGER edge_counted AFTER INSERT ON edge WHEN ${isActiveRelation('NEW')} BEGIN
  ${count('relation', 'NEW.type', '1')}
  UPDATE entity SET relation_count = relation_count + 1 WHERE node_id IN (NEW.from_id, NEW.to_id);
END;
CREATE TRIGGER edge_uncounted AFTER DELETE ON edge WHEN ${isActiveRelation('OLD')} BEGIN
  ${count('relation', 'OLD.type', '-1')}
  UPDATE entity SET relation_count = relation_count - 1 WHERE node_id IN (OLD.from_id, OLD.to_id);
END;
CREATE TRIGGER fact_counted AFTER INSERT ON fact WHEN ${isActiveObservation('NEW')} BEGIN
  ${countObservation('NEW', '')}
END;
CREATE TRIGGER fact_uncounted AFTER DELETE ON fact WHEN ${isActiveObservation('OLD')} BEGIN
  ${countObservation('OLD', '-')}
END;
CREATE TRIGGER fact_no_longer_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN ${isActiveObservation('OLD')} BEGIN
  ${countObservation('OLD', '-')}
END;
CREATE TRIGGER fact_now_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN ${isActiveObservation('NEW')} BEGIN
  ${countObservation('NEW', '')}
END;
CREATE TRIGGER fact_status_counted AFTER UPDATE OF status ON node
  WHEN NEW.kind = 'fact' AND (OLD.status = 'active') <> (NEW.status = 'active') BEGIN
  ${countFound(`SELECT 'observation', '', ${SIGN} ${ITS_CURRENT_FACT}`)}
  ${countFound(`SELECT 'oversized_observation', '', ${SIGN} ${ITS_CURRENT_FACT} AND is_atomic = 0`)}
  UPDATE entity SET observation_count = observation_count + ${SIGN}
  WHERE node_id = (SELECT entity_id ${ITS_CURRENT_FACT});
END;
CREATE TRIGGER entity_status_counted AFTER UPDATE OF status ON node
  WHEN NEW.kind = 'entity' AND (OLD.status = 'active') <> (NEW.status = 'active') BEGIN
  ${countFound(`SELECT 'entity', type, ${SIGN} FROM entity WHERE node_id = NEW.id`)}
  ${countFound(`SELECT 'relation', type, ${SIGN} * count(*) ${ITS_RELATIONS} GROUP BY type`)}
  UPDATE entity SET relation_count = relation_count + ${SIGN} * (
    SELECT count(*) FROM edge WHERE from_id = NEW.id AND to_id = entity.node_id
      OR to_id = NEW.id AND from_id = entity.node_id)
  WHERE node_id <> NEW.id AND ${ACTIVE_ENTITY('node_id')} AND node_id IN (
    SELECT to_id FROM edge WHERE from_id = NEW.id UNION SELECT from_id FROM edge WHERE to_id = NEW.id);
  UPDATE entity SET relation_count = iif(NEW.status = 'active', (SELECT count(*) ${ITS_RELATIONS}), 0)
  WHERE node_id = NEW.id;
END;
`;

const NODE_HISTORY =
  'id kind status confidence importance source metadata created_at updated_at expires_at ttl_days';

/** The triggers name their columns, so that a new one wants new triggers. */
const NODE_LIFE = /* sql */ `
-- days to live as they were given; when it expires stands in expires_at
ALTER TABLE node ADD COLUMN ttl_days REAL;
DROP TRIGGER node_inserted;
DROP TRIGGER node_updated;
DROP TRIGGER node_deleted;
${recordChanges('node', (row) => `${row}.id`, NODE_HISTORY)}
-- Older history is made to lead to the rows as they are now.
UPDATE change SET before = json_set(before, '$.ttl_days', NULL) WHERE table_name = 'node' AND before IS NOT NULL;
UPDATE change SET after = json_set(after, '$.ttl_days', NULL) WHERE table_name = 'node' AND after IS NOT NULL;

-- A node as it was before an update that asked for its state to be kept.
CREATE TABLE node_version (
  node_id     INTEGER NOT NULL REFERENCES node (id),
  version     INTEGER NOT NULL CHECK (version >= 1),           -- 1 for the first that was kept
  state       TEXT    NOT NULL CHECK (json_valid(state)),      -- text, type, status, metadata and times
  replaced_at INTEGER NOT NULL,                                -- epoch milliseconds
  PRIMARY KEY (node_id, version)
) STRICT, WITHOUT ROWID;
${recordChanges(
  'node_version',
  (row) => `json_array(${row}.node_id, ${row}.version)`,
  'node_id version state replaced_at',
)}

-- derived by triggers: from then on it is in no answer; 0 when it is not active, null for never
ALTER TABLE entity ADD COLUMN hidden_from INTEGER;
CREATE INDEX entity_hidden_from ON entity (hidden_from) WHERE hidden_from IS NOT NULL;
UPDATE entity SET hidden_from = (SELECT ${HIDDEN_FROM} FROM node WHERE id = node_id)
  WHERE node_id IN (SELECT id FROM node WHERE ${MAY_HIDE});
CREATE TRIGGER entity_hidden AFTER INSERT ON entity
  WHEN EXISTS (SELECT 1 FROM node WHERE id = NEW.node_id AND ${MAY_HIDE}) BEGIN
  UPDATE entity SET hidden_from = (SELECT ${HIDDEN_FROM} FROM node WHERE id = NEW.node_id)
  WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER node_hidden AFTER UPDATE OF status, expires_at ON node
  WHEN NEW.kind = 'entity' AND (OLD.status <> NEW.status OR OLD.expires_at IS NOT NEW.expires_at) BEGIN
  UPDATE entity SET hidden_from = (SELECT ${HIDDEN_FROM} FROM node WHERE id = NEW.id)
  WHERE node_id = NEW.id;
END;
${ACTIVE_COUNTING}
`;

/** How many nodes of each kind there are, whatever their status: what a thread holds at most is told by them. */
const NODE_COUNTS = /* sql */ `
INSERT INTO counter (name, label, value) SELECT 'node', kind, count(*) FROM node GROUP BY kind;
CREATE TRIGGER node_counted AFTER INSERT ON node BEGIN
  ${count('node', 'NEW.kind', '1')}
END;
CREATE TRIGGER node_uncounted AFTER DELETE ON node BEGIN
  ${count('node', 'OLD.kind', '-1')}
END;
`;

/** Each digit of a text's bytes as a character of Unicode's private use, which no word and no search has. */
function privateUse(text: string): string {
  return Array.from('0123456789ABCDEF').reduce(
    (inner, digit, value) => `replace(${inner}, '${digit}', char(${0xe100 + value}))`,
    `hex(${text})`,
  );
}

/** `store/scopes.ts` writes the same for a search. */
const SCOPE_OF_TURN = `char(57632, 57633, 57634) || ' ' || char(57635) || ${privateUse('turn.session_id')} || char(57636)`;
const SCOPE_OF_SUMMARY = `char(57648, 57649, 57650) || ' ' || char(57651) || ${privateUse('summary.category')} || char(57652)`;

const SEARCHABLE_BY_SCOPE = /* sql */ `
DROP VIEW searchable;
-- What may be found by its text: each node that is not archived, with the words that lead to it.
-- Outdated ones are found by a search that asks for them. The title of a turn and of a summary says
-- which kind it is and of which session or category, in characters that no text has: a search within
-- one of them reads nothing else.
CREATE VIEW searchable (node_id, kind, title, body) AS
  SELECT entity.node_id, 'entity', entity.name, entity.type
  FROM entity JOIN node ON node.id = entity.node_id
  WHERE ${FINDABLE}
  UNION ALL
  SELECT fact.node_id, 'fact', coalesce(entity.name, ''), fact.content
  FROM fact JOIN node ON node.id = fact.node_id LEFT JOIN entity ON entity.node_id = fact.entity_id
  WHERE ${FINDABLE} AND fact.superseded_by IS NULL
  UNION ALL
  SELECT turn.node_id, 'turn', ${SCOPE_OF_TURN},
    turn.prompt || char(10) || turn.thought || char(10) || turn.response
  FROM turn JOIN node ON node.id = turn.node_id
  WHERE ${FINDABLE}
  UNION ALL
  SELECT summary.node_id, 'summary', ${SCOPE_OF_SUMMARY}, summary.title || char(10) || summary.summary
  FROM summary JOIN node ON node.id = summary.node_id
  WHERE ${FINDABLE};
${unindexText("IN (SELECT id FROM node WHERE kind IN ('turn', 'summary'))")}
${indexText("IN (SELECT id FROM node WHERE kind IN ('turn', 'summary'))")}
CREATE TRIGGER turn_moved AFTER UPDATE OF session_id ON turn WHEN OLD.session_id <> NEW.session_id BEGIN
  ${unindexText('= OLD.node_id')} ${indexText('= NEW.node_id')}
END;
CREATE TRIGGER summary_recategorised AFTER UPDATE OF category ON summary WHEN OLD.category <> NEW.category BEGIN
  ${unindexText('= OLD.node_id')} ${indexText('= NEW.node_id')}
END;
`;

/** A session whose summary is missing or older than its last turn. */
function isUnsummarised(row = ''): string {
  const isStale = `${row}summarised_turns <> ${row}turn_count OR ${row}last_turn_at > ${row}summarised_at`;
  return `${row}turn_count > 0 AND (${row}summary_id IS NULL OR ${isStale})`;
}

const SUMMARY_OF_SESSION = /* sql */ `
  INSERT INTO session (session_id, turn_count, last_turn_at, summary_id, category, summarised_turns, summarised_at)
    SELECT NEW.session_id, 0, 0, NEW.node_id, NEW.category, NEW.turn_count, updated_at
    FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET summary_id = excluded.summary_id, category = excluded.category,
      summarised_turns = excluded.summarised_turns, summarised_at = excluded.summarised_at;`;

const NO_SUMMARY_OF_SESSION = /* sql */ `
  UPDATE session SET summary_id = NULL, category = NULL, summarised_turns = NULL, summarised_at = NULL
    WHERE session_id = OLD.session_id AND summary_id = OLD.node_id;`;

const TURN_OF_SESSION = /* sql */ `
  INSERT INTO session (session_id, turn_count, last_turn_at)
    SELECT NEW.session_id, 1, created_at FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET turn_count = turn_count + 1,
      last_turn_at = max(last_turn_at, excluded.last_turn_at);`;

const NO_TURN_OF_SESSION = /* sql */ `
  UPDATE session SET turn_count = turn_count - 1, last_turn_at = coalesce((
      SELECT max(created_at) FROM turn JOIN node ON id = node_id WHERE session_id = OLD.session_id), 0)
    WHERE session_id = OLD.session_id;`;

const NOTHING_OF_SESSION = /* sql */ `
  DELETE FROM session WHERE session_id = OLD.session_id AND turn_count = 0 AND summary_id IS NULL;`;

const SESSIONS = /* sql */ `
-- A session as its turns and its summary make it. Derived by triggers.
CREATE TABLE session (
  session_id       TEXT    NOT NULL PRIMARY KEY,
  turn_count       INTEGER NOT NULL,
  last_turn_at     INTEGER NOT NULL, -- of the newest turn, in epoch milliseconds; 0 without turns
  summary_id       INTEGER,          -- node id of its summary; null while it has none
  category         TEXT,             -- of the summary, like what follows
  summarised_turns INTEGER,          -- turns that there were when it was made
  summarised_at    INTEGER           -- epoch milliseconds
) STRICT, WITHOUT ROWID;
-- Which sessions summarize_sessions has to look at.
CREATE INDEX session_unsummarised ON session (session_id) WHERE ${isUnsummarised()};
CREATE INDEX session_summarised ON session (summarised_at) WHERE summary_id IS NOT NULL;
CREATE INDEX session_category ON session (category, summarised_at) WHERE summary_id IS NOT NULL;

CREATE TRIGGER session_counted AFTER INSERT ON session BEGIN
  ${count('session', "''", '1')}
  ${count('turn', "''", 'NEW.turn_count', 'NEW.turn_count <> 0')}
  ${count('unsummarised_session', "''", '1', isUnsummarised('NEW.'))}
  ${count('summary', 'NEW.category', '1', 'NEW.summary_id IS NOT NULL')}
END;
CREATE TRIGGER session_recounted AFTER UPDATE ON session BEGIN
  ${count('turn', "''", 'NEW.turn_count - OLD.turn_count', 'NEW.turn_count <> OLD.turn_count')}
  ${count('unsummarised_session', "''", `iif(${isUnsummarised('NEW.')}, 1, -1)`, `(${isUnsummarised('NEW.')}) <> (${isUnsummarised('OLD.')})`)}
  ${count('summary', 'OLD.category', '-1', 'OLD.category IS NOT NULL AND OLD.category IS NOT NEW.category')}
  ${count('summary', 'NEW.category', '1', 'NEW.category IS NOT NULL AND OLD.category IS NOT NEW.category')}
END;
CREATE TRIGGER session_uncounted AFTER DELETE ON session BEGIN
  ${count('session', "''", '-1')}
  ${count('turn', "''", '-OLD.turn_count', 'OLD.turn_count <> 0')}
  ${count('unsummarised_session', "''", '-1', isUnsummarised('OLD.'))}
  ${count('summary', 'OLD.category', '-1', 'OLD.summary_id IS NOT NULL')}
END;
CREATE TRIGGER turn_of_session AFTER INSERT ON turn BEGIN ${TURN_OF_SESSION}
END;
CREATE TRIGGER turn_of_no_session AFTER DELETE ON turn BEGIN ${NO_TURN_OF_SESSION} ${NOTHING_OF_SESSION}
END;
CREATE TRIGGER turn_of_other_session AFTER UPDATE OF session_id ON turn WHEN OLD.session_id <> NEW.session_id BEGIN
  ${NO_TURN_OF_SESSION} ${NOTHING_OF_SESSION} ${TURN_OF_SESSION}
END;
CREATE TRIGGER summary_of_session AFTER INSERT ON summary BEGIN ${SUMMARY_OF_SESSION}
END;
CREATE TRIGGER summary_of_session_changed AFTER UPDATE OF session_id, category, turn_count ON summary BEGIN
  ${NO_SUMMARY_OF_SESSION} ${SUMMARY_OF_SESSION} ${NOTHING_OF_SESSION}
END;
CREATE TRIGGER summary_of_no_session AFTER DELETE ON summary BEGIN ${NO_SUMMARY_OF_SESSION} ${NOTHING_OF_SESSION}
END;
CREATE TRIGGER summary_dated AFTER UPDATE OF updated_at ON node WHEN NEW.kind = 'summary' BEGIN
  UPDATE session SET summarised_at = NEW.updated_at
  WHERE session_id = (SELECT session_id FROM summary WHERE node_id = NEW.id);
END;
INSERT INTO session (session_id, turn_count, last_turn_at)
  SELECT session_id, count(*), max(created_at) FROM turn JOIN node ON id = node_id GROUP BY session_id;
INSERT INTO session (session_id, turn_count, last_turn_at, summary_id, category, summarised_turns, summarised_at)
  SELECT session_id, 0, 0, node_id, category, turn_count, updated_at FROM summary JOIN node ON id = node_id WHERE true
  ON CONFLICT (session_id) DO UPDATE SET summary_id = excluded.summary_id, category = excluded.category,
    summarised_turns = excluded.summarised_turns, summarised_at = excluded.summarised_at;

-- One row while the thread is stopped; none while it runs.
CREATE TABLE stop (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL -- epoch milliseconds
) STRICT;
`;

const TRANSFERS = /* sql */ `
-- A file that is being exported or imported; the row is gone when that ends.
CREATE TABLE transfer (
  id         TEXT    NOT NULL PRIMARY KEY,
  touched_at INTEGER NOT NULL,  -- when a piece was last added; left alone for long enough, it was given up
  format     TEXT CHECK (format IN ('skein', 'reference')), -- of the lines of an import; null before the first
  lines      INTEGER NOT NULL,  -- of an import
  bytes      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Some of its lines.
CREATE TABLE transfer_piece (
  transfer_id TEXT    NOT NULL REFERENCES transfer (id),
  number      INTEGER NOT NULL, -- order within the file, from 1
  content     BLOB    NOT NULL, -- whole lines of UTF-8, less than 2 MB
  PRIMARY KEY (transfer_id, number)
) STRICT, WITHOUT ROWID;
`;

const FEWER_ROWS = /* sql */ `
-- nodes of each kind before it, as a JSON object; null where that is not known
ALTER TABLE revision ADD COLUMN nodes_before TEXT CHECK (nodes_before IS NULL OR json_valid(nodes_before));
DROP TRIGGER node_counted;
DROP TRIGGER node_uncounted;
DELETE FROM counter WHERE name = 'node';

-- Most entities have few relations and the importance that nobody gave: they are not in these indexes.
DROP INDEX entity_relation_count;
CREATE INDEX entity_well_connected ON entity (relation_count) WHERE relation_count >= 8;
DROP INDEX node_entity_importance;
CREATE INDEX node_entity_important ON node (importance) WHERE kind = 'entity' AND importance > 0.5;
`;

export const MIGRATIONS: readonly Migration[] = [
  { id: '0001_graph', up: NODES },
  { id: '0002_history', up: HISTORY + RECORDING },
  { id: '0003_counter', up: COUNTERS + COUNTING },
  { id: '0004_fulltext', up: FULLTEXT + INDEXING },
  { id: '0005_vector', up: VECTORS + EMBEDDING },
  { id: '0006_compaction', up: COMPACTION },
  { id: '0007_node_life', up: NODE_LIFE },
  { id: '0008_lifecycle', up: LIFECYCLE },
  { id: '0009_node_counts', up: NODE_COUNTS },
  { id: '0010_sessions', up: SEARCHABLE_BY_SCOPE + SESSIONS },
  { id: '0011_transfer', up: TRANSFERS },
  { id: '0012_fewer_rows', up: FEWER_ROWS },
];
