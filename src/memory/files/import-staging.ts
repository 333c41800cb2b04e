/** Holds the lines of a file that comes in pieces, and reads them as often as an import needs. */
import { MemoryError } from '#errors.ts';
import {
  IMPORT_BYTES_MAX,
  IMPORT_LINES_MAX,
  IMPORT_PAUSE_MS_MAX,
  IMPORTS_STAGED_MAX,
  ROW_BYTES_MAX,
  TRANSFER_IDLE_MS,
} from '#limits.ts';
import type { FileFormat } from '#store/bulk/transfers.ts';
import { RecordFault } from './file-fields.ts';
import {
  countLines,
  detectFormat,
  readRecord,
  readTexts,
  type ArchiveRecord,
  type ReadLine,
  type Line,
  type ReferenceRecord,
} from './file-lines.ts';
import { faultyLine, type LineFault } from './file-faults.ts';
import { openReferenceReader } from './reference-format.ts';
import type { World } from '#memory/world.ts';

/** How far the reading of a file has come. */
export interface ImportStand {
  readonly lines: number;
  readonly bytes: number;
}

/** What a pass over a file is for. */
export type RecordType = ArchiveRecord['type'];

export interface StagedRecords {
  /** Everything that was staged, in its order, the same each time. */
  all(): Generator<ReadLine>;
  /**
   * After `all` was read to its end: at least all records of some types. A piece of the file in which it had
   * none of them is not read again, and most pieces have records of one type.
   */
  of(types: readonly RecordType[]): Generator<ReadLine>;
}

/** Opens the records of files that were staged. */
function recordReader({ store, limits, now }: World) {
  /** `types` is told which each piece has; `isWanted` says of which pieces to read the lines. */
  function* readLines(
    id: string,
    format: FileFormat,
    types: PieceTypes,
    isWanted: (number: number) => boolean,
  ): Generator<Line<ArchiveRecord | ReferenceRecord> | LineFault> {
    let firstLine = 1;
    for (let number = 1; ; number += 1) {
      const known = types.get(number);
      if (known !== undefined && !isWanted(number)) {
        firstLine += known.lines;
        continue;
      }
      const piece = store.transfers.piece(id, number);
      if (piece === undefined) return;
      const found = new Set<string>();
      for (const read of readTexts(piece, firstLine)) {
        const record = 'problem' in read || read.text === '' ? undefined : tryRead(format, read);
        if ('problem' in read) yield read;
        if (record === undefined) continue;
        if ('record' in record) found.add(record.record.type);
        yield record;
      }
      const lines = countLines(piece);
      types.set(number, { types: found, lines });
      firstLine += lines;
    }
  }

  function openRecords(id: string): StagedRecords {
    const { format } = store.transfers.read(id);
    const pieces: PieceTypes = new Map();

    function* read(isWanted: (number: number) => boolean): Generator<ReadLine> {
      if (format === null) return;
      const readReference = openReferenceReader(limits, now);
      for (const line of readLines(id, format, pieces, isWanted)) {
        if ('problem' in line) yield line;
        else if (isReference(line)) yield* readReference(line);
        else yield line as Line<ArchiveRecord>;
      }
    }

    return {
      all: () => read(() => true),
      // What a record of another server makes follows from those before it.
      of: (wanted) =>
        read(
          (number) =>
            format === 'reference' ||
            wanted.some((type) => pieces.get(number)?.types.has(type) === true),
        ),
    };
  }

  return openRecords;
}

export function stagedFiles(world: World) {
  const { store, now } = world;

  /** Throws for what cannot be read at all; the other lines are checked when all are there. */
  function stage(id: string, piece: Uint8Array, bytesMax = IMPORT_BYTES_MAX): ImportStand {
    const stand = store.transfers.read(id);
    const bytes = stand.bytes + piece.length;
    const lines = stand.lines + countLines(piece);
    if (piece.length > ROW_BYTES_MAX) {
      throw faultyLine(stand.lines + 1, `a line has at most ${ROW_BYTES_MAX} bytes`);
    }
    if (bytes > bytesMax || lines > IMPORT_LINES_MAX) throw tooLarge(bytesMax);
    const format = stand.format ?? findFormat(piece, stand.lines + 1);
    store.transaction(() => {
      if (stand.format === null) makeRoom(id);
      store.transfers.append(id, piece, { lines, bytes, format }, now);
    });
    return { lines, bytes };
  }

  /** Throws `limit_exceeded` while others are being imported. */
  function makeRoom(id: string): void {
    store.transfers.dropUntouched(now - TRANSFER_IDLE_MS);
    if (store.transfers.countImports(id) < IMPORTS_STAGED_MAX) return;
    store.transfers.dropUntouched(now - IMPORT_PAUSE_MS_MAX);
    if (store.transfers.countImports(id) < IMPORTS_STAGED_MAX) return;
    throw new MemoryError(
      'limit_exceeded',
      `${IMPORTS_STAGED_MAX} files are being imported into this thread already.`,
      { hint: 'Nothing was changed. Send this one when they are done.' },
    );
  }

  function drop(id: string): void {
    store.transaction(() => store.transfers.drop(id));
  }

  return { stage, drop, openRecords: recordReader(world) };
}

/** By the number of a piece, from 1. */
type PieceTypes = Map<number, { readonly types: ReadonlySet<string>; readonly lines: number }>;

function isReference(read: Line<ArchiveRecord | ReferenceRecord>): read is Line<ReferenceRecord> {
  return read.record.type === 'reference entity' || read.record.type === 'reference relation';
}

/** The record of a line, or what is wrong with it. */
export function tryRead(
  format: FileFormat,
  { line, text }: { readonly line: number; readonly text: string },
): Line<ArchiveRecord | ReferenceRecord> | LineFault {
  try {
    return { line, record: readRecord(format, text) };
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    return { line, problem: error.message, isHistory: error.isHistory };
  }
}

/** By the first line that is not empty; null while there is none. */
function findFormat(piece: Uint8Array, firstLine: number): FileFormat | null {
  for (const read of readTexts(piece, firstLine)) {
    if ('problem' in read) throw faultyLine(read.line ?? firstLine, read.problem);
    if (read.text === '') continue;
    try {
      return detectFormat(read.text);
    } catch (error) {
      if (error instanceof RecordFault) throw faultyLine(read.line, error.message);
      throw error;
    }
  }
  return null;
}

function tooLarge(bytesMax: number): MemoryError {
  return new MemoryError(
    'limit_exceeded',
    `An import takes at most ${bytesMax / 1024 / 1024} MiB and ${IMPORT_LINES_MAX} lines.`,
    { hint: 'Nothing was changed. Leave the history out of the file, or split it into several.' },
  );
}
