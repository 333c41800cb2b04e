/** What the tools receive that are about all threads of a subject. */
import type { DirectoryEntry, DirectoryStore, ThreadScope } from '#directory-store/directory.ts';
import { decodeThreadCursor, encodeThreadCursor } from '#memory/reading/cursor.ts';

export interface ThreadPage {
  readonly threads: readonly DirectoryEntry[];
  /** On all pages together. */
  readonly total: number;
  readonly nextCursor: string | null;
}

export interface ThreadDirectory {
  /** Changed last first. Throws `invalid_input` for a cursor of another list. */
  list(request: { limit: number; cursor?: string | undefined }): ThreadPage;
}

/** What a thread says of itself, within what can be: no thread spoils the list of all. */
export function clampEntry(entry: DirectoryEntry, now: number): DirectoryEntry {
  const within = (value: number, max: number) =>
    Number.isFinite(value) ? Math.trunc(Math.min(Math.max(value, 0), max)) : 0;
  return {
    threadId: entry.threadId,
    owner: entry.owner,
    entities: within(entry.entities, COUNT_MAX),
    observations: within(entry.observations, COUNT_MAX),
    relations: within(entry.relations, COUNT_MAX),
    firstChangeAt: within(entry.firstChangeAt, now),
    lastChangeAt: within(entry.lastChangeAt, now),
  };
}

const COUNT_MAX = 1_000_000_000_000;

/** Of the threads in `scope`: of others it tells nothing, and counts none. */
export function openDirectory(store: DirectoryStore, scope: ThreadScope): ThreadDirectory {
  return {
    list({ limit, cursor }) {
      const after = cursor === undefined ? undefined : decodeThreadCursor(cursor);
      const found = store.list(scope, after, limit + 1);
      const threads = found.slice(0, limit);
      const last = threads.at(-1);
      return {
        threads,
        total: store.count(scope),
        nextCursor: last && threads.length < found.length ? encodeThreadCursor(last) : null,
      };
    },
  };
}
