import { defineToolset } from '../define.ts';
import { listRecentMemories } from './list-recent-memories.ts';
import { searchMemories } from './search-memories.ts';
import { storeMemory } from './store-memory.ts';
import { supersedeMemory } from './supersede-memory.ts';

export const memories = defineToolset({
  name: 'memories',
  title: 'Memories',
  description:
    'Single facts that stand alone, found by meaning and replaced when they change. Failures are `{ error: { code, message } }` with `MEMORY_NOT_FOUND`, `INVALID_PARAMETER`, `STORAGE_ERROR` or `EMBEDDING_ERROR`.',
  instructions: [
    'Store with store_memory what the user asks you to remember, what you learn about people, preferences and circumstances, and what has changed. One fact each, clear and complete in itself, always with the same name for the same person; source explicit for what the user asked for or said outright.',
    'Search with search_memories before you recommend something, when the user speaks of an earlier conversation, and before you ask for what you may have been told. list_recent_memories shows what was just stored.',
    'When store_memory answers with action_required, compare each similar memory with the new one. If it is no longer true, call supersede_memory with both ids; if both are true, keep both.',
  ].join('\n'),
  isDefault: false,
  tools: [storeMemory, supersedeMemory, searchMemories, listRecentMemories],
});
