/** The list of threads, and what is shown of each. */
import type { ListedThread } from '#http/wire.ts';
import { callTool, request, threadPath } from './api.ts';
import type { Session } from './session.ts';
import { readRevisions, type RevisionList } from './thread.ts';
import { useQuery, type Query } from './use-query.ts';

const PER_PAGE = 200;
const PAGES_MAX = 25;
const DAYS = 30;
const REVISION_PAGES = 3;

/** Any thread that the credential reaches: the route of tools wants one, also for a tool that has none. */
function someThread({ principal }: Session): string {
  const [pattern = 'home'] = principal?.threads ?? [];
  return pattern.replace(/\*$/, '');
}

export function useThreads(session: Session): Query<readonly ListedThread[]> {
  return useQuery(['threads', 'list'], () => readThreads(session));
}

async function readThreads(session: Session): Promise<readonly ListedThread[]> {
  const threads: ListedThread[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    // oxlint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
    const answer = await callTool(someThread(session), 'list_threads', {
      limit: PER_PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    threads.push(...answer.threads.filter(({ owner_id }) => owner_id === undefined));
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  return threads;
}

/** What happened in a thread in the last 30 days, up to its newest 300 revisions. */
export function useActivity({ threadId, lastChange }: ListedThread): Query<RevisionList> {
  return useQuery(['threads', 'activity', threadId, lastChange], async () => {
    const since = new Date(Date.now() - DAYS * 86_400_000).toISOString();
    if (lastChange < since) return { revisions: [], isCut: false };
    return readRevisions(threadId, REVISION_PAGES, since);
  });
}

/** Bytes that a thread takes up. */
export function useSize({ threadId, lastChange }: ListedThread): Query<number> {
  return useQuery(['threads', 'size', threadId, lastChange], async () => {
    const { storage } = await callTool(threadId, 'health_check', {});
    return storage.bytes;
  });
}

export interface ListedFile {
  readonly file: string;
  readonly sizeBytes: number;
  readonly writtenAt: string;
  readonly download: string;
}

/** Files that were exported, and backups for a credential that may see them; newest first. */
export function useFiles(threadId: string): Query<readonly ListedFile[]> {
  return useQuery([threadId, 'files'], async () => {
    const answer = await request(`${threadPath(threadId)}/files`);
    return ((await answer.json()) as { files: ListedFile[] }).files;
  });
}
