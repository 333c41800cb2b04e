/** Reads a file that was written as an import would, piece by piece, and keeps none of its texts. */
import { IMPORT_BYTES_MAX, IMPORT_LINES_MAX, READ_BACK_LINES_MAX } from '#limits.ts';
import { countLines, readTexts, type ArchiveRecord, type Line } from './file-lines.ts';
import { openFaultList } from './file-faults.ts';
import { openPlanner } from './import-check.ts';
import { tryRead } from './import-staging.ts';

/**
 * Whether an import would take all of a file of `export_database`, with its history if it has one; null for
 * a file with so great a number of lines that its plan may not fit beside the thread: it is not judged.
 */
export async function isReadable(
  stream: ReadableStream<Uint8Array>,
  lines: number,
  now: number,
): Promise<boolean | null> {
  if (lines > READ_BACK_LINES_MAX) return lines > IMPORT_LINES_MAX ? false : null;
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
    if (faults.count > 0 || bytes > IMPORT_BYTES_MAX) return false;
  }
  const { hasHistory, historyFault, header } = planner.finish();
  const isWhole = header !== undefined && faults.count === 0 && historyFault === undefined;
  return isWhole && (hasHistory || (header.counts.revisions ?? 0) === 0);
}

const NEWLINE = 10;

/** The stream in pieces that end with a line. */
async function* wholeLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array();
  for await (const chunk of stream) {
    const joined = new Uint8Array(rest.length + chunk.length);
    joined.set(rest);
    joined.set(chunk, rest.length);
    const end = joined.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield joined.subarray(0, end);
    rest = joined.slice(end);
  }
  if (rest.length > 0) yield rest;
}
