/** The types of the explorer are held against the tools: each field that it sends or reads is in their schemas. */
import { expect, test } from 'vitest';
import type { ToolName, ToolWire } from '#http/wire.ts';
import { SAMPLE } from '#ui/home/sample-memory.ts';
import { findTool } from '#tools/catalog.ts';
import { PORTFOLIO } from '#tools/core/save-input.ts';

/** The compiler sees to it that these are the fields of the types, and that no tool is left out. */
const FIELDS: {
  readonly [Name in ToolName]: readonly [
    input: readonly (keyof ToolWire[Name]['input'])[],
    output: readonly (keyof ToolWire[Name]['output'])[],
  ];
} = {
  list_threads: [
    ['limit', 'cursor'],
    ['threads', 'total', 'nextCursor'],
  ],
  read_graph: [
    ['entityType', 'limit', 'cursor', 'detail', 'asOf'],
    ['entities', 'relations', 'total', 'nextCursor'],
  ],
  open_nodes: [
    ['names', 'detail', 'maxTokens', 'asOf'],
    ['entities', 'relations', 'missing', 'note'],
  ],
  get_observation_history: [
    ['entityName', 'limit'],
    ['history', 'chains'],
  ],
  search_nodes: [
    ['query', 'entityType', 'limit', 'detail', 'maxTokens', 'asOf'],
    ['entities', 'matches', 'closeness', 'note'],
  ],
  recall: [
    ['query', 'maxTokens', 'entityType', 'asOf'],
    ['text', 'ids', 'leftOut', 'note'],
  ],
  list_entities: [
    ['namePattern', 'limit'],
    ['entities', 'nextCursor'],
  ],
  list_entity_types: [[], ['types']],
  get_analytics: [
    ['limit'],
    ['recent_changes', 'top_important', 'most_connected', 'orphaned_entities', 'quality'],
  ],
  graph_stats: [[], ['entities', 'relations', 'totalObservations']],
  health_check: [[], ['storage', 'embedding_backlog']],
  save_memory: [['entities'], ['success', 'revision']],
  create_entities: [['entities'], ['skipped']],
  create_relations: [['relations'], ['relations', 'skipped']],
  add_observations: [['observations'], ['results']],
  update_observation: [
    ['entityName', 'observationId', 'newContent'],
    ['observation', 'superseded'],
  ],
  rename_entity: [
    ['entityName', 'newName'],
    ['name', 'before'],
  ],
  merge_entities: [
    ['source', 'target'],
    ['addedObservations', 'revision'],
  ],
  delete_entities: [['entityNames'], ['deletedObservations', 'revision']],
  delete_observations: [['deletions'], ['revision']],
  delete_relations: [['relations'], ['revision']],
  delete_thread: [
    ['confirm', 'delete_files'],
    ['deleted', 'backup'],
  ],
  get_recent_changes: [
    ['since', 'limit', 'cursor'],
    ['changes', 'nextCursor'],
  ],
  describe_revision: [
    ['revision', 'limit', 'cursor'],
    ['changes', 'nextCursor', 'rows', 'at'],
  ],
  undo_revision: [
    ['revision', 'cascade'],
    ['undone', 'revision'],
  ],
  get_all_summaries: [
    ['limit', 'offset'],
    ['summaries', 'nextOffset'],
  ],
  get_session_memories: [
    ['sessionId', 'limit', 'offset'],
    ['memories', 'total', 'nextOffset'],
  ],
  query_raw_memories: [['query', 'nResults'], ['results']],
  summarize_sessions: [['sessionId'], ['processed', 'remaining', 'message']],
};

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

test.each(Object.entries(FIELDS))(
  '%s takes and answers what the explorer knows of it',
  (name, [input, output]) => {
    const tool = findTool(name);
    const fieldsOf = (schema: unknown) => Object.keys((schema as ObjectSchema).properties ?? {});

    expect(fieldsOf(tool?.inputSchema)).toEqual(expect.arrayContaining([...input]));
    expect(fieldsOf(tool?.outputSchema)).toEqual(expect.arrayContaining([...output]));
  },
);

test('the sample memory is the portfolio of the specification', () => {
  expect(SAMPLE).toEqual(PORTFOLIO);
});
