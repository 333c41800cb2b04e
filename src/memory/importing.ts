/**
 * Reads a file into a thread. Its lines are staged first, piece by piece and each checked by itself;
 * then the whole is checked and written in one transaction. A fault anywhere changes nothing, and
 * what was staged goes with it.
 */
import { MemoryError } from '#errors.ts';
import {
  FILE_LINE_BYTES_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_LINES_MAX,
  TRANSFER_IDLE_MS,
} from '#limits.ts';
import {
  countLines,
  detectFormat,
  faultyFile,
  faultyLine,
  readRecord,
  readTexts,
  type ArchiveRecord,
  type Line,
  type ReferenceRecord,
} from './archive-lines.ts';
import { matchNodes, type Matches } from './import-matching.ts';
import { planImport, type ImportPlan } from './import-plan.ts';
import { writeGraph, writeHistory, type ImportMode, type WriteOptions } from './import-writing.ts';
import { openReferenceReader } from './reference-records.ts';
import { requireFiles } from './files.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

/** How far the reading of a file has come. */
export interface ImportStand {
  readonly lines: number;
  readonly bytes: number;
}

export interface NodeCounts {
  readonly entities: number;
  readonly facts: number;
  readonly turns: number;
  readonly summaries: number;
}

export interface Imported extends ImportStand {
  readonly mode: ImportMode;
  /** Nodes that were not there. */
  readonly added: NodeCounts;
  /** Nodes that were there and are different now. */
  readonly updated: number;
  /** Nodes that a replacing import took away. */
  readonly removed: number;
  /** Whether the thread has the history and the ids of the file. */
  readonly hasHistory: boolean;
}

const NO_MATCHES: Matches = { ids: new Map(), facts: new Map() };

export function importUseCases(world: World, { write, restore }: Writer) {
  const { store, limits, now } = world;

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
    if (piece.length > FILE_LINE_BYTES_MAX) {
      throw faultyLine(stand.lines + 1, `a line has at most ${FILE_LINE_BYTES_MAX} bytes`);
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

  function apply(id: string, mode: ImportMode): Imported {
    const stand = store.transfers.read(id);
    const records = () => readRecords(id);
    const plan = planImport(records());
    if (stand.format === null) throw faultyFile('The file is empty.');
    const isUntouched = store.archive.isUntouched();
    const result =
      isUntouched && plan.counts.revisions > 0
        ? restoreThread(plan, mode, records)
        : write(() => writeInto(plan, mode, records, isUntouched));
    return { lines: stand.lines, bytes: stand.bytes, mode, ...result };
  }

  /** Nothing is here: the thread becomes what the other one was, with its ids and its history. */
  function restoreThread(plan: ImportPlan, mode: ImportMode, records: WriteOptions['records']) {
    const ids = new Map([...plan.nodes.keys()].map((id) => [id, id]));
    const options: WriteOptions = { plan, ids, mode, matches: NO_MATCHES, records };
    restore(() => {
      writeGraph(store.archive, options);
      writeHistory(store.archive, options);
    });
    return { added: countNodes(plan, NO_MATCHES), updated: 0, removed: 0, hasHistory: true };
  }

  function writeInto(
    plan: ImportPlan,
    mode: ImportMode,
    records: WriteOptions['records'],
    isUntouched: boolean,
  ) {
    const matches = isUntouched ? NO_MATCHES : matchNodes(store, plan, records());
    const ids = new Map(matches.ids);
    let lastId = store.archive.lastNodeId();
    for (const id of plan.nodes.keys()) {
      if (isUntouched) ids.set(id, id);
      else if (!ids.has(id)) ids.set(id, (lastId += 1));
    }
    const removed = mode === 'replace' ? removeUnmatched(matches) : 0;
    writeGraph(store.archive, { plan, matches, ids, mode, records });
    return {
      added: countNodes(plan, matches),
      updated: store.archive.countUpdated(),
      removed,
      hasHistory: false,
    };
  }

  function removeUnmatched({ ids }: Matches): number {
    const kept = new Set(ids.values());
    const gone = store.archive.allNodeIds().filter((id) => !kept.has(id));
    store.archive.removeNodes(gone);
    return gone.length;
  }

  return {
    /** Adds whole lines to a file that is being read. A fault in them drops all of it. */
    stage(id: string, piece: Uint8Array): ImportStand {
      try {
        return stage(id, piece);
      } catch (error) {
        drop(id);
        throw error;
      }
    },

    /** Writes what was staged, or changes nothing; what was staged is gone then. */
    apply(id: string, mode: ImportMode): Imported {
      try {
        return apply(id, mode);
      } finally {
        drop(id);
      }
    },

    drop,

    /** All of it: `pieces` are whole lines. */
    async run(pieces: AsyncIterable<Uint8Array>, mode: ImportMode): Promise<Imported> {
      const id = crypto.randomUUID();
      try {
        for await (const piece of pieces) stage(id, piece);
        return apply(id, mode);
      } finally {
        drop(id);
      }
    },

    /** A file that `export_database` has written. Throws `not_found`. */
    async open(file: string): Promise<ReadableStream<Uint8Array>> {
      const stream = await requireFiles(world).read(file);
      if (stream !== undefined) return stream;
      throw new MemoryError('not_found', `This thread has no file '${file.slice(0, 80)}'.`, {
        hint: 'export_database names the files that it writes; or give the lines as content.',
      });
    },
  };
}

function countNodes({ nodes }: ImportPlan, { ids }: Matches): NodeCounts {
  const counts = { entity: 0, fact: 0, turn: 0, summary: 0 };
  for (const [id, { kind }] of nodes) if (!ids.has(id)) counts[kind] += 1;
  return {
    entities: counts.entity,
    facts: counts.fact,
    turns: counts.turn,
    summaries: counts.summary,
  };
}

function tooLarge(): MemoryError {
  return new MemoryError(
    'limit_exceeded',
    `An import takes at most ${IMPORT_BYTES_MAX / 1024 / 1024} MiB and ${IMPORT_LINES_MAX} lines.`,
    { hint: 'Nothing was changed. Leave the history out of the file, or split it into several.' },
  );
}
