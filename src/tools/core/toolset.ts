import { defineToolset } from '../define.ts';
import { addObservations } from './add-observations.ts';
import { deleteEntities } from './delete-entities.ts';
import { deleteObservations } from './delete-observations.ts';
import { deleteRelations } from './delete-relations.ts';
import { findRelationPath } from './find-relation-path.ts';
import { mergeEntities } from '#tools/graph/merge-entities.ts';
import { getRecentChanges } from '#tools/threads/get-recent-changes.ts';
import { listThreads } from '#tools/threads/list-threads.ts';
import { undoRevision } from '#tools/threads/undo-revision.ts';
import { getAnalytics } from './get-analytics.ts';
import { getObservationHistory } from './get-observation-history.ts';
import { listEntities } from './list-entities.ts';
import { openNodes } from './open-nodes.ts';
import { queryNodes } from './query-nodes.ts';
import { readGraph } from './read-graph.ts';
import { recall } from './recall.ts';
import { saveMemory } from './save-memory.ts';
import { searchNodes } from './search-nodes.ts';
import { updateObservation } from './update-observation.ts';
import { validateMemory } from './validate-memory.ts';

export const core = defineToolset({
  name: 'core',
  title: 'Core',
  description: 'One atomic save with validation, versioned observations, search and analytics.',
  instructions: [
    'This server is a long-term memory: a graph of entities, facts about them (observations) and relations between them.',
    'Search before you answer from memory or ask what you may have been told: recall with the question gives you a short briefing, search_nodes the entities, open_nodes their detail.',
    'Store what will matter later: when someone says "remember", states a fact or preference about themselves or their work, or corrects an earlier one. Leave out small talk and secrets.',
    'Store with save_memory: entities with short facts, one fact each, and at least one relation per entity; relations may point to entities saved before. Reuse exact names; list_entities shows them.',
    'When a fact has changed, call update_observation instead of adding a second one: the old version stays in its history. When add_observations reports similar facts, decide whether the old one is outdated; keep both if they complement each other.',
    'A refused call changes nothing and says what to fix. When a call was a mistake, get_recent_changes finds its revision and undo_revision takes it back; when two entities are one, call merge_entities.',
  ].join('\n'),
  isDefault: true,
  unboundTools: [listThreads],
  tools: [
    saveMemory,
    validateMemory,
    addObservations,
    updateObservation,
    getObservationHistory,
    recall,
    searchNodes,
    openNodes,
    readGraph,
    queryNodes,
    listEntities,
    findRelationPath,
    getAnalytics,
    deleteEntities,
    deleteObservations,
    deleteRelations,
    mergeEntities,
    getRecentChanges,
    undoRevision,
  ],
});
