/** Which entity types have a colour of their own. */

const COLOURS_MAX = 8;

/** Types that have a colour keep it; others get those that are free, the most frequent first. */
export function assignColours(kept: readonly string[], byFrequency: readonly string[]): string[] {
  const fresh = byFrequency.filter((type) => !kept.includes(type));
  return [...kept, ...fresh].slice(0, COLOURS_MAX);
}
