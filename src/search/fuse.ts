/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): joins ranked lists by position. */

export interface RankedList<Item> {
  readonly weight: number;
  /** Best first. */
  readonly items: readonly Item[];
}

/** The constant of the paper: it keeps the first few places from deciding everything. */
const RANK_OFFSET = 60;

/** Scores by key: the sum over the lists of weight / (60 + place), place counted from 1. */
export function fuse<Item, Key>(
  lists: readonly RankedList<Item>[],
  keyOf: (item: Item) => Key,
): Map<Key, number> {
  const scores = new Map<Key, number>();
  for (const { items, weight } of lists) {
    for (const [index, item] of items.entries()) {
      const key = keyOf(item);
      scores.set(key, (scores.get(key) ?? 0) + weight / (RANK_OFFSET + index + 1));
    }
  }
  return scores;
}
