import { defineToolset } from '../define.ts';
import { createNode } from './create-node.ts';
import { createRelation } from './create-relation.ts';
import { createSummaryFact } from './create-summary-fact.ts';
import { createTriplet } from './create-triplet.ts';
import { deleteNode } from './delete-node.ts';
import { deleteRelation } from './delete-relation.ts';
import { findSimilar } from './find-similar.ts';
import { getContext } from './get-context.ts';
import { getNodeChangeHistory } from './get-node-change-history.ts';
import { getNode } from './get-node.ts';
import { getStats } from './get-stats.ts';
import { getTrace } from './get-trace.ts';
import { healthCheck } from './health-check.ts';
import { markOutdated } from './mark-outdated.ts';
import { searchTriplets } from './search-triplets.ts';
import { search } from './search.ts';
import { testConnection } from './test-connection.ts';
import { updateNode } from './update-node.ts';

export const nodes = defineToolset({
  name: 'nodes',
  title: 'Nodes',
  description:
    'Facts and entities as nodes with metadata, a life time, a status and typed links; memories of several owners in one thread. Failures are `{ success: false, error, code, error_code }`.',
  instructions: [
    'Every fact and every entity is a node with an id: mem_1 is a fact that stands alone, obs_2 a fact about an entity, ent_3 an entity. All toolsets of the thread share them.',
    'State one thing in each fact, and name entities in it as they are called: it is linked to them. create_triplet relates entities by name, create_relation nodes by id; get_context shows what surrounds a node, get_trace how two hang together.',
    'Look with search before you create a node. When find_similar shows facts that contradict each other, mark_outdated the one that is no longer true: it stays readable, and include_outdated finds it. What is true for a time gets ttl_days.',
    'owner_id keeps the memories of several users or agents in one thread apart: nothing reaches from one to another. Leave it out for the memory that all toolsets share.',
  ].join('\n'),
  isDefault: false,
  tools: [
    createNode,
    getNode,
    updateNode,
    deleteNode,
    getNodeChangeHistory,
    search,
    findSimilar,
    markOutdated,
    createTriplet,
    searchTriplets,
    createRelation,
    deleteRelation,
    getContext,
    getTrace,
    createSummaryFact,
    testConnection,
    getStats,
    healthCheck,
  ],
});
