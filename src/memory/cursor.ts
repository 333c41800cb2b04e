/** Page cursors: opaque to clients, and naming the node after which the next page begins. */
import { MemoryError, quote } from '#errors.ts';

export function encodeCursor(nodeId: number): string {
  return btoa(`after:${nodeId}`).replace(/=+$/, '');
}

/** Throws `invalid_input` for anything that `encodeCursor` did not make. */
export function decodeCursor(cursor: string): number {
  const nodeId = /^after:(\d{1,15})$/.exec(decodeBase64(cursor))?.[1];
  if (nodeId !== undefined) return Number(nodeId);
  throw new MemoryError('invalid_input', `${quote(cursor)} is no cursor of this server.`, {
    hint: 'Pass nextCursor from the previous answer unchanged, or leave cursor out to start over.',
  });
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}
