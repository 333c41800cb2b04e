/** Facts of the thread that may be those of a file, as numbers: `import-matching.ts` chooses among them. */
import { columns, openNumberMap } from './import-tables.ts';

export interface Candidate {
  readonly id: number;
  readonly supersedes: number | null;
  readonly supersededBy: number | null;
}

/** How the facts that were taken are linked in the thread, by their id there. */
export interface LinkedFacts {
  has(id: number): boolean;
  get(id: number): Candidate | undefined;
}

export interface Candidates extends LinkedFacts {
  /** For a fact of the file, in the order in which they are to be tried. */
  add(fileId: number, candidate: Candidate): void;
  /** Facts of the file that have any. */
  fileIds(): Iterable<number>;
  /** Those of a fact of the file that were not taken. */
  freeOf(fileId: number): Candidate[];
  take(id: number): void;
}

export function openCandidates(): Candidates {
  /** First and last row of a fact of the file, the row of a fact of the thread, and the row after a row; each and 1. */
  const firsts = openNumberMap();
  const lasts = openNumberMap();
  const rows = openNumberMap();
  const taken = openNumberMap();
  const next = columns.counts();
  const fileId = columns.ids();
  const cells = { id: columns.ids(), supersedes: columns.ids(), supersededBy: columns.ids() };
  let size = 0;

  const read = (row: number): Candidate => ({
    id: cells.id.get(row),
    supersedes: cells.supersedes.get(row) || null,
    supersededBy: cells.supersededBy.get(row) || null,
  });

  return {
    add(of, { id, supersedes, supersededBy }) {
      const row = size;
      size += 1;
      fileId.set(row, of);
      cells.id.set(row, id);
      cells.supersedes.set(row, supersedes ?? 0);
      cells.supersededBy.set(row, supersededBy ?? 0);
      rows.set(id, row);
      const last = lasts.get(of);
      if (last === undefined) firsts.set(of, row);
      else next.set(last, row + 1);
      lasts.set(of, row);
    },
    *fileIds() {
      for (let row = 0; row < size; row += 1) {
        if (firsts.get(fileId.get(row)) === row) yield fileId.get(row);
      }
    },
    freeOf(of) {
      const free: Candidate[] = [];
      let row = firsts.get(of);
      while (row !== undefined) {
        if (!taken.has(cells.id.get(row))) free.push(read(row));
        const after = next.get(row);
        row = after === 0 ? undefined : after - 1;
      }
      return free;
    },
    take: (id) => taken.set(id, 1),
    has: (id) => taken.has(id),
    get(id) {
      const row = taken.has(id) ? rows.get(id) : undefined;
      return row === undefined ? undefined : read(row);
    },
  };
}
