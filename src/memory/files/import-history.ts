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
import { columns, keyOfText, openKeyIndex } from './import-tables.ts';

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
  const index = openKeyIndex();
  const marks = columns.flags();
  const held = { digest: columns.ids(), line: columns.counts() };
  const state = { digest: columns.ids(), line: columns.counts() };
  let broken: number | undefined;

  const rowOf = (table: ArchiveTable, row: ArchiveRow) =>
    index.add(keyOfText(`${table} ${keyOf(table, row)}`));
  const has = (at: number, mark: number) => (marks.get(at) & mark) !== 0;
  const put = (at: number, mark: number, isSo: boolean) =>
    marks.set(at, isSo ? marks.get(at) | mark : marks.get(at) & ~mark);

  function checkEnd(at: number): void {
    const isSame =
      has(at, IS_THERE) === has(at, IS_HELD) &&
      (!has(at, IS_HELD) || held.digest.get(at) === state.digest.get(at));
    if (isSame) return;
    throw new RecordFault(
      'the history ends differently from what the file holds of this row',
      state.line.get(at),
    );
  }

  return {
    expect(table: ArchiveTable, row: ArchiveRow, line: number): void {
      const at = rowOf(table, row);
      held.digest.set(at, digestOf(table, row));
      held.line.set(at, line);
      put(at, IS_HELD, true);
    },

    add({ of, before, after }: ArchivedChange, line: number): void {
      const row = after ?? before;
      if (row === null) return;
      const at = rowOf(of, row);
      if (before && after && keyOf(of, before) !== keyOf(of, after)) broken ??= line;
      const isThere = before !== null;
      if (!has(at, IS_TOLD)) {
        if (!isThere) put(at, HAS_BEGINNING, true);
      } else if (
        has(at, IS_THERE) !== isThere ||
        (before && state.digest.get(at) !== digestOf(of, before))
      ) {
        broken ??= line;
      }
      state.digest.set(at, after ? digestOf(of, after) : 0);
      state.line.set(at, line);
      put(at, IS_TOLD, true);
      put(at, IS_THERE, after !== null);
    },

    finish(isCut: boolean): void {
      if (broken !== undefined)
        throw new RecordFault('the change before it ends differently', broken);
      for (let at = 0; at < index.size; at += 1) {
        if (!has(at, IS_TOLD)) continue;
        checkEnd(at);
        if (!isCut && !has(at, HAS_BEGINNING))
          throw new RecordFault('the history of this row has no beginning', state.line.get(at));
      }
      if (isCut) return;
      for (let at = 0; at < index.size; at += 1) {
        if (!has(at, IS_TOLD))
          throw new RecordFault('the history does not tell where it came from', held.line.get(at));
      }
    },
  };
}

/** Of a row: the file holds it; the history tells of it, from its beginning; it is there so far. */
const IS_HELD = 1;
const IS_TOLD = 2;
const HAS_BEGINNING = 4;
const IS_THERE = 8;

/** Two hashes in the 53 bits of a number. The history keeps 15 digits of a number. */
function digestOf(table: ArchiveTable, row: ArchiveRow): number {
  const cells = historyOf(table).map(({ name, derive }) => {
    const cell = derive === undefined ? row[name] : undefined;
    return typeof cell === 'number' ? Number(cell.toPrecision(15)) : cell;
  });
  const text = JSON.stringify(cells);
  return hashText(text) * 0x20_0000 + (hashText(`~${text}`) & 0x1f_ffff);
}
