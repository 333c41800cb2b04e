import { useQuery } from '../data/use-query.ts';
import { callTool } from '../data/api.ts';
import { useLatestRevision } from '../data/thread.ts';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { countOf } from '../text/numbers.ts';
import { formatMoment } from '../text/time.ts';
import { useRouter, type View } from './router.ts';

const PRESENT_ONLY: ReadonlySet<View> = new Set(['sessions', 'overview', 'files']);

/** Which moment all views show, and the way back. */
export function PastStrip({ threadId, at }: { readonly threadId: string; readonly at: string }) {
  const { place, go } = useRouter();
  const { value: latest } = useLatestRevision(threadId);
  const revision = /^\d+$/.test(at) ? Number(at) : undefined;
  const { value: shown } = useQuery([threadId, 'revision', at], async () =>
    revision === undefined || revision === 0
      ? null
      : callTool(threadId, 'describe_revision', { revision, limit: 1 }),
  );
  const later = latest && revision !== undefined ? latest.revision - revision : undefined;
  return (
    <div class="asof" role="status">
      <Icon name="clock" />
      <span>
        <span class="strong">{shown ? formatMoment(shown.at) : at}</span>
        {revision !== undefined && ` · the memory after revision ${revision}. `}
        <span class="hide-s light">
          {later !== undefined && later > 0 && `${countOf(later, 'later revision')} not shown. `}
          {PRESENT_ONLY.has(place.view)
            ? 'This view has no past: it shows the memory as it is now.'
            : 'Nothing can be written here.'}
        </span>
      </span>
      <span class="sp" />
      <Button isSmall look="primary" onClick={() => go({ at: undefined })}>
        Return to now
      </Button>
    </div>
  );
}
