-- 0001_graph
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

-- 0002_history
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

CREATE TRIGGER node_inserted AFTER INSERT ON node BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node', NEW.id, NULL, json_object('id', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'confidence', NEW.confidence, 'importance', NEW.importance, 'source', NEW.source, 'metadata', NEW.metadata, 'created_at', NEW.created_at, 'updated_at', NEW.updated_at, 'expires_at', NEW.expires_at)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER node_updated AFTER UPDATE OF id, kind, status, confidence, importance, source, metadata, created_at, updated_at, expires_at ON node
  WHEN json_object('id', OLD.id, 'kind', OLD.kind, 'status', OLD.status, 'confidence', OLD.confidence, 'importance', OLD.importance, 'source', OLD.source, 'metadata', OLD.metadata, 'created_at', OLD.created_at, 'updated_at', OLD.updated_at, 'expires_at', OLD.expires_at) <> json_object('id', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'confidence', NEW.confidence, 'importance', NEW.importance, 'source', NEW.source, 'metadata', NEW.metadata, 'created_at', NEW.created_at, 'updated_at', NEW.updated_at, 'expires_at', NEW.expires_at) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node', NEW.id, json_object('id', OLD.id, 'kind', OLD.kind, 'status', OLD.status, 'confidence', OLD.confidence, 'importance', OLD.importance, 'source', OLD.source, 'metadata', OLD.metadata, 'created_at', OLD.created_at, 'updated_at', OLD.updated_at, 'expires_at', OLD.expires_at), json_object('id', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'confidence', NEW.confidence, 'importance', NEW.importance, 'source', NEW.source, 'metadata', NEW.metadata, 'created_at', NEW.created_at, 'updated_at', NEW.updated_at, 'expires_at', NEW.expires_at)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER node_deleted AFTER DELETE ON node BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node', OLD.id, json_object('id', OLD.id, 'kind', OLD.kind, 'status', OLD.status, 'confidence', OLD.confidence, 'importance', OLD.importance, 'source', OLD.source, 'metadata', OLD.metadata, 'created_at', OLD.created_at, 'updated_at', OLD.updated_at, 'expires_at', OLD.expires_at), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

CREATE TRIGGER entity_inserted AFTER INSERT ON entity BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'entity', NEW.node_id, NULL, json_object('node_id', NEW.node_id, 'name', NEW.name, 'folded_name', NEW.folded_name, 'type', NEW.type)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER entity_updated AFTER UPDATE OF node_id, name, folded_name, type ON entity
  WHEN json_object('node_id', OLD.node_id, 'name', OLD.name, 'folded_name', OLD.folded_name, 'type', OLD.type) <> json_object('node_id', NEW.node_id, 'name', NEW.name, 'folded_name', NEW.folded_name, 'type', NEW.type) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'entity', NEW.node_id, json_object('node_id', OLD.node_id, 'name', OLD.name, 'folded_name', OLD.folded_name, 'type', OLD.type), json_object('node_id', NEW.node_id, 'name', NEW.name, 'folded_name', NEW.folded_name, 'type', NEW.type)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER entity_deleted AFTER DELETE ON entity BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'entity', OLD.node_id, json_object('node_id', OLD.node_id, 'name', OLD.name, 'folded_name', OLD.folded_name, 'type', OLD.type), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

CREATE TRIGGER fact_inserted AFTER INSERT ON fact BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'fact', NEW.node_id, NULL, json_object('node_id', NEW.node_id, 'entity_id', NEW.entity_id, 'content', NEW.content, 'content_hash', NEW.content_hash, 'is_atomic', NEW.is_atomic, 'version', NEW.version, 'supersedes', NEW.supersedes, 'superseded_by', NEW.superseded_by)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER fact_updated AFTER UPDATE OF node_id, entity_id, content, content_hash, is_atomic, version, supersedes, superseded_by ON fact
  WHEN json_object('node_id', OLD.node_id, 'entity_id', OLD.entity_id, 'content', OLD.content, 'content_hash', OLD.content_hash, 'is_atomic', OLD.is_atomic, 'version', OLD.version, 'supersedes', OLD.supersedes, 'superseded_by', OLD.superseded_by) <> json_object('node_id', NEW.node_id, 'entity_id', NEW.entity_id, 'content', NEW.content, 'content_hash', NEW.content_hash, 'is_atomic', NEW.is_atomic, 'version', NEW.version, 'supersedes', NEW.supersedes, 'superseded_by', NEW.superseded_by) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'fact', NEW.node_id, json_object('node_id', OLD.node_id, 'entity_id', OLD.entity_id, 'content', OLD.content, 'content_hash', OLD.content_hash, 'is_atomic', OLD.is_atomic, 'version', OLD.version, 'supersedes', OLD.supersedes, 'superseded_by', OLD.superseded_by), json_object('node_id', NEW.node_id, 'entity_id', NEW.entity_id, 'content', NEW.content, 'content_hash', NEW.content_hash, 'is_atomic', NEW.is_atomic, 'version', NEW.version, 'supersedes', NEW.supersedes, 'superseded_by', NEW.superseded_by)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER fact_deleted AFTER DELETE ON fact BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'fact', OLD.node_id, json_object('node_id', OLD.node_id, 'entity_id', OLD.entity_id, 'content', OLD.content, 'content_hash', OLD.content_hash, 'is_atomic', OLD.is_atomic, 'version', OLD.version, 'supersedes', OLD.supersedes, 'superseded_by', OLD.superseded_by), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

CREATE TRIGGER edge_inserted AFTER INSERT ON edge BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'edge', json_array(NEW.from_id, NEW.to_id, NEW.type), NULL, json_object('from_id', NEW.from_id, 'to_id', NEW.to_id, 'type', NEW.type, 'importance', NEW.importance, 'metadata', NEW.metadata, 'created_at', NEW.created_at)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER edge_updated AFTER UPDATE OF from_id, to_id, type, importance, metadata, created_at ON edge
  WHEN json_object('from_id', OLD.from_id, 'to_id', OLD.to_id, 'type', OLD.type, 'importance', OLD.importance, 'metadata', OLD.metadata, 'created_at', OLD.created_at) <> json_object('from_id', NEW.from_id, 'to_id', NEW.to_id, 'type', NEW.type, 'importance', NEW.importance, 'metadata', NEW.metadata, 'created_at', NEW.created_at) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'edge', json_array(NEW.from_id, NEW.to_id, NEW.type), json_object('from_id', OLD.from_id, 'to_id', OLD.to_id, 'type', OLD.type, 'importance', OLD.importance, 'metadata', OLD.metadata, 'created_at', OLD.created_at), json_object('from_id', NEW.from_id, 'to_id', NEW.to_id, 'type', NEW.type, 'importance', NEW.importance, 'metadata', NEW.metadata, 'created_at', NEW.created_at)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER edge_deleted AFTER DELETE ON edge BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'edge', json_array(OLD.from_id, OLD.to_id, OLD.type), json_object('from_id', OLD.from_id, 'to_id', OLD.to_id, 'type', OLD.type, 'importance', OLD.importance, 'metadata', OLD.metadata, 'created_at', OLD.created_at), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

CREATE TRIGGER turn_inserted AFTER INSERT ON turn BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'turn', NEW.node_id, NULL, json_object('node_id', NEW.node_id, 'session_id', NEW.session_id, 'prompt', NEW.prompt, 'thought', NEW.thought, 'response', NEW.response, 'agent', NEW.agent, 'model', NEW.model)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER turn_updated AFTER UPDATE OF node_id, session_id, prompt, thought, response, agent, model ON turn
  WHEN json_object('node_id', OLD.node_id, 'session_id', OLD.session_id, 'prompt', OLD.prompt, 'thought', OLD.thought, 'response', OLD.response, 'agent', OLD.agent, 'model', OLD.model) <> json_object('node_id', NEW.node_id, 'session_id', NEW.session_id, 'prompt', NEW.prompt, 'thought', NEW.thought, 'response', NEW.response, 'agent', NEW.agent, 'model', NEW.model) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'turn', NEW.node_id, json_object('node_id', OLD.node_id, 'session_id', OLD.session_id, 'prompt', OLD.prompt, 'thought', OLD.thought, 'response', OLD.response, 'agent', OLD.agent, 'model', OLD.model), json_object('node_id', NEW.node_id, 'session_id', NEW.session_id, 'prompt', NEW.prompt, 'thought', NEW.thought, 'response', NEW.response, 'agent', NEW.agent, 'model', NEW.model)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER turn_deleted AFTER DELETE ON turn BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'turn', OLD.node_id, json_object('node_id', OLD.node_id, 'session_id', OLD.session_id, 'prompt', OLD.prompt, 'thought', OLD.thought, 'response', OLD.response, 'agent', OLD.agent, 'model', OLD.model), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

CREATE TRIGGER summary_inserted AFTER INSERT ON summary BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'summary', NEW.node_id, NULL, json_object('node_id', NEW.node_id, 'session_id', NEW.session_id, 'title', NEW.title, 'summary', NEW.summary, 'category', NEW.category, 'quality', NEW.quality, 'productivity', NEW.productivity, 'impact', NEW.impact, 'complexity', NEW.complexity, 'technologies', NEW.technologies, 'turn_count', NEW.turn_count)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER summary_updated AFTER UPDATE OF node_id, session_id, title, summary, category, quality, productivity, impact, complexity, technologies, turn_count ON summary
  WHEN json_object('node_id', OLD.node_id, 'session_id', OLD.session_id, 'title', OLD.title, 'summary', OLD.summary, 'category', OLD.category, 'quality', OLD.quality, 'productivity', OLD.productivity, 'impact', OLD.impact, 'complexity', OLD.complexity, 'technologies', OLD.technologies, 'turn_count', OLD.turn_count) <> json_object('node_id', NEW.node_id, 'session_id', NEW.session_id, 'title', NEW.title, 'summary', NEW.summary, 'category', NEW.category, 'quality', NEW.quality, 'productivity', NEW.productivity, 'impact', NEW.impact, 'complexity', NEW.complexity, 'technologies', NEW.technologies, 'turn_count', NEW.turn_count) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'summary', NEW.node_id, json_object('node_id', OLD.node_id, 'session_id', OLD.session_id, 'title', OLD.title, 'summary', OLD.summary, 'category', OLD.category, 'quality', OLD.quality, 'productivity', OLD.productivity, 'impact', OLD.impact, 'complexity', OLD.complexity, 'technologies', OLD.technologies, 'turn_count', OLD.turn_count), json_object('node_id', NEW.node_id, 'session_id', NEW.session_id, 'title', NEW.title, 'summary', NEW.summary, 'category', NEW.category, 'quality', NEW.quality, 'productivity', NEW.productivity, 'impact', NEW.impact, 'complexity', NEW.complexity, 'technologies', NEW.technologies, 'turn_count', NEW.turn_count)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER summary_deleted AFTER DELETE ON summary BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'summary', OLD.node_id, json_object('node_id', OLD.node_id, 'session_id', OLD.session_id, 'title', OLD.title, 'summary', OLD.summary, 'category', OLD.category, 'quality', OLD.quality, 'productivity', OLD.productivity, 'impact', OLD.impact, 'complexity', OLD.complexity, 'technologies', OLD.technologies, 'turn_count', OLD.turn_count), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

-- 0003_counter
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

CREATE TRIGGER entity_counted AFTER INSERT ON entity BEGIN
  INSERT INTO counter (name, label, value) SELECT 'entity', NEW.type, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER entity_uncounted AFTER DELETE ON entity BEGIN
  INSERT INTO counter (name, label, value) SELECT 'entity', OLD.type, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER entity_recounted AFTER UPDATE OF type ON entity WHEN OLD.type <> NEW.type BEGIN

  INSERT INTO counter (name, label, value) SELECT 'entity', OLD.type, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'entity', NEW.type, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER entity_connected AFTER UPDATE OF relation_count ON entity
  WHEN (OLD.relation_count = 0) <> (NEW.relation_count = 0) BEGIN

  INSERT INTO counter (name, label, value) SELECT 'connected_entity', '', iif(NEW.relation_count = 0, -1, 1) WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER edge_counted AFTER INSERT ON edge WHEN EXISTS (SELECT 1 FROM entity WHERE node_id = NEW.from_id)
  AND EXISTS (SELECT 1 FROM entity WHERE node_id = NEW.to_id) BEGIN

  INSERT INTO counter (name, label, value) SELECT 'relation', NEW.type, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET relation_count = relation_count + 1 WHERE node_id IN (NEW.from_id, NEW.to_id);
END;
CREATE TRIGGER edge_uncounted AFTER DELETE ON edge WHEN EXISTS (SELECT 1 FROM entity WHERE node_id = OLD.from_id)
  AND EXISTS (SELECT 1 FROM entity WHERE node_id = OLD.to_id) BEGIN

  INSERT INTO counter (name, label, value) SELECT 'relation', OLD.type, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET relation_count = relation_count - 1 WHERE node_id IN (OLD.from_id, OLD.to_id);
END;
CREATE TRIGGER fact_counted AFTER INSERT ON fact WHEN NEW.entity_id IS NOT NULL AND NEW.superseded_by IS NULL BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', 1 WHERE NEW.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + 1 WHERE node_id = NEW.entity_id;
END;
CREATE TRIGGER fact_uncounted AFTER DELETE ON fact WHEN OLD.entity_id IS NOT NULL AND OLD.superseded_by IS NULL BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', -1 WHERE OLD.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + -1 WHERE node_id = OLD.entity_id;
END;
CREATE TRIGGER fact_no_longer_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN OLD.entity_id IS NOT NULL AND OLD.superseded_by IS NULL BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', -1 WHERE OLD.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + -1 WHERE node_id = OLD.entity_id;
END;
CREATE TRIGGER fact_now_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN NEW.entity_id IS NOT NULL AND NEW.superseded_by IS NULL BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', 1 WHERE NEW.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + 1 WHERE node_id = NEW.entity_id;
END;

-- 0004_fulltext
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


CREATE TRIGGER entity_indexed AFTER INSERT ON entity BEGIN
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER entity_reindexed AFTER UPDATE OF name, type ON entity BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER entity_unindexed AFTER DELETE ON entity BEGIN
  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
END;


CREATE TRIGGER fact_indexed AFTER INSERT ON fact BEGIN
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER fact_reindexed AFTER UPDATE OF entity_id, content, superseded_by ON fact BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER fact_unindexed AFTER DELETE ON fact BEGIN
  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
END;


CREATE TRIGGER turn_indexed AFTER INSERT ON turn BEGIN
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER turn_reindexed AFTER UPDATE OF prompt, thought, response ON turn BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER turn_unindexed AFTER DELETE ON turn BEGIN
  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
END;


CREATE TRIGGER summary_indexed AFTER INSERT ON summary BEGIN
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER summary_reindexed AFTER UPDATE OF title, summary ON summary BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER summary_unindexed AFTER DELETE ON summary BEGIN
  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
END;

CREATE TRIGGER entity_renamed AFTER UPDATE OF name ON entity WHEN OLD.name <> NEW.name BEGIN

  DELETE FROM fulltext WHERE rowid IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id);
  DELETE FROM trigram WHERE rowid IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id);
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id);
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id);
END;
CREATE TRIGGER node_revived AFTER UPDATE OF status ON node WHEN OLD.status <> NEW.status BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.id;
  DELETE FROM trigram WHERE rowid = OLD.id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.id;
END;

-- 0005_vector
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


CREATE TRIGGER entity_awaits_vector AFTER INSERT ON entity BEGIN
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER entity_vector_stale AFTER UPDATE OF name, type ON entity BEGIN

  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER entity_vector_dropped AFTER DELETE ON entity BEGIN
  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
END;


CREATE TRIGGER fact_awaits_vector AFTER INSERT ON fact BEGIN
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER fact_vector_stale AFTER UPDATE OF entity_id, content, superseded_by ON fact BEGIN

  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER fact_vector_dropped AFTER DELETE ON fact BEGIN
  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
END;


CREATE TRIGGER turn_awaits_vector AFTER INSERT ON turn BEGIN
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER turn_vector_stale AFTER UPDATE OF prompt, thought, response ON turn BEGIN

  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER turn_vector_dropped AFTER DELETE ON turn BEGIN
  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
END;


CREATE TRIGGER summary_awaits_vector AFTER INSERT ON summary BEGIN
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER summary_vector_stale AFTER UPDATE OF title, summary ON summary BEGIN

  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.node_id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER summary_vector_dropped AFTER DELETE ON summary BEGIN
  DELETE FROM vector WHERE node_id = OLD.node_id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.node_id;
END;

CREATE TRIGGER entity_renamed_vectors AFTER UPDATE OF name ON entity WHEN OLD.name <> NEW.name BEGIN

  DELETE FROM vector WHERE node_id IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id);
  DELETE FROM embedding_backlog WHERE node_id IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id);
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id IN (SELECT node_id FROM fact WHERE entity_id = NEW.node_id) AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
CREATE TRIGGER node_revived_vector AFTER UPDATE OF status ON node WHEN OLD.status <> NEW.status BEGIN

  DELETE FROM vector WHERE node_id = OLD.id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.id;
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;
INSERT INTO embedding_backlog (node_id) SELECT node_id FROM searchable;

-- 0006_compaction
-- How far compact has come; no row before it has ever run.
CREATE TABLE compaction (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  horizon    INTEGER NOT NULL, -- revisions up to this one are forgotten; earlier states cannot be read any more
  horizon_at INTEGER NOT NULL, -- when that revision was made, in epoch milliseconds; 0 when none is forgotten
  rebuilt_to INTEGER NOT NULL  -- node id up to which the derived tables are rebuilt; 0 to begin anew
) STRICT;

-- 0007_node_life
-- days to live as they were given; when it expires stands in expires_at
ALTER TABLE node ADD COLUMN ttl_days REAL;
DROP TRIGGER node_inserted;
DROP TRIGGER node_updated;
DROP TRIGGER node_deleted;

CREATE TRIGGER node_inserted AFTER INSERT ON node BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node', NEW.id, NULL, json_object('id', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'confidence', NEW.confidence, 'importance', NEW.importance, 'source', NEW.source, 'metadata', NEW.metadata, 'created_at', NEW.created_at, 'updated_at', NEW.updated_at, 'expires_at', NEW.expires_at, 'ttl_days', NEW.ttl_days)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER node_updated AFTER UPDATE OF id, kind, status, confidence, importance, source, metadata, created_at, updated_at, expires_at, ttl_days ON node
  WHEN json_object('id', OLD.id, 'kind', OLD.kind, 'status', OLD.status, 'confidence', OLD.confidence, 'importance', OLD.importance, 'source', OLD.source, 'metadata', OLD.metadata, 'created_at', OLD.created_at, 'updated_at', OLD.updated_at, 'expires_at', OLD.expires_at, 'ttl_days', OLD.ttl_days) <> json_object('id', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'confidence', NEW.confidence, 'importance', NEW.importance, 'source', NEW.source, 'metadata', NEW.metadata, 'created_at', NEW.created_at, 'updated_at', NEW.updated_at, 'expires_at', NEW.expires_at, 'ttl_days', NEW.ttl_days) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node', NEW.id, json_object('id', OLD.id, 'kind', OLD.kind, 'status', OLD.status, 'confidence', OLD.confidence, 'importance', OLD.importance, 'source', OLD.source, 'metadata', OLD.metadata, 'created_at', OLD.created_at, 'updated_at', OLD.updated_at, 'expires_at', OLD.expires_at, 'ttl_days', OLD.ttl_days), json_object('id', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'confidence', NEW.confidence, 'importance', NEW.importance, 'source', NEW.source, 'metadata', NEW.metadata, 'created_at', NEW.created_at, 'updated_at', NEW.updated_at, 'expires_at', NEW.expires_at, 'ttl_days', NEW.ttl_days)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER node_deleted AFTER DELETE ON node BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node', OLD.id, json_object('id', OLD.id, 'kind', OLD.kind, 'status', OLD.status, 'confidence', OLD.confidence, 'importance', OLD.importance, 'source', OLD.source, 'metadata', OLD.metadata, 'created_at', OLD.created_at, 'updated_at', OLD.updated_at, 'expires_at', OLD.expires_at, 'ttl_days', OLD.ttl_days), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;

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

CREATE TRIGGER node_version_inserted AFTER INSERT ON node_version BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node_version', json_array(NEW.node_id, NEW.version), NULL, json_object('node_id', NEW.node_id, 'version', NEW.version, 'state', NEW.state, 'replaced_at', NEW.replaced_at)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER node_version_updated AFTER UPDATE OF node_id, version, state, replaced_at ON node_version
  WHEN json_object('node_id', OLD.node_id, 'version', OLD.version, 'state', OLD.state, 'replaced_at', OLD.replaced_at) <> json_object('node_id', NEW.node_id, 'version', NEW.version, 'state', NEW.state, 'replaced_at', NEW.replaced_at) BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node_version', json_array(NEW.node_id, NEW.version), json_object('node_id', OLD.node_id, 'version', OLD.version, 'state', OLD.state, 'replaced_at', OLD.replaced_at), json_object('node_id', NEW.node_id, 'version', NEW.version, 'state', NEW.state, 'replaced_at', NEW.replaced_at)
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;
CREATE TRIGGER node_version_deleted AFTER DELETE ON node_version BEGIN
  INSERT INTO change (revision_id, seq, table_name, row_key, before, after)
  SELECT latest.id,
         coalesce((SELECT max(seq) FROM change WHERE revision_id = latest.id), 0) + 1,
         'node_version', json_array(OLD.node_id, OLD.version), json_object('node_id', OLD.node_id, 'version', OLD.version, 'state', OLD.state, 'replaced_at', OLD.replaced_at), NULL
  FROM (SELECT max(id) AS id FROM revision) AS latest;
END;


-- derived by triggers: from then on it is in no answer; 0 when it is not active, null for never
ALTER TABLE entity ADD COLUMN hidden_from INTEGER;
CREATE INDEX entity_hidden_from ON entity (hidden_from) WHERE hidden_from IS NOT NULL;
UPDATE entity SET hidden_from = (SELECT iif(status = 'active', expires_at, 0) FROM node WHERE id = node_id)
  WHERE node_id IN (SELECT id FROM node WHERE (status <> 'active' OR expires_at IS NOT NULL));
CREATE TRIGGER entity_hidden AFTER INSERT ON entity
  WHEN EXISTS (SELECT 1 FROM node WHERE id = NEW.node_id AND (status <> 'active' OR expires_at IS NOT NULL)) BEGIN
  UPDATE entity SET hidden_from = (SELECT iif(status = 'active', expires_at, 0) FROM node WHERE id = NEW.node_id)
  WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER node_hidden AFTER UPDATE OF status, expires_at ON node
  WHEN NEW.kind = 'entity' AND (OLD.status <> NEW.status OR OLD.expires_at IS NOT NEW.expires_at) BEGIN
  UPDATE entity SET hidden_from = (SELECT iif(status = 'active', expires_at, 0) FROM node WHERE id = NEW.id)
  WHERE node_id = NEW.id;
END;

DROP TRIGGER entity_counted;
DROP TRIGGER entity_uncounted;
DROP TRIGGER entity_recounted;
DROP TRIGGER edge_counted;
DROP TRIGGER edge_uncounted;
DROP TRIGGER fact_counted;
DROP TRIGGER fact_uncounted;
DROP TRIGGER fact_no_longer_counted;
DROP TRIGGER fact_now_counted;
CREATE TRIGGER entity_counted AFTER INSERT ON entity WHEN (SELECT status FROM node WHERE id = NEW.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'entity', NEW.type, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER entity_uncounted AFTER DELETE ON entity WHEN (SELECT status FROM node WHERE id = OLD.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'entity', OLD.type, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER entity_recounted AFTER UPDATE OF type ON entity
  WHEN OLD.type <> NEW.type AND (SELECT status FROM node WHERE id = NEW.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'entity', OLD.type, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'entity', NEW.type, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER edge_counted AFTER INSERT ON edge WHEN (SELECT hidden_from IS NOT 0 FROM entity WHERE node_id = NEW.from_id) AND (SELECT hidden_from IS NOT 0 FROM entity WHERE node_id = NEW.to_id) BEGIN

  INSERT INTO counter (name, label, value) SELECT 'relation', NEW.type, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET relation_count = relation_count + 1 WHERE node_id IN (NEW.from_id, NEW.to_id);
END;
CREATE TRIGGER edge_uncounted AFTER DELETE ON edge WHEN (SELECT hidden_from IS NOT 0 FROM entity WHERE node_id = OLD.from_id) AND (SELECT hidden_from IS NOT 0 FROM entity WHERE node_id = OLD.to_id) BEGIN

  INSERT INTO counter (name, label, value) SELECT 'relation', OLD.type, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET relation_count = relation_count - 1 WHERE node_id IN (OLD.from_id, OLD.to_id);
END;
CREATE TRIGGER fact_counted AFTER INSERT ON fact WHEN NEW.entity_id IS NOT NULL AND NEW.superseded_by IS NULL AND (SELECT status FROM node WHERE id = NEW.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', 1 WHERE NEW.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + 1 WHERE node_id = NEW.entity_id;
END;
CREATE TRIGGER fact_uncounted AFTER DELETE ON fact WHEN OLD.entity_id IS NOT NULL AND OLD.superseded_by IS NULL AND (SELECT status FROM node WHERE id = OLD.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', -1 WHERE OLD.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + -1 WHERE node_id = OLD.entity_id;
END;
CREATE TRIGGER fact_no_longer_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN OLD.entity_id IS NOT NULL AND OLD.superseded_by IS NULL AND (SELECT status FROM node WHERE id = OLD.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', -1 WHERE OLD.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + -1 WHERE node_id = OLD.entity_id;
END;
CREATE TRIGGER fact_now_counted AFTER UPDATE OF entity_id, superseded_by, is_atomic ON fact
  WHEN NEW.entity_id IS NOT NULL AND NEW.superseded_by IS NULL AND (SELECT status FROM node WHERE id = NEW.node_id) = 'active' BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', 1 WHERE NEW.is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + 1 WHERE node_id = NEW.entity_id;
END;
CREATE TRIGGER fact_status_counted AFTER UPDATE OF status ON node
  WHEN NEW.kind = 'fact' AND (OLD.status = 'active') <> (NEW.status = 'active') BEGIN

  INSERT INTO counter (name, label, value) SELECT 'observation', '', iif(NEW.status = 'active', 1, -1) FROM fact WHERE node_id = NEW.id AND entity_id IS NOT NULL AND superseded_by IS NULL
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'oversized_observation', '', iif(NEW.status = 'active', 1, -1) FROM fact WHERE node_id = NEW.id AND entity_id IS NOT NULL AND superseded_by IS NULL AND is_atomic = 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET observation_count = observation_count + iif(NEW.status = 'active', 1, -1)
  WHERE node_id = (SELECT entity_id FROM fact WHERE node_id = NEW.id AND entity_id IS NOT NULL AND superseded_by IS NULL);
END;
CREATE TRIGGER entity_status_counted AFTER UPDATE OF status ON node
  WHEN NEW.kind = 'entity' AND (OLD.status = 'active') <> (NEW.status = 'active') BEGIN

  INSERT INTO counter (name, label, value) SELECT 'entity', type, iif(NEW.status = 'active', 1, -1) FROM entity WHERE node_id = NEW.id
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'relation', type, iif(NEW.status = 'active', 1, -1) * count(*) FROM edge
    WHERE from_id = NEW.id AND (to_id = NEW.id OR EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = to_id AND other.kind = 'entity' AND other.status = 'active'))
      OR to_id = NEW.id AND from_id <> NEW.id AND EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = from_id AND other.kind = 'entity' AND other.status = 'active') GROUP BY type
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
  UPDATE entity SET relation_count = relation_count + iif(NEW.status = 'active', 1, -1) * (
    SELECT count(*) FROM edge WHERE from_id = NEW.id AND to_id = entity.node_id
      OR to_id = NEW.id AND from_id = entity.node_id)
  WHERE node_id <> NEW.id AND EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = node_id AND other.kind = 'entity' AND other.status = 'active') AND node_id IN (
    SELECT to_id FROM edge WHERE from_id = NEW.id UNION SELECT from_id FROM edge WHERE to_id = NEW.id);
  UPDATE entity SET relation_count = iif(NEW.status = 'active', (SELECT count(*) FROM edge
    WHERE from_id = NEW.id AND (to_id = NEW.id OR EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = to_id AND other.kind = 'entity' AND other.status = 'active'))
      OR to_id = NEW.id AND from_id <> NEW.id AND EXISTS (
      SELECT 1 FROM node AS other WHERE other.id = from_id AND other.kind = 'entity' AND other.status = 'active')), 0)
  WHERE node_id = NEW.id;
END;

-- 0008_lifecycle
DROP VIEW searchable;
-- What may be found by its text: each node that is not archived, with the words that lead to it.
-- Outdated ones are found by a search that asks for them.
CREATE VIEW searchable (node_id, kind, title, body) AS
  SELECT entity.node_id, 'entity', entity.name, entity.type
  FROM entity JOIN node ON node.id = entity.node_id
  WHERE node.status <> 'archived'
  UNION ALL
  SELECT fact.node_id, 'fact', coalesce(entity.name, ''), fact.content
  FROM fact JOIN node ON node.id = fact.node_id LEFT JOIN entity ON entity.node_id = fact.entity_id
  WHERE node.status <> 'archived' AND fact.superseded_by IS NULL
  UNION ALL
  SELECT turn.node_id, 'turn', '', turn.prompt || char(10) || turn.thought || char(10) || turn.response
  FROM turn JOIN node ON node.id = turn.node_id
  WHERE node.status <> 'archived'
  UNION ALL
  SELECT summary.node_id, 'summary', summary.title, summary.summary
  FROM summary JOIN node ON node.id = summary.node_id
  WHERE node.status <> 'archived';

-- What is marked as outdated keeps its text, and so its place in the indexes.
DROP TRIGGER node_revived;
DROP TRIGGER node_revived_vector;
CREATE TRIGGER node_archived AFTER UPDATE OF status ON node
  WHEN (OLD.status = 'archived') <> (NEW.status = 'archived') BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.id;
  DELETE FROM trigram WHERE rowid = OLD.id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.id;

  DELETE FROM vector WHERE node_id = OLD.id;
  DELETE FROM embedding_backlog WHERE node_id = OLD.id;
  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id = NEW.id AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);
END;

  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id IN (SELECT id FROM node WHERE status = 'outdated');
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id IN (SELECT id FROM node WHERE status = 'outdated');

  INSERT OR IGNORE INTO embedding_backlog (node_id)
    SELECT node_id FROM searchable
    WHERE node_id IN (SELECT id FROM node WHERE status = 'outdated') AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.node_id = searchable.node_id);

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

-- 0009_node_counts
INSERT INTO counter (name, label, value) SELECT 'node', kind, count(*) FROM node GROUP BY kind;
CREATE TRIGGER node_counted AFTER INSERT ON node BEGIN

  INSERT INTO counter (name, label, value) SELECT 'node', NEW.kind, 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER node_uncounted AFTER DELETE ON node BEGIN

  INSERT INTO counter (name, label, value) SELECT 'node', OLD.kind, -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;

-- 0010_sessions
DROP VIEW searchable;
-- What may be found by its text: each node that is not archived, with the words that lead to it.
-- Outdated ones are found by a search that asks for them. The title of a turn and of a summary says
-- which kind it is and of which session or category, in characters that no text has: a search within
-- one of them reads nothing else.
CREATE VIEW searchable (node_id, kind, title, body) AS
  SELECT entity.node_id, 'entity', entity.name, entity.type
  FROM entity JOIN node ON node.id = entity.node_id
  WHERE node.status <> 'archived'
  UNION ALL
  SELECT fact.node_id, 'fact', coalesce(entity.name, ''), fact.content
  FROM fact JOIN node ON node.id = fact.node_id LEFT JOIN entity ON entity.node_id = fact.entity_id
  WHERE node.status <> 'archived' AND fact.superseded_by IS NULL
  UNION ALL
  SELECT turn.node_id, 'turn', char(57632, 57633, 57634) || ' ' || char(57635) || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(hex(turn.session_id), '0', char(57600)), '1', char(57601)), '2', char(57602)), '3', char(57603)), '4', char(57604)), '5', char(57605)), '6', char(57606)), '7', char(57607)), '8', char(57608)), '9', char(57609)), 'A', char(57610)), 'B', char(57611)), 'C', char(57612)), 'D', char(57613)), 'E', char(57614)), 'F', char(57615)) || char(57636),
    turn.prompt || char(10) || turn.thought || char(10) || turn.response
  FROM turn JOIN node ON node.id = turn.node_id
  WHERE node.status <> 'archived'
  UNION ALL
  SELECT summary.node_id, 'summary', char(57648, 57649, 57650) || ' ' || char(57651) || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(hex(summary.category), '0', char(57600)), '1', char(57601)), '2', char(57602)), '3', char(57603)), '4', char(57604)), '5', char(57605)), '6', char(57606)), '7', char(57607)), '8', char(57608)), '9', char(57609)), 'A', char(57610)), 'B', char(57611)), 'C', char(57612)), 'D', char(57613)), 'E', char(57614)), 'F', char(57615)) || char(57652), summary.title || char(10) || summary.summary
  FROM summary JOIN node ON node.id = summary.node_id
  WHERE node.status <> 'archived';

  DELETE FROM fulltext WHERE rowid IN (SELECT id FROM node WHERE kind IN ('turn', 'summary'));
  DELETE FROM trigram WHERE rowid IN (SELECT id FROM node WHERE kind IN ('turn', 'summary'));

  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id IN (SELECT id FROM node WHERE kind IN ('turn', 'summary'));
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id IN (SELECT id FROM node WHERE kind IN ('turn', 'summary'));
CREATE TRIGGER turn_moved AFTER UPDATE OF session_id ON turn WHEN OLD.session_id <> NEW.session_id BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;
CREATE TRIGGER summary_recategorised AFTER UPDATE OF category ON summary WHEN OLD.category <> NEW.category BEGIN

  DELETE FROM fulltext WHERE rowid = OLD.node_id;
  DELETE FROM trigram WHERE rowid = OLD.node_id;
  INSERT INTO fulltext (rowid, title, body)
    SELECT node_id, title, body FROM searchable WHERE node_id = NEW.node_id;
  INSERT INTO trigram (rowid, title, body)
    SELECT node_id, iif(kind = 'fact', '', title || '  '), body || '  '
    FROM searchable WHERE node_id = NEW.node_id;
END;

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
CREATE INDEX session_unsummarised ON session (session_id) WHERE turn_count > 0 AND (summary_id IS NULL OR summarised_turns <> turn_count OR last_turn_at > summarised_at);
CREATE INDEX session_summarised ON session (summarised_at) WHERE summary_id IS NOT NULL;
CREATE INDEX session_category ON session (category, summarised_at) WHERE summary_id IS NOT NULL;

CREATE TRIGGER session_counted AFTER INSERT ON session BEGIN

  INSERT INTO counter (name, label, value) SELECT 'session', '', 1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'turn', '', NEW.turn_count WHERE NEW.turn_count <> 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'unsummarised_session', '', 1 WHERE NEW.turn_count > 0 AND (NEW.summary_id IS NULL OR NEW.summarised_turns <> NEW.turn_count OR NEW.last_turn_at > NEW.summarised_at)
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'summary', NEW.category, 1 WHERE NEW.summary_id IS NOT NULL
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER session_recounted AFTER UPDATE ON session BEGIN

  INSERT INTO counter (name, label, value) SELECT 'turn', '', NEW.turn_count - OLD.turn_count WHERE NEW.turn_count <> OLD.turn_count
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'unsummarised_session', '', iif(NEW.turn_count > 0 AND (NEW.summary_id IS NULL OR NEW.summarised_turns <> NEW.turn_count OR NEW.last_turn_at > NEW.summarised_at), 1, -1) WHERE (NEW.turn_count > 0 AND (NEW.summary_id IS NULL OR NEW.summarised_turns <> NEW.turn_count OR NEW.last_turn_at > NEW.summarised_at)) <> (OLD.turn_count > 0 AND (OLD.summary_id IS NULL OR OLD.summarised_turns <> OLD.turn_count OR OLD.last_turn_at > OLD.summarised_at))
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'summary', OLD.category, -1 WHERE OLD.category IS NOT NULL AND OLD.category IS NOT NEW.category
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'summary', NEW.category, 1 WHERE NEW.category IS NOT NULL AND OLD.category IS NOT NEW.category
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER session_uncounted AFTER DELETE ON session BEGIN

  INSERT INTO counter (name, label, value) SELECT 'session', '', -1 WHERE true
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'turn', '', -OLD.turn_count WHERE OLD.turn_count <> 0
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'unsummarised_session', '', -1 WHERE OLD.turn_count > 0 AND (OLD.summary_id IS NULL OR OLD.summarised_turns <> OLD.turn_count OR OLD.last_turn_at > OLD.summarised_at)
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;

  INSERT INTO counter (name, label, value) SELECT 'summary', OLD.category, -1 WHERE OLD.summary_id IS NOT NULL
    ON CONFLICT (name, label) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER turn_of_session AFTER INSERT ON turn BEGIN
  INSERT INTO session (session_id, turn_count, last_turn_at)
    SELECT NEW.session_id, 1, created_at FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET turn_count = turn_count + 1,
      last_turn_at = max(last_turn_at, excluded.last_turn_at);
END;
CREATE TRIGGER turn_of_no_session AFTER DELETE ON turn BEGIN
  UPDATE session SET turn_count = turn_count - 1, last_turn_at = coalesce((
      SELECT max(created_at) FROM turn JOIN node ON id = node_id WHERE session_id = OLD.session_id), 0)
    WHERE session_id = OLD.session_id;
  DELETE FROM session WHERE session_id = OLD.session_id AND turn_count = 0 AND summary_id IS NULL;
END;
CREATE TRIGGER turn_of_other_session AFTER UPDATE OF session_id ON turn WHEN OLD.session_id <> NEW.session_id BEGIN

  UPDATE session SET turn_count = turn_count - 1, last_turn_at = coalesce((
      SELECT max(created_at) FROM turn JOIN node ON id = node_id WHERE session_id = OLD.session_id), 0)
    WHERE session_id = OLD.session_id;
  DELETE FROM session WHERE session_id = OLD.session_id AND turn_count = 0 AND summary_id IS NULL;
  INSERT INTO session (session_id, turn_count, last_turn_at)
    SELECT NEW.session_id, 1, created_at FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET turn_count = turn_count + 1,
      last_turn_at = max(last_turn_at, excluded.last_turn_at);
END;
CREATE TRIGGER summary_of_session AFTER INSERT ON summary BEGIN
  INSERT INTO session (session_id, turn_count, last_turn_at, summary_id, category, summarised_turns, summarised_at)
    SELECT NEW.session_id, 0, 0, NEW.node_id, NEW.category, NEW.turn_count, updated_at
    FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET summary_id = excluded.summary_id, category = excluded.category,
      summarised_turns = excluded.summarised_turns, summarised_at = excluded.summarised_at;
END;
CREATE TRIGGER summary_of_session_changed AFTER UPDATE OF session_id, category, turn_count ON summary BEGIN

  UPDATE session SET summary_id = NULL, category = NULL, summarised_turns = NULL, summarised_at = NULL
    WHERE session_id = OLD.session_id AND summary_id = OLD.node_id;
  INSERT INTO session (session_id, turn_count, last_turn_at, summary_id, category, summarised_turns, summarised_at)
    SELECT NEW.session_id, 0, 0, NEW.node_id, NEW.category, NEW.turn_count, updated_at
    FROM node WHERE id = NEW.node_id
    ON CONFLICT (session_id) DO UPDATE SET summary_id = excluded.summary_id, category = excluded.category,
      summarised_turns = excluded.summarised_turns, summarised_at = excluded.summarised_at;
  DELETE FROM session WHERE session_id = OLD.session_id AND turn_count = 0 AND summary_id IS NULL;
END;
CREATE TRIGGER summary_of_no_session AFTER DELETE ON summary BEGIN
  UPDATE session SET summary_id = NULL, category = NULL, summarised_turns = NULL, summarised_at = NULL
    WHERE session_id = OLD.session_id AND summary_id = OLD.node_id;
  DELETE FROM session WHERE session_id = OLD.session_id AND turn_count = 0 AND summary_id IS NULL;
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

-- 0011_transfer
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

-- 0012_fewer_rows
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
