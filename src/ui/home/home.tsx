import { useState } from 'preact/hooks';
import type { ListedThread } from '#http/wire.ts';
import { useSession } from '../data/session.ts';
import { useThreads } from '../data/threads.ts';
import { Button } from '../kit/button.tsx';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { SearchField } from '../kit/search-field.tsx';
import { countOf } from '../text/numbers.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { DeleteThreadDialog } from './delete-thread-dialog.tsx';
import { EmptyHome } from './empty-home.tsx';
import { NewThreadDialog } from './new-thread-dialog.tsx';
import { RecentWrites } from './recent-writes.tsx';
import { ThreadTable } from './thread-table.tsx';

/** All threads, and how to begin one. */
export function Home() {
  const session = useSession();
  const { value: threads, error, retry } = useThreads(session);
  if (threads === undefined) {
    return (
      <div class="page">
        {error ? <Problem error={error} retry={retry} /> : <Loading rows={6} />}
      </div>
    );
  }
  return threads.length === 0 ? <EmptyHome /> : <ThreadList threads={threads} />;
}

function ThreadList({ threads }: { readonly threads: readonly ListedThread[] }) {
  const { rights } = useSession();
  const [query, setQuery] = useState('');
  const [dialog, setDialog] = useState<'connect' | 'new' | ListedThread>();
  const close = () => setDialog(undefined);
  const shown = threads.filter(({ threadId }) =>
    threadId.toLowerCase().includes(query.trim().toLowerCase()),
  );
  const sum = (key: 'entities' | 'observations') =>
    threads.reduce((total, thread) => total + thread[key], 0);
  return (
    <div class="page">
      <div class="page-h">
        <h1>Threads</h1>
        <SearchField label="Search thread names" value={query} onInput={setQuery} />
        <Button icon="plug" onClick={() => setDialog('connect')}>
          Connect a client
        </Button>
        {rights.write && (
          <Button look="primary" icon="plus" onClick={() => setDialog('new')}>
            New thread
          </Button>
        )}
      </div>
      {shown.length === 0 ? (
        <p class="box box-b mut">No thread has this in its name.</p>
      ) : (
        <ThreadTable threads={shown} {...(rights.remove && { onDelete: setDialog })} />
      )}
      <p class="note sums">
        {countOf(threads.length, 'thread')}, {countOf(sum('entities'), 'entity', 'entities')},{' '}
        {countOf(sum('observations'), 'fact')}
      </p>
      <RecentWrites threads={threads} />
      {dialog === 'connect' && <ConnectDialog onClose={close} />}
      {dialog === 'new' && <NewThreadDialog threads={threads} onClose={close} />}
      {typeof dialog === 'object' && <DeleteThreadDialog thread={dialog} onClose={close} />}
    </div>
  );
}
