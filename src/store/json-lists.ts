/** Lists as parameters: SQLite binds few values, and none that is long. */
import { LIST_BYTES } from '#limits.ts';

const encoder = new TextEncoder();

/**
 * JSON arrays of the items, in their order, each of about `LIST_BYTES` at most: a list of any length by
 * several statements. An item that is longer comes alone. None for no items.
 */
export function jsonLists(items: readonly unknown[]): string[] {
  const lists: string[] = [];
  let texts: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    const size = byteLength(text) + 1;
    if (bytes + size > LIST_BYTES && texts.length > 0) {
      lists.push(`[${texts.join(',')}]`);
      texts = [];
      bytes = 0;
    }
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) lists.push(`[${texts.join(',')}]`);
  return lists;
}

/** Of a text in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
