import { useLatestRevision } from '../data/thread.ts';
import { Icon } from '../kit/icon.tsx';
import { formatTime } from '../text/time.ts';
import { Link } from './link.tsx';
import { useRouter } from './router.ts';

/** Says which moment is shown, and leads to the slider that chooses another. */
export function PastButton({ threadId }: { readonly threadId: string }) {
  const { place } = useRouter();
  const { value: latest } = useLatestRevision(threadId);
  if (latest === null) return null;
  const { at } = place;
  return (
    <Link class="b quiet" to={{ view: 'history' }} title="See the memory as it was (T)">
      <Icon name="clock" />
      {at === undefined ? 'Now' : <strong class="past-ink">{describeAt(at)}</strong>}
    </Link>
  );
}

function describeAt(at: string): string {
  return /^\d+$/.test(at) ? `Revision ${at}` : formatTime(at);
}
