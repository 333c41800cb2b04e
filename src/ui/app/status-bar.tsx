import { useSession } from '../data/session.ts';
import { useLatestRevision, useStats } from '../data/thread.ts';
import { Time } from '../kit/time.tsx';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import { useRouter } from './router.ts';

export function StatusBar({ onKeys }: { readonly onKeys: () => void }) {
  const { place } = useRouter();
  const { rights } = useSession();
  return (
    <footer class="status">
      {place.threadId !== undefined && <ThreadStatus threadId={place.threadId} at={place.at} />}
      {place.threadId === undefined && <span class="sp" />}
      <span>{rights.write ? 'read and write' : 'read only'}</span>
      <button type="button" class="keys-button" onClick={onKeys}>
        <kbd>?</kbd> keys
      </button>
    </footer>
  );
}

interface ThreadStatusProps {
  readonly threadId: string;
  readonly at: string | undefined;
}

function ThreadStatus({ threadId, at }: ThreadStatusProps) {
  const { value: latest } = useLatestRevision(threadId);
  const { value: stats } = useStats(threadId);
  if (at !== undefined) {
    return (
      <>
        <span>Past</span>
        <span class="sp" />
        <span>revision {at}</span>
      </>
    );
  }
  return (
    <>
      {latest && (
        <span>
          <Stored text={latest.actor} /> wrote <Time at={latest.at} />
        </span>
      )}
      <span class="sp" />
      {latest && <span>revision {latest.revision}</span>}
      {stats && <span>{countOf(stats.entities, 'entity', 'entities')}</span>}
      {stats && <span>{countOf(stats.totalObservations, 'fact')}</span>}
      {stats && <span>{countOf(stats.relations, 'relation')}</span>}
    </>
  );
}
