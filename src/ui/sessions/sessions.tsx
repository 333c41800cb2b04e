import { useState } from 'preact/hooks';
import { useRouter } from '../app/router.ts';
import { callTool } from '../data/api.ts';
import { useQuery } from '../data/use-query.ts';
import { useSettled } from '../data/use-settled.ts';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { SearchField } from '../kit/search-field.tsx';
import { Stored } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { countOf } from '../text/numbers.ts';
import { shortText } from '../text/safe-text.ts';
import { SummariseButton } from './summarise-button.tsx';
import { TurnList } from './turn-list.tsx';

const SUMMARIES_MAX = 200;
const FOUND_MAX = 50;

/** Conversations that were logged: their summaries, their turns, and the facts that came from a turn. */
export function Sessions({ threadId }: { readonly threadId: string }) {
  const { place, go } = useRouter();
  const [query, setQuery] = useState('');
  const listed = useSessions(threadId, useSettled(query.trim()));
  const { value: sessions, error, retry } = listed;
  const open = place.open ?? sessions?.[0]?.sessionId;
  return (
    <section
      class="sessions"
      aria-label="Sessions"
      data-open={place.open === undefined ? undefined : ''}
    >
      <div class="side-list">
        <div class="panel-h">
          <SearchField
            label="Search in turns"
            placeholder="Search in turns"
            value={query}
            onInput={setQuery}
          />
        </div>
        <div class="scroll sp" tabIndex={0} role="region" aria-label="List of sessions">
          {error && <Problem error={error} retry={retry} />}
          {sessions === undefined && !error && <Loading rows={5} />}
          {sessions?.length === 0 && (
            <p class="empty">
              {query === ''
                ? 'No session has a summary yet. Agents log turns with add_memory; search finds those too.'
                : 'No turn says this.'}
            </p>
          )}
          <ul class="slist">
            {sessions?.map(({ sessionId, title, at, about }) => (
              <li key={sessionId} class={sessionId === open ? 'sel' : undefined}>
                <button
                  type="button"
                  class="session"
                  aria-current={sessionId === open ? 'true' : undefined}
                  onClick={() => go({ open: sessionId })}
                >
                  <Stored text={title} class="med" />
                  <span class="m">
                    <Time at={at} /> <Stored text={about} class="ell" />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <SummariseButton threadId={threadId} />
        </div>
      </div>
      {open === undefined ? (
        <p class="empty center">
          A session shows its turns here, and beside each the facts that came from it.
        </p>
      ) : (
        <TurnList key={open} threadId={threadId} sessionId={open} />
      )}
    </section>
  );
}

interface ListedSession {
  readonly sessionId: string;
  readonly title: string;
  readonly at: string;
  readonly about: string;
}

/** Sessions that have a summary; with a query, those of the turns that are found. */
function useSessions(threadId: string, query: string) {
  return useQuery<readonly ListedSession[]>([threadId, 'sessions', query], async () => {
    if (query === '') {
      const { summaries } = await callTool(threadId, 'get_all_summaries', { limit: SUMMARIES_MAX });
      return summaries.map(({ sessionId, title, timestamp, category, memoryCount }) => ({
        sessionId,
        title,
        at: timestamp,
        about: `${countOf(memoryCount, 'turn')} · ${category}`,
      }));
    }
    const { results } = await callTool(threadId, 'query_raw_memories', {
      query,
      nResults: FOUND_MAX,
    });
    const bySession = Map.groupBy(results, ({ sessionId }) => sessionId);
    return [...bySession].flatMap(([sessionId, [first]]) =>
      first === undefined
        ? []
        : [
            {
              sessionId,
              title: shortText(first.prompt, 80),
              at: first.timestamp,
              about: sessionId,
            },
          ],
    );
  });
}
