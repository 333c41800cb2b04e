/** Calls that are made to be slow, on the thread of `worst.bench.ts`. */
import { COMMON_WORD } from '../support/invented-thread.ts';
import type { WriteInput } from './tool-inputs.ts';

/** Entities of which each is related to many of the others. */
export const DENSE = { entities: 300, relations: 60 };
/** The entity that thousands of others are related to. */
export const HUB = { place: 0, relations: 10_000 };

const QUERIES: Readonly<Record<string, string>> = {
  'one letter 2,000 times': 'a'.repeat(2_000),
  'one letter 60 times': 'a'.repeat(60),
  'forty short runs of it': Array.from({ length: 40 }, (_, index) => 'a'.repeat(4 + index)).join(
    ' ',
  ),
  'two letters in turn': 'ab'.repeat(1_000),
  'a common word 250 times': `${COMMON_WORD} `.repeat(250).trim(),
  'one letter': 'a',
};

/** As many facts as one entity of a call may have, each of another length. */
function facts(about: string): string[] {
  return Array.from({ length: 100 }, (_, index) => `${about} has the property ${index * 7_919}`);
}

/** As many entities as one call may have, each with the most facts and a relation to the target. */
function crowd(name: string, target = '') {
  return facts(name).map((entityName) => ({
    name: entityName,
    entityType: 'Project',
    observations: facts(entityName.slice(0, 40)),
    relations: [{ targetEntity: target, relationType: 'supports' }],
  }));
}

/** Each query as the input of a search. */
function searches(more: Record<string, unknown> = {}): Readonly<Record<string, WriteInput>> {
  return Object.fromEntries(
    Object.entries(QUERIES).map(([name, query]) => [name, () => ({ query, ...more })]),
  );
}

/** `hub` and `dense` are names of entities, `ids` of the same; the calls that write come last. */
export function worstInputs(names: {
  readonly hub: string;
  readonly dense: readonly string[];
  readonly hubId: string;
  readonly denseIds: readonly string[];
}): Readonly<Record<string, Readonly<Record<string, WriteInput>>>> {
  const { hub, dense, hubId, denseIds } = names;
  const [first = '', second = ''] = dense;
  const [firstId = '', secondId = ''] = denseIds;
  return {
    recall: searches({ maxTokens: 8_000 }),
    search_nodes: searches({ limit: 100, maxTokens: 12_000 }),
    search_memories: searches({ limit: 20 }),
    search: searches({ limit: 100, include_outdated: true }),
    query_raw_memories: searches(),
    query_summaries: searches(),
    read_graph: {
      'the first 1,000': () => ({ limit: 1_000 }),
      'far behind': () => ({ limit: 1_000, offset: 49_000 }),
    },
    list_entities: {
      'a part of most names': () => ({ namePattern: 'a', limit: 1_000 }),
      'a part of no name': () => ({ namePattern: 'q7q', limit: 1_000 }),
      'far behind': () => ({ namePattern: 'a', offset: 40_000 }),
    },
    query_nodes: { 'all of them': () => ({ importanceMin: 0, limit: 1_000 }) },
    open_nodes: { 'a hundred': () => ({ names: dense.slice(0, 100), maxTokens: 12_000 }) },
    get_analytics: { 'the most': () => ({ limit: 100 }) },
    find_relation_path: { 'deep, into the crowd': () => ({ from: hub, to: first, maxDepth: 16 }) },
    find_path: { 'deep, none': ({ name }) => ({ from: `${name()}`, to: first, maxDepth: 16 }) },
    find_all_paths: {
      'in the dense part': () => ({ from: first, to: second, maxDepth: 16, maxPaths: 200 }),
      'from the dense part to the crowd': () => ({
        from: first,
        to: hub,
        maxDepth: 16,
        maxPaths: 200,
      }),
    },
    extract_subgraph: {
      'of the crowd': () => ({ names: [hub, first], depth: 3 }),
      'of a hundred': () => ({ names: dense.slice(0, 100), depth: 3 }),
    },
    get_neighbors: { 'of the crowd': () => ({ name: hub, depth: 3 }) },
    describe_entity: { 'the crowd': () => ({ name: hub, maxTokens: 12_000 }) },
    get_entity: { 'the crowd': () => ({ name: hub }) },
    get_context: { 'of the crowd': () => ({ node_id: hubId, depth: 3, max_nodes: 50 }) },
    get_trace: {
      'in the dense part': () => ({ from_id: firstId, to_id: secondId }),
      'to the crowd': () => ({ from_id: firstId, to_id: hubId }),
    },
    search_relations: { 'the first 1,000': () => ({ limit: 1_000 }) },
    search_triplets: { 'of the crowd': () => ({ object_value: hub }) },
    export_graph: {
      json: () => ({ format: 'json' }),
      graphml: () => ({ format: 'graphml' }),
    },
    get_recent_changes: { 'a hundred': () => ({ limit: 100 }) },
    get_session_memories: { 'long turns': () => ({ sessionId: 'letters' }) },
    summarize_sessions: { 'of 200 long turns': () => ({}) },
    save_memory: {
      'the most': ({ place }) => ({ entities: crowd(`Saved ${place}`, hub) }),
      'the most, all refused': ({ place }) => ({ entities: crowd(`Saved ${place}`, `No ${hub}`) }),
    },
    validate_memory: { 'the most': ({ place }) => ({ entities: crowd(`New ${place}`, hub) }) },
    create_entities: {
      'the most': ({ place }) => ({
        entities: crowd(`Made ${place}`).map(({ relations: _, ...entity }) => entity),
      }),
    },
    add_observations: {
      'the most': () => ({
        observations: dense.slice(0, 100).map((entityName, index) => ({
          entityName,
          contents: facts(`Added ${index}`),
        })),
      }),
    },
    batch_get_entities: { 'a hundred': () => ({ names: dense.slice(0, 100) }) },
    update_node: { 'the crowd is archived': () => ({ node_id: hubId, status: 'archived' }) },
    import_database: {
      'much text': ({ place }) => ({
        content: crowd(`Imported ${place}`)
          .map(({ relations: _, ...entity }) => JSON.stringify({ type: 'entity', ...entity }))
          .join('\n'),
      }),
    },
    rename_entity: { 'the crowd': () => ({ entityName: hub, newName: 'The crowd' }) },
    merge_entities: { 'in the dense part': () => ({ source: first, target: second }) },
    delete_entities: {
      'a hundred of the dense part': () => ({ entityNames: dense.slice(2, 102) }),
    },
    delete_node: { 'the crowd': () => ({ node_id: hubId }) },
    undo_revision: { 'that deletion': ({ lastRevision }) => ({ revision: lastRevision }) },
    compact: { '': () => ({}), 'all history': () => ({ olderThanDays: 0, dropSuperseded: true }) },
  };
}
