import * as z from 'zod';
import { toIsoTime } from '#graph/moment.ts';
import { FILES_LIMIT_DEFAULT, FILES_LIMIT_MAX } from '#limits.ts';
import { downloadPath } from '#memory/files/file-store.ts';
import { DEFAULT_OWNER, defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { note, noteOnCuts } from '../shapes.ts';
import { sessionFailure } from './failure.ts';

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'The files of this thread, newest first: what export_database wrote, and backups. import_database reads one by its name.',
  effect: 'read',
  input: () => ({
    owner_id: ownerId(),
    limit: z
      .int()
      .min(1)
      .max(FILES_LIMIT_MAX)
      .default(FILES_LIMIT_DEFAULT)
      .describe('Files, newest first.'),
  }),
  output: () => ({
    files: z
      .array(
        z.object({
          file: z.string().describe('Its name in this thread.'),
          sizeBytes: z.number().describe('Bytes of the file.'),
          writtenAt: z.string().describe('When, ISO 8601.'),
          download: z.string().describe('Path on this server from which it can be fetched.'),
        }),
      )
      .describe('Empty for a thread that has none.'),
    total: z.number().describe('Files that the thread has.'),
    note: note(),
  }),
  example: { input: {}, output: { files: [], total: 0 } },
  failureText: sessionFailure,
  async run({ limit, owner_id }, { files, threadId }) {
    const owner = owner_id === DEFAULT_OWNER ? undefined : owner_id;
    const { files: found, total } = await files.list(limit);
    return {
      files: found.map(({ name, bytes, at }) => ({
        file: name,
        sizeBytes: bytes,
        writtenAt: toIsoTime(at),
        download: downloadPath(threadId, name, owner),
      })),
      total,
      ...noteOnCuts([
        found.length < total && `The newest ${found.length} of ${total} files; limit shows more.`,
      ]),
    };
  },
});
