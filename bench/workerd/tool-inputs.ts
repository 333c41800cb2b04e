/** What each tool is asked when its cost is measured: ordinary calls, and those that could read much. */
import { COMMON_WORD, RARE_WORD } from '../support/invented-thread.ts';

/** What a call may be about. Each case gets a place of its own, so that none finds another's traces. */
export interface Subject {
  /** Of an entity that nothing else is asked about; the ones after it are free too. */
  readonly place: number;
  /** What was done last. */
  readonly lastRevision: number;
  /** Name of the entity so many places further on. */
  name(offset?: number): string;
  /** The first fact of that entity. */
  readonly fact: { readonly id: string; readonly content: string };
  /** The first relation that starts there. */
  readonly relation: {
    readonly to: string;
    readonly type: string;
    /** Of the entity itself and of the other. */
    readonly ids: readonly string[];
  };
}

export type WriteInput = (subject: Subject) => Record<string, unknown>;

/** By tool, then by what tells the cases apart. */
export const TOOL_INPUTS: Readonly<Record<string, Readonly<Record<string, WriteInput>>>> = {
  save_memory: {
    'two new entities': ({ place, name }) => ({
      entities: [0, 1].map((index) => ({
        name: `Saved ${place} ${index}`,
        entityType: 'Project',
        observations: ['Begins in the spring', 'Is led by two people'],
        relations: [{ targetEntity: name(), relationType: 'depends on' }],
      })),
    }),
    'more about one': ({ name }) => ({ entities: [moreAbout(name(), name(1))] }),
  },
  validate_memory: {
    'more about one': ({ name }) => ({ entities: [moreAbout(name(), name(1))] }),
    'unknown target': ({ name }) => ({ entities: [moreAbout(name(), `${name(1)}x`)] }),
  },
  add_observations: {
    'one fact': ({ name }) => ({
      observations: [{ entityName: name(), contents: ['Is reviewed in the summer'] }],
    }),
  },
  update_observation: {
    '': ({ name, fact }) => ({
      entityName: name(),
      observationId: fact.id,
      newContent: 'Is reviewed in the autumn',
    }),
  },
  get_observation_history: {
    'one fact': ({ name, fact }) => ({ entityName: name(), observationId: fact.id }),
    'all facts': ({ name }) => ({ entityName: name() }),
  },
  recall: {
    'a rare word': () => ({ query: RARE_WORD }),
    'a frequent word': () => ({ query: COMMON_WORD }),
  },
  search_nodes: {
    'a rare word': () => ({ query: RARE_WORD }),
    'a name': ({ name }) => ({ query: name() }),
  },
  search_memories: { 'a rare word': () => ({ query: RARE_WORD }) },
  search: {
    'a rare word': () => ({ query: RARE_WORD }),
    'a common word, outdated too': () => ({ query: COMMON_WORD, include_outdated: true }),
  },
  find_similar: { '': ({ fact }) => ({ fact_id: fact.id }) },
  create_node: {
    'a fact that names one': ({ place, name }) => ({ text: `Fact ${place} is about ${name()}` }),
    'a fact, linked by none': ({ place }) => ({ text: `Fact ${place}`, auto_link: false }),
    'an entity': ({ place }) => ({ text: `Node ${place}`, node_type: 'Entity' }),
  },
  get_node: { '': ({ fact }) => ({ node_id: fact.id }) },
  update_node: {
    'another text': ({ fact }) => ({ node_id: fact.id, text: 'Is reviewed in the winter' }),
    'another name, kept': ({ place, relation }) => ({
      node_id: relation.ids[0],
      text: `Renamed ${place}`,
      versioning: true,
    }),
    'an entity is archived': ({ relation }) => ({ node_id: relation.ids[0], status: 'archived' }),
  },
  delete_node: { 'a fact': ({ fact }) => ({ node_id: fact.id }) },
  get_node_change_history: { '': ({ fact }) => ({ node_id: fact.id }) },
  mark_outdated: { '': ({ fact }) => ({ fact_id: fact.id, reason: 'It was found to be wrong' }) },
  create_triplet: {
    'between two that exist': ({ name }) => ({
      subject: name(),
      predicate: 'reports to',
      object_value: name(1),
    }),
    'between two new ones': ({ place }) => ({
      subject: `Subject ${place}`,
      predicate: 'reports to',
      object_value: `Object ${place}`,
    }),
  },
  search_triplets: {
    'from one': ({ name }) => ({ subject: name() }),
    'of a type': () => ({ predicate: 'depends on' }),
  },
  create_relation: {
    '': ({ fact, relation }) => ({
      from_id: fact.id,
      to_id: relation.ids[1],
      relation_type: 'MENTIONS_ENTITY',
    }),
  },
  delete_relation: {
    '': ({ relation: { ids, type } }) => ({ from_id: ids[0], to_id: ids[1], relation_type: type }),
  },
  get_context: {
    'one link away': ({ relation }) => ({ node_id: relation.ids[0] }),
    'three links away': ({ relation }) => ({ node_id: relation.ids[0], depth: 3, max_nodes: 50 }),
  },
  get_trace: { 'to the next': ({ relation: { ids } }) => ({ from_id: ids[0], to_id: ids[1] }) },
  create_summary_fact: {
    'of one': ({ place, fact }) => ({ fact_ids: [fact.id], summary_text: `Summary ${place}` }),
  },
  get_stats: { '': () => ({}) },
  health_check: { '': () => ({}) },
  export_database: { '': () => ({}), 'turns alone': () => ({ include: ['memories'] }) },
  import_database: {
    'two new entities': ({ place }) => ({
      content: [0, 1]
        .map((index) =>
          JSON.stringify({
            type: 'entity',
            name: `Imported ${place} ${index}`,
            entityType: 'Project',
            observations: ['Begins in the spring'],
          }),
        )
        .join('\n'),
    }),
  },
  store_memory: { '': () => ({ content: 'The office is closed on the last Friday of July' }) },
  supersede_memory: {
    'by one about the same': ({ fact }) => ({
      old_memory_id: fact.id,
      new_memory_id: `obs_${Number(fact.id.slice('obs_'.length)) + 1}`,
    }),
    'by one about another': ({ fact }) => ({ old_memory_id: fact.id, new_memory_id: 'obs_2' }),
  },
  list_recent_memories: { '': () => ({}), fifty: () => ({ limit: 50 }) },
  open_nodes: {
    'two names': ({ name }) => ({ names: [name(), name(1)] }),
    'unknown name': ({ name }) => ({ names: [`${name()}x`] }),
    'as of now': ({ name, lastRevision }) => ({ names: [name()], asOf: lastRevision }),
  },
  read_graph: {
    'first page': () => ({}),
    'page of a type': () => ({ entityType: 'Project' }),
    'behind 900': () => ({ offset: 900, limit: 20 }),
  },
  query_nodes: {
    'half of all': () => ({ importanceMin: 0.5 }),
    'few of all': () => ({ importanceMin: 0.98 }),
    'of one time': () => ({ timestampStart: '2026-01-20', timestampEnd: '2026-01-20T00:01:00Z' }),
  },
  list_entities: {
    'first page': () => ({}),
    'page of a type': () => ({ entityType: 'Project' }),
    'rare part of a name': ({ name }) => ({ namePattern: name().slice(2, -1) }),
    'frequent part': () => ({ namePattern: 'st' }),
  },
  find_relation_path: {
    'far apart': ({ name }) => ({ from: name(), to: name(1) }),
    'deep, none': ({ name }) => ({ from: name(), to: name(1), maxDepth: 2 }),
  },
  get_analytics: { '': () => ({}) },
  delete_entities: { two: ({ name }) => ({ entityNames: [name(), name(1)] }) },
  delete_observations: {
    '': ({ name, fact }) => ({
      deletions: [{ entityName: name(), observations: [fact.content] }],
    }),
  },
  delete_relations: {
    '': ({ name, relation }) => ({
      relations: [{ from: name(), to: relation.to, relationType: relation.type }],
    }),
  },
  create_entities: {
    two: ({ place }) => ({
      entities: [0, 1].map((index) => ({
        name: `Created ${place} ${index}`,
        entityType: 'Project',
        observations: ['Begins in the spring'],
      })),
    }),
  },
  create_relations: {
    one: ({ name }) => ({ relations: [{ from: name(), to: name(1), relationType: 'knows' }] }),
  },
  upsert_entities: {
    'one that is there': ({ name }) => ({
      entities: [{ name: name(), entityType: 'Project', observations: ['Begins in the spring'] }],
    }),
  },
  merge_entities: { '': ({ name }) => ({ source: name(), target: name(1) }) },
  get_entity: { '': ({ name }) => ({ name: name() }) },
  batch_get_entities: { three: ({ name }) => ({ names: [name(), name(1), 'Ghost'] }) },
  graph_stats: { '': () => ({}) },
  search_relations: {
    'from one': ({ name }) => ({ from: name() }),
    'of a type': () => ({ relationType: 'depends on' }),
    all: () => ({}),
  },
  find_path: { 'far apart': ({ name }) => ({ from: name(), to: name(1) }) },
  find_all_paths: {
    'up to four': ({ name, relation }) => ({
      from: name(),
      to: relation.to,
      maxDepth: 4,
      maxPaths: 50,
    }),
  },
  extract_subgraph: { 'two hops': ({ name }) => ({ names: [name(), name(1)], depth: 2 }) },
  describe_entity: { '': ({ name }) => ({ name: name() }) },
  get_neighbors: { '': ({ name }) => ({ name: name() }) },
  list_entity_types: { '': () => ({}) },
  list_relation_types: { '': () => ({}) },
  export_graph: {
    json: () => ({ format: 'json' }),
    mermaid: () => ({ format: 'mermaid' }),
  },
  rename_entity: { '': ({ place, name }) => ({ entityName: name(), newName: `Named ${place}` }) },
  get_recent_changes: { 'of 20': () => ({}) },
  describe_revision: { 'the last': ({ lastRevision }) => ({ revision: lastRevision }) },
  undo_revision: { 'the last': ({ lastRevision }) => ({ revision: lastRevision }) },
  add_memory: { '': ({ place }) => ({ ...TURN, sessionId: `session ${place % 10}` }) },
  get_session_memories: { '': () => ({ sessionId: 'session 1' }) },
  query_raw_memories: {
    'all sessions': () => ({ query: 'the plan for the summer' }),
    'one session': () => ({ query: 'the plan for the summer', sessionId: 'session 1' }),
  },
  summarize_sessions: { '': () => ({}), 'nothing to do': () => ({ sessionId: 'Ghost' }) },
  get_all_summaries: { '': () => ({}) },
  query_summaries: { '': () => ({ query: 'the plan for the summer' }) },
  healthcheck: { '': () => ({}) },
  list_files: { '': () => ({}) },
  delete_all_summaries: { '': () => ({}) },
  stop_database: { '': () => ({}) },
  start_database: { '': () => ({}) },
  // Last: what it prunes, the others could have read.
  compact: { '': () => ({}) },
};

function moreAbout(name: string, targetEntity: string) {
  return {
    name,
    entityType: 'Project',
    observations: ['Is paid for by the sponsors'],
    relations: [{ targetEntity, relationType: 'supports' }],
  };
}

const TURN = {
  prompt: 'What was the plan for the summer?',
  thought: 'It was spoken of in spring.',
  response: 'To review the project with two people and to write the guide.',
};
