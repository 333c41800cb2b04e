import { defineToolset } from '../define.ts';
import { exportDatabase } from './export-database.ts';
import { importDatabase } from './import-database.ts';

export const sessions = defineToolset({
  name: 'sessions',
  title: 'Sessions',
  description: 'Turns of conversations, their summaries, and the thread as a file.',
  instructions:
    'export_database backs this thread up as a file, import_database reads one. An import with the mode replace can be undone as one revision.',
  isDefault: false,
  tools: [exportDatabase, importDatabase],
});
