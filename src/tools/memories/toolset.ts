import { defineToolset } from '../define.ts';
import { searchMemories } from './search-memories.ts';
import { storeMemory } from './store-memory.ts';

export const memories = defineToolset({
  name: 'memories',
  title: 'Memories',
  description: 'Single facts that stand alone, found by meaning.',
  instructions: [
    'Single facts are stored with store_memory and found with search_memories: one clear, standalone statement each, with consistent names.',
    'Search before you recommend something or ask for what you may have been told. When store_memory reports similar memories, decide whether the old one is outdated or both are true.',
  ].join('\n'),
  isDefault: false,
  tools: [storeMemory, searchMemories],
});
