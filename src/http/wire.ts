/**
 * What the explorer sends and receives, as plain types: the answers of the routes that it asks, and of the
 * tools that it calls. A test holds them against the schemas of the tools. It imports nothing, so that
 * both sides may read it.
 */

/** `GET /session`. */
export interface SessionAnswer {
  readonly mode: 'open' | 'token' | 'oauth';
  /** Whether an owner can sign in by a passphrase. */
  readonly canSignIn: boolean;
  /** Null, or left out, without a good credential. */
  readonly principal?:
    | {
        readonly actor: string;
        readonly scopes: readonly string[];
        /** Names and prefixes; null for all threads. */
        readonly threads: readonly string[] | null;
      }
    | undefined;
  readonly limits: {
    readonly observationCharsMax: number;
    readonly observationSentencesMax: number;
  };
}

/** What failed, in an answer with a status of 400 or more. */
export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly faults?: readonly Fault[];
  };
}

export interface Fault {
  readonly path?: string;
  readonly line?: number;
  readonly problem: string;
  readonly suggestion?: string;
}

export interface ObservationWire {
  readonly id: string;
  readonly content: string;
  readonly timestamp: string;
  readonly version: number;
  readonly supersedes?: string;
  readonly superseded_by?: string;
  readonly sourceTurn?: string;
  readonly confidence: number;
  readonly importance: number;
}

export interface RelationWire {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
  readonly importance?: number;
  readonly createdAt?: string;
}

/** With `detail: 'full'`. */
export interface EntityWire {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly (string | ObservationWire)[];
  readonly moreObservations?: number;
  readonly id?: string;
  readonly confidence?: number;
  readonly importance?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

export interface RevisionWire {
  readonly revision: number;
  readonly at: string;
  readonly actor: string;
  readonly tool: string;
  readonly summary: string;
  readonly rows: number;
}

export interface ListedRevision extends RevisionWire {
  readonly what: readonly string[];
}

export interface RowChange {
  readonly action: 'added' | 'changed' | 'deleted';
  readonly what: string;
  readonly id: string | null;
  readonly about: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

export interface SearchMatch {
  readonly entityName: string;
  readonly id: string;
  readonly content: string | null;
  readonly why: readonly string[];
  readonly score: number;
}

export interface ListedThread {
  readonly threadId: string;
  readonly owner_id?: string;
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
  readonly firstChange: string;
  readonly lastChange: string;
}

export interface TurnWire {
  readonly id: string;
  readonly sessionId: string;
  readonly timestamp: string;
  readonly prompt: string;
  readonly thought: string;
  readonly response: string;
  readonly agent?: string;
  readonly model?: string;
}

export interface SummaryWire {
  readonly id: string;
  readonly sessionId: string;
  readonly timestamp: string;
  readonly title: string;
  readonly summary: string;
  readonly category: string;
  readonly memoryCount: number;
  readonly technologies: readonly string[];
}

export interface QualityWire {
  readonly saves_accepted: number;
  readonly saves_rejected: number;
  readonly save_error_rate: number | null;
  readonly relation_coverage: number | null;
  readonly observation_atomicity: number | null;
  readonly relations_per_entity: number | null;
}

interface NamedWire {
  readonly entityName: string;
  readonly entityType: string;
}

/** Of each tool that the explorer calls, what it is given and what it answers. */
export interface ToolWire {
  list_threads: {
    input: { limit?: number; cursor?: string };
    output: { threads: ListedThread[]; total: number; nextCursor: string | null };
  };
  read_graph: {
    input: {
      entityType?: string;
      limit?: number;
      cursor?: string;
      detail?: 'brief' | 'full';
      asOf?: string;
    };
    output: {
      entities: EntityWire[];
      relations: RelationWire[];
      total: { entities: number; relations: number; observations: number };
      nextCursor: string | null;
      note?: string;
    };
  };
  open_nodes: {
    input: { names: string[]; detail?: 'brief' | 'full'; maxTokens?: number; asOf?: string };
    output: {
      entities: EntityWire[];
      relations: RelationWire[];
      missing?: string[];
      note?: string;
    };
  };
  get_observation_history: {
    input: { entityName: string; observationId?: string; limit?: number };
    output: {
      entityName: string;
      history: ObservationWire[];
      chains: string[][];
      note?: string;
    };
  };
  search_nodes: {
    input: {
      query: string;
      entityType?: string;
      limit?: number;
      offset?: number;
      detail?: 'brief' | 'full';
      maxTokens?: number;
      asOf?: string;
    };
    output: {
      entities: EntityWire[];
      relations: RelationWire[];
      matches?: SearchMatch[];
      closeness: 'close' | 'weak' | 'none';
      nextOffset: number | null;
      note?: string;
    };
  };
  recall: {
    input: { query: string; maxTokens?: number; entityType?: string; asOf?: string };
    output: {
      text: string;
      closeness: 'close' | 'weak' | 'none';
      ids: string[];
      leftOut: number;
      note?: string;
    };
  };
  list_entities: {
    input: { entityType?: string; namePattern?: string; limit?: number; cursor?: string };
    output: {
      entities: {
        name: string;
        entityType: string;
        observationCount: number;
        relationCount: number;
      }[];
      total: number;
      nextCursor: string | null;
    };
  };
  list_entity_types: {
    input: Record<string, never>;
    output: { types: { type: string; count: number }[] };
  };
  get_analytics: {
    input: { limit?: number };
    output: {
      recent_changes: (NamedWire & { lastModified: string; changeType: 'created' | 'updated' })[];
      top_important: (NamedWire & { importance: number; observationCount: number })[];
      most_connected: (NamedWire & { relationCount: number; connectedTo: string[] })[];
      orphaned_entities: (NamedWire & { reason: string })[];
      quality: QualityWire;
    };
  };
  graph_stats: {
    input: Record<string, never>;
    output: { entities: number; relations: number; totalObservations: number };
  };
  health_check: {
    input: Record<string, never>;
    output: {
      success: boolean;
      embedding_backlog: number;
      storage: { bytes: number; max_bytes: number; warning: string | null };
    };
  };
  save_memory: {
    input: {
      entities: {
        name: string;
        entityType: string;
        observations: string[];
        relations: { targetEntity: string; relationType: string }[];
        importance?: number;
      }[];
    };
    output: { success: boolean; revision?: number };
  };
  create_entities: {
    input: { entities: { name: string; entityType: string; observations?: string[] }[] };
    output: { skipped: string[] };
  };
  create_relations: {
    input: { relations: { from: string; to: string; relationType: string }[] };
    output: { relations: RelationWire[]; skipped: RelationWire[] };
  };
  add_observations: {
    input: { observations: { entityName: string; contents: string[] }[] };
    output: {
      results: {
        entityName: string;
        addedObservations: string[];
        ids: string[];
        skipped: string[];
        similar: { id: string; content: string; similarTo: string }[];
      }[];
    };
  };
  update_observation: {
    input: {
      entityName: string;
      observationId: string;
      newContent: string;
      confidence?: number;
      importance?: number;
    };
    output: { entityName: string; observation: ObservationWire; superseded: ObservationWire };
  };
  rename_entity: {
    input: { entityName: string; newName: string };
    output: { name: string; before: string; observations: number; relations: number };
  };
  merge_entities: {
    input: { source: string; target: string };
    output: {
      source: string;
      target: string;
      movedObservations: number;
      addedObservations: number;
      redirectedRelations: number;
      revision?: number;
    };
  };
  delete_entities: {
    input: { entityNames: string[] };
    output: {
      deleted: string[];
      notFound: string[];
      deletedObservations: number;
      deletedRelations: number;
      revision?: number;
    };
  };
  delete_observations: {
    input: { deletions: { entityName: string; observations: string[] }[] };
    output: { revision?: number };
  };
  delete_relations: {
    input: { relations: { from: string; to: string; relationType: string }[] };
    output: { revision?: number };
  };
  delete_thread: {
    input: { confirm: string; delete_files?: boolean };
    output: { deleted: boolean; owners: number; backup?: { file: string; keptUntil: string } };
  };
  get_recent_changes: {
    input: { since?: string; limit?: number; cursor?: string };
    output: { changes: ListedRevision[]; nextCursor: string | null; note?: string };
  };
  describe_revision: {
    input: { revision: number; limit?: number; cursor?: string };
    output: RevisionWire & { changes: RowChange[]; nextCursor: string | null; note?: string };
  };
  undo_revision: {
    input: { revision: number; cascade?: boolean };
    output: { undone: RevisionWire[]; revision: number | null; note?: string };
  };
  get_all_summaries: {
    input: { limit?: number; offset?: number };
    output: { summaries: SummaryWire[]; count: number; total: number; nextOffset: number | null };
  };
  get_session_memories: {
    input: { sessionId: string; limit?: number; offset?: number };
    output: {
      sessionId: string;
      memories: TurnWire[];
      count: number;
      total: number;
      nextOffset: number | null;
    };
  };
  query_raw_memories: {
    input: { query: string; nResults?: number; sessionId?: string };
    output: { query: string; count: number; results: (TurnWire & { distance: number })[] };
  };
  summarize_sessions: {
    input: { sessionId?: string };
    output: { processed: number; remaining: number; message: string };
  };
}

export type ToolName = keyof ToolWire;
