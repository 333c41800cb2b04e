/** Reads a file that was written as an import would, piece by piece, and keeps none of its texts. */
import { BACKUP_BYTES_MAX, FILE_PIECE_BYTES, IMPORT_LINES_MAX } from '#limits.ts';
import { countLines, readTexts, type ArchiveRecord, type Line } from './file-lines.ts';
import { openFaultList } from './file-faults.ts';
import { openPlanner } from './import-check.ts';
import { tryRead } from './import-staging.ts';

/** Whether an import would take all of a backup, with its history if it has one. */
export async function isReadable(
  stream: ReadableStream<Uint8Array>,
  now: number,
): Promise<boolean> {
  const faults = openFaultList();
  const planner = openPlanner(faults, now);
  let line = 1;
  let bytes = 0;
  for await (const piece of wholeLines(stream)) {
    bytes += piece.length;
    for (const read of readTexts(piece, line)) {
      if (!('problem' in read) && read.text === '') continue;
      const record = 'problem' in read ? read : tryRead('skein', read);
      // A file of our own has no records of another server.
      planner.take(record as Line<ArchiveRecord>);
    }
    line += countLines(piece);
    const isTooLarge = bytes > BACKUP_BYTES_MAX || line - 1 > IMPORT_LINES_MAX;
    if (faults.count > 0 || isTooLarge) return false;
  }
  const { hasHistory, historyFault, header } = planner.finish();
  const isWhole = header !== undefined && faults.count === 0 && historyFault === undefined;
  return isWhole && (hasHistory || (header.counts.revisions ?? 0) === 0);
}

const NEWLINE = 10;

/** The stream in pieces that end with a line, of about `FILE_PIECE_BYTES`. */
async function* wholeLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    held.push(chunk);
    size += chunk.length;
    // Joined when there is enough, not at each chunk of a long line.
    if (size < FILE_PIECE_BYTES || !chunk.includes(NEWLINE)) continue;
    const joined = join(held, size);
    const end = joined.lastIndexOf(NEWLINE) + 1;
    yield joined.subarray(0, end);
    held = [joined.slice(end)];
    size = joined.length - end;
  }
  if (size > 0) yield join(held, size);
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const joined = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
