/** Every limit, its unit in its name and its reason beside it. All are told to the caller when hit. */

/** Long enough for a title, short enough to be named again exactly. */
export const ENTITY_NAME_CHARS_MAX = 100;
export const ENTITY_TYPE_CHARS_MAX = 50;
export const RELATION_TYPE_CHARS_MAX = 50;
/** Below this an observation cannot say anything ("ok", "yes"). */
export const OBSERVATION_CHARS_MIN = 5;
/** A save is one transaction and one revision; more entities belong in a second call. */
export const ENTITIES_PER_CALL_MAX = 100;
export const OBSERVATIONS_PER_ENTITY_MAX = 100;
export const RELATIONS_PER_ENTITY_MAX = 100;
/** Deletions, names to open and the like: what a model can sensibly list in one call. */
export const ITEMS_PER_CALL_MAX = 100;
/** A memory of one statement or a paragraph; a document does not belong into one. */
export const MEMORY_CHARS_MAX = 10_000;
/** Epoch milliseconds. With 0 the store marks an entity that is not active (`entity.hidden_from`). */
export const EXPIRES_AT_MIN = 1;
/** The limits of the node tools are seed 002's; those that may be changed are in `Limits`. */
export const OWNER_ID_CHARS_MAX = 128;
/** Who or what a node came from: a name, not a document. */
export const SOURCE_CHARS_MAX = 200;
/** Why a fact is outdated: a sentence or two, which stay in its metadata. */
export const REASON_CHARS_MAX = 1_000;
/** Entities that a new fact is linked to by itself. */
export const AUTO_LINKS_MAX = 10;
/** States of a node that are kept, and that its history shows, newest first. */
export const NODE_VERSIONS_MAX = 100;
/** Facts that one new fact sums up, and nodes that it is linked to. */
export const LINKS_PER_NODE_MAX = 100;
/** What `get_context` collects around a node; more is asked for in further calls. */
export const CONTEXT_DEPTH_MAX = 3;
export const CONTEXT_NODES_DEFAULT = 20;
export const CONTEXT_NODES_MAX = 50;
/** Edges among the nodes of a context; more would not be read. */
export const CONTEXT_EDGES_MAX = 200;
export const TRACE_PATHS_DEFAULT = 5;
export const TRACE_PATHS_MAX = 50;
/** What `recall` may give a model to read, in tokens. */
export const RECALL_TOKENS_DEFAULT = 1_000;
export const RECALL_TOKENS_MIN = 200;
export const RECALL_TOKENS_MAX = 8_000;
/** What an answer that lists entities and relations may be long, in tokens. */
export const ANSWER_TOKENS_DEFAULT = 3_000;
export const ANSWER_TOKENS_MIN = 300;
export const ANSWER_TOKENS_MAX = 12_000;
/**
 * Each of a turn's three texts. Agents log whole files and long reasoning: this is about 25,000
 * tokens a text, and a turn that says more is better logged as two.
 */
export const TURN_TEXT_CHARS_MAX = 100_000;
/**
 * A turn's texts together, as JSON in UTF-8: the history keeps a row before and after in one row, and
 * a row must stay below 2 MB.
 */
export const TURN_BYTES_MAX = 940_000;
/** A session id stands in every answer about the session. */
export const SESSION_ID_CHARS_MAX = 128;
/** The name of an agent or of a model. */
export const AGENT_CHARS_MAX = 100;
/** Seed 004's defaults. */
export const SESSION_TURNS_DEFAULT = 100;
export const TURN_SEARCH_LIMIT_DEFAULT = 10;
export const SUMMARIES_DEFAULT = 50;
/** Of a session's turns, those that its summary is made of: so many from its beginning and from its end. */
export const SUMMARISED_TURNS_FROM_EITHER_END = 100;
/** Characters of each text of such a turn: what it is about stands at its beginning. */
export const SUMMARISED_TEXT_CHARS_MAX = 2_000;
/** Sessions that one call summarises without a model. */
export const SESSIONS_PER_CALL_MAX = 5;
/** Characters of their turns, the first session whole: to read them takes about half a second. */
export const SUMMARISED_CHARS_PER_CALL_MAX = 1_000_000;
/** The same with a model, asked for all of them at once: each takes some seconds. */
export const SUMMARY_SESSIONS_BY_MODEL_MAX = 5;
/** Seed 004's titles are short enough for a list. */
export const SUMMARY_TITLE_WORDS_MAX = 10;
export const SUMMARY_TITLE_CHARS_MAX = 120;
export const SUMMARY_SENTENCES_MAX = 4;
/** A summary is a paragraph. */
export const SUMMARY_CHARS_MAX = 2_000;
export const SUMMARY_TECHNOLOGIES_MAX = 12;
/** A search query; anything longer is a document, of which the first part says what it is about. */
export const QUERY_CHARS_MAX = 2_000;
/**
 * Characters of one text that an index is asked for. FTS5 compares the trigrams of a phrase position by
 * position: a query of 2,000 equal letters took 7 s on 30,000 facts, and minutes on long turns.
 */
export const QUERY_PIECE_CHARS_MAX = 64;
/** Trigrams of all texts that one query asks the index for. */
export const QUERY_TRIGRAMS_MAX = 200;
/** Distinct words of a query that are looked up; more would only add noise and rows read. */
export const QUERY_TOKENS_MAX = 32;

/** A thread id stands in URLs and logs, so it stays short. */
export const THREAD_ID_CHARS_MAX = 128;
/** A request that is larger belongs to the streaming import. Durable Object RPC carries 32 MiB. */
export const REQUEST_BODY_BYTES_MAX = 4 * 1024 * 1024;

export const PAGE_SIZE_MAX = 1_000;
/** An offset reads what it skips; beyond this a cursor is the way to go on. */
export const OFFSET_MAX = 100_000;
export const SEARCH_LIMIT_DEFAULT = 20;
export const SEARCH_LIMIT_MAX = 100;
/** Seed 003's. */
export const SEARCH_MEMORIES_DEFAULT = 5;
export const SEARCH_MEMORIES_MAX = 20;
export const RECENT_MEMORIES_DEFAULT = 10;
export const RECENT_MEMORIES_MAX = 50;
/** That a search returned a memory is noted once in so long: a row written costs as much as a thousand read. */
export const ACCESS_RECORDED_EVERY_MS = 60 * 60 * 1000;
/** Seed 002's, for `search` and `find_similar`. */
export const NODE_SEARCH_LIMIT_DEFAULT = 10;
export const SIMILAR_FACT_THRESHOLD_DEFAULT = 0.55;
export const LIST_LIMIT_DEFAULT = 100;
export const ANALYTICS_LIMIT_DEFAULT = 10;
export const ANALYTICS_LIMIT_MAX = 100;
/** Seed 000's example history is short; a chain that is longer is paged by `limit`. */
export const HISTORY_LIMIT_DEFAULT = 100;
/** Beyond this an undirected path says nothing any more, and the frontier is most of the graph. */
export const PATH_DEPTH_MAX = 16;
export const PATH_DEPTH_DEFAULT = 5;
/** Entities that one path search looks at before it gives up and says so. */
export const PATH_VISITS_MAX = 20_000;

/** Edges that one path search looks at before it gives up: some tenths of a second. */
export const PATH_EDGES_MAX = 100_000;
/** Seed 001's defaults for enumerating paths. */
export const ALL_PATHS_DEPTH_DEFAULT = 6;
export const ALL_PATHS_DEFAULT = 50;
/** Paths of 17 names each are about all that an explicit request can be answered with. */
export const ALL_PATHS_MAX = 200;
/** Neighbours looked at while enumerating paths, some tenths of a second; beyond this the answer says so. */
export const ALL_PATHS_STEPS_MAX = 1_000_000;
/** Entities that a neighbourhood collects, nearest first: more than an answer shows. */
export const NEIGHBOURS_MAX = 200;
/** Edges of one step of a neighbourhood; the rest of a crowded entity's is left out and said so. */
export const NEIGHBOUR_EDGES_MAX = 2_000;

/** Entities that `export_graph` tries to fit into an answer; named alone, more would not fit. */
export const EXCERPT_ENTITIES_MAX = 500;
export const EXCERPT_RELATIONS_MAX = 2_000;
/** The age of history that `compact` is asked for: ten years. */
export const COMPACT_DAYS_MAX = 3_650;
/** Changes that one `compact` forgets; the next call goes on. A deleted row costs as much as a written one. */
export const COMPACT_CHANGES_MAX = 20_000;
/** Nodes whose derived rows one `compact` rebuilds: about a second in a thread at its caps. */
export const COMPACT_NODES_MAX = 1_500;
/** Bytes of their texts: a turn may have hundreds of thousands. */
export const COMPACT_TEXT_BYTES_MAX = 1_000_000;

/** Superseded facts that one `compact` drops: each costs some twenty rows written. */
export const COMPACT_FACTS_MAX = 1_000;
/** Changed rows that an as-of read may meet, each a row written and rolled back: about two seconds. */
export const AS_OF_ROWS_MAX = 50_000;
/** Changes that an as-of read looks through for them. */
export const AS_OF_CHANGES_READ_MAX = 1_000_000;
/** Changed rows that one `undo_revision` takes back; all of them are written. */
export const UNDO_CHANGES_MAX = 250_000;
/** Changed rows that `undo_actor` looks at together for what is in the way: two seconds. */
export const UNDO_BATCH_CHANGES_MAX = 100_000;
/** Changed rows that `undo_actor` takes back in one revision, unless one call made more: two seconds. */
export const UNDO_SLICE_CHANGES_MAX = 60_000;
/** Revisions that one undo takes back. */
export const UNDO_REVISIONS_MAX = 100;
/** Changed rows that one undo reads, over all passes: each pass goes over what has changed since. */
export const UNDO_ROWS_READ_MAX = 10_000_000;
export const REVISIONS_LIMIT_DEFAULT = 20;
export const REVISIONS_LIMIT_MAX = 100;
/** Changed rows that one list of revisions counts. */
export const REVISION_ROWS_COUNTED_MAX = 20_000;
export const REVISION_CHANGES_DEFAULT = 50;
export const REVISION_CHANGES_MAX = 200;
/** Characters of a row's text in the description of a revision. */
export const CHANGE_TEXT_CHARS_MAX = 300;
/** Of a revision in a list: what it did, and the characters of each line of that. */
export const REVISION_LINES_MAX = 4;
export const REVISION_LINE_CHARS_MAX = 100;
export const THREADS_LIMIT_DEFAULT = 50;
export const THREADS_LIMIT_MAX = 200;
/** What MCP allows of suggestions for one argument. */
export const COMPLETIONS_MAX = 100;
/** Memories of owners that one `delete_thread` deletes, each by a call of its own. */
export const OWNERS_PER_DELETION_MAX = 50;
/** A directory hears of a thread at most this often, whatever is written. */
export const HEARTBEAT_MS = 60_000;

/** Nodes that the expiry job archives in one piece; each costs some ten rows written. */
export const EXPIRE_NODES_MAX = 500;
/** Facts that the de-duplication compares in one piece: about a fifth of a second in a large thread. */
export const DEDUPLICATE_FACTS_MAX = 50;
/** Older facts that one is compared with, nearest first. */
export const DUPLICATE_CANDIDATES_MAX = 20;
/** Bytes of vectors and their texts that one thread keeps beside its index: of 128 MB for all. */
export const EMBEDDINGS_CACHE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Characters of JSON that a read returns without being asked for more: about 6,000 tokens at four
 * characters each. Clients see an answer twice (text and structured), so this is half of what fits.
 */
export const READ_CHARS_DEFAULT = 24_000;
/** Even an explicit `limit` stops here: about 100,000 tokens, more than any model reads. */
export const READ_CHARS_MAX = 400_000;
/** Observations of one entity in a brief answer; the rest is counted and named. */
export const OBSERVATIONS_SHOWN_MAX = 50;
/** Observations of an entity that is asked for alone; fewer are shown if they are long. */
export const OBSERVATIONS_OF_ONE_MAX = 200;
/** Distinct types in one answer: a thread with more has none that mean anything. */
export const TYPES_SHOWN_MAX = 500;
/** Relations in one answer; the rest is counted and named. */
export const RELATIONS_SHOWN_MAX = 200;
/** Characters of JSON for the relations of entities that were found or opened. */
export const RELATIONS_CHARS_MAX = 16_000;

/**
 * One page of an export, which is one call to the thread: some hundred kilobytes, so that the
 * thread is soon free for others. Durable Object RPC carries 32 MiB.
 */
export const EXPORT_ENTITIES_PER_PAGE = 1_000;
export const EXPORT_OBSERVATIONS_PER_PAGE = 2_000;
export const EXPORT_RELATIONS_PER_PAGE = 5_000;
/** Observations may be long: a page ends before the one that would go beyond this many characters. */
export const EXPORT_CHARS_PER_PAGE = 1_000_000;
/**
 * Each page is a request to the thread, of which Workers on the free plan make 1,000 for one of
 * their own. An export that would need more is refused before it begins, since it would break off.
 */
export const EXPORT_PAGES_MAX = 900;

/**
 * SQLite in a Durable Object takes rows of less than 2 MB; the history keeps a row before and after
 * in one row, and a file is staged in rows of whole lines. Local development takes larger ones, so
 * this is checked here.
 */
export const ROW_BYTES_MAX = 1_900_000;
/** What SQLite in a Durable Object takes as the value of a parameter. Local development takes more. */
export const BOUND_BYTES_MAX = 2_000_000;
/** Of a list that travels as one parameter; a longer one goes by several statements. */
export const LIST_BYTES = 1_000_000;
/** A piece of a file that is staged or read: few rows, each soon read again. */
export const FILE_PIECE_BYTES = 1024 * 1024;
/** Lines that are written to the graph by one statement. */
export const FILE_ROWS_PER_STATEMENT = 500;
/**
 * Lines of one import: its plan is held in memory, some 50 bytes a line, and it is one transaction. A file of
 * more is not written either, since nothing could read it back.
 */
export const IMPORT_LINES_MAX = 1_000_000;
/** Of a file that is sent or exported: it lies in the database of the thread while it is read. */
export const IMPORT_BYTES_MAX = 100 * 1024 * 1024;
/** Of a backup, which has the whole history, and which an admin alone can name. */
export const BACKUP_BYTES_MAX = 1024 * 1024 * 1024;
/** Faults of a file that an import lists: enough to see what is wrong, and no answer too long to read. */
export const IMPORT_FAULTS_LISTED_MAX = 100;
/** What `parseId` reads: ids of 15 digits. */
export const NODE_ID_MAX = 999_999_999_999_999;
/** Ids of nodes and revisions that an import takes over: after them there is room for many more. */
export const KEPT_ID_MAX = 100_000_000_000_000;
/** Saves that an import takes over the count of. */
export const SAVES_COUNTED_MAX = 1_000_000_000_000;
/** How far in the future a file may say that something was done: clocks differ, and zones are mistaken. */
export const FILE_CLOCK_AHEAD_MS = 24 * 60 * 60 * 1000;
/** Of the actor and the tool of a revision in a file. */
export const REVISION_LABEL_CHARS_MAX = 1_000;
/** Files that one thread takes in at the same time: with them it may be 200 MiB larger than it holds. */
export const IMPORTS_STAGED_MAX = 2;
/** After which a file that nothing more was added to makes way for another one. */
export const IMPORT_PAUSE_MS_MAX = 5 * 60 * 1000;
/** After which a file that nothing more was added to is given up. */
export const TRANSFER_IDLE_MS = 60 * 60 * 1000;
/** R2 wants parts of one size of at least 5 MiB. */
export const FILE_PART_BYTES = 8 * 1024 * 1024;
/** `skein-` and a time, or what another tool has put there. */
export const FILE_NAME_CHARS_MAX = 128;
/** What R2 lists or deletes in one request. */
export const FILES_PER_REQUEST_MAX = 1_000;
/** Files of one thread that are looked at, or deleted, in one call. */
export const FILES_PER_CALL_MAX = 10 * FILES_PER_REQUEST_MAX;
/** Files that are named to who asks for one that is not there, newest first. */
export const FILES_NAMED_MAX = 5;
/** Files of a thread that one listing shows. */
export const FILES_LIMIT_DEFAULT = 50;
export const FILES_LIMIT_MAX = 1_000;
/**
 * Threads that a directory has backed up in one wake, each by a request of its own: Cloudflare's free
 * plan allows 50 an invocation.
 */
export const BACKUPS_PER_STEP = 20;
/** After which a wake ends all the same: a deployment waits for it, and an alarm has 15 minutes. */
export const BACKUP_STEP_MS_MAX = 60_000;
/** How often a run tries a thread that fails, and how long it waits in between. */
export const BACKUP_ATTEMPTS_MAX = 3;
export const BACKUP_RETRY_MS = 5 * 60_000;
/** From this share of the storage on, `health_check` warns. */
export const STORAGE_WARNING_SHARE = 0.8;

/**
 * Of the storage, what a full thread may use beyond it to delete: a deletion writes what it deletes to the
 * history. With it and with the files that are being imported a thread stays below the 10 GB of the platform.
 */
export const STORAGE_RESERVE_SHARE = 0.05;

/** The limits that a deployer may change by `vars` (see `env.ts`). */
export interface Limits {
  /** Characters of one observation. */
  readonly observationCharsMax: number;
  /** Sentences of one observation. */
  readonly observationSentencesMax: number;
  /** Whether the daily run writes files. */
  readonly backupsEnabled: boolean;
  /** Days that a backup is kept after a newer one, or after its thread was deleted. */
  readonly backupRetentionDays: number;
  /** Days that the history of a change is kept before `compact` may forget it. */
  readonly historyRetentionDays: number;
  /** Cosine from which a new fact says the same as an older one; null while nothing is de-duplicated. */
  readonly duplicateSimilarityMin: number | null;
  /** Cosine and bonuses (`graph/text/update-score.ts`) from which a memory may be outdated by a new one. */
  readonly similarMemoryMin: number;
  /** Characters of a node's text. */
  readonly textCharsMax: number;
  /** Bytes of a node's or an edge's metadata, as JSON in UTF-8. */
  readonly metadataBytesMax: number;
  /** Days that a node may live; it must be more than the least. */
  readonly ttlDaysMin: number;
  readonly ttlDaysMax: number;
  /** What one thread holds at most, archived and superseded nodes included. */
  readonly entitiesMax: number;
  readonly factsMax: number;
  readonly turnsMax: number;
  /** Relations to and from one entity. */
  readonly relationsPerEntityMax: number;
  /** Nodes that one credential may add to a thread in a minute. */
  readonly nodesPerMinuteMax: number;
  /** Bytes of a thread's database, without files that are on their way, from which on nothing is written but removals. */
  readonly storageBytesMax: number;
  /** Threads of a deployment, the memories of their owners among them. */
  readonly threadsMax: number;
  /** Of those, what one credential may begin within an hour. */
  readonly newThreadsPerHour: number;
  /** Owners who have a memory in one thread. */
  readonly ownersMax: number;
}

export const DEFAULT_LIMITS: Limits = {
  observationCharsMax: 150,
  observationSentencesMax: 2,
  backupsEnabled: true,
  backupRetentionDays: 30,
  historyRetentionDays: 30,
  duplicateSimilarityMin: null,
  similarMemoryMin: 0.85,
  textCharsMax: 10_000,
  metadataBytesMax: 100_000,
  ttlDaysMin: 0,
  ttlDaysMax: 3_650,
  // The vectors of all of them are in memory at once: 300 bytes each, of 128 MB.
  entitiesMax: 50_000,
  factsMax: 150_000,
  turnsMax: 50_000,
  // Walks look at 2,000 edges of a step, so a crowd that is much larger is never seen as a whole.
  relationsPerEntityMax: 20_000,
  // The largest call makes 10,100, and people do not type.
  nodesPerMinuteMax: 20_000,
  // A Durable Object holds 10 GB; compact and deletions want some of it.
  storageBytesMax: 9_000_000_000,
  // Each takes up a quarter of a megabyte before anything is in it: 2.5 GB.
  threadsMax: 10_000,
  newThreadsPerHour: 200,
  ownersMax: 1_000,
};

/** How much of what was computed is kept for the next call (see `env.ts`). */
export interface CacheLimits {
  /** Vectors; 0 for none. */
  readonly embeddingsMax: number;
  /** Answers of a search; 0 for none. */
  readonly searchesMax: number;
  /** Seconds that an answer is kept at most. */
  readonly searchTtlSeconds: number;
}

/** Seed 002's. */
export const DEFAULT_CACHE_LIMITS: CacheLimits = {
  embeddingsMax: 1_000,
  searchesMax: 100,
  searchTtlSeconds: 60,
};

/** Seed 002's de-duplication: off unless a deployer wants it, since it judges for the caller. */
export const DUPLICATE_SIMILARITY_DEFAULT = 0.95;

/** Levels of metadata. SQLite reads JSON of 1,000. */
export const METADATA_LEVELS_MAX = 100;
/** Levels of nesting in the JSON of a request. Deeper ones exhaust the stack of those that walk it. */
export const JSON_DEPTH_MAX = 250;
