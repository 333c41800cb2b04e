import { useMemo } from 'preact/hooks';
import type { GraphData } from '../data/graph-data.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { Stored } from '../kit/text.tsx';
import { formatCount } from '../text/numbers.ts';

const SHOWN_MAX = 10;

/** How many facts each entity type has. */
export function FactsByType({
  graph,
  colourOf,
}: {
  readonly graph: GraphData;
  readonly colourOf: ColourOf;
}) {
  const counts = useMemo(() => {
    const sums = new Map<string, number>();
    for (const { entityType, facts } of graph.entities) {
      sums.set(entityType, (sums.get(entityType) ?? 0) + facts);
    }
    return [...sums].toSorted((a, b) => b[1] - a[1]);
  }, [graph]);
  const most = Math.max(1, counts[0]?.[1] ?? 0);
  return (
    <section class="box" aria-label="Facts by type">
      <div class="box-h">
        <h2>Facts by type</h2>
      </div>
      <div class="box-b bars">
        {counts.slice(0, SHOWN_MAX).map(([type, count]) => (
          <>
            <Stored key={type} text={type} class="ell" />
            <span key={`${type} bar`}>
              <i
                class={`bb t${colourOf(type)}`}
                style={{ width: `${Math.max(1, (count / most) * 100)}%` }}
              />
            </span>
            <span key={`${type} count`} class="num">
              {formatCount(count)}
            </span>
          </>
        ))}
        {counts.length > SHOWN_MAX && (
          <p class="note">{formatCount(counts.length - SHOWN_MAX)} more types</p>
        )}
      </div>
    </section>
  );
}
