import { useMemo, useState } from 'preact/hooks';
import { MergeDialog } from '../card/merge-dialog.tsx';
import type { GraphData } from '../data/graph-data.ts';
import { useSession } from '../data/session.ts';
import { useCard } from '../data/thread.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { Button } from '../kit/button.tsx';
import { EntityLink } from '../kit/entity-link.tsx';
import { Link } from '../app/link.tsx';
import { findDuplicates, type LikelyDuplicate } from '../text/duplicates.ts';
import type { Analytics } from './analytics.ts';

interface RepairsProps {
  readonly threadId: string;
  readonly graph: GraphData;
  readonly orphans: Analytics['orphaned_entities'];
  readonly colourOf: ColourOf;
}

/** Entities without relations and likely duplicates, each with the way to repair it. */
export function Repairs({ threadId, graph, orphans, colourOf }: RepairsProps) {
  const { rights } = useSession();
  const duplicates = useMemo(() => findDuplicates(graph.entities), [graph]);
  const [merging, setMerging] = useState<LikelyDuplicate>();
  return (
    <div class="grid2 wide">
      <section class="box" aria-label="Likely duplicates">
        <div class="box-h">
          <h2>Likely duplicates</h2> <span class="mut">names that are nearly the same</span>
        </div>
        {duplicates.length === 0 && <p class="empty">None was found.</p>}
        {duplicates.map((pair) => (
          <div class="rep" key={`${pair.name}\n${pair.like}`}>
            <span class="row wrap">
              <EntityLink name={pair.name} type={pair.entityType} colourOf={colourOf} />
              <span class="mut">and</span>
              <EntityLink name={pair.like} />
            </span>
            {rights.remove && (
              <Button isSmall icon="merge" onClick={() => setMerging(pair)}>
                Merge
              </Button>
            )}
          </div>
        ))}
      </section>
      <section class="box" aria-label="Orphans">
        <div class="box-h">
          <h2>Without a relation</h2>
        </div>
        {orphans.length === 0 && <p class="empty">Every entity has a relation.</p>}
        {orphans.map(({ entityName, entityType }) => (
          <div class="rep" key={entityName}>
            <EntityLink name={entityName} type={entityType} colourOf={colourOf} />
            <Link class="b sm" to={{ view: 'graph', entity: entityName }}>
              {rights.write ? 'Relate it' : 'Open'}
            </Link>
          </div>
        ))}
      </section>
      {merging && (
        <Merge threadId={threadId} pair={merging} onClose={() => setMerging(undefined)} />
      )}
    </div>
  );
}

interface MergeProps {
  readonly threadId: string;
  readonly pair: LikelyDuplicate;
  readonly onClose: () => void;
}

function Merge({ threadId, pair, onClose }: MergeProps) {
  const { value: card } = useCard(threadId, pair.name, undefined);
  if (!card) return null;
  return <MergeDialog {...{ threadId, card, onClose }} into={pair.like} onRenamed={() => {}} />;
}
