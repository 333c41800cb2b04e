/**
 * Reads a file into a thread. Its lines are staged first, piece by piece; then all of them are
 * checked and written in one transaction. A fault anywhere changes nothing, unless the import is to
 * skip what does not fit; what was staged is gone afterwards.
 */
import { MemoryError } from '#errors.ts';
import { BACKUP_BYTES_MAX, IMPORT_BYTES_MAX } from '#limits.ts';
import type { ArchiveRecord, Line } from './file-lines.ts';
import {
  faultyFile,
  openFaultList,
  refuseFile,
  type FaultList,
  type LeftOut,
  type LineFault,
} from './file-faults.ts';
import { isBackup, nameNewestFiles, requireFiles } from './file-store.ts';
import { graphImport, type AddedCounts } from './import-graph.ts';
import { planImport } from './import-check.ts';
import type { ReadLine } from './file-lines.ts';
import { stagedFiles, type ImportStand } from './import-staging.ts';
import type { ImportMode, RecordReader } from './import-apply.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export type { ImportStand };

export interface Imported extends ImportStand {
  readonly mode: ImportMode;
  /** Nodes and relations that were not there. */
  readonly added: AddedCounts;
  /** Nodes that were there and are different now. */
  readonly updated: number;
  /** Nodes that a replacing import took away. */
  readonly removed: number;
  /** Whether the thread has the history and the ids of the file. */
  readonly hasHistory: boolean;
  /** Nothing unless the import was to skip what does not fit. */
  readonly leftOut: LeftOut;
  /** Why the history of the file was left out, where something is wrong with that alone; null otherwise. */
  readonly historyFault: LineFault | null;
}

export interface ImportOptions {
  readonly mode: ImportMode;
  /** Takes what fits, where a file with a fault is otherwise refused. */
  readonly skip: boolean;
}

export function importUseCases(world: World, { write, restore }: Writer) {
  const { store } = world;
  const { stage, drop, openRecords } = stagedFiles(world);
  const graph = graphImport(world);

  function apply(id: string, options: ImportOptions): Imported {
    const stand = store.transfers.read(id);
    if (stand.format === null) throw faultyFile('The file is empty.');
    const { mode, skip } = options;
    const faults = openFaultList();
    const staged = openRecords(id);
    const plan = planImport(staged.all(), faults, world.now);
    if (!skip) refuseFile(faults);
    const records: RecordReader = (...types) => withoutFaults(staged.of(types), faults);
    const isUntouched = store.archive.isUntouched();
    const result =
      isUntouched && plan.hasHistory
        ? restore(() => graph.restore(plan, mode, records))
        : write(() => graph.write(plan, mode, records, isUntouched));
    const leftOut = { total: faults.count, faults: faults.listed() };
    const historyFault = plan.historyFault ?? null;
    return { lines: stand.lines, bytes: stand.bytes, mode, ...result, leftOut, historyFault };
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
    apply(id: string, options: ImportOptions): Imported {
      try {
        return apply(id, options);
      } finally {
        drop(id);
      }
    },

    drop,

    /** All of it: `pieces` are whole lines, those of a backup if it is named. */
    async run(
      pieces: AsyncIterable<Uint8Array>,
      options: ImportOptions,
      file?: string,
    ): Promise<Imported> {
      const id = crypto.randomUUID();
      const bytesMax = file !== undefined && isBackup(file) ? BACKUP_BYTES_MAX : IMPORT_BYTES_MAX;
      try {
        for await (const piece of pieces) stage(id, piece, bytesMax);
        return apply(id, options);
      } finally {
        drop(id);
      }
    },

    /** A file that the thread has written. Throws `not_found`, which names those that there are. */
    async open(file: string): Promise<ReadableStream<Uint8Array>> {
      const files = requireFiles(world);
      const isAdmin = world.caller.seesBackups === true;
      const stream = await files.read(file, isAdmin);
      if (stream !== undefined) return stream;
      throw new MemoryError('not_found', `This thread has no file '${file.slice(0, 80)}'.`, {
        hint: `${await nameNewestFiles(files, isAdmin)} Or give the lines as content.`,
      });
    },
  };
}

/** What the plan has: nothing of a line that was left out. */
function* withoutFaults(
  records: Iterable<ReadLine>,
  { left }: FaultList,
): Generator<Line<ArchiveRecord>> {
  for (const read of records) if (!('problem' in read) && !left.has(read.line)) yield read;
}
