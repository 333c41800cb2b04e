import { callTool } from '../data/api.ts';
import { useGraph } from '../data/graph.ts';
import { useQuery } from '../data/use-query.ts';
import { useTypeColours } from '../data/type-colours.ts';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { countOf, formatBytes } from '../text/numbers.ts';
import { AnalyticsLists } from './analytics-lists.tsx';
import { FactsByType } from './facts-by-type.tsx';
import { GrowthChart } from './growth-chart.tsx';
import { Quality } from './quality.tsx';
import { Repairs } from './repairs.tsx';

const LISTED = 10;

/** How the memory is doing, and what in it wants care. */
export function Overview({ threadId }: { readonly threadId: string }) {
  const colourOf = useTypeColours(threadId);
  const { value, error, retry } = useQuery([threadId, 'analytics'], () =>
    callTool(threadId, 'get_analytics', { limit: LISTED }),
  );
  const graph = useGraph(threadId, undefined);
  if (value === undefined) {
    return (
      <div class="page">
        {error ? <Problem error={error} retry={retry} /> : <Loading rows={8} />}
      </div>
    );
  }
  return (
    <div class="page">
      <div class="page-h">
        <h1>Overview</h1>
        <Storage threadId={threadId} />
      </div>
      <Quality quality={value.quality} />
      {graph.error && <Problem error={graph.error} retry={graph.retry} />}
      {graph.value && (
        <div class="grid2 wide">
          <GrowthChart graph={graph.value} />
          <FactsByType {...{ colourOf }} graph={graph.value} />
        </div>
      )}
      <AnalyticsLists {...{ colourOf }} analytics={value} />
      {graph.value && (
        <Repairs
          {...{ threadId, colourOf }}
          graph={graph.value}
          orphans={value.orphaned_entities}
        />
      )}
    </div>
  );
}

/** How much room the thread takes up, and what search has still to do. */
function Storage({ threadId }: { readonly threadId: string }) {
  const { value } = useQuery([threadId, 'health'], () => callTool(threadId, 'health_check', {}));
  if (value === undefined) return null;
  const { storage, embedding_backlog: waiting } = value;
  return (
    <span class="mut">
      {formatBytes(storage.bytes)} of {formatBytes(storage.max_bytes)}
      {waiting > 0 && `, ${countOf(waiting, 'text')} not yet found by meaning`}
      {storage.warning !== null && `. ${storage.warning}`}
    </span>
  );
}
