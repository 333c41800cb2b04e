import { callTool } from '../data/api.ts';
import { isFact } from '../data/graph-data.ts';
import { useQuery } from '../data/use-query.ts';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { compareStates, type ComparedState } from '../text/compare-states.ts';
import { countOf } from '../text/numbers.ts';
import { RowChangeItem } from './row-change-item.tsx';

interface ComparisonProps {
  readonly threadId: string;
  readonly from: number;
  readonly to: number;
}

const SHOWN_MAX = 500;
const PER_PAGE = 1_000;

/** What was added, changed and removed between two moments. */
export function Comparison({ threadId, from, to }: ComparisonProps) {
  const { value, error, retry } = useQuery(
    [threadId, 'compare', String(from), String(to)],
    async () => compareStates(await readState(threadId, from), await readState(threadId, to)),
  );
  const count = (action: string) => value?.filter((one) => one.action === action).length ?? 0;
  return (
    <section class="revision" aria-label="Comparison">
      <div class="panel-h tall">
        <div class="sp">
          <h2>
            From revision {from} to {to}
          </h2>
          <p class="note">
            {value
              ? `${count('added')} added, ${count('changed')} changed, ${count('deleted')} removed`
              : 'Reading both moments…'}
          </p>
        </div>
      </div>
      <div class="scroll sp">
        {error && <Problem error={error} retry={retry} />}
        {value === undefined && !error && <Loading rows={4} />}
        {value?.length === 0 && <p class="empty">Both moments hold the same.</p>}
        <ul>
          {value?.slice(0, SHOWN_MAX).map((change, i) => (
            <RowChangeItem key={i} change={change} />
          ))}
        </ul>
        {value && value.length > SHOWN_MAX && (
          <p class="empty">{countOf(value.length - SHOWN_MAX, 'more change')} not shown.</p>
        )}
      </div>
    </section>
  );
}

async function readState(threadId: string, revision: number): Promise<ComparedState> {
  const state: {
    entities: ComparedState['entities'][number][];
    relations: ComparedState['relations'][number][];
  } = {
    entities: [],
    relations: [],
  };
  let cursor: string | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- Each page says where the next one begins.
    const page = await callTool(threadId, 'read_graph', {
      limit: PER_PAGE,
      detail: 'full',
      asOf: String(revision),
      ...(cursor !== undefined && { cursor }),
    });
    for (const { id = '', name, entityType, observations } of page.entities) {
      state.entities.push({ id, name, entityType, facts: observations.filter(isFact) });
    }
    state.relations.push(...page.relations);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return state;
}
