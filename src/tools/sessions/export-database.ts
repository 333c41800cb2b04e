import * as z from 'zod';
import { ARCHIVE_PARTS } from '#memory/files/export-thread.ts';
import { downloadPath } from '#memory/files/file-store.ts';
import { DEFAULT_OWNER, defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { sessionFailure } from './failure.ts';

const records = () => z.number().describe('Records of this kind.');

export const exportDatabase = defineTool({
  name: 'export_database',
  title: 'Export database',
  description:
    'Write this thread to a JSONL file, which import_database reads. Leave include out for a whole backup with its history: a part of it has none.',
  effect: 'add',
  tellsContent: true,
  input: () => ({
    owner_id: ownerId(),
    include: z
      .array(z.enum(ARCHIVE_PARTS))
      .min(1)
      .max(ARCHIVE_PARTS.length)
      .optional()
      .describe('memories (turns), summaries, graph (entities, facts, relations). All by default.'),
    history: z
      .boolean()
      .default(true)
      .describe('Whether a file of everything has its history too. Ids are kept without it.'),
  }),
  output: () => ({
    file: z.string().describe('Its name in this thread.'),
    download: z.string().describe('Path on this server from which it can be fetched.'),
    sizeBytes: z.number().describe('Bytes of the file.'),
    counts: z
      .object({
        entities: records(),
        facts: records(),
        relations: records(),
        turns: records(),
        summaries: records(),
        versions: records(),
        revisions: records(),
        changes: records(),
      })
      .describe('What is in it.'),
  }),
  example: {
    input: { include: ['memories', 'summaries'] },
    output: {
      file: 'skein-20260120T100000Z-1f3a.jsonl',
      download: '/api/threads/example/files/skein-20260120T100000Z-1f3a.jsonl',
      sizeBytes: 284,
      counts: {
        entities: 0,
        facts: 0,
        relations: 0,
        turns: 0,
        summaries: 0,
        versions: 0,
        revisions: 0,
        changes: 0,
      },
    },
  },
  failureText: sessionFailure,
  async run({ include = [...ARCHIVE_PARTS], history, owner_id }, { archiving, threadId }) {
    const parts = ARCHIVE_PARTS.filter((part) => include.includes(part));
    const { file, bytes, counts } = await archiving.export({ parts, hasHistory: history });
    const owner = owner_id === DEFAULT_OWNER ? undefined : owner_id;
    const { edges, ...others } = counts;
    return {
      file,
      download: downloadPath(threadId, file, owner),
      sizeBytes: bytes,
      counts: { ...others, relations: edges },
    };
  },
});
