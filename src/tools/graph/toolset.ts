import { addObservations } from '#tools/core/add-observations.ts';
import { deleteEntities } from '#tools/core/delete-entities.ts';
import { deleteObservations } from '#tools/core/delete-observations.ts';
import { deleteRelations } from '#tools/core/delete-relations.ts';
import { openNodes } from '#tools/core/open-nodes.ts';
import { readGraph } from '#tools/core/read-graph.ts';
import { searchNodes } from '#tools/core/search-nodes.ts';
import { defineToolset } from '../define.ts';
import { batchGetEntities } from './batch-get-entities.ts';
import { compact } from './compact.ts';
import { createEntities } from './create-entities.ts';
import { createRelations } from './create-relations.ts';
import { describeEntity } from './describe-entity.ts';
import { exportGraph } from './export-graph.ts';
import { extractSubgraph } from './extract-subgraph.ts';
import { findAllPaths } from './find-all-paths.ts';
import { findPath } from './find-path.ts';
import { getEntity } from './get-entity.ts';
import { getNeighbors } from './get-neighbors.ts';
import { graphStats } from './graph-stats.ts';
import { listEntityTypes } from './list-entity-types.ts';
import { listRelationTypes } from './list-relation-types.ts';
import { mergeEntities } from './merge-entities.ts';
import { searchRelations } from './search-relations.ts';
import { upsertEntities } from './upsert-entities.ts';

export const graph = defineToolset({
  name: 'graph',
  title: 'Graph',
  description: 'Entities, relations and observations one by one, walks, merging and upkeep.',
  instructions: [
    'The graph tools work on the same entities, relations and facts as every other toolset of the thread. Look before you create: search_nodes, or list_entity_types and list_relation_types to reuse the types that are there.',
    'Use upsert_entities to state facts again without harm, create_relations once both ends exist, and merge_entities when two entities turn out to be one.',
    'To explore, begin with describe_entity; widen with get_neighbors or extract_subgraph; ask find_path or find_all_paths how two entities are connected. What an answer left out stands in its note.',
  ].join('\n'),
  isDefault: false,
  tools: [
    createEntities,
    createRelations,
    addObservations,
    deleteEntities,
    deleteObservations,
    deleteRelations,
    upsertEntities,
    mergeEntities,
    compact,
    readGraph,
    searchNodes,
    openNodes,
    getEntity,
    batchGetEntities,
    graphStats,
    searchRelations,
    findPath,
    findAllPaths,
    extractSubgraph,
    describeEntity,
    getNeighbors,
    listEntityTypes,
    listRelationTypes,
    exportGraph,
  ],
});
