import { useState } from 'preact/hooks';
import { useRouter } from '../app/router.ts';
import { useRevisions } from '../data/thread.ts';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { Comparison } from './comparison.tsx';
import { RevisionDetail } from './revision-detail.tsx';
import { RevisionTable } from './revision-table.tsx';
import { TimeStrip } from './time-strip.tsx';

const PAGES_FIRST = 3;

/** What was changed, by whom, and the thread at any moment since. */
export function History({ threadId }: { readonly threadId: string }) {
  const { place, go } = useRouter();
  const [pages, setPages] = useState(PAGES_FIRST);
  const [other, setOther] = useState<number>();
  const { value, error, retry } = useRevisions(threadId, pages);
  if (value === undefined) {
    return error ? <Problem error={error} retry={retry} /> : <Loading rows={8} />;
  }
  const { revisions, isCut } = value;
  const [newest] = revisions;
  if (newest === undefined) {
    return (
      <p class="empty center">
        Nothing was written yet. Each call that changes something appears here.
      </p>
    );
  }
  const at = place.at === undefined ? undefined : Number(place.at);
  const open = revisions.find(({ revision }) => String(revision) === place.open);
  const isOpen = open !== undefined || other !== undefined;
  return (
    <section class="history" aria-label="History" data-open={isOpen ? '' : undefined}>
      <TimeStrip
        revisions={revisions}
        at={at}
        other={other}
        onAt={(revision) => go({ at: revision === undefined ? undefined : String(revision) })}
        onOther={setOther}
      />
      <div class="hcols">
        <RevisionTable
          revisions={revisions}
          isCut={isCut}
          at={at}
          open={open?.revision}
          onOpen={(revision) => go({ open: revision === undefined ? undefined : String(revision) })}
          onMore={() => setPages(pages * 2)}
        />
        {other === undefined ? (
          <RevisionDetail
            key={(open ?? newest).revision}
            {...{ threadId }}
            revision={open ?? newest}
          />
        ) : (
          <Comparison
            {...{ threadId }}
            from={Math.min(other, at ?? newest.revision)}
            to={Math.max(other, at ?? newest.revision)}
          />
        )}
      </div>
    </section>
  );
}
