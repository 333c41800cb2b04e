/**
 * FNV-1a over UTF-16 units, 32 bits (Fowler, Noll and Vo). It narrows a look-up or tells an edited
 * text; whoever needs certainty compares the texts, and it guards against nobody.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
