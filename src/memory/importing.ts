/**
 * Reads a file into a thread. Its lines are staged first, piece by piece and each checked by itself;
 * then the whole is checked and written in one transaction. A fault anywhere changes nothing, and
 * what was staged goes with it.
 */
import { MemoryError } from '#errors.ts';
import { faultyFile } from './archive-lines.ts';
import { nameNewestFiles, requireFiles } from './files.ts';
import { graphImport, type NodeCounts } from './import-graph.ts';
import { planImport } from './import-plan.ts';
import { stagedFiles, type ImportStand } from './import-staging.ts';
import type { ImportMode } from './import-writing.ts';
import type { World } from './world.ts';
import type { Writer } from './writing.ts';

export type { ImportStand };

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

export function importUseCases(world: World, { write, restore }: Writer) {
  const { store } = world;
  const { stage, drop, readRecords } = stagedFiles(world);
  const graph = graphImport(world);

  function apply(id: string, mode: ImportMode): Imported {
    const stand = store.transfers.read(id);
    const records = () => readRecords(id);
    const plan = planImport(records());
    if (stand.format === null) throw faultyFile('The file is empty.');
    const isUntouched = store.archive.isUntouched();
    const result =
      isUntouched && plan.counts.revisions > 0
        ? restore(() => graph.restore(plan, mode, records))
        : write(() => graph.write(plan, mode, records, isUntouched));
    return { lines: stand.lines, bytes: stand.bytes, mode, ...result };
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

    /** A file that the thread has written. Throws `not_found`, which names those that there are. */
    async open(file: string): Promise<ReadableStream<Uint8Array>> {
      const files = requireFiles(world);
      const stream = await files.read(file);
      if (stream !== undefined) return stream;
      throw new MemoryError('not_found', `This thread has no file '${file.slice(0, 80)}'.`, {
        hint: `${await nameNewestFiles(files)} Or give the lines as content.`,
      });
    },
  };
}
