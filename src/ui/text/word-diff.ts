/** The difference between two short texts, word by word. */

export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this many pairs of words, both texts are shown whole instead. */
const PAIRS_MAX = 250_000;

/** The parts in reading order; what was removed comes before what took its place. */
export function diffWords(before: string, after: string): DiffPart[] {
  const left = before.split(/(?<=\s)(?=\S)/);
  const right = after.split(/(?<=\s)(?=\S)/);
  if (left.length * right.length > PAIRS_MAX) {
    return join([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]);
  }
  const lengths = commonLengths(left, right);
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const a = left[i];
    const b = right[j];
    if (a !== undefined && b !== undefined && isSame(a, b)) {
      parts.push({ kind: 'same', text: b });
      i++;
      j++;
    } else if (
      a !== undefined &&
      (b === undefined || at(lengths, i + 1, j) >= at(lengths, i, j + 1))
    ) {
      parts.push({ kind: 'removed', text: a });
      i++;
    } else if (b !== undefined) {
      parts.push({ kind: 'added', text: b });
      j++;
    }
  }
  return join(parts);
}

/** Of every pair of rests, how many words they have in common in the same order. */
function commonLengths(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () =>
    Array<number>(right.length + 1).fill(0),
  );
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = isSame(left[i] ?? '', right[j] ?? '')
        ? at(lengths, i + 1, j + 1) + 1
        : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function isSame(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd();
}

/** Neighbours of one kind become one part; white space between parts stands outside of marks. */
function join(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.kind === part.kind) {
      joined[joined.length - 1] = { kind: part.kind, text: last.text + part.text };
    } else joined.push(part);
  }
  return joined.filter(({ text }) => text !== '');
}
