import { defineToolset } from '../define.ts';
import { addMemory } from './add-memory.ts';
import { getSessionMemories } from './get-session-memories.ts';

export const sessions = defineToolset({
  name: 'sessions',
  title: 'Sessions',
  description:
    'Turns of conversations as they were, by session, with summaries. Failures are texts: `Tool Error: … Message: …`.',
  instructions: [
    'Log each turn of your conversation with add_memory: the prompt word for word, your reasoning, your answer. Keep the sessionId that the first turn returns.',
  ].join('\n'),
  isDefault: false,
  tools: [addMemory, getSessionMemories],
});
