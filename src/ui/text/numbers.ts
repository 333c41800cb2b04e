/** Counts, sizes and words for them. */

const COUNT = new Intl.NumberFormat('en-US');

/** With a comma at the thousands. */
export function formatCount(value: number): string {
  return COUNT.format(value);
}

/** `1 fact`, `2 facts`, `1,204 entities`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return countOf(bytes, 'byte');
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}
