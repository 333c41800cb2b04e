import * as z from 'zod';
import { MemoryError } from '#errors.ts';
import { isBackup } from '#memory/files/file-store.ts';
import type { LineFault } from '#memory/files/file-faults.ts';
import { FILE_NAME_CHARS_MAX, REQUEST_BODY_BYTES_MAX } from '#limits.ts';
import { toLinePieces } from '#transfer/line-pieces.ts';
import { toRecordLines } from '#transfer/record-lines.ts';
import { defineTool } from '../define.ts';
import { describeFaults } from '../failure-text.ts';
import { ownerId } from '../params.ts';
import { sessionFailure } from './failure.ts';

const toLineFault = ({ line, problem }: LineFault) => ({ line, problem });

const added = () => z.number().describe('Of this kind.');

export const importDatabase = defineTool({
  name: 'import_database',
  title: 'Import database',
  description:
    'Read a JSONL file of export_database, a backup, a graph exported as json or jsonl, or a file of the reference memory server into this thread. The whole file is checked before anything changes. A replacing import removes what the file does not have.',
  effect: 'change',
  restores: true,
  // A backup holds what was deleted since, and what may have been for other eyes.
  effectOf: ({ mode = null, file = null }) =>
    (mode === null || mode === 'merge') && !(typeof file === 'string' && isBackup(file))
      ? 'change'
      : 'remove',
  input: () => ({
    owner_id: ownerId(),
    file: z
      .string()
      .max(FILE_NAME_CHARS_MAX)
      .optional()
      .describe(
        'Name of a file that export_database wrote in this thread, or of a backup of it, which needs memory:admin.',
      ),
    content: z
      .string()
      .max(REQUEST_BODY_BYTES_MAX)
      .optional()
      .describe('The lines themselves, in place of a file.'),
    mode: z
      .enum(['merge', 'replace'])
      .default('merge')
      .describe(
        'merge adds and takes what is newer, and lowers no status, confidence or expiry; replace makes the thread what the file is.',
      ),
    skip: z
      .boolean()
      .default(false)
      .describe('Takes what fits of a file with faults, which is otherwise refused.'),
  }),
  output: () => ({
    mode: z.enum(['merge', 'replace']).describe('As it was asked for.'),
    lines: z.number().describe('Lines read.'),
    added: z
      .object({
        entities: added(),
        facts: added(),
        relations: added(),
        turns: added(),
        summaries: added(),
      })
      .describe('What was not here.'),
    updated: z.number().describe('Nodes that were here and are different now.'),
    removed: z.number().describe('Nodes that the file does not have.'),
    historyRestored: z
      .boolean()
      .describe('Whether ids and history are those of the file, as in a thread that held nothing.'),
    leftOut: z
      .object({
        total: z.number().describe('Faults of the file.'),
        faults: z
          .array(
            z.object({
              line: z.number().nullable().describe('Line of the file; null for all of it.'),
              problem: z.string().describe('Why it does not fit.'),
            }),
          )
          .describe('The first of them.'),
      })
      .describe('What skip left out.'),
    historyFault: z
      .object({
        line: z.number().nullable().describe('Line of the file; null for all of it.'),
        problem: z.string().describe('What is wrong.'),
      })
      .nullable()
      .describe('Why the history was left out, though all else fits; null if it was not for that.'),
  }),
  example: {
    input: {
      content: [
        '{"type":"entity","name":"Ada","entityType":"Person","observations":["Likes tea"]}',
        '{"type":"entity","name":"Engine","entityType":"Machine","observations":[]}',
        '{"type":"relation","from":"Ada","to":"Engine","relationType":"describes"}',
      ].join('\n'),
    },
    output: {
      mode: 'merge',
      lines: 3,
      added: { entities: 2, facts: 1, relations: 1, turns: 0, summaries: 0 },
      updated: 0,
      removed: 0,
      historyRestored: false,
      leftOut: { total: 0, faults: [] },
      historyFault: null,
    },
  },
  // The lines are what a caller has to correct, so that all that are listed are shown.
  failureText: (error) =>
    sessionFailure(error, [describeFaults(error), error.hint ?? ''].join('\n').trim()),
  async run({ file, content, mode, skip }, { importing }) {
    if ((file === undefined) === (content === undefined)) {
      throw new MemoryError('invalid_input', 'Give either file or content.', {
        hint: 'A file is named by export_database; content is the lines themselves.',
      });
    }
    const stream =
      file === undefined ? new Blob([content ?? '']).stream() : await importing.open(file);
    const { lines, added, updated, removed, hasHistory, leftOut, historyFault } =
      await importing.run(toLinePieces(toRecordLines(stream)), { mode, skip }, file);
    return {
      mode,
      lines,
      added: { ...added },
      updated,
      removed,
      historyRestored: hasHistory,
      leftOut: { total: leftOut.total, faults: leftOut.faults.map(toLineFault) },
      historyFault: historyFault && toLineFault(historyFault),
    };
  },
});
