/** Whether the history of a file fits together, and leads to what the file holds. */
import { hashText } from '#graph/text/hash.ts';
import type { ArchivedChange, ArchivedRevision } from '#store/bulk/archive-reading.ts';
import {
  historyOf,
  keyOf,
  type ArchiveRow,
  type ArchiveTable,
} from '#store/bulk/archive-tables.ts';
import { RecordFault } from './file-fields.ts';
import type { ArchiveHeader } from './file-lines.ts';

/** How a row stands at some point of the history: a digest of it, and the line that says so. */
interface Stand {
  readonly digest: number;
  readonly line: number;
}

/** Revisions rise, each has changes, and the changes follow it; none is made after `until`. Throws `RecordFault`. */
export function openOrderCheck(until: number) {
  let lastRevision = 0;
  let lastNumber = 0;
  const isEmpty = () => lastRevision > 0 && lastNumber === 0;
  return {
    addRevision({ id, at }: ArchivedRevision, header: ArchiveHeader | undefined): void {
      if (at > until) throw new RecordFault(`revision ${id} was made in the future`);
      if (id <= lastRevision) {
        throw new RecordFault(`revision ${id} does not follow ${lastRevision}`);
      }
      if (id <= (header?.forgottenTo ?? 0)) {
        throw new RecordFault(`revision ${id} is forgotten, as the header says`);
      }
      if (isEmpty()) throw new RecordFault(`revision ${lastRevision} before it has no changes`);
      lastRevision = id;
      lastNumber = 0;
    },

    addChange({ revision, number }: ArchivedChange): void {
      if (revision !== lastRevision) {
        throw new RecordFault(`it is of the revision ${revision}, but follows ${lastRevision}`);
      }
      if (number !== lastNumber + 1) {
        throw new RecordFault(`number ${number} does not follow ${lastNumber}`);
      }
      lastNumber = number;
    },

    finish(): void {
      if (!isEmpty()) return;
      throw new RecordFault(`revision ${lastRevision} has no changes: the file is cut off`);
    },
  };
}

/**
 * Goes through the history as it was made. Each change must begin where the one before it ended, and
 * the last must end at what the file holds: else undoing it would make what never was.
 */
export function openHistoryCheck() {
  const expected = new Map<string, Stand>();
  const states = new Map<string, Stand & { readonly isThere: boolean }>();
  const begun = new Set<string>();
  let broken: number | undefined;

  return {
    expect(table: ArchiveTable, row: ArchiveRow, line: number): void {
      expected.set(`${table} ${keyOf(table, row)}`, { digest: digestOf(table, row), line });
    },

    add({ of, before, after }: ArchivedChange, line: number): void {
      const row = after ?? before;
      if (row === null) return;
      const key = `${of} ${keyOf(of, row)}`;
      if (before && after && keyOf(of, before) !== keyOf(of, after)) broken ??= line;
      const state = states.get(key);
      const isThere = before !== null;
      if (state === undefined) {
        if (!isThere) begun.add(key);
      } else if (state.isThere !== isThere || (before && state.digest !== digestOf(of, before))) {
        broken ??= line;
      }
      states.set(key, { isThere: after !== null, digest: after ? digestOf(of, after) : 0, line });
    },

    finish(isCut: boolean): void {
      if (broken !== undefined)
        throw new RecordFault('the change before it ends differently', broken);
      for (const [key, { isThere, digest, line }] of states) {
        const stand = expected.get(key);
        if (isThere !== (stand !== undefined) || (stand && stand.digest !== digest)) {
          throw new RecordFault(
            `the history ends differently from what the file holds of ${key}`,
            line,
          );
        }
        if (!isCut && !begun.has(key))
          throw new RecordFault(`the history of ${key} has no beginning`, line);
      }
      if (isCut) return;
      for (const [key, { line }] of expected) {
        if (!states.has(key))
          throw new RecordFault('the history does not tell where it came from', line);
      }
    },
  };
}

/** Two hashes in the 53 bits of a number. The history keeps 15 digits of a number. */
function digestOf(table: ArchiveTable, row: ArchiveRow): number {
  const cells = historyOf(table).map(({ name, derive }) => {
    const cell = derive === undefined ? row[name] : undefined;
    return typeof cell === 'number' ? Number(cell.toPrecision(15)) : cell;
  });
  const text = JSON.stringify(cells);
  return hashText(text) * 0x20_0000 + (hashText(`~${text}`) & 0x1f_ffff);
}
