/** Holds the lines of a file that comes in pieces, each line checked by itself as soon as it is there. */
import { MemoryError } from '#errors.ts';
import { ROW_BYTES_MAX, IMPORT_BYTES_MAX, IMPORT_LINES_MAX, TRANSFER_IDLE_MS } from '#limits.ts';
import {
  countLines,
  detectFormat,
  faultyLine,
  readRecord,
  readTexts,
  type ArchiveRecord,
  type Line,
  type ReferenceRecord,
} from './archive-lines.ts';
import { openReferenceReader } from './reference-records.ts';
import type { World } from './world.ts';

/** How far the reading of a file has come. */
export interface ImportStand {
  readonly lines: number;
  readonly bytes: number;
}

export function stagedFiles({ store, limits, now }: World) {
  function* readLines(id: string): Generator<Line<ArchiveRecord | ReferenceRecord>> {
    const { format } = store.transfers.read(id);
    if (format === null) return;
    let firstLine = 1;
    for (const piece of store.transfers.pieces(id)) {
      for (const { line, text } of readTexts(piece, firstLine)) {
        if (text !== '') yield { line, record: readRecord(format, line, text) };
      }
      firstLine += countLines(piece);
    }
  }

  function* readRecords(id: string): Generator<Line<ArchiveRecord>> {
    const readReference = openReferenceReader(limits, now);
    for (const { line, record } of readLines(id)) {
      if (record.type === 'reference entity' || record.type === 'reference relation') {
        yield* readReference({ line, record });
      } else yield { line, record };
    }
  }

  function stage(id: string, piece: Uint8Array): ImportStand {
    const stand = store.transfers.read(id);
    const bytes = stand.bytes + piece.length;
    const lines = stand.lines + countLines(piece);
    if (piece.length > ROW_BYTES_MAX) {
      throw faultyLine(stand.lines + 1, `a line has at most ${ROW_BYTES_MAX} bytes`);
    }
    if (bytes > IMPORT_BYTES_MAX || lines > IMPORT_LINES_MAX) throw tooLarge();
    let { format } = stand;
    for (const { line, text } of readTexts(piece, stand.lines + 1)) {
      if (text === '') continue;
      format ??= detectFormat(line, text);
      readRecord(format, line, text);
    }
    store.transaction(() => {
      if (stand.lines === 0) store.transfers.dropUntouched(now - TRANSFER_IDLE_MS);
      store.transfers.append(id, piece, { lines, bytes, format }, now);
    });
    return { lines, bytes };
  }

  function drop(id: string): void {
    store.transaction(() => store.transfers.drop(id));
  }

  return { stage, drop, readRecords };
}

function tooLarge(): MemoryError {
  return new MemoryError(
    'limit_exceeded',
    `An import takes at most ${IMPORT_BYTES_MAX / 1024 / 1024} MiB and ${IMPORT_LINES_MAX} lines.`,
    { hint: 'Nothing was changed. Leave the history out of the file, or split it into several.' },
  );
}
