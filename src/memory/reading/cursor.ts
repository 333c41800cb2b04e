/** Page cursors: opaque to clients, and naming the node or edge after which the next page begins. */
import { MemoryError, quote } from '#errors.ts';
import type { Edge } from '#graph/edge.ts';
import type { DirectoryKey } from '#directory-store/directory.ts';

type ThreadPlace = DirectoryKey & { readonly lastChangeAt: number };

export function encodeCursor(nodeId: number): string {
  return btoa(`after:${nodeId}`).replace(/=+$/, '');
}

/** Throws `invalid_input` for anything that `encodeCursor` did not make. */
export function decodeCursor(cursor: string): number {
  const nodeId = /^after:(\d{1,15})$/.exec(decodeBase64(cursor))?.[1];
  if (nodeId !== undefined) return Number(nodeId);
  throw foreignCursor(cursor);
}

/** The type is escaped, since Base64 takes no more than Latin 1. */
export function encodeEdgeCursor({ fromId, toId, type }: Edge): string {
  return btoa(`edge:${fromId}:${toId}:${encodeURIComponent(type)}`).replace(/=+$/, '');
}

/** Throws `invalid_input` for anything that `encodeEdgeCursor` did not make. */
export function decodeEdgeCursor(cursor: string): Edge {
  const parts = /^edge:(\d{1,15}):(\d{1,15}):([\w%.!~*'()-]*)$/.exec(decodeBase64(cursor));
  const type = parts && decodeEscapes(parts[3] ?? '');
  if (typeof type !== 'string') throw foreignCursor(cursor);
  return { fromId: Number(parts?.[1]), toId: Number(parts?.[2]), type };
}

/** Escaped, as a thread's id may have letters of any script. */
export function encodeThreadCursor({ lastChangeAt, threadId, owner }: ThreadPlace): string {
  const name = `${encodeURIComponent(threadId)}:${encodeURIComponent(owner)}`;
  return btoa(`thread:${lastChangeAt}:${name}`).replace(/=+$/, '');
}

/** Throws `invalid_input` for anything that `encodeThreadCursor` did not make. */
export function decodeThreadCursor(cursor: string): ThreadPlace {
  const parts = /^thread:(-?\d{1,16}):([^:]*):([^:]*)$/.exec(decodeBase64(cursor));
  const [threadId, owner] = [decodeEscapes(parts?.[2] ?? ''), decodeEscapes(parts?.[3] ?? '')];
  if (parts === null || threadId === undefined || owner === undefined) throw foreignCursor(cursor);
  return { lastChangeAt: Number(parts[1]), threadId, owner };
}

function foreignCursor(cursor: string): MemoryError {
  return new MemoryError('invalid_input', `${quote(cursor)} is no cursor of this server.`, {
    hint: 'Pass nextCursor from the previous answer unchanged, or leave cursor out to start over.',
  });
}

function decodeEscapes(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}
