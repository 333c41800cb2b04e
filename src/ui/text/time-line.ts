/** Moments along a line of time. All times are epoch milliseconds, oldest first. */

export interface BucketRange {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
}

/** How many of the times fall into each of equal parts of the range. */
export function countBuckets(
  times: readonly number[],
  { from, to, buckets }: BucketRange,
): number[] {
  const counts = Array<number>(buckets).fill(0);
  for (const time of times) {
    const share = (time - from) / (to - from);
    const bucket = Math.min(buckets - 1, Math.max(0, Math.floor(share * buckets)));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

/** Index of the last of the times that is not after the moment; 0 where all are. */
export function indexAt(times: readonly number[], moment: number): number {
  const after = times.findIndex((time) => time > moment);
  return after < 0 ? times.length - 1 : Math.max(0, after - 1);
}

const DAY = 86_400_000;

/** Index of the nearest of the times that is at least a day away, or the last one on that side. */
export function stepDay(times: readonly number[], index: number, direction: -1 | 1): number {
  const start = times[index] ?? 0;
  const isFar = (time: number) => (time - start) * direction >= DAY;
  if (direction === 1) {
    const found = times.findIndex(isFar);
    return found < 0 ? times.length - 1 : found;
  }
  return Math.max(0, times.findLastIndex(isFar));
}
