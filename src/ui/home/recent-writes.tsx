import type { ListedRevision, ListedThread } from '#http/wire.ts';
import { Link } from '../app/link.tsx';
import { callTool } from '../data/api.ts';
import { useQuery } from '../data/use-query.ts';
import { RevisionLine } from '../history/revision-line.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';

const THREADS_MAX = 5;
const SHOWN_MAX = 8;

/** What was written last in the threads that changed last. */
export function RecentWrites({ threads }: { readonly threads: readonly ListedThread[] }) {
  const newest = threads.slice(0, THREADS_MAX);
  const key = newest.map(({ threadId, lastChange }) => `${threadId} ${lastChange}`).join('\n');
  const { value } = useQuery(['threads', 'recent', key], () => readRecent(newest));
  if (value === undefined || value.length === 0) return null;
  return (
    <section class="box clip recent-box">
      <div class="box-h">
        <h2>What was written lately</h2> <span class="mut">in all threads</span>
      </div>
      <table class="recent">
        <tbody>
          {value.map(({ threadId, revision }) => (
            <tr key={`${threadId} ${revision.revision}`}>
              <td class="mut nw">
                <Time at={revision.at} />
              </td>
              <td class="ink2 nw hide-s">
                <Stored text={revision.actor} />
              </td>
              <td class="id hide-s">
                <Stored text={threadId} />
              </td>
              <td>
                <RevisionLine revision={revision} />
              </td>
              <td class="num id">
                <Link to={{ threadId, view: 'history', open: String(revision.revision) }}>
                  {revision.revision}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RecentWrite {
  readonly threadId: string;
  readonly revision: ListedRevision;
}

async function readRecent(threads: readonly ListedThread[]): Promise<readonly RecentWrite[]> {
  const lists = await Promise.all(
    threads.map(async ({ threadId }) => {
      const { changes } = await callTool(threadId, 'get_recent_changes', { limit: SHOWN_MAX });
      return changes.map((revision) => ({ threadId, revision }));
    }),
  );
  return lists
    .flat()
    .toSorted((a, b) => (a.revision.at < b.revision.at ? 1 : -1))
    .slice(0, SHOWN_MAX);
}
