/**
 * The page to read for storage: the tables of one thread, each thread a SQLite database of its own.
 * The triggers that keep history, counts and indexes are in `0001-initial-triggers.ts`.
 *
 * Until the first release this file may change, and a thread that an earlier commit made is refused with
 * an error that says what to do. After it, a change of the schema is the next file, `0002-….ts`.
 */
import { triggers } from './0001-initial-triggers.ts';

const NODES = /* sql */ `
-- Everything remembered is a node: one id space serves edges, history and the search indexes.
-- Ids are never used again, since clients keep ids such as ent_12: nodes.ts gives them out.
CREATE TABLE node (
  id          INTEGER PRIMARY KEY,
  kind        TEXT    NOT NULL CHECK (kind IN ('entity', 'fact', 'turn', 'summary')),
  status      TEXT    NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'outdated', 'archived')),
  confidence  REAL    NOT NULL DEFAULT 1.0 CHECK (confidence BETWEEN 0 AND 1),
  importance  REAL    NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
  source      TEXT,                              -- where it came from; null if the caller did not say
  metadata    TEXT CHECK (metadata IS NULL OR json_valid(metadata)), -- the caller's own JSON
  created_at  INTEGER NOT NULL,                  -- epoch milliseconds, as every time here
  updated_at  INTEGER NOT NULL,                  -- last change of the node, its facts or the edges that start at it
  accessed_at INTEGER,                           -- last time that a search returned it; not part of the history
  expires_at  INTEGER,                           -- from then on no answer has it; null for never
  ttl_days    REAL                               -- days to live as the caller gave them
) STRICT;
CREATE INDEX node_entity_updated ON node (updated_at) WHERE kind = 'entity';
-- Most entities have the default importance, and are not in this index.
CREATE INDEX node_entity_important ON node (importance) WHERE kind = 'entity' AND importance > 0.5;
-- Finds the next node that expires.
CREATE INDEX node_expiry ON node (expires_at) WHERE expires_at IS NOT NULL AND status <> 'archived';
-- Finds outdated nodes, whose vectors are kept apart.
CREATE INDEX node_outdated ON node (status) WHERE status = 'outdated';

-- A named node of the graph.
CREATE TABLE entity (
  node_id           INTEGER PRIMARY KEY REFERENCES node (id),
  name              TEXT    NOT NULL UNIQUE,    -- NFC and trimmed; identity is this exact text
  folded_name       TEXT    NOT NULL,           -- without case, diacritics and width, to find a name that was written differently
  type              TEXT    NOT NULL,
  observation_count INTEGER NOT NULL DEFAULT 0, -- derived: active current facts about it
  relation_count    INTEGER NOT NULL DEFAULT 0, -- derived: edges to and from active entities
  hidden_from       INTEGER                     -- derived: from then on no answer has it; 0 if it is not active, null for never
) STRICT;
CREATE INDEX entity_folded_name ON entity (folded_name);
CREATE INDEX entity_type ON entity (type);
CREATE INDEX entity_hidden_from ON entity (hidden_from) WHERE hidden_from IS NOT NULL;
-- Most entities have few relations, and are not in this index.
CREATE INDEX entity_well_connected ON entity (relation_count) WHERE relation_count >= 8;

-- One remembered statement: an observation if it has an entity, a memory if it has none.
CREATE TABLE fact (
  node_id       INTEGER PRIMARY KEY REFERENCES node (id),
  entity_id     INTEGER REFERENCES entity (node_id), -- null for a memory
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
-- SQLite looks up the children of a foreign key when it checks one.
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

-- A node as it was before an update that asked for its state to be kept.
CREATE TABLE node_version (
  node_id     INTEGER NOT NULL REFERENCES node (id),
  version     INTEGER NOT NULL CHECK (version >= 1),      -- 1 for the first that was kept
  state       TEXT    NOT NULL CHECK (json_valid(state)), -- text, type, status, metadata and times
  replaced_at INTEGER NOT NULL,
  PRIMARY KEY (node_id, version)
) STRICT, WITHOUT ROWID;
`;

const SESSIONS = /* sql */ `
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

-- A session as its turns and its summary make it. Derived by triggers.
CREATE TABLE session (
  session_id       TEXT    NOT NULL PRIMARY KEY,
  turn_count       INTEGER NOT NULL,
  last_turn_at     INTEGER NOT NULL, -- of the newest turn; 0 without turns
  summary_id       INTEGER,          -- node id of its summary; null while it has none
  category         TEXT,             -- of the summary, as the next two
  summarised_turns INTEGER,          -- turns when it was made
  summarised_at    INTEGER
) STRICT, WITHOUT ROWID;
-- Which sessions summarize_sessions has to look at.
CREATE INDEX session_unsummarised ON session (session_id) WHERE turn_count > 0 AND (summary_id IS NULL
  OR summarised_turns <> turn_count OR last_turn_at > summarised_at);
CREATE INDEX session_summarised ON session (summarised_at) WHERE summary_id IS NOT NULL;
CREATE INDEX session_category ON session (category, summarised_at) WHERE summary_id IS NOT NULL;
`;

const HISTORY = /* sql */ `
-- One row for each tool call that changed something. Ids are never used again.
CREATE TABLE revision (
  id            INTEGER PRIMARY KEY,
  at            INTEGER NOT NULL,
  actor         TEXT    NOT NULL, -- the authenticated principal, with the client if it is known
  tool          TEXT    NOT NULL,
  nodes_before  TEXT CHECK (nodes_before IS NULL OR json_valid(nodes_before)), -- nodes of each kind before it, as a JSON object; null if unknown
  last_node_id  INTEGER NOT NULL DEFAULT 0, -- the greatest id that any node had before it
  counts_itself INTEGER NOT NULL DEFAULT 0 CHECK (counts_itself IN (0, 1)) -- 1: not the triggers but the call counts what it inserts, once for all rows
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

-- Where the triggers write the next change: under the revision that was opened last.
CREATE VIEW next_change (revision_id, seq) AS
  SELECT latest.id, coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1
  FROM (SELECT max(id) AS id FROM revision) AS latest;

-- What compact has forgotten, and how far it has come; no row before it has ever run.
CREATE TABLE compaction (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  horizon      INTEGER NOT NULL,          -- revisions up to this one are forgotten: earlier states cannot be read
  horizon_at   INTEGER NOT NULL,          -- when that revision was made; 0 if none is forgotten
  rebuilt_to   INTEGER NOT NULL,          -- node id up to which the derived tables are rebuilt; 0 to start again
  last_node_id INTEGER NOT NULL DEFAULT 0 -- the greatest id of a node that no revision tells of any more
) STRICT;
`;

const COUNTS = /* sql */ `
-- Counts by type, kept so that statistics do not read the graph. Derived by triggers.
CREATE TABLE counter (
  name  TEXT    NOT NULL, -- entity, relation or summary
  label TEXT    NOT NULL, -- entity type, relation type or category
  value INTEGER NOT NULL,
  PRIMARY KEY (name, label)
) STRICT, WITHOUT ROWID;

-- Counts of the whole thread in one row. Derived by triggers, except the saves.
CREATE TABLE total (
  id                     INTEGER PRIMARY KEY CHECK (id = 1),
  observations           INTEGER NOT NULL DEFAULT 0, -- active current facts about entities
  oversized_observations INTEGER NOT NULL DEFAULT 0, -- those of them that are not atomic
  connected_entities     INTEGER NOT NULL DEFAULT 0, -- entities with a relation
  sessions               INTEGER NOT NULL DEFAULT 0,
  turns                  INTEGER NOT NULL DEFAULT 0,
  unsummarised_sessions  INTEGER NOT NULL DEFAULT 0, -- whose summary is missing or older than a turn
  saves_accepted         INTEGER NOT NULL DEFAULT 0, -- calls of save_memory
  saves_rejected         INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO total (id) VALUES (1);
`;

/** `store/search/session-scope.ts` writes the same for a search. */
function scope(kind: string, label: string): string {
  const digits = Array.from('0123456789ABCDEF').reduce(
    (inner, digit, value) => `replace(${inner}, '${digit}', char(${0xe100 + value}))`,
    `hex(${label})`,
  );
  const start = kind === 'turn' ? 57632 : 57648;
  return `char(${start}, ${start + 1}, ${start + 2}) || ' ' || char(${start + 3}) || ${digits} || char(${start + 4})`;
}

const search = (): string => /* sql */ `
-- What a search can find by its text: each node that is neither archived nor superseded, with the words
-- that lead to it. The title of a turn and of a summary says its kind and its session or category,
-- in characters that no text has: a search within one of them reads nothing else.
CREATE VIEW searchable (node_id, kind, title, body) AS
  SELECT entity.node_id, 'entity', entity.name, entity.type
  FROM entity JOIN node ON node.id = entity.node_id
  WHERE node.status <> 'archived'
  UNION ALL
  SELECT fact.node_id, 'fact', coalesce(entity.name, ''), fact.content
  FROM fact JOIN node ON node.id = fact.node_id LEFT JOIN entity ON entity.node_id = fact.entity_id
  WHERE node.status <> 'archived' AND fact.superseded_by IS NULL
  UNION ALL
  SELECT turn.node_id, 'turn', ${scope('turn', 'turn.session_id')},
    turn.prompt || char(10) || turn.thought || char(10) || turn.response
  FROM turn JOIN node ON node.id = turn.node_id
  WHERE node.status <> 'archived'
  UNION ALL
  SELECT summary.node_id, 'summary', ${scope('summary', 'summary.category')}, summary.title || char(10) || summary.summary
  FROM summary JOIN node ON node.id = summary.node_id
  WHERE node.status <> 'archived';

-- Words, stemmed and without diacritics. Derived from searchable; rowid = node id.
CREATE VIRTUAL TABLE fulltext USING fts5 (
  title, body, content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Substrings, identifiers and scripts without spaces. It leaves out the title of a fact. Two spaces
-- end each text, so that its last characters begin a trigram too.
CREATE VIRTUAL TABLE trigram USING fts5 (
  title, body, content = '', contentless_delete = 1,
  tokenize = 'trigram remove_diacritics 1'
);
-- The stems, with the number of texts that have each; the trigrams, to complete one or two characters.
CREATE VIRTUAL TABLE fulltext_term USING fts5vocab (fulltext, 'row');
CREATE VIRTUAL TABLE trigram_term USING fts5vocab (trigram, 'row');

-- What a node says, as a vector. Derived: triggers drop what is stale, the embedding job refills.
CREATE TABLE vector (
  node_id INTEGER PRIMARY KEY,
  model   TEXT NOT NULL, -- vectors of different models are never compared
  scale   REAL NOT NULL, -- component = int8 value * scale
  vector  BLOB NOT NULL  -- one signed byte a dimension
) STRICT;

-- Nodes up to the cursor of the embedding job that have lost their vector. What is newer waits without a row.
CREATE TABLE embedding_backlog (
  node_id INTEGER PRIMARY KEY
) STRICT;
`;

const BACKGROUND = /* sql */ `
-- Background work that has run. The graph says when it is due; the object's one alarm is set for the earliest.
CREATE TABLE job (
  name        TEXT    NOT NULL PRIMARY KEY,
  last_run_at INTEGER,                    -- when it last did a piece of its work
  cursor      INTEGER,                    -- the last node that it is done with, for a job that goes through the nodes
  failures    INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0), -- since it last succeeded
  last_error  TEXT,                       -- the kind of the last failure, never its message
  retry_at    INTEGER                     -- not before then; null while it has not failed
) STRICT, WITHOUT ROWID;

-- Every node that a search can find and that has no vector.
CREATE VIEW awaiting_vector (node_id) AS
  SELECT node_id FROM embedding_backlog
  WHERE node_id <= (SELECT cursor FROM job WHERE name = 'embedding')
  UNION ALL
  SELECT id FROM node
  WHERE id > coalesce((SELECT cursor FROM job WHERE name = 'embedding'), 0) AND status <> 'archived'
    AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = node.id)
    AND NOT EXISTS (SELECT 1 FROM fact WHERE fact.node_id = node.id AND superseded_by IS NOT NULL);

-- One row while the thread is stopped; none while it runs.
CREATE TABLE stop (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

-- A file that is being exported or imported; the row is deleted when that ends.
CREATE TABLE transfer (
  id         TEXT    NOT NULL PRIMARY KEY,
  touched_at INTEGER NOT NULL,  -- when a piece was last added: an old one was given up
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

/** Of all statements. `migrations.node.test.ts` compares it. */
export const CHECKSUM = 3177745302;

export function up(): string {
  return NODES + SESSIONS + HISTORY + COUNTS + search() + BACKGROUND + triggers();
}
