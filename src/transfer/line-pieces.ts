/** Cuts a stream of bytes into pieces of whole lines, holding one piece and the beginning of the next. */
import type { MemoryError } from '#errors.ts';
import { ROW_BYTES_MAX, FILE_PIECE_BYTES } from '#limits.ts';
import { faultyLine } from '#memory/files/file-faults.ts';

const NEWLINE = 10;

/** Each piece is whole lines of some megabyte. Throws for a line that is too long, before holding all of it. */
export async function* toLinePieces(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = [];
  let size = 0;
  let lines = 0;

  function take(end: number): Uint8Array {
    const all = new Uint8Array(size);
    let offset = 0;
    for (const part of held) {
      all.set(part, offset);
      offset += part.length;
    }
    held = end < size ? [all.slice(end)] : [];
    size -= end;
    return all.subarray(0, end);
  }

  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += FILE_PIECE_BYTES) {
      const part = chunk.subarray(start, start + FILE_PIECE_BYTES);
      const last = part.lastIndexOf(NEWLINE);
      held.push(part);
      size += part.length;
      if (size >= FILE_PIECE_BYTES && last !== -1) {
        const piece = take(size - part.length + last + 1);
        lines += countNewlines(piece);
        yield* splitPiece(piece);
      }
      if (size > ROW_BYTES_MAX + FILE_PIECE_BYTES) throw tooLong(lines + 1);
    }
  }
  if (size > 0) yield* splitPiece(take(size));
}

/** A piece may be a long line after many short ones: then it goes in two. */
function* splitPiece(piece: Uint8Array): Generator<Uint8Array, void, undefined> {
  let rest = piece;
  while (rest.length > ROW_BYTES_MAX) {
    const cut = rest.subarray(0, ROW_BYTES_MAX).lastIndexOf(NEWLINE) + 1;
    // A line that fits no piece is refused by who reads it, who knows its number.
    const end = cut > 0 ? cut : endOfLine(rest);
    yield rest.subarray(0, end);
    rest = rest.subarray(end);
  }
  if (rest.length > 0) yield rest;
}

function endOfLine(bytes: Uint8Array): number {
  const found = bytes.indexOf(NEWLINE);
  return found === -1 ? bytes.length : found + 1;
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function tooLong(line: number): MemoryError {
  return faultyLine(line, `a line has at most ${ROW_BYTES_MAX} bytes`);
}
