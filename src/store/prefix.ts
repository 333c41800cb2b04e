/** Texts that begin alike, as a range of an index. */

/** Behind every text that begins with `prefix` and before all others behind it, in SQLite's binary order. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
