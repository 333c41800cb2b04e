import { useState } from 'preact/hooks';
import type { ListedRevision } from '#http/wire.ts';
import { useRouter } from '../app/router.ts';
import { callTool } from '../data/api.ts';
import { useQuery } from '../data/use-query.ts';
import { BackToList } from '../kit/back-to-list.tsx';
import { Button } from '../kit/button.tsx';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { Stored } from '../kit/text.tsx';
import { countOf } from '../text/numbers.ts';
import { formatMoment } from '../text/time.ts';
import { RowChangeItem } from './row-change-item.tsx';
import { UndoPanel } from './undo-panel.tsx';

interface RevisionDetailProps {
  readonly threadId: string;
  readonly revision: ListedRevision;
}

const CHANGES_FIRST = 100;
const CHANGES_MAX = 500;

/** Before and after of each row that a revision changed, and the way back. */
export function RevisionDetail({ threadId, revision }: RevisionDetailProps) {
  const { place, go } = useRouter();
  const [limit, setLimit] = useState(CHANGES_FIRST);
  const { revision: id, at, actor, tool } = revision;
  const { value, error, retry } = useQuery([threadId, 'revision', String(id), String(limit)], () =>
    callTool(threadId, 'describe_revision', { revision: id, limit }),
  );
  return (
    <section class="revision" aria-label={`Revision ${id}`}>
      <div class="panel-h tall">
        <BackToList />
        <div class="sp">
          <div class="row">
            <h2>Revision {id}</h2>
            <span class="chip mono">{tool}</span>
          </div>
          <p class="note">
            {formatMoment(at)} · <Stored text={actor} /> · {countOf(revision.rows, 'row')}
          </p>
        </div>
        {place.at !== String(id) && (
          <Button isSmall icon="clock" onClick={() => go({ at: String(id) })}>
            See this moment
          </Button>
        )}
      </div>
      <div class="scroll sp">
        {error && <Problem error={error} retry={retry} />}
        {value === undefined && !error && <Loading rows={4} />}
        <ul>
          {value?.changes.map((change, i) => (
            <RowChangeItem key={i} change={change} />
          ))}
        </ul>
        {value && value.nextCursor !== null && (
          <p class="empty">
            <Button isSmall isDisabled={limit >= CHANGES_MAX} onClick={() => setLimit(CHANGES_MAX)}>
              Show more of its changes
            </Button>
          </p>
        )}
      </div>
      {place.at === undefined && <UndoPanel threadId={threadId} revision={id} />}
    </section>
  );
}
