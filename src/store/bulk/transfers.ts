/** Files on their way out or in, in pieces: few rows, so that staging a file costs next to nothing. */
import type { Sql } from '#store/sql.ts';

/** How the lines of a file that is read are to be understood. */
export type FileFormat = 'skein' | 'reference';

export interface Transfer {
  readonly lines: number;
  readonly bytes: number;
  /** Null before the first line that is not empty, and for a file that is written. */
  readonly format: FileFormat | null;
}

const NONE: Transfer = { lines: 0, bytes: 0, format: null };

export function transferStore(sql: Sql) {
  /** From 1; undefined beyond the last one. */
  function read(id: string, number: number): Uint8Array | undefined {
    const row = sql.first<{ content: ArrayBuffer }>(
      'SELECT content FROM transfer_piece WHERE transfer_id = ? AND number = ?',
      id,
      number,
    );
    return row && new Uint8Array(row.content);
  }

  return {
    /** As nothing has been added to it yet, for one that is not there. */
    read(id: string): Transfer {
      return (
        sql.first<{ lines: number; bytes: number; format: FileFormat | null }>(
          'SELECT lines, bytes, format FROM transfer WHERE id = ?',
          id,
        ) ?? NONE
      );
    },

    /** Adds a piece of whole lines, and tells how the file stands then. */
    append(id: string, piece: Uint8Array, stand: Transfer, at: number): void {
      sql.run(
        /* sql */ `
        INSERT INTO transfer (id, touched_at, format, lines, bytes) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (id) DO UPDATE SET touched_at = ?2, format = ?3, lines = ?4, bytes = ?5`,
        id,
        at,
        stand.format,
        stand.lines,
        stand.bytes,
      );
      sql.run(
        /* sql */ `
        INSERT INTO transfer_piece (transfer_id, number, content)
        SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM transfer_piece WHERE transfer_id = ?1`,
        id,
        piece.slice().buffer,
      );
    },

    piece: read,

    /** In their order, one in memory at a time. */
    *pieces(id: string): Generator<Uint8Array, void, undefined> {
      for (let number = 1; ; number += 1) {
        const piece = read(id, number);
        if (piece === undefined) return;
        yield piece;
      }
    },

    drop(id: string): void {
      sql.run('DELETE FROM transfer_piece WHERE transfer_id = ?', id);
      sql.run('DELETE FROM transfer WHERE id = ?', id);
    },

    /** Drops those that nothing was added to after a time. */
    dropUntouched(since: number): void {
      sql.run(
        'DELETE FROM transfer_piece WHERE transfer_id IN (SELECT id FROM transfer WHERE touched_at <= ?)',
        since,
      );
      sql.run('DELETE FROM transfer WHERE touched_at <= ?', since);
    },

    /** Of all files together. Reads a row of each. */
    bytes(): number {
      return (
        sql.first<{ bytes: number }>('SELECT coalesce(sum(bytes), 0) AS bytes FROM transfer')
          ?.bytes ?? 0
      );
    },

    /** Files on their way in, without one of them. */
    countImports(exceptId: string): number {
      const found = sql.first<{ n: number }>(
        'SELECT count(*) AS n FROM transfer WHERE format IS NOT NULL AND id <> ?',
        exceptId,
      );
      return found?.n ?? 0;
    },

    /** When the one that waits longest was last added to; undefined when there is none. */
    oldestTouch(): number | undefined {
      return (
        sql.first<{ at: number | null }>('SELECT min(touched_at) AS at FROM transfer')?.at ??
        undefined
      );
    },
  };
}
