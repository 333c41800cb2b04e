import { defineToolset } from '../define.ts';
import { addMemory } from './add-memory.ts';
import { deleteAllSummaries } from './delete-all-summaries.ts';
import { getAllSummaries } from './get-all-summaries.ts';
import { getSessionMemories } from './get-session-memories.ts';
import { healthcheck } from './healthcheck.ts';
import { listFiles } from './list-files.ts';
import { queryRawMemories } from './query-raw-memories.ts';
import { querySummaries } from './query-summaries.ts';
import { startDatabase } from './start-database.ts';
import { stopDatabase } from './stop-database.ts';
import { summarizeSessions } from './summarize-sessions.ts';
import { exportDatabase } from './export-database.ts';
import { importDatabase } from './import-database.ts';

export const sessions = defineToolset({
  name: 'sessions',
  title: 'Sessions',
  description:
    'Turns of conversations as they were, by session, with summaries. Failures are texts: `Tool Error: … Message: …`.',
  instructions: [
    'Log each turn of your conversation with add_memory: the prompt word for word, your reasoning, your answer. Keep the sessionId that the first turn returns.',
    'Before you begin, look with query_summaries what earlier sessions were about, and with query_raw_memories what was said; get_session_memories reads a session again. When a session has ended, call summarize_sessions.',
    'export_database backs this thread up as a file, import_database reads one, list_files tells which there are. An import with the mode replace can be undone as one revision.',
  ].join('\n'),
  isDefault: false,
  tools: [
    addMemory,
    getSessionMemories,
    queryRawMemories,
    summarizeSessions,
    getAllSummaries,
    querySummaries,
    deleteAllSummaries,
    healthcheck,
    stopDatabase,
    startDatabase,
    exportDatabase,
    importDatabase,
    listFiles,
  ],
});
